"""An answer as people see it: cited sentences, or what comes closest to one, and how it came about."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import asking, browser, charts, components, judging, outdated, sources, state, tables
from dashboard.columns import HITS, TIMINGS
from dashboard.export import answer_markdown
from dashboard.refusals import draw_unanswered
from dashboard.words import decimals, held_against, md, milliseconds, quoted, score, several, where
from rag.models import Answer, GateDecision, GroundedSentence
from rag.quote import joined
from rag.standalone import READ_AS, read_in

if TYPE_CHECKING:
    from rag.candor import Candor

NO_BREAK = "\N{NO-BREAK SPACE}"


def draw_answer(
    candor: "Candor", answer: Answer, *, key: str, is_inspected: bool = False, is_of_index: bool = True
) -> None:
    """Draw what came of a question: an answer, what comes closest to one, or a sentence where nothing was asked.

    Args:
        candor: Where its sources are.
        answer: What to draw.
        key: Unique on the page.
        is_inspected: Whether it is drawn on Inspect, where the rest of it stands beside it.
        is_of_index: Whether it was asked of the index in use, so that what became of its sources can be told.
    """
    if answer.outcome == "talk":
        st.markdown("  \n".join(map(md, (answer.message or "").splitlines())))
        return
    if is_of_index:
        outdated.draw_of_answer(candor, answer, key, is_inspected=is_inspected)
    read_as = [note for note in answer.notes if note.startswith(READ_AS)]
    _draw_notes(read_as)  # before the outcome: it is what was answered, or refused
    if read_as and not is_inspected:
        judging.draw_otherwise(read_in(read_as[0]), key, written=answer.query.question)
    if answer.answer is None:
        draw_unanswered(candor, answer, key, is_inspected=is_inspected)
        if is_of_index:
            outdated.draw_of_refusal(candor, answer, key, is_inspected=is_inspected)
    else:
        _draw_sentences(answer, key)
        _draw_sources(answer, outdated.since(candor, answer) if is_of_index else {})
    others = [note for note in answer.notes if note not in read_as]
    _draw_notes([*others, *(answer.gate.warnings if answer.gate else ())])
    _draw_dropped(answer)
    _draw_actions(answer, key, is_inspected, outdated.notes(candor, answer) if is_of_index else [])


def _draw_notes(notes: Sequence[str]) -> None:
    for note in notes:
        st.caption(f":material/info: {md(note)}")


def _draw_sentences(answer: Answer, key: str) -> None:
    """Draw the answer in large type, and in one line who says so and how sure that is."""
    cited = sources.cited_by(answer)
    drawn = [sources.with_chips(one, cited) for one in answer.sentences]
    with st.container(key=f"said-{key}"):  # `both.css` makes it larger
        st.markdown(joined([one.text for one in answer.sentences], drawn, line="  \n"))
    st.caption(in_short(answer))


def in_short(answer: Answer) -> str:
    """Return in one line how an answer was written, on how many sources, and how sure that is; Markdown."""
    by_model = answer.generator.is_model
    written = f"Written by {md(answer.generator.model or 'a model')}, every sentence checked"
    how = written if by_model else "Quoted word for word"
    parts = [how, several(len(answer.citations), "source")]
    if answer.gate is not None and answer.gate.passed:
        parts.append(f"sure ({held_against(answer.gate)[0]})")
    return ", ".join(parts)


def _draw_sources(answer: Answer, became: Mapping[int, outdated.Since]) -> None:
    """Draw where the answer comes from, a line for each source; each leads to it."""
    cited = sources.cited_by(answer)
    lines = [
        f":small[{sources.chip(cited, number)} {md(where(one))}{outdated.badge(became.get(number - 1))}]"
        for number, one in enumerate(answer.citations, start=1)
    ]
    st.markdown("  \n".join(lines))


def _draw_dropped(answer: Answer) -> None:
    dropped = [one for one in answer.grounding.sentences if not one.supported] if answer.grounding else []
    if not dropped:
        return
    count = len(dropped)
    with st.expander(
        f"{count} {'sentence was' if count == 1 else 'sentences were'} left out, and why",
        icon=":material/block:",
        type="compact",
    ):
        for sentence in dropped:
            draw_dropped_sentence(sentence)


def draw_dropped_sentence(sentence: GroundedSentence) -> None:
    """Draw a sentence that no passage supports as no part of the answer, and what the passages say instead."""
    why = f" {md(sentence.reason)}" if sentence.reason else ""
    st.markdown(f":red-badge[:material/block: left out] :gray[~~{md(sentence.text)}~~]  \n:small[{why.strip()}]")
    nearest = next(filter(None, sentence.evidence), "")
    if nearest:
        st.caption("The passages say instead:")
        st.markdown(quoted(nearest))


def draw_hits(answer: Answer, key: str) -> None:
    """Draw the retrieved chunks with their ranks, similarity, BM25 and reading, page and section."""
    components.table(
        tables.hits_table(answer),
        columns=HITS,
        key=f"{key}-hits",
        alt="Retrieved passages",
    )
    st.caption(
        "Ranked by retrieval, then by how probably each answers, as the reader judged it. The answer may rest on the "
        "passages marked *used*."
    )


def draw_gate(answer: Answer, key: str) -> None:
    """Draw confidence against threshold, and all that the estimators read."""
    gate = answer.gate
    if gate is None:
        st.caption("The gate was not reached.")
        return
    draw_meter(gate, key)
    st.markdown(md(gate.reason))
    confidence, threshold = held_against(gate)
    digits = max(decimals(gate), 3)
    unsure = f" Unsure from {score(gate.unsure_threshold)} on." if gate.unsure_threshold is not None else ""
    st.caption(f"Confidence {confidence} minus threshold {threshold}: {gate.margin:+.{digits}f}.{unsure}")
    st.table(tables.inputs_table(gate), border="horizontal", hide_index=True, alt="What the estimators read")


def draw_meter(gate: GateDecision, key: str) -> None:
    """Draw confidence as a bar against the thresholds."""
    unsure = f", unsure from {gate.unsure_threshold:.2f} on" if gate.unsure_threshold is not None else ""
    components.plot(
        charts.confidence_meter(gate.confidence, gate.threshold, gate.unsure_threshold),
        key=f"{key}-meter",
        alt=f"Confidence {gate.confidence:.2f} against the threshold {gate.threshold:.2f}{unsure}",
    )


def draw_timings(answer: Answer, key: str) -> None:
    """Draw how long each stage took."""
    frame = tables.timings_table(answer.timings_ms)
    took = zip(frame["stage"], frame["ms"], strict=True)
    alt = ", ".join(f"{stage} {milliseconds(ms).replace(' ', NO_BREAK)}" for stage, ms in took)
    st.markdown(f"In all **{milliseconds(answer.timings_ms.total)}**: :small[{alt}]")
    components.chart(charts.waterfall(frame), frame, alt=alt, key=f"{key}-timing", columns=TIMINGS)


def _draw_actions(answer: Answer, key: str, is_inspected: bool, notes: Sequence[str]) -> None:
    """Draw copy with what has to be known of its sources, links, why, and the thumbs."""
    with st.container(horizontal=True, vertical_alignment="top", gap="xsmall"):
        browser.copy_button(answer_markdown(answer, notes), key=f"{key}-copy")
        with st.popover("Link", icon=":material/link:", type="tertiary"):
            _draw_links(answer)
        if not is_inspected:
            st.button("Why?", key=f"{key}-why", icon=":material/account_tree:", type="tertiary", on_click=state.put,
                      args=(state.OPENED, (answer.request_id, 0)))  # fmt: skip
        judging.draw_thumbs(answer, key)


def _draw_links(answer: Answer) -> None:
    page = components.ask_address()
    if answer.session_id:
        st.caption("This answer as it stands here, for whoever may read this conversation.")
        st.code(f"{page}?{state.SESSION}={answer.session_id}", language=None, wrap_lines=True)
    st.caption("The same question, asked anew with these settings.")
    st.code(asking.link_to(answer.query, page), language=None, wrap_lines=True)
    if answer.query.context:
        st.caption("The pasted text is not part of the link: send it along.")
