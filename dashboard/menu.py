"""The sidebar: a new question, the conversations and the documents; below a line what evaluators look at."""

from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from dashboard import components, conversation, resources, state
from dashboard.words import md
from rag.candor import Candor
from rag.workspace.values import SessionMetadata

ASK = "pages/ask.py"
LISTED = 12  # so many conversations are listed; a search finds older ones


def draw(title: str) -> None:
    """Draw the menu beside the page of this title."""
    with st.sidebar:
        if st.button("New question", key="new-question", icon=":material/add:", width="stretch"):
            conversation.leave()
            st.switch_page(ASK)
        lazy: Any = {} if title == "Ask" else {"key": f"conversations-{title}", "on_change": "rerun"}
        place = st.expander("Conversations", expanded=not lazy, icon=":material/forum:", **lazy)
        with place, components.guarded():
            if place.open or not lazy:  # on other pages it would be a third of what is drawn
                _draw_conversations(resources.get_candor(), is_on_ask=title == "Ask")
        components.page_link("pages/documents.py", "Documents", icon=":material/description:")
        seen = [one for one in state.PAGES if one.called and one.title not in state.get(state.HIDDEN, ())]
        if seen:
            st.divider()
            st.caption("Quality")
        for one in seen:
            components.page_link(one.path, one.called, icon=one.icon)


def _draw_conversations(candor: Candor, *, is_on_ask: bool) -> None:
    words = st.text_input("Search", key="find-conversation", placeholder="Search", label_visibility="collapsed",
                          max_chars=100, icon=":material/search:")  # fmt: skip
    found = candor.wiring.sessions.list(owner=state.get(state.ACCOUNT), words=words.strip(), limit=LISTED + 1)
    if not found:
        st.caption("No conversation contains these words." if words else "Your conversations will be listed here.")
    if found and state.get(state.ACCOUNT) is None:
        st.caption("Login is off: everybody sees all conversations.")
    opened = (state.url(state.SESSION) or state.get(state.TURNS_OF)) if is_on_ask else None
    zone = components.zone()
    today = datetime.now().astimezone(zone).date()

    def day_of(one: SessionMetadata) -> str:
        is_today = (one.last_query_at or one.created_at).astimezone(zone).date() == today
        return "Today" if is_today else "Earlier"

    with st.container(key="conversation-list"):
        for day, sessions in groupby(found[:LISTED], key=day_of):
            st.caption(day)
            with st.container(gap="xxsmall"):
                for one in sessions:
                    _draw_one(candor, one, is_open=one.session_id == opened)
        if len(found) > LISTED:
            st.caption("Use the search to find older ones.")


def _draw_one(candor: Candor, session: SessionMetadata, *, is_open: bool) -> None:
    name, key = session.session_id, f"name-{session.session_id}"
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", wrap=False):
        if st.button(md(session.title or "Without a question"), key=f"open-{name}",
                     type="secondary" if is_open else "tertiary", width="stretch", wrap=False):  # fmt: skip
            st.switch_page(ASK, query_params={state.SESSION: name})
        if not is_open or state.get(state.BORROWED):
            return
        with st.popover(":material/more_horiz:", key="conversation-menu", type="tertiary",
                        help="Rename, export or delete"):  # fmt: skip

            def rename() -> None:
                if title := str(state.get(key) or "").strip():
                    candor.wiring.sessions.rename(name, title)

            st.text_input("Name", session.title, key=key, max_chars=80, on_change=rename)
            components.download("Export conversation", partial(conversation.export, candor, name), "conversation.md",
                                mime="text/markdown")  # fmt: skip
            if st.button("Delete conversation", icon=":material/delete:", key="delete-conversation"):
                conversation.confirm_deletion(candor)
