"""One question of an evaluation run, as Inspect shows it: like a recorded request, as far as the run holds it."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import streamlit as st

from dashboard import components, inspecting, queries, running, sources, state, tables
from dashboard.asking import link_to
from dashboard.columns import HITS, TIMINGS, some
from dashboard.components import Figure
from dashboard.words import md, milliseconds, quoted, score, several, where
from rag.candor import Candor
from rag.evaluation.changed import WRONG, problem
from rag.evaluation.datasets import Gold, Question
from rag.evaluation.lines import RETRIEVED, STAGES, EvaluationLine, LineChunk
from rag.evaluation.relevance import is_relevant
from rag.models import Answer, Query


def draw_line(candor: Candor, run: str | None, qid: str) -> None:
    """Draw what came of a question in a run; None: the link names none, which is said."""
    line = queries.run_line(run, qid) if run else None
    if run is None or line is None:
        st.warning("The run or the question does not exist. Open the question from **Evaluate**.",
                   title=f"No question {md(qid)} in {md(run or 'no run')}", icon=":material/link_off:")  # fmt: skip
        return
    label = {True: "answerable", False: "unanswerable", None: "not labelled"}[line.answerable]
    refused = f" · {line.decision} at: {line.refusal_stage}" if line.refusal_stage else ""
    st.caption(f":material/fact_check: **{md(line.qid)}** of run **{md(run)}** · Label {label}{refused}")
    found = queries.runs().get(run)
    scores = [one for one in found.scores if one.qid == line.qid] if found else []
    if scores and (place := problem(scores[0])) is not None:
        st.markdown(f":material/error: **{WRONG[place][0].upper()}{WRONG[place][1:]}.**")
    answer = queries.run_answer(run, line)
    if answer is None:
        _draw_line_alone(candor, run, line)
    else:
        inspecting.draw_head(answer)
        draw_expected(candor, run, line)
        same = answer.fingerprints.index == candor.wiring.catalogue.fingerprint()
        if not same:
            st.caption(":material/info: The run used an index of its own, or one that has changed since. Tools that "
                       "search the current index are not shown here.")  # fmt: skip
        left_out = () if same else ("Not found?", "What if?")
        inspecting.draw_parts(candor, answer, pd.DataFrame(), left_out=left_out)
    settings = dict(parse_qsl(urlsplit(link_to(as_asked(candor, answer), "")).query)) if answer else {}
    components.page_link("pages/ask.py", "Ask again with the run's settings" if answer else "Ask again",
                         icon=":material/replay:", params={**settings, state.QUESTION: line.question})  # fmt: skip


def as_asked(candor: Candor, answer: Answer) -> Query:
    """Return a question with the estimator that decided, and the thresholds that are not that estimator's own."""
    gate = answer.gate
    if gate is None:
        return answer.query
    own = candor.wiring.estimators[gate.estimator]
    threshold = None if gate.threshold == own.threshold else gate.threshold
    unsure = None if gate.unsure_threshold == own.unsure_threshold else gate.unsure_threshold
    settings = {"estimator": gate.estimator, "confidence_threshold": threshold, "unsure_threshold": unsure}
    return answer.query.model_copy(update=settings)


def _draw_line_alone(candor: Candor, run: str, line: EvaluationLine) -> None:
    """Draw what the line itself says, where the whole answer is not beside it."""
    st.subheader(md(line.question), anchor=False)
    components.metrics({"Outcome": Figure(line.decision), "Confidence": Figure(score(line.confidence)),
                        "Took": Figure(milliseconds(line.timings_ms.total))})  # fmt: skip
    draw_expected(candor, run, line)
    if line.answer is None:
        ended = f"{line.decision.capitalize()} at {line.refusal_stage or 'an unknown stage'}."
        st.warning(ended, icon=":material/do_not_disturb_on:")
    else:
        cited = sources.Cited("line", line.citations, line.retrieved)
        for sentence in line.sentences:
            st.markdown(sources.with_chips(sentence, cited))
        for number, citation in enumerate(line.citations, start=1):
            st.caption(f":blue-badge[{number}] {md(where(citation))}: {quoted(citation.excerpt)}")
        if sources.opened(cited):
            sources.draw_opened(candor, cited)
    if line.refusal_stage not in ("validation", "error"):
        st.info("The whole answer is not beside the run. Run the data set again, or ask the question again.",
                icon=":material/history:")  # fmt: skip
    rows = [(one.rank, one.document, one.page, one.section, one.similarity_score, " ".join(one.content.split()))
            for one in line.retrieved]  # fmt: skip
    found = tables.frame(some(HITS, "rank", "document", "page", "section", "similarity", "text"), rows)
    st.markdown("**Retrieved passages**")
    components.table(found, columns=HITS, key="line-hits", alt="Retrieved passages")
    took = [(stage, getattr(line.timings_ms, stage)) for stage in STAGES]
    timings = tables.frame(some(TIMINGS, "stage", "ms"), took)
    components.table(timings, columns=TIMINGS, key="line-timings", alt="Milliseconds per stage")


def draw_expected(candor: Candor, run: str, line: EvaluationLine, *, with_ranks: bool = True) -> None:
    """Draw what the label of a question in a run expects, and at which rank each place was found."""
    found = queries.runs().get(run)
    if line.answerable is None or found is None:
        return
    label = label_of(candor, found.dataset, line)
    if label is None:
        st.caption(f":material/label_off: The expected answer is not available: the data set **{md(found.dataset)}** "
                   "is not listed under **New run** on Evaluate, or its label for this question has "
                   "changed.")  # fmt: skip
        return
    expected = "a refusal; the documents do not answer this"
    if label.answerable:
        expected = " or ".join(map(quoted, label.answers)) or "an answer; the label does not say which"
    with st.container(border=True):
        st.markdown(f":material/label: **Expected**, as the data set {md(found.dataset)} says: {expected}.")
        for place in label.gold if line.answerable else ():
            st.caption(place_in_words(place, line.retrieved[:RETRIEVED] if with_ranks else None))


def label_of(candor: Candor, dataset: str, line: EvaluationLine) -> Question | None:
    """Return the label of a question from the data set of that name; None where it is not at hand or says otherwise."""
    folder = next((path for path in running.known_datasets(candor) if path.name == dataset), None)
    found = queries.labels(folder / "questions.jsonl").get(line.qid) if folder else None
    same = found is not None and (found.question, found.answerable) == (line.question, line.answerable)
    return found if same else None


def place_in_words(place: Gold, retrieved: Sequence[LineChunk] | None) -> str:
    """Return where an answer stands, and at which rank a passage with it is; None: nothing is said of ranks."""
    page = f"page {place.page}" if place.page is not None else ""
    section = f"section {place.section}" if place.section else ""
    named = md(" · ".join(one for one in (place.document, page, section) if one))
    told = f":material/location_on: {named}" + (f": {quoted(place.text)}" if place.text else "")
    if retrieved is None:
        return told
    rank = next((chunk.rank for chunk in retrieved if is_relevant(chunk, place)), None)
    missed = f"not found in {several(len(retrieved), 'passage')}" if retrieved else "nothing was retrieved"
    return f"{told} · **{missed if rank is None else f'found at rank {rank}'}**"
