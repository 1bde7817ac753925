"""How the columns of tables of answers, documents and traffic are named, explained and drawn.

Tables draw their columns in the order in which they stand here: what a narrow screen must show comes first.
"""

import streamlit as st

_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn

STAGE_HELP = (
    "validate: the question is checked; embed: turned into a vector; retrieve: passages are found; read: their best "
    "windows are read; gate: whether they are good enough; prompt: what the model is given; generate: writing; ground: "
    "every sentence is checked."
)
REFUSED_AT = "gate: before writing; grounding: after the check."
HITS = {
    "rank": _number("Rank", help="Rank by retrieval and reading together.", width=52),
    "retrieval_rank": _number("Before reading", help="Rank by retrieval alone.", width=96),
    "used": st.column_config.CheckboxColumn("Used", help="Whether the answer may rest on it.", width=54),
    "cited": st.column_config.CheckboxColumn("Cited", help="Whether the answer cites it.", width=54),
    "document": _text("Document", width=125),
    "similarity": st.column_config.ProgressColumn(
        "Similarity",
        help="Cosine similarity of question and best window, 0 to 1.",
        min_value=0,
        max_value=1,
        format="%.2f",
        width=110,
    ),
    "bm25": _number("BM25", help="Score of the question's words; 0: none occurs.", format="%.2f", width=60),
    "reading": _number(
        "Reading",
        help="Probability, by the reader, that its best window answers; dash: not read.",
        format="%.2f",
        width=66,
    ),
    "page": _number("Page", width=54),
    "section": _text("Section", width=150),
    "text": _text("Text", width="large"),
    "fused": _number("Fused", help="What retrieval ranks by.", format="%.4f"),
    "dense_rank": _number("By similarity", help="Rank by similarity alone.", width="small"),
    "bm25_rank": _number("By BM25", help="Rank by BM25 alone.", width="small"),
}
TIMINGS = {
    "stage": _text("Stage", help=STAGE_HELP),
    "start_ms": _number("Begins at, ms", format="%.1f"),
    "ms": _number("Takes, ms", format="%.2f"),
    "share": _number("Share", format="percent"),
}
DOCUMENTS = {
    "document": _text("Document", width=170),
    "pages": _number("Pages", width=56),
    "title": _text("Title", width=230),
    "collections": _text("Collections", width=130),
    "note": _text("How it was read", help="What of the file could not be read as it stands.", width=170),
    "size": _number("Size", format="bytes", width=70),
    "added": st.column_config.DatetimeColumn("Added", format="distance"),
}
COLLECTIONS = {
    "name": _text("Collection", width=170),
    "documents": _text("Documents", width="large"),
    "by": _text("Changed by", width=100),
    "changed_at": st.column_config.DatetimeColumn("Changed", format="distance"),
}
HOUSE_WORDS = {
    "word": _text("Word", help="An abbreviation, or what people here say.", max_chars=100, width=150),
    "means": _text("Means", help="What the documents may call it.", max_chars=200, width="large"),
    "by": _text("By", width=100),
    "created_at": st.column_config.DatetimeColumn("When", format="distance"),
}
REQUESTS = {
    "timestamp": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm:ss"),
    "outcome": _text("Outcome", width=80),
    "question": _text("Question", width=300),
    "confidence": st.column_config.ProgressColumn("Confidence", min_value=0, max_value=1, format="%.2f", width=115),
    "threshold": _number("Threshold", format="%.2f", width=76),
    "refusal_stage": _text("Refused at", width=86, help=REFUSED_AT),
    "generator": _text(
        "Who spoke", width="small", help="extractive: quoted from the documents; ollama, openai, gguf: a model."
    ),
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
}
MISSING = {
    "shown_rank": _number("Rank", help="By retrieval and reading; dash: not among the first 20.", width=56),
    "retrieval_rank": HITS["retrieval_rank"],
    "reading": HITS["reading"],
    "by_similarity": _number("By similarity", help="Its rank by similarity, among all chunks of the index.", width=94),
    "by_bm25": _number("By BM25", help="Its rank by words; dash: none of the question's words occurs in it.", width=74),
    "section": _text("Section", width=170),
    "cosine": _number("Similarity", format="%.2f", width=76),
    "bm25": _number("BM25", format="%.2f", width=60),
    "page": _number("Page", width=54),
    "text": _text("Text", width="large"),
}
DROPPED = {
    "why": _text("Why", width=215),
    "document": _text("Document", width=125),
    "page": _number("Page", width=54),
    "section": _text("Section", width=150),
    "similarity": _number("Similarity", format="%.2f", width=76, help="Dash: found by its words only."),
    "dense_rank": _number("By similarity", help="Rank by similarity among the candidates.", width=94),
    "bm25": _number("BM25", format="%.2f", width=60, help="Score of the question's words; 0: none occurs."),
    "bm25_rank": _number("By BM25", help="Rank by words among the candidates.", width=74),
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
    "low": _number("From", format="%.2f"),
    "high": _number("To", format="%.2f"),
}
REFUSALS = {
    "outcome": REQUESTS["outcome"],
    "refusal_stage": REQUESTS["refusal_stage"],
    "refusal_code": _text("Code", help="What the API calls it; NO_RELEVANT_CONTENT: the documents do not answer."),
    "document": _text("Document"),
    "requests": _number("Requests", width="small"),
    "answers": _number("Answers", help="Answers that cite it.", width="small"),
    "share": _number("Share", format="percent", width="small"),
}
SLOWEST = {name: REQUESTS[name] for name in ("timestamp", "total_ms", "outcome", "question", "request_id")}
STOPPED = {
    "timestamp": REQUESTS["timestamp"],
    "total_ms": _number("Left after, ms", format="%.0f", width="small"),
    "request_id": REQUESTS["request_id"],
}
FEEDBACK = {
    "verdict": _text("Judged", width=70),
    "reason": _text("Why", width=110),
    "note": _text("Note", width=220),
    "question": REQUESTS["question"],
    "outcome": REQUESTS["outcome"],
    "confidence": REQUESTS["confidence"],
    "timestamp": REQUESTS["timestamp"],
    "by": _text("By", help="The key it came with; empty: from the dashboard."),
    "request_id": REQUESTS["request_id"],
}
ERRORS = {
    "level": _text("Level", width="small"),
    "error_code": _text("Code"),
    "component": _text("Component"),
    "event": _text("Event"),
    "lines": _number("Lines", width="small"),
    "requests": _number("Requests", width="small"),
    "last_seen": st.column_config.DatetimeColumn("Last seen (UTC)", format="YYYY-MM-DD HH:mm:ss"),
    "last_request_id": _text("Last request"),
    "last_message": _text("Last message", width="large"),
}
