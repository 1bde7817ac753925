"""One question of an evaluation run, as Inspect shows it: like a recorded request, as far as the run holds it."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import streamlit as st

from dashboard import browser, components, expected, inspecting, queries, resources, sources, state
from dashboard.asking import link_to
from dashboard.columns import HITS, TIMINGS
from dashboard.words import md, milliseconds, quoted, score, where
from rag.evaluation.changed import WRONG, problem
from rag.evaluation.lines import STAGES, EvaluationLine
from rag.models import Answer, Query

if TYPE_CHECKING:
    from rag.candor import Candor

_OF_THE_INDEX = ("Not found?", "What if?")
"""The parts that search what is indexed now."""


def draw_line(run: str | None, qid: str) -> None:
    """Draw what came of a question in a run; None: the link names none, which is said."""
    if run is None:
        st.warning(
            f"The link names the question {md(qid)} and not the run that it is of. Choose the run on **Evaluate** and "
            "open the question from there, or ask whoever sent the link.",
            title="This link names no run",
            icon=":material/link_off:",
        )
        return
    candor, folder = resources.get_candor(), resources.runs_folder()
    line = next((one for one in queries.run_lines(folder, run) if one.qid == qid), None)
    if line is None:
        st.warning("The run or the question is not there any more.", title=f"No question {md(qid)} in {md(run)}")
        return
    answer = queries.run_answer(folder, run, line)
    _draw_place(run, line)
    if answer is None:
        _draw_line_alone(candor, run, line)
    else:
        _draw_whole(candor, run, line, answer)
    _draw_ask_again(line.question, as_asked(candor, answer) if answer else None)


def _draw_place(run: str, line: EvaluationLine) -> None:
    label = {True: "answerable", False: "unanswerable", None: "not labelled"}[line.answerable]
    refused = f" · {line.decision} at: {line.refusal_stage}" if line.refusal_stage else ""
    st.caption(f":material/fact_check: **{md(line.qid)}** of run **{md(run)}** · Label {label}{refused}")
    if wrong := what_went_wrong(run, line):
        st.markdown(f":material/error: **{wrong[0].upper()}{wrong[1:]}.**")


def what_went_wrong(run: str, line: EvaluationLine) -> str:
    """Return what Evaluate lists a question of a run for among the worst cases; empty where nothing went wrong."""
    found = queries.runs(resources.runs_folder()).get(run)
    score_of = next((one for one in found.scores if one.qid == line.qid), None) if found else None
    wrong = None if score_of is None else problem(score_of)
    return wrongly_ended(line) if wrong is None else WRONG[wrong]


def wrongly_ended(line: EvaluationLine) -> str:
    """Return how the outcome of a question goes against its label; empty where it does not."""
    if line.answerable is False and line.decision == "answered":
        return WRONG[0]
    return {"refused": WRONG[3], "unsure": WRONG[4]}.get(line.decision, "") if line.answerable else ""


def _draw_whole(candor: "Candor", run: str, line: EvaluationLine, answer: Answer) -> None:
    """Draw a question whose whole answer the run holds, with the parts of a recorded request."""
    inspecting.draw_head(answer)
    expected.draw_expected(candor, run, line)
    same = answer.fingerprints.index == candor.wiring.catalogue.fingerprint()
    if not same:
        st.caption(
            ":material/info: The run asked an index of its own, or one that has changed since. What would search the "
            "index that is in use now is left out here."
        )
    inspecting.draw_parts(candor, answer, pd.DataFrame(), left_out=() if same else _OF_THE_INDEX)


def as_asked(candor: "Candor", answer: Answer) -> Query:
    """Return a question with the estimator that decided, and the thresholds that are not that estimator's own."""
    gate = answer.gate
    if gate is None:
        return answer.query
    own = candor.wiring.estimators[gate.estimator]
    settings = {
        "estimator": gate.estimator,
        "confidence_threshold": None if gate.threshold == own.threshold else gate.threshold,
        "unsure_threshold": None if gate.unsure_threshold == own.unsure_threshold else gate.unsure_threshold,
    }
    return answer.query.model_copy(update=settings)


def _draw_ask_again(question: str, query: Query | None) -> None:
    """Draw the link that asks a question again, with the settings that it was asked with where they are known."""
    settings = parse_qsl(urlsplit(link_to(query, "")).query) if query else []
    components.page_link(
        "pages/ask.py",
        "Ask again with the run's settings" if query else "Ask again",
        icon=":material/replay:",
        params={state.QUESTION: question, **dict(settings)},
    )


# --- runs of older versions, and questions that never became an answer -------------------------------------------


def _draw_line_alone(candor: "Candor", run: str, line: EvaluationLine) -> None:
    """Draw what the line itself says, and what nobody kept."""
    st.subheader(md(line.question), anchor=False)
    components.metrics(
        {"Outcome": line.decision, "Confidence": score(line.confidence), "Took": milliseconds(line.timings_ms.total)}
    )
    expected.draw_expected(candor, run, line)
    _draw_outcome(candor, line)
    if line.refusal_stage not in ("validation", "error"):
        st.info(
            "The run was made by an older version, which kept no more than this: not what the gate read, not which "
            "sentences were dropped and why, not the prompt. Run the data set again to see them, or ask the question "
            "again.",
            icon=":material/history:",
        )
    _draw_retrieved(line)
    _draw_timings(line)


def _draw_outcome(candor: "Candor", line: EvaluationLine) -> None:
    if line.answer is None:
        ended = f"{line.decision.capitalize()} at {line.refusal_stage or 'an unknown stage'}."
        st.warning(ended, icon=":material/do_not_disturb_on:")
        return
    cited = sources.Cited("line", line.citations, line.retrieved)
    for sentence in line.sentences:
        st.markdown(sources.with_chips(sentence, cited))
    for number, citation in enumerate(line.citations, start=1):
        st.caption(f":blue-badge[{number}] {md(where(citation))}: {quoted(citation.excerpt)}")
    sources.draw_chosen(candor, browser.chosen_source(), [cited])


def _draw_retrieved(line: EvaluationLine) -> None:
    rows = [
        (chunk.rank, chunk.document, chunk.page, chunk.section, chunk.similarity_score, " ".join(chunk.content.split()))
        for chunk in line.retrieved
    ]
    names = ["rank", "document", "page", "section", "similarity", "text"]
    frame = pd.DataFrame(rows, columns=names).astype({"page": "Int64"})
    st.markdown("**Retrieved passages**")
    components.table(frame, columns=HITS, key="line-hits", alt="Retrieved passages")


def _draw_timings(line: EvaluationLine) -> None:
    timings = [(stage, getattr(line.timings_ms, stage)) for stage in STAGES]
    frame = pd.DataFrame(timings, columns=["stage", "ms"])
    components.table(frame, columns=TIMINGS, key="line-timings", alt="Milliseconds per stage")
