"""How the columns of tables are named, explained and drawn."""

import streamlit as st

_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn

HITS = {
    "used": st.column_config.CheckboxColumn("Used", help="Whether the answer may rest on it.", width="small"),
    "cited": st.column_config.CheckboxColumn("Cited", help="Whether the answer cites it.", width="small"),
    "rank": _number("Rank", help="Rank after similarity and BM25 were fused.", width="small"),
    "document": _text("Document", width="medium"),
    "page": _number("Page", width="small"),
    "section": _text("Section"),
    "similarity": st.column_config.ProgressColumn(
        "Similarity", help="Cosine similarity of question and passage, 0 to 1.", min_value=0, max_value=1, format="%.2f"
    ),
    "bm25": _number("BM25", help="Score of the question's words in the passage; 0: none occurs.", format="%.2f"),
    "fused": _number("Fused", help="What the passages are ranked by.", format="%.4f"),
    "dense_rank": _number("By similarity", help="Rank by similarity alone.", width="small"),
    "bm25_rank": _number("By BM25", help="Rank by BM25 alone.", width="small"),
    "text": _text("Text", width="large"),
}
TIMINGS = {
    "stage": _text("Stage"),
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
