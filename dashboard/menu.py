"""The sidebar: a new question, the conversations and the documents; below a line what evaluators look at."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from itertools import groupby

import streamlit as st

from dashboard import components, conversation, resources, state
from dashboard.words import md
from rag.candor import Candor
from rag.stored.values import SessionMetadata

ASK = "pages/ask.py"
QUALITY = {
    "pages/inspector.py": ("Questions", ":material/search_insights:"),
    "pages/evaluate.py": ("Tests", ":material/fact_check:"),
    "pages/tune.py": ("Tune", ":material/tune:"),
    "pages/monitor.py": ("Monitor", ":material/monitoring:"),
}
"""What evaluators and the responsible look at: what the menu calls each page, and its symbol."""
LISTED = 30
"""So many conversations are listed; a search finds older ones."""


def draw(title: str) -> None:
    """Draw the menu beside the page of this title."""
    with st.sidebar:
        if st.button("New question", key="new-question", icon=":material/add:", width="stretch"):
            conversation.leave()
            st.switch_page(ASK)
        with st.expander("Conversations", expanded=title == "Ask", icon=":material/forum:"), components.guarded():
            _draw_conversations(resources.get_candor(), is_on_ask=title == "Ask")
        components.page_link("pages/documents.py", "Documents", icon=":material/description:")
        _draw_quality(state.get(state.HIDDEN, ()))


def _draw_quality(hidden: Iterable[str]) -> None:
    seen = {page: shown for page, shown in QUALITY.items() if components.TITLE_OF[page] not in hidden}
    if seen:
        st.divider()
        st.caption("Quality")
    for page, (label, icon) in seen.items():
        components.page_link(page, label, icon=icon)


def _draw_conversations(candor: Candor, *, is_on_ask: bool) -> None:
    """Draw the search and the conversations, those of today first; of the open one what can be done with it."""
    words = st.text_input("Search", key="find-conversation", placeholder="Search", label_visibility="collapsed",
                          max_chars=100, icon=":material/search:")  # fmt: skip
    found = candor.wiring.sessions.list(owner=state.get(state.ACCOUNT), words=words.strip(), limit=LISTED + 1)
    if not found:
        st.caption("No conversation contains these words." if words else "Your conversations will be listed here.")
    if found and state.get(state.ACCOUNT) is None:
        st.caption("Login is off: everybody sees all conversations.")
    opened = (state.url(state.SESSION) or state.get(state.TURNS_OF)) if is_on_ask else None
    for day, sessions in groupby(found[:LISTED], key=_day_of):
        st.caption(day)
        with st.container(gap="xxsmall"):
            for one in sessions:
                _draw_one(candor, one, is_open=one.session_id == opened)
    if len(found) > LISTED:
        st.caption("Use the search to find older ones.")


def _day_of(session: SessionMetadata) -> str:
    """Return whether a conversation was last used today, where the browser is."""
    zone = components.zone()
    used, now = (session.last_query_at or session.created_at).astimezone(zone), datetime.now().astimezone(zone)
    return "Today" if used.date() == now.date() else "Earlier"


def _draw_one(candor: Candor, session: SessionMetadata, *, is_open: bool) -> None:
    title = session.title or "Without a question"
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", wrap=False):
        if st.button(md(title), key=f"open-{session.session_id}", type="secondary" if is_open else "tertiary",
                     width="stretch", wrap=False):  # fmt: skip
            st.switch_page(ASK, query_params={state.SESSION: session.session_id})
        if is_open and not state.get(state.BORROWED):
            with st.popover(":material/more_horiz:", key="conversation-menu", type="tertiary",
                            help="Rename, export or delete"):  # fmt: skip
                _draw_changes(candor, session)


def _draw_changes(candor: Candor, session: SessionMetadata) -> None:
    key = f"name-{session.session_id}"
    st.text_input("Name", session.title, key=key, max_chars=80, on_change=_rename, args=(candor, session, key))
    components.download("Export conversation", partial(conversation.export, candor, session.session_id),
                        "conversation.md", mime="text/markdown")  # fmt: skip
    if st.button("Delete conversation", icon=":material/delete:", key="delete-conversation"):
        conversation.confirm_deletion(candor)


def _rename(candor: Candor, session: SessionMetadata, key: str) -> None:
    if title := str(state.get(key) or "").strip():
        candor.wiring.sessions.rename(session.session_id, title)
