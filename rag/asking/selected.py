"""A text that a person selected or pasted, as chunks with their vectors: made in memory, never stored."""

import hashlib
from collections.abc import Sequence

from rag.errors import InvalidDocument
from rag.ingest.chunking import chunk
from rag.ingest.embedding import window_vectors
from rag.ingest.loaders import load_bytes
from rag.models import Document
from rag.protocols import Embedder, IndexedChunk
from rag.text.bm25 import encode_passage

SELECTED_TEXT = "selected text"
"""The document name of passages that a person selected."""


def read_selected(text: str, *, embedder: Embedder, language: str) -> Sequence[IndexedChunk]:
    """Return a text cut and embedded as ingestion cuts and embeds a document, in reading order.

    Raises:
        EmbedderUnavailable: The model cannot be loaded or does not run.
    """
    chunks = chunk(_document(text), pieces=embedder.pieces, max_pieces=embedder.max_pieces)
    chunks = [each.model_copy(update={"context": ""}) for each in chunks]
    return [
        IndexedChunk(item, vectors, encode_passage(item.content, language=language))
        for item, vectors in zip(chunks, window_vectors(chunks, embedder), strict=True)
    ]


def _document(text: str) -> Document:
    """Return a text as the document that a text file of it would be, in one section: its headings stay in the text."""
    data = text.encode()
    try:
        read = load_bytes(f"{SELECTED_TEXT}.txt", data)
    except InvalidDocument:  # signs only, or text that begins like another format
        return Document(
            name=SELECTED_TEXT,
            text=text,
            hash=hashlib.sha256(data).hexdigest(),
            size_bytes=len(data),
            media_type="text/plain",
        )
    return read.model_copy(update={"name": SELECTED_TEXT, "sections": (), "pages": ()})
