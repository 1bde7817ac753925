"""An answer as people see it: cited sentences, or what comes closest to one, and how it came about."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import charts, components, outdated, resources, sources, state, tables
from dashboard.asking import link_to
from dashboard.columns import HITS, TIMINGS
from dashboard.export import answer_markdown
from dashboard.refusals import draw_unanswered
from dashboard.words import decimals, estimator, held_against, md, milliseconds, quoted, score, several, where, wrote
from rag.models import Answer, GateDecision, GroundedSentence
from rag.quote import joined
from rag.record import Feedback
from rag.standalone import READ_AS, read_in
from rag.validate import MAX_LENGTH

if TYPE_CHECKING:
    from rag.candor import Candor

NO_BREAK = "\N{NO-BREAK SPACE}"


def draw_answer(
    candor: "Candor",
    answer: Answer,
    *,
    key: str,
    open_details: bool = True,
    is_inspected: bool = False,
    is_of_index: bool = True,
) -> None:
    """Draw what came of a question: an answer, what comes closest to one, or a sentence where nothing was asked.

    Args:
        candor: Where its sources are.
        answer: What to draw.
        key: Unique on the page.
        open_details: Whether the retrieved chunks are drawn at once, or only when somebody unfolds them.
        is_inspected: Whether it is drawn on Inspect, to which no link is needed there.
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
        _draw_otherwise(read_in(read_as[0]), answer.query.question, key)
    if answer.answer is None:
        draw_unanswered(candor, answer, key, is_inspected=is_inspected)
        if is_of_index:
            outdated.draw_of_refusal(candor, answer, key, is_inspected=is_inspected)
        _draw_dropped(answer)
    else:
        _draw_sentences(answer)
        _draw_citations(candor, answer, key, outdated.since(candor, answer) if is_of_index else {})
    others = [note for note in answer.notes if note not in read_as]
    _draw_notes([*others, *(answer.gate.warnings if answer.gate else ())])
    _draw_facts(answer)
    has_meter = open_details and answer.answer is not None and answer.gate is not None
    if has_meter and answer.gate is not None:
        draw_meter(answer.gate, f"{key}-inline")
    _draw_details(answer, key, open_details, has_meter=not has_meter)
    _draw_actions(answer, key, is_inspected, outdated.notes(candor, answer) if is_of_index else [])


def _draw_otherwise(question: str, asked: str, key: str) -> None:
    """Draw the way back to the question as it is written, and the field in which it can be put right and asked."""
    with st.popover("Ask it otherwise", icon=":material/edit:", type="tertiary"):
        st.button("As I wrote it", key=f"{key}-as-asked", icon=":material/undo:", on_click=_ask_as_written,
                  args=(asked,), help="Without house words, as it is spelt, and by itself.")  # fmt: skip
        text = st.text_input("Question", question, max_chars=MAX_LENGTH, key=f"{key}-otherwise")
        st.button("Ask this", key=f"{key}-ask-otherwise", icon=":material/send:", on_click=state.put,
                  args=(state.AGAIN, text))  # fmt: skip


def _ask_as_written(question: str) -> None:
    st.session_state.update({state.AGAIN: question, state.AS_ASKED: True})


def _draw_notes(notes: Sequence[str]) -> None:
    for note in notes:
        st.caption(f":material/info: {md(note)}")


def _draw_sentences(answer: Answer) -> None:
    """Draw the answer; sentences that were left out are no part of it, and can be opened below."""
    cited = sources.cited_by(answer)
    drawn = [sources.with_chips(one, cited) for one in answer.sentences]
    st.markdown(joined([one.text for one in answer.sentences], drawn, line="  \n"))
    st.caption(f":material/verified: {supported(answer)}")
    _draw_dropped(answer)


def supported(answer: Answer) -> str:
    """Return that each sentence of an answer is supported: nothing else is shown."""
    kept, cited = len(answer.sentences), len(answer.citations)
    passages = "passage" if cited == 1 else "passages"
    if kept == 1:
        return f"The sentence shown is supported by the {passages} it cites."
    all_of_them = "Both" if kept == 2 else f"All {kept}"
    return f"{all_of_them} sentences shown are supported by the {passages} they cite."


def draw_dropped_sentence(sentence: GroundedSentence) -> None:
    """Draw a sentence that no passage supports as no part of the answer, and what the passages say instead."""
    why = f" {md(sentence.reason)}" if sentence.reason else ""
    st.markdown(f":red-badge[:material/block: left out] :gray[~~{md(sentence.text)}~~]  \n:small[{why.strip()}]")
    nearest = next(filter(None, sentence.evidence), "")
    if nearest:
        st.caption("The passages say instead:")
        st.markdown(quoted(nearest))


def _draw_citations(candor: "Candor", answer: Answer, key: str, became: Mapping[int, outdated.Since]) -> None:
    st.markdown("**Sources**")
    for number, citation in enumerate(answer.citations, start=1):
        with st.container(border=True, gap="small"):
            named = (
                f":blue-badge[{number}] **{md(where(citation))}** :small[similarity {score(citation.similarity_score)}]"
                f"{outdated.badge(became.get(number - 1))}"
            )
            if sources.draw_named(named, key=f"{key}-open-{number}", told=f"Source {number}, at the excerpt"):
                sources.open_source(candor, citation, sources.cited_by(answer))
            st.markdown(quoted(citation.excerpt))


def _draw_dropped(answer: Answer) -> None:
    dropped = [one for one in answer.grounding.sentences if not one.supported] if answer.grounding else []
    if not dropped:
        return
    count = len(dropped)
    with st.expander(
        f"{count} {'sentence was' if count == 1 else 'sentences were'} left out, and why", icon=":material/block:"
    ):
        for sentence in dropped:
            draw_dropped_sentence(sentence)


def _draw_facts(answer: Answer) -> None:
    """Draw who spoke and how long it took; confidence and threshold beside an answer, else they are one click away."""
    gate, facts = answer.gate, [md(wrote(answer)), milliseconds(answer.timings_ms.total)]
    if answer.answer is not None and gate is not None:
        confidence, threshold = held_against(gate)
        of_passages = "Confidence of the passages" if answer.generator.is_model else "Confidence"
        held = f"{of_passages} **{confidence}**, threshold **{threshold}** ({estimator(gate.estimator).lower()})"
        if answer.generator.is_model:
            held = f"Confidence **{answer.confidence:.2f}** · {held}"
        facts = [held, *facts]
    st.markdown(f":small[{' · '.join(facts[:-1])} · {facts[-1].replace(' ', NO_BREAK)}]")


def _draw_details(answer: Answer, key: str, open_details: bool, *, has_meter: bool) -> None:
    label = f"How this came about: {several(len(answer.retrieved), 'passage')}, confidence, timing"
    details = st.expander(label, key=f"{key}-details", icon=":material/account_tree:", on_change="rerun")
    if not (open_details or details.open):
        return
    with details:
        passages, confidence, timing = st.tabs(["Passages", "Confidence", "Timing"])
        with passages:
            draw_hits(answer, key)
        with confidence:
            draw_gate(answer, key, has_meter=has_meter)
        with timing:
            draw_timings(answer, key)


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


def draw_gate(answer: Answer, key: str, *, has_meter: bool = True) -> None:
    """Draw confidence against threshold, unless it is drawn already, and all that the estimators read."""
    gate = answer.gate
    if gate is None:
        st.caption("The gate was not reached.")
        return
    if has_meter:
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
    """Draw thumbs with a note, copy with what has to be known of its sources, and the way to Inspect."""
    with st.container(horizontal=True, vertical_alignment="center"):
        _show_verdict(answer, key)
        thumb = st.feedback("thumbs", key=f"{key}-thumbs")
        with st.popover("Note", icon=":material/edit_note:", type="tertiary"):
            note = st.text_area("What is right or wrong with it?", key=f"{key}-note", max_chars=2000)
            send = st.button("Send", key=f"{key}-send", type="primary", disabled=thumb is None)
            if thumb is None:
                st.caption("Choose a thumb first.")
        with st.popover("Copy", icon=":material/content_copy:", type="tertiary"):
            st.caption("Markdown with IEEE references")
            st.code(answer_markdown(answer, notes), language=None, wrap_lines=True)
        with st.popover("Link", icon=":material/link:", type="tertiary"):
            st.caption("Asks this question with these settings, in a conversation of whoever opens it.")
            st.code(link_to(answer.query, components.ask_address()), language=None, wrap_lines=True)
            if answer.query.context:
                st.caption("The pasted text is not part of the link: send it along.")
        if not is_inspected:
            components.inspect_link(answer.request_id)
    _keep_feedback(answer, thumb, note if send else "", key)


def _show_verdict(answer: Answer, key: str) -> None:
    """Choose the thumb that is kept already, before the page draws the thumbs for the first time."""
    thumbs, told = f"{key}-thumbs", f"{key}-told"
    if thumbs in st.session_state:
        return
    verdict = resources.get_candor().wiring.recorder.verdict(answer.request_id)
    st.session_state[told] = (None if verdict is None else int(verdict == "good"), "")
    if verdict is not None:
        st.session_state[thumbs] = int(verdict == "good")


def _keep_feedback(answer: Answer, thumb: int | None, note: str, key: str) -> None:
    """Keep a thumb once, again when a note comes with it, and that it was taken back."""
    kept = f"{key}-told"
    before = st.session_state.get(kept, (None, ""))
    if before == (thumb, note) or (not note and before[0] == thumb):
        return
    icons = {None: ":material/undo:", 1: ":material/thumb_up:", 0: ":material/thumb_down:"}
    verdicts: dict[int | None, Feedback] = {None: "withdrawn", 1: "good", 0: "bad"}
    with components.guarded():
        candor = resources.get_candor()
        recorder = candor.wiring.recorder
        if candor.settings.record_answers and recorder.read_answer(answer.request_id) is None:
            st.toast("This answer was removed, perhaps in another tab: nothing is kept of it.",
                     icon=":material/delete:")  # fmt: skip
            return
        recorder.feedback(answer.request_id, verdicts[thumb], note=note)
        st.session_state[kept] = (thumb, note)
        st.toast("Taken back: it counts no more." if thumb is None else "Thank you: kept with the request.",
                 icon=icons[thumb])  # fmt: skip
