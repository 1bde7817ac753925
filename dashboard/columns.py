"""How the columns of tables of answers, documents and traffic are named, explained and drawn.

Tables draw their columns in the order in which they stand here: what a narrow screen must show comes first.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn
_check, _moment = st.column_config.CheckboxColumn, st.column_config.DatetimeColumn
_counted = partial(_text, "Counted (95%)", width=135)
_share = partial(_number, format="percent")
_bar = partial(st.column_config.ProgressColumn, min_value=0, max_value=1, format="%.2f")

STAGE_HELP = (
    "validate: the question is checked; embed: turned into a vector; retrieve: passages are found; read: their best "
    "windows are read; gate: decides if they are good enough; prompt: the model's input is built; generate: writing; "
    "ground: every sentence is checked."
)
REFUSED_AT = "gate: before writing; grounding: after the check."


def some(columns: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return columns of a table in another order, or fewer."""
    return {name: columns[name] for name in names}


# fmt: off
HITS = {
    "rank": _number("Rank", help="Rank by retrieval and reading together.", width=52),
    "retrieval_rank": _number("Before reading", help="Rank by retrieval alone.", width=96),
    "used": _check("Used", help="Ticked: the answer may use it.", width=54),
    "cited": _check("Cited", help="Ticked: the answer cites it.", width=54), "document": _text("Document", width=125),
    "similarity": _bar("Similarity", help="Cosine similarity of question and best window, 0 to 1.", width=110),
    "bm25": _number("BM25", help="Score of the question's words; 0: none occurs.", format="%.2f", width=60),
    "reading": _number("Reading", help="Probability, by the reader, that its best window answers; dash: not read.",
                       format="%.2f", width=66),
    "page": _number("Page", width=54), "section": _text("Section", width=150), "text": _text("Text", width="large"),
    "fused": _number("Fused", help="The score that retrieval ranks by.", format="%.4f"),
    "dense_rank": _number("By similarity", help="Rank by similarity alone.", width="small"),
    "bm25_rank": _number("By BM25", help="Rank by BM25 alone.", width="small"),
}
TIMINGS = {
    "stage": _text("Stage", help=STAGE_HELP), "start_ms": _number("Begins at, ms", format="%.1f"),
    "ms": _number("Takes, ms", format="%.2f"), "share": _share("Share"),
}
DOCUMENTS = {
    "document": _text("Document", width=170), "pages": _number("Pages", width=56), "title": _text("Title", width=230),
    "collections": _text("Collections", width=130),
    "note": _text("How it was read", help="Parts of the file that could not be read exactly.", width=170),
    "size": _number("Size", format="bytes", width=70), "added": _moment("Added", format="distance"),
}
COLLECTIONS = {
    "name": _text("Collection", width=170), "documents": _text("Documents", width="large"),
    "by": _text("Changed by", width=100), "changed_at": _moment("Changed", format="distance"),
}
HOUSE_WORDS = {
    "word": _text("Word", help="An abbreviation, or what people here say.", max_chars=100, width=150),
    "means": _text("Means", help="What the documents may call it.", max_chars=200, width="large"),
    "by": _text("By", width=100), "created_at": _moment("When", format="distance"),
}
REQUESTS = {
    "timestamp": _moment("When", format="YYYY-MM-DD HH:mm:ss"),
    "outcome": _text("Outcome", width=80), "question": _text("Question", width=300),
    "confidence": _bar("Confidence", width=115), "threshold": _number("Threshold", format="%.2f", width=76),
    "refusal_stage": _text("Refused at", width=86, help=REFUSED_AT),
    "generator": _text("Written by", width="small",
                       help="extractive: quoted from the documents; ollama, openai, gguf: a model."),
    "total_ms": _number("Took, ms", format="%.0f", width="small"),
    "verdict": _text("Feedback", width="small"), "request_id": _text("Request"),
}
EVENTS = {
    "timestamp": _moment("When", format="HH:mm:ss.SSS"), "level": _text("Level", width="small"),
    "component": _text("Component"), "event": _text("Event"),
    "processing_time_ms": _number("Took, ms", format="%.2f"),
}
MISSING = {
    "shown_rank": _number("Rank", help="By retrieval and reading; dash: not among the first 20.", width=56),
    **some(HITS, "retrieval_rank", "reading"),
    "by_similarity": _number("By similarity", help="Its rank by similarity, among all chunks of the index.", width=94),
    "by_bm25": _number("By BM25", help="Its rank by words; dash: none of the question's words occurs in it.", width=74),
    **some(HITS, "section"),
    "cosine": _number("Similarity", format="%.2f", width=76),
    **some(HITS, "bm25", "page", "text"),
}
DROPPED = {
    "why": _text("Why", width=215),
    **some(HITS, "document", "page", "section"),
    "similarity": _number("Similarity", format="%.2f", width=76, help="Dash: found by its words only."),
    "dense_rank": _number("By similarity", help="Rank by similarity among the candidates.", width=94),
    **some(HITS, "bm25"),
    "bm25_rank": _number("By BM25", help="Rank by words among the candidates.", width=74),
    **some(HITS, "text"),
}
CHANGES = {
    "change": _text("Change", width="small"),
    "before": _number("Rank before", width="small"), "after": _number("Rank after", width="small"),
    **some(HITS, "document", "page", "section", "similarity", "text"),
}
_time = _moment("Time", format="YYYY-MM-DD HH:mm")
OVER_TIME = {"time": _time, "p10": _number("10% quantile", format="%.2f"), "p50": _number("Median", format="%.2f"),
             "p90": _number("90% quantile", format="%.2f")}  # fmt: skip
LATENCY = {
    "time": _time, "stage": _text("Stage", help=STAGE_HELP), "requests": _number("Requests"),
    "p50_ms": _number("p50, ms", format="%.1f", help="Half took less."),
    "p95_ms": _number("p95, ms", format="%.1f", help="95 of 100 took less."),
    "p99_ms": _number("p99, ms", format="%.1f", help="99 of 100 took less."),
    "max_ms": _number("Longest, ms", format="%.1f"),
}
HISTOGRAM = {"low": _number("From", format="%.2f"), "high": _number("To", format="%.2f")}
REFUSALS = {
    **some(REQUESTS, "outcome", "refusal_stage"),
    "refusal_code": _text("Code", help="What the API calls it; NO_RELEVANT_CONTENT: the documents do not answer."),
    "document": _text("Document"), "requests": _number("Requests", width="small"),
    "answers": _number("Answers", help="Answers that cite it.", width="small"), "share": _share("Share", width="small"),
}
SLOWEST = some(REQUESTS, "timestamp", "total_ms", "outcome", "question", "request_id")
STOPPED = {
    "timestamp": REQUESTS["timestamp"],
    "total_ms": _number("Stopped after, ms", format="%.0f", width="small"),
    "request_id": REQUESTS["request_id"],
}
FEEDBACK = {
    "verdict": _text("Judged", width=70), "reason": _text("Why", width=110), "note": _text("Note", width=220),
    **some(REQUESTS, "question", "outcome", "confidence", "timestamp"),
    "by": _text("By", help="The API key that sent it. Empty: sent from the dashboard."),
    "request_id": REQUESTS["request_id"],
}
ERRORS = {
    "level": _text("Level", width="small"), "error_code": _text("Code"), **some(EVENTS, "component", "event"),
    "lines": _number("Lines", width="small"), "requests": _number("Requests", width="small"),
    "last_seen": _moment("Last seen", format="YYYY-MM-DD HH:mm:ss"),
    "last_request_id": _text("Last request"), "last_message": _text("Last message", width="large"),
}
RISK = {
    "threshold": _number("Threshold", format="%.3f"), "answered": _number("Answered"), "coverage": _share("Coverage"),
    "false_answers": _number("False answers"), "false_answer_rate": _share("False-answer rate"),
    "false_answer_upper": _share("At most (95%)"),
    "risk": _share("Risk", help="Share of the answered questions that are unanswerable."),
}
PROMISES = {
    "reading": _text("Read as", width="medium"),
    "threshold": _number("Threshold", format="%.4f", help="Answer if the confidence reaches this. Dash: no threshold "
                                                          "is enough."),
    "false_answers": _number("False answers here", help="Unanswerable questions that it answers in these data."),
    "unanswerable": _number("Unanswerable", help="Questions with a label that the documents do not answer."),
    "coverage": _share("Coverage", help="Answered, of the questions that the documents answer."),
    "answered": _number("Answered here", help="Answerable questions that it answers in these data."),
    "answerable": _number("Answerable", help="Questions with a label that the documents answer."),
    "needed": _number("Labels missing", help="Unanswerable questions that must still be judged, at least."),
}
RUNS = {
    "name": _text("Run", width=190),
    "coverage": _share("Coverage", help="Answered, of the answerable.", width=75),
    "false_answer_rate": _share("False answers", help="Answered, of the unanswerable.", width=100),
    "false_answer_upper": _share("At most (95%)", width=105,
                                  help="One-sided upper bound of the false-answer rate."),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable.", width=70),
    "questions": _number("Questions", width=80), "answerable": _number("Answerable", width=88),
    "unanswerable": _number("Unanswerable", width=102), "dataset": _text("Data set", width=110),
    "started_at": _moment("Started", format="YYYY-MM-DD HH:mm"),
}
GATES = {
    "gate": _text("Gate"), "in_force": _check("In force", width="small"),
    "fitted_at": _moment("Fitted", format="YYYY-MM-DD HH:mm"), "fitted_on": _text("Fitted on", width="medium"),
    "threshold": _number("Threshold", format="%.4f", width="small"),
    "at_most": _share("At most (95%)", help="Upper bound of the false-answer rate; dash: none."),
    "unsure_threshold": _number("Unsure from", format="%.4f", width="small", help="Refused below."),
    "refused_at_most": _share("Refused at most (95%)",
                               help="Upper bound of the share refused, of the answerable."),
    "guarantee": _text("Guarantee", width="large"),
}
WORTH = {
    "dataset": _text("Questions"),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable; 1: always."),
    "coverage": _share("Coverage", help="Answered, of the answerable."), "coverage_before": _share("Coverage before"),
    "false_answer_rate": _share("False answers", help="Answered, of the unanswerable."),
    "false_answers_before": _share("False answers before"),
    "refused": _share("Refused", help="Refused, of the answerable."),
    "unsure": _share("Unsure", help="Neither answered nor refused, of the unanswerable."),
}
FIGURES = {
    "group": _text("Group"),
    "figure": _text("Figure", width="medium", help="Each figure is explained below the table."),
    "value": _number("Value", format="%.4f"),
    "counted": _number("Counted", format="%.6g", help="The numerator, if the figure is a share."),
    "of": _number("Of", help="The denominator: the number of questions, answers or citations."),
    "low": _number("95% from", format="%.4f"), "high": _number("95% to", format="%.4f"),
    "at_most": _number("At most", format="%.4f", help="One-sided 95% upper bound."),
}
PARTS = {
    "part": _text("Part", width=125), "questions": _number("Questions"),
    "coverage": _share("Coverage", help="Answered, of the answerable."),
    "coverage_of": _counted(help="Share of answerable questions answered, with its 95% interval."),
    "false_answers": _share("False answers", help="Answered, of the unanswerable."),
    "false_answers_of": _counted(help="Share of unanswerable questions answered, with its 95% interval."),
    "hit@5": _share("hit@5", help="A relevant passage is among the first five."),
    "hit_of": _counted(help="Of the questions with a gold passage, as MRR@10."),
    "MRR@10": _number("MRR@10", format="%.3f", help="Mean of 1 / rank of the first relevant passage; 1: always first."),
    "contains_gold": _share("Gold in answer", help="Answers with the gold answer of the label."),
    "gold_of": _counted(help="Of the answers whose label holds an answer."),
    "citation_precision": _share("Citation precision", help="Citations of a relevant passage."),
    "citations_of": _counted(help="Of the citations of answers with a gold passage."),
}
WORST = {
    "problem": _text("What went wrong", width=240), "question": _text("Question", width=300),
    "confidence": _number("Confidence", format="%.3f", width=86),
    "refused_at": _text("Refused at", help=REFUSED_AT, width=86),
    "kind": _text("Kind", width=70), "qid": _text("Id", width=90), "answer": _text("Answer", width="large"),
}
ALONE = "Of this figure alone: not corrected for the number of figures."
DIFFERENCES = {
    "figure": _text("Figure", width=225),
    "verdict": _text("Verdict", width=165, help="At 5% over all figures together."),
    "before": _number("Before", format="%.4f", width=70), "after": _number("After", format="%.4f", width=70),
    "difference": _number("Difference", format="%+.4f", width=76),
    "low": _number("95% from", format="%+.4f", help=ALONE, width=70),
    "high": _number("95% to", format="%+.4f", help=ALONE, width=70),
    "adjusted_p": _number("p, corrected", format="%.4f", width=84,
                          help="How probable so large a difference is by chance alone, corrected for the number of "
                          "figures."),
    "count": _number("Questions", width=74),
    "changed": _number("Changed", help="Questions that differ between the runs. Fewer than 6 prove nothing.", width=66),
}
CHANGED = {
    "change": _text("Change", help="By the label: improved or regressed; without one, flipped.", width=92),
    "question": _text("Question", width=210), "before": _text("Before", width=130), "after": _text("After", width=190),
    "answerable": _text("Answerable", help="What the label says; dash: not labelled.", width=86),
    **{f"{name}_{when}": _number(f"{name.capitalize()} {when}", format="%.3f", width=126)
       for name in ("confidence", "threshold") for when in ("before", "after")},
    **{f"rank_{when}": _number(f"Found at, {when}", width=80,
                               help="Rank of the first relevant passage; dash: not among ten.")
       for when in ("before", "after")},
    "exact": _check("Exact", help="The record has everything that this result needs.", width="small"),
    **some(WORST, "kind", "qid"),
    "request_id": _text("Request"),
}
CHANGED_BY_SETTINGS = {
    **some(CHANGED, "change", "question"),
    "times": _number("Asked", help="How many requests of these words would end differently.", width=62),
    **CHANGED,
    "before": _text("As now", help="The outcome with the slider at its start.", width=76),
    "after": _text("Would end", width=82),
}
AGREEMENT = {
    "judged": _text("Judged", width=210),
    "kappa": _number("Cohen's kappa", format="%.2f", help="1: perfect; 0: no more than by chance.", width=105),
    "low": _number("95% from", format="%.2f", width=78), "high": _number("95% to", format="%.2f", width=70),
    "observed": _share("Same verdict", help="Equal verdicts, of those judged by both.", width=95),
    "items": _number("Judged by both", help="The items that the share and kappa are computed from.", width=110),
    "requests": _number("Requests", help="The number of requests that they belong to.", width=80),
}
ALPHA = {
    "judged": AGREEMENT["judged"],
    "alpha": _number("Alpha", format="%.2f", help="1: perfect; 0: no more than by chance.", width=78),
    **some(AGREEMENT, "low", "high"),
    "items": _number("Judged by two or more", help="The items that alpha is computed from.", width=150),
    "verdicts": _number("Verdicts", help="The number of judgements on these items.", width=80),
    "requests": AGREEMENT["requests"],
}
DISAGREEMENTS = {
    "question": _text("Question", width=250), "judged": _text("Judged", width=180), "first": _text("First", width=90),
    "second": _text("Second", width=90), "settled": _text("Settled", width=80),
    "item": _text("Passage", help="Its id."), "target": _text("Request"),
}
HISTORY = {
    "No.": _number("No.", width=46),
    "State": _text("State", help="In force, replaced by a later one, or taken back.", width=88),
    "Changed": _text("Changed", help="Old and new values. The threshold comes first.", width=380),
    "Why": _text("Why", width=150), "Who": _text("Who", width=80), "When": _text("When", width=160),
    "Chosen on": _text("Chosen on", help="The questions that it was tried on, and the results.", width=300),
    "Undone": _text("Undone", width=160), "Undone by": _text("Undone by", width=90),
}
