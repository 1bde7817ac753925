"""The panel beside the answers of the page Ask: the source that was chosen, or why an answer is as it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, sources, state
from dashboard.answer_card import draw_gate, draw_hits, draw_timings
from dashboard.words import md, milliseconds, wrote
from rag.models import Answer

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rag.candor import Candor

VIEWS = ("Source", "Why")


def shown(asked: Sequence[Answer], chosen: tuple[str, int] | None) -> tuple[Answer, int] | None:
    """Return the answer and the number of its source that the panel shows, 0 for why; None: it is closed.

    Args:
        asked: The answers of the conversation.
        chosen: The link to a source that was just clicked.
    """
    if chosen:
        state.put(state.OPENED, chosen)
    opened: tuple[str, int] | None = state.get(state.OPENED)
    if opened is None:  # a new answer, or a reload: its first source
        return (asked[-1], 1) if asked and asked[-1].citations else None
    return next(((one, opened[1]) for one in asked if one.request_id == opened[0]), None)


def places(*, is_open: bool) -> tuple["DeltaGenerator", "DeltaGenerator | None"]:
    """Return the place of the conversation and, where it is open, that of the panel; `both.css` lays them out."""
    body = st.container(key="ask-body", horizontal=True, gap="large", wrap=False)
    return body.container(key="ask-talk"), body.container(key="ask-panel") if is_open else None


@st.fragment
def draw(candor: "Candor", answer: Answer, number: int) -> None:
    """Draw a source of an answer, or why it is as it is; what is done in here draws nothing else anew."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        key = f"view-{answer.request_id}-{number}"
        names = VIEWS if sources.cited_by(answer).sources else VIEWS[1:]
        view = st.segmented_control("Beside the answer", names, default=VIEWS[0 if number else 1], key=key,
                                    label_visibility="collapsed", required=True)  # fmt: skip
        if st.button("Close", key="close-panel", icon=":material/close:", type="tertiary"):
            state.put(state.OPENED, state.CLOSED)
            st.rerun()
    if view == VIEWS[0]:
        _draw_source(candor, answer, max(number, 1))
    else:
        _draw_why(answer)


def _draw_source(candor: "Candor", answer: Answer, number: int) -> None:
    cited = sources.cited_by(answer)
    if (count := len(cited.sources)) > 1:
        number = st.segmented_control("Sources", range(1, count + 1), default=min(number, count), required=True,
                                      key=f"source-{answer.request_id}-{number}", label_visibility="collapsed",
                                      format_func=lambda one: f"Source {one}")  # fmt: skip
    sources.draw_source(candor, cited.sources[min(number, count) - 1], cited)


def _draw_why(answer: Answer) -> None:
    key = f"why-{answer.request_id}"
    st.markdown(f":small[{md(wrote(answer))} · {milliseconds(answer.timings_ms.total)}]")
    st.markdown("**Confidence**")
    draw_gate(answer, key)
    st.markdown("**Passages**")
    draw_hits(answer, key)
    st.markdown("**Timing**")
    draw_timings(answer, key)
    components.inspect_link(answer.request_id, "All of it, on Questions")
