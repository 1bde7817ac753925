"""A small index's passages, read before anybody asks, so that questions find them in memory."""

from time import sleep

from rag.protocols import Catalogue, VectorStore

SMALL = 8_192
"""Chunks up to which an index is read as a whole: as many as are kept."""
_BATCH = 64


def read_small_index(store: VectorStore, catalogue: Catalogue) -> int:
    """Read every passage of an index of at most `SMALL` chunks; return how many were read.

    Whoever asks meanwhile has the turn between two batches. A document that is removed meanwhile is passed over.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    if not 0 < catalogue.chunk_count() <= SMALL:
        return 0
    ids = [chunk_id for record in catalogue.documents() for chunk_id in record.chunk_ids]
    read = 0
    for begin in range(0, len(ids), _BATCH):
        read += len(store.fetch(ids[begin : begin + _BATCH]))
        sleep(0.001)
    return read
