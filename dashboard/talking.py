"""The conversation of the page Ask as it is drawn: the input, what stands before it, its turns, and the new answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import ask_settings, asking, components, conversation, queries, sources, state, suggested
from dashboard.answer_card import draw_answer, draw_gate, draw_hits, draw_timings
from dashboard.ask_settings import Options
from dashboard.documents import TYPES, draw_adding, draw_jobs, draw_upload
from dashboard.inspect_again import draw_dropped
from dashboard.words import md, milliseconds, several, wrote
from rag.candor import Candor
from rag.models import Answer, Mode
from rag.validate import MAX_LENGTH

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_CHIPS = 12  # so many documents are shown before the first question


def draw_input(candor: Candor, panel: "DeltaGenerator") -> tuple[Options, str | None]:
    """Draw the settings and the input below the page; return the settings and the question that was typed."""
    may_add = state.get(state.MAY_CHANGE, False)
    with st.bottom, st.container(key="ask-bottom", gap="xxsmall"):
        options = ask_settings.draw(candor, panel)
        lacks = ask_settings.lacking(options)
        is_closed = not _can_be_asked(candor, options)
        typed = st.chat_input(
            "Add a document first" if is_closed else lacks or "Ask a question",
            max_chars=MAX_LENGTH, disabled=is_closed or bool(lacks), submit_mode="disable", key="ask_input",
            accept_file="multiple" if may_add else False, file_type=TYPES if may_add else None,
            max_upload_size=candor.settings.max_upload_mb,
        )  # fmt: skip
    if typed is None or isinstance(typed, str):
        return options, typed
    if not typed.files:
        return options, typed.text or None
    files = [(file.name, file.getvalue()) for file in typed.files]  # the question is asked when they are added
    state.put(state.DROPPED, (files, typed.text or None, state.get(state.UPLOADS, 0)))
    state.put(state.TRIED, typed.text or None)
    return options, None


def draw_files(candor: Candor) -> str | None:
    """Draw what becomes of files that were dropped on the input; once all are added, return what came with them."""
    files, question, count = state.get(state.DROPPED) or ((), None, None)
    if state.get(state.UPLOADS, 0) == count:
        draw_adding(candor, candor.documents(), files)
    elif count is not None and draw_jobs():
        state.put(state.DROPPED, ((), None, count))
        if question and state.get(state.TRIED) == question:  # else it was asked meanwhile, or left
            return str(question)
    return None


def draw_beginning(candor: Candor, options: Options, *, is_begun: bool) -> None:
    """Draw what stands where nothing can be asked, and before the first question; that is gone once it is asked."""
    place = st.empty()
    if not _can_be_asked(candor, options):
        components.no_documents()
        if state.get(state.MAY_CHANGE):
            draw_upload(candor, ())
            if state.get(state.DROPPED) is None:  # else they are drawn beside what was dropped
                draw_jobs()
        return
    names = [record.document for record in candor.documents()]
    if is_begun or not names:
        return
    with place.container():
        st.caption(f"{several(len(names), 'document')} {'is' if len(names) == 1 else 'are'} indexed. Choose documents "
                   "to search only those.")  # fmt: skip
        chosen = [name for name in state.get("document") or () if name in names[:_CHIPS]]
        st.pills("Documents", names[:_CHIPS], key="ask-chips", default=chosen, selection_mode="multi",
                 on_change=lambda: state.put("document", [*state.get("ask-chips")]),  # before the settings are drawn
                 format_func=md, label_visibility="collapsed")  # fmt: skip
        if len(names) > _CHIPS:
            st.caption(f"And {len(names) - _CHIPS} more.")
        suggested.draw(candor)  # last: they come while the page is read, and move nothing


def draw_turns(candor: Candor, asked: list[Answer]) -> None:
    """Draw the questions and answers of the conversation, and whose it is."""
    for one in asked:
        st.chat_message("user", avatar=USER).markdown(md(one.query.question))
        with st.chat_message("assistant", avatar=components.AVATAR):
            draw_answer(candor, one, key=one.request_id)
    conversation.draw_whose(asked)


def answer(candor: Candor, question: str | None, options: Options, asked: Sequence[Answer]) -> None:
    """Answer a question, if there is one, and draw the page again with it; an error stands where the answer would."""
    if question and _can_be_asked(candor, options):
        st.chat_message("user", avatar=USER).markdown(md(question))
        with st.chat_message("assistant", avatar=components.AVATAR), components.guarded():
            here = st.empty()
            with here.container():
                found = asking.stream_answer(candor, question, options)
            with here.container():  # to be seen before it is kept and the whole page is drawn anew
                draw_answer(candor, found, key=found.request_id)
            conversation.keep_turn(found)
            st.rerun()
    arrived = state.get(state.ARRIVED) if asked else None
    linked = None if question or arrived else state.url(state.REQUEST)
    place = next((2 * number for number, one in enumerate(asked) if one.request_id == linked), -2)
    components.show_beginning(f"{len(asked)} {question}" if question else arrived or linked, place)


def _can_be_asked(candor: Candor, options: Options) -> bool:
    """Return whether there is anything to answer from: a pasted text is asked of itself alone."""
    return options["mode"] == Mode.SELECTED_TEXT_ONLY or not queries.is_empty(candor)


VIEWS = ("Source", "Why", "Advanced")
USER = ":material/person:"


def shown(asked: Sequence[Answer], chosen: tuple[str, int] | None) -> tuple[Answer | None, int] | None:
    """Return the answer and the number of its source in the panel, 0: why, -1: the settings; None: it is closed."""
    if chosen:
        state.put(state.OPENED, chosen)
    opened: tuple[str, int] | None = state.get(state.OPENED)
    if opened is None:  # a new answer, or a reload: its first source
        return (asked[-1], 1) if asked and asked[-1].citations else None
    answer = next((one for one in asked if one.request_id == opened[0]), None)
    if opened[1] < 0:
        return answer or (asked[-1] if asked else None), -1
    return (answer, opened[1]) if answer else None


def places(*, is_open: bool, has_settings: bool) -> "Sequence[DeltaGenerator]":
    """Return the places of the conversation, of the panel and of the settings in it, which `both.css` lays out.

    Settings that are not shown are drawn in a popover that nobody sees: else they would lose their place in the URL.
    """
    body = st.container(key="ask-body", horizontal=True, gap="large", wrap=False)
    talk, panel = body.container(key="ask-talk"), body.container(key="ask-panel" if is_open else "ask-unseen")
    shown = panel.container(key="panel-shown")
    return talk, shown, panel.container() if has_settings else panel.popover("Advanced", key="settings-unseen")


@st.fragment
def draw(candor: Candor, answer: Answer | None, number: int) -> None:
    """Draw a source of an answer, why it is as it is, or room for the settings; this draws nothing else anew."""
    head = "panel-first" if state.get(state.OPENED) is None else "panel-chosen"  # `both.css` tells them apart
    with st.container(key=head, horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        name = answer.request_id if answer else ""
        names = VIEWS[2:] if answer is None else VIEWS if sources.cited_by(answer).sources else VIEWS[1:]
        view = st.segmented_control("Beside the answer", names, key=f"view-{name}-{number}", required=True,
                                    default=VIEWS[1 - min(number, 1)], label_visibility="collapsed")  # fmt: skip
        if st.button("Close", key="close-panel", icon=":material/close:", type="tertiary", shortcut="Esc"):
            state.put(state.OPENED, state.CLOSED)
            st.rerun()
    if (view == VIEWS[2]) != (number < 0):  # the settings stand outside of what is drawn anew here
        state.put(state.OPENED, (name, 1 - VIEWS.index(view)))
        st.rerun()
    if answer is None or number < 0:
        st.caption("For the next question; the address of the page holds them.")
        return
    if view == VIEWS[0]:
        cited = sources.cited_by(answer)
        if (count := len(cited.sources)) > 1:
            number = st.segmented_control("Sources", range(1, count + 1), default=min(max(number, 1), count),
                                          required=True, key=f"source-{answer.request_id}-{max(number, 1)}",
                                          label_visibility="collapsed",
                                          format_func=lambda one: f"Source {one}")  # fmt: skip
        sources.draw_source(candor, cited.sources[min(max(number, 1), count) - 1], cited)
        return
    key = f"why-{answer.request_id}"
    st.markdown(f":small[{md(wrote(answer))} · {milliseconds(answer.timings_ms.total)}]")
    st.markdown("**Confidence**")
    draw_gate(answer, key)
    st.markdown("**Passages**")
    draw_hits(answer, key)
    draw_dropped(candor, answer)
    st.markdown("**Timing**")
    draw_timings(answer, key)
    components.inspect_link("Show all on Questions", request_id=answer.request_id)
