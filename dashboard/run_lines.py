"""One question of an evaluation run, as Inspect shows it."""

import pandas as pd
import streamlit as st

from dashboard import components, queries, resources
from dashboard.columns import HITS, TIMINGS
from dashboard.words import md, milliseconds, quoted, score, where
from rag.evaluation.lines import STAGES, EvaluationLine


def draw_line(run: str, qid: str) -> None:
    """Draw what came of a question in a run."""
    line = next((one for one in queries.run_lines(resources.runs_folder(), run) if one.qid == qid), None)
    if line is None:
        st.warning("The run or the question is not there any more.", title=f"No question {md(qid)} in {md(run)}")
        return
    _draw_head(run, line)
    _draw_outcome(line)
    _draw_retrieved(line)
    _draw_timings(line)


def _draw_head(run: str, line: EvaluationLine) -> None:
    st.subheader(md(line.question), anchor=False)
    label = {True: "answerable", False: "unanswerable", None: "not labelled"}[line.answerable]
    components.metrics(
        {"Outcome": line.decision, "Label": label, "Confidence": score(line.confidence),
         "Took": milliseconds(line.timings_ms.total)}
    )  # fmt: skip
    refused = f" · refused at: {line.refusal_stage}" if line.refusal_stage else ""
    st.caption(f"`{md(line.qid)}` of run `{md(run)}`{refused}")


def _draw_outcome(line: EvaluationLine) -> None:
    if line.answer is None:
        st.warning(f"Refused at {line.refusal_stage or 'an unknown stage'}.", icon=":material/do_not_disturb_on:")
        return
    for sentence in line.sentences:
        chips = "".join(f":blue-badge[{index + 1}]" for index in sentence.citations)
        st.markdown(f"{md(sentence.text)} {chips}")
    for number, citation in enumerate(line.citations, start=1):
        st.caption(f":blue-badge[{number}] {md(where(citation))}: {quoted(citation.excerpt)}")


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
