"""How the columns of tables are named, explained and drawn."""

import streamlit as st

_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn

STAGE_HELP = (
    "validate: the question is checked; embed: turned into a vector; retrieve: passages are found; gate: whether they "
    "are good enough; prompt: what the model is given; generate: writing; ground: every sentence is checked."
)
HITS = {
    "used": st.column_config.CheckboxColumn("Used", help="Whether the answer may rest on it.", width="small"),
    "cited": st.column_config.CheckboxColumn("Cited", help="Whether the answer cites it.", width="small"),
    "rank": _number("Rank", help="Rank after similarity and BM25 were fused.", width="small"),
    "document": _text("Document"),
    "page": _number("Page", width="small"),
    "section": _text("Section"),
    "similarity": st.column_config.ProgressColumn(
        "Similarity", help="Cosine similarity of question and passage, 0 to 1.", min_value=0, max_value=1, format="%.2f"
    ),
    "bm25": _number("BM25", help="Score of the question's words; 0: none occurs.", format="%.2f", width="small"),
    "fused": _number("Fused", help="What the passages are ranked by.", format="%.4f"),
    "dense_rank": _number("By similarity", help="Rank by similarity alone.", width="small"),
    "bm25_rank": _number("By BM25", help="Rank by BM25 alone.", width="small"),
    "text": _text("Text", width="large"),
}
TIMINGS = {
    "stage": _text("Stage", help=STAGE_HELP),
    "start_ms": _number("Begins at, ms", format="%.1f"),
    "ms": _number("Takes, ms", format="%.2f"),
    "share": _number("Share", format="percent"),
}
DOCUMENTS = {
    "document": _text("Document", width="medium"),
    "title": _text("Title", width="medium"),
    "pages": _number("Pages", width="small"),
    "chunks": _number("Chunks", help="Passages that the document was cut into.", width="small"),
    "size_kb": _number("Size, kB", format="%.0f", width="small"),
    "hash": _text("Hash", help="First 12 digits of the SHA-256 of the file.", width="small"),
    "ingested_at": st.column_config.DatetimeColumn("Indexed (UTC)", format="YYYY-MM-DD HH:mm"),
}
CHUNKS = {
    "number": _number("No.", width="small"),
    "page": _number("Page", width="small"),
    "section": _text("Section"),
    "pieces": st.column_config.ProgressColumn(
        "Word pieces", help="Of the 256 that the embedding model reads.", min_value=0, max_value=256, format="%d"
    ),
    "characters": _number("Characters", width="small"),
    "text": _text("Text", width="large"),
}
REQUESTS = {
    "timestamp": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm:ss"),
    "question": _text("Question", width="large"),
    "outcome": _text("Outcome", width="small"),
    "confidence": st.column_config.ProgressColumn("Confidence", min_value=0, max_value=1, format="%.2f"),
    "threshold": _number("Threshold", format="%.2f", width="small"),
    "refusal_stage": _text("Refused at", width="small", help="gate: before writing; grounding: after the check."),
    "generator": _text("Who spoke", width="small", help="extractive: quoted from the documents; ollama: a model."),
    "total_ms": _number("Took, ms", format="%.0f", width="small"),
    "verdict": _text("Feedback", width="small"),
    "request_id": _text("Request"),
}
EVENTS = {
    "timestamp": st.column_config.DatetimeColumn("When (UTC)", format="HH:mm:ss.SSS"),
    "level": _text("Level", width="small"),
    "component": _text("Component"),
    "event": _text("Event"),
    "processing_time_ms": _number("Took, ms", format="%.2f"),
    "data": _text("Data", width="large"),
    "error": _text("Error"),
}
MISSING = {
    "page": _number("Page", width="small"),
    "section": _text("Section"),
    "cosine": _number("Similarity", format="%.3f"),
    "by_similarity": _number("Rank by similarity", help="Among all chunks of the index."),
    "bm25": _number("BM25", format="%.2f"),
    "by_bm25": _number("Rank by BM25", help="Empty: none of the question's words occurs in it."),
    "fused_rank": _number("Fused rank", help="Empty: not among the first 20."),
    "text": _text("Text", width="large"),
}
CHANGES = {
    "change": _text("Change", width="small"),
    "before": _number("Rank before", width="small"),
    "after": _number("Rank after", width="small"),
    "document": _text("Document"),
    "page": _number("Page", width="small"),
    "section": _text("Section"),
    "similarity": HITS["similarity"],
    "text": HITS["text"],
}
_time = st.column_config.DatetimeColumn("Time (UTC)", format="YYYY-MM-DD HH:mm")
OVER_TIME = {"time": _time, "p10": _number("10% quantile", format="%.2f"), "p50": _number("Median", format="%.2f"),
             "p90": _number("90% quantile", format="%.2f")}  # fmt: skip
LATENCY = {
    "time": _time,
    "stage": _text("Stage", help=STAGE_HELP),
    "requests": _number("Requests"),
    "p50_ms": _number("p50, ms", format="%.1f", help="Half took less."),
    "p95_ms": _number("p95, ms", format="%.1f", help="95 of 100 took less."),
    "p99_ms": _number("p99, ms", format="%.1f", help="99 of 100 took less."),
    "max_ms": _number("Longest, ms", format="%.1f"),
}
HISTOGRAM = {
    "stage": _text("Stage"),
    "low_ms": _number("From, ms", format="%.2f"),
    "high_ms": _number("To, ms", format="%.2f"),
    "low": _number("From", format="%.2f"),
    "high": _number("To", format="%.2f"),
}
REFUSALS = {"share": _number("Share", format="percent"), "refusal_stage": _text("Refused at"),
            "refusal_code": _text("Code"), "requests": _number("Requests"), "document": _text("Document"),
            "answers": _number("Answers")}  # fmt: skip
SLOWEST = {name: REQUESTS[name] for name in ("timestamp", "request_id", "question", "outcome", "total_ms")}
ERRORS = {
    "error_code": _text("Code"),
    "component": _text("Component"),
    "event": _text("Event"),
    "lines": _number("Lines", width="small"),
    "last_seen": st.column_config.DatetimeColumn("Last seen (UTC)", format="YYYY-MM-DD HH:mm:ss"),
    "last_request_id": _text("Last request"),
    "last_message": _text("Last message", width="large"),
}
RISK = {
    "threshold": _number("Threshold", format="%.3f"),
    "answered": _number("Answered"),
    "coverage": _number("Coverage", format="percent"),
    "false_answers": _number("False answers"),
    "false_answer_rate": _number("False-answer rate", format="percent"),
    "false_answer_upper": _number("At most (95%)", format="percent"),
    "risk": _number("Risk", format="percent", help="Unanswerable, among what is answered."),
}
PROMISES = {
    "reading": _text("Read as", width="medium"),
    "threshold": _number("Threshold", format="%.4f", help="Answer where confidence reaches this. Dash: none will do."),
    "false_answers": _number("False answers here", help="Unanswerable questions that it answers on these data."),
    "unanswerable": _number("Unanswerable", help="Questions with a label that the documents do not answer."),
    "coverage": _number("Coverage", format="percent", help="Answered, of the questions that the documents answer."),
    "needed": _number("Labels missing", help="How many more unanswerable questions must be judged at least."),
}
FLIPS = {
    "question": _text("Question", width="large"),
    "recorded": _text("Ended", width="small"),
    "decision": _text("Would end", width="small"),
    "answerable": _number("Answerable", help="1: yes, 0: no, empty: not labelled.", width="small"),
    "confidence": _number("Confidence", format="%.3f", width="small"),
    "margin": _number("Margin", format="%+.3f", help="Confidence minus threshold.", width="small"),
    "exact": st.column_config.CheckboxColumn("Exact", help="The record holds all that this rests on.", width="small"),
    "request_id": _text("Request"),
}
RUNS = {
    "name": _text("Run", width="medium"),
    "dataset": _text("Data set"),
    "started_at": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm"),
    "questions": _number("Questions", width="small"),
    "answerable": _number("Answerable", width="small"),
    "unanswerable": _number("Unanswerable", width="small"),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable."),
    "false_answer_rate": _number("False answers", format="percent", help="Answered, of the unanswerable."),
    "false_answer_upper": _number("At most (95%)", format="percent"),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable."),
}
GATES = {
    "gate": _text("Gate"),
    "in_force": st.column_config.CheckboxColumn("In force", width="small"),
    "fitted_at": st.column_config.DatetimeColumn("Fitted (UTC)", format="YYYY-MM-DD HH:mm"),
    "fitted_on": _text("Fitted on", width="medium"),
    "threshold": _number("Threshold", format="%.4f", width="small"),
    "at_most": _number("At most (95%)", format="percent", help="Upper bound of the false-answer rate; dash: none."),
    "guarantee": _text("Guarantee", width="large"),
}
WORTH = {
    "dataset": _text("Questions"),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable; 1: always."),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable."),
    "coverage_before": _number("Coverage before", format="percent"),
    "false_answer_rate": _number("False answers", format="percent", help="Answered, of the unanswerable."),
    "false_answers_before": _number("False answers before", format="percent"),
}
FIGURES = {
    "group": _text("Group"),
    "figure": _text("Figure", width="medium", help="What each means stands below the table."),
    "value": _number("Value", format="%.4f"),
    "counted": _number("Counted", format="%.6g", help="The numerator, where it is a share."),
    "of": _number("Of", help="The denominator: how many questions, answers or citations it is over."),
    "low": _number("95% from", format="%.4f"),
    "high": _number("95% to", format="%.4f"),
    "at_most": _number("At most", format="%.4f", help="One-sided 95% upper bound."),
}
PARTS = {
    "part": _text("Part", width="medium"),
    "questions": _number("Questions"),
    "hit@5": _number("hit@5", format="percent", help="A relevant passage is among the first five."),
    "MRR@10": _number("MRR@10", format="%.3f", help="Mean of 1 / rank of the first relevant passage; 1: always first."),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable."),
    "false_answers": _number("False answers", format="percent", help="Answered, of the unanswerable."),
    "contains_gold": _number("Gold in answer", format="percent", help="Answers that contain the answer of the label."),
    "citation_precision": _number("Citation precision", format="percent", help="Citations of a relevant passage."),
}
WORST = {
    "problem": _text("What went wrong", width="medium"),
    "qid": _text("Id", width="small"),
    "question": _text("Question", width="large"),
    "kind": _text("Kind", width="small"),
    "confidence": _number("Confidence", format="%.3f", width="small"),
    "refused_at": _text("Refused at", width="small"),
    "answer": _text("Answer", width="large"),
}
DIFFERENCES = {
    "figure": _text("Figure", width="medium"),
    "before": _number("Before", format="%.4f"),
    "after": _number("After", format="%.4f"),
    "difference": _number("Difference", format="%+.4f"),
    "low": _number("95% from", format="%+.4f"),
    "high": _number("95% to", format="%+.4f"),
    "adjusted_p": _number("p, corrected", format="%.4f", help="How probable so large a difference is by chance alone."),
    "count": _number("Questions"),
    "verdict": _text("Verdict", width="medium"),
}
