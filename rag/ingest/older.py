"""An index that an older Candor wrote, made anew from the text in it: no file is read, chunks keep their ids."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

from rag.ingest.embedding import window_vectors
from rag.protocols import Catalogue, Embedder, IndexedChunk, OlderChunks, VectorStore
from rag.reader.windows import windows_of

_log = logging.getLogger(__name__)
_BATCH: Final = 256
_TOLD_EVERY_S: Final = 10.0


def renew(older: OlderChunks, *, store: VectorStore, catalogue: Catalogue, embedder: Embedder) -> int:
    """Write all chunks anew that the catalogue lists, with a vector for each window; return how many that were.

    How far it is stands in the log. Where it is interrupted the next call goes on: chunks in the store are left alone.

    Raises:
        IndexNotReady: The old chunks cannot be read.
        StoreUnavailable: The store failed.
        EmbedderUnavailable: The embedding model failed.
    """
    listed = {chunk_id for record in catalogue.documents() for chunk_id in record.chunk_ids}
    total, seen, written, told_at = older.count(), 0, 0, monotonic()
    _log.warning(
        "An older version of Candor made this index. Its %d chunks are embedded anew, by windows; "
        "questions are answered after that.",
        total,
    )
    for batch in older.batches(_BATCH):
        wanted = [indexed for indexed in batch if indexed.chunk.chunk_id in listed]
        written += _write(wanted, store, embedder)
        seen += len(batch)
        if monotonic() - told_at > _TOLD_EVERY_S:
            told_at = monotonic()
            _log.warning("%d of %d chunks are embedded anew.", seen, total)
    older.drop()
    _log.warning("The index is ready: %d chunks were embedded anew.", written)
    return written


def _write(chunks: Sequence[IndexedChunk], store: VectorStore, embedder: Embedder) -> int:
    """Write those chunks that the store does not hold; return how many that were."""
    ids = [indexed.chunk.chunk_id for indexed in chunks]
    held = {one.chunk.chunk_id for one in store.fetch(ids)}
    new = [_with_windows(indexed) for indexed in chunks if indexed.chunk.chunk_id not in held]
    vectors = window_vectors([indexed.chunk for indexed in new], embedder)
    store.upsert([replace(indexed, vectors=rows) for indexed, rows in zip(new, vectors, strict=True)])
    return len(new)


def _with_windows(indexed: IndexedChunk) -> IndexedChunk:
    chunk = indexed.chunk
    windows = windows_of(chunk.content, chunk.sentences)
    return replace(indexed, chunk=chunk.model_copy(update={"windows": windows}))
