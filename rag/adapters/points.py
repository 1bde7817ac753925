"""A chunk as a point of Qdrant, and back, and the names of what is kept of it.

Shared by the embedded engine and the client, so that both store and find the same. Imports neither.

A point's id is the chunk id. Its vector `windows` has a row for each window, compared by the nearest ("max-sim",
Khattab and Zaharia 2020); its sparse vector is `bm25`. Its payload holds the chunk as one JSON string (rebuilt in one
pass of the validator), and a flat, indexed key for everything that can be filtered or counted.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from pydantic import ValidationError

from rag.errors import IndexNotReady
from rag.models import Chunk
from rag.protocols import IndexedChunk, Matrix, SparseVector, Vector
from rag.text.words import fold

DENSE: Final = "windows"
SPARSE: Final = "bm25"
OLDER_DENSE: Final = "text"  # the name of the vector by which an older Candor kept one for a chunk
KEYWORD_KEYS: Final = ("document", "version", "module", "section", "section_keys")
INTEGER_KEYS: Final = ("chapter", "pages")
CHUNK_KEYS: Final = ("chunk",)
FACET_KEYS: Final = {name: name for name in ("document", "version", "module", "section", "chapter")} | {"page": "pages"}
"""The key by which each field is counted."""
MOST_FACETS: Final = 100_000  # more distinct values of one field than this are not listed
WRITE_BATCH: Final = 128  # points in one write: about 1 MB

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
NO_SPARSE: Final = SparseVector((), ())
Payload: TypeAlias = dict[str, str | int | list[str] | list[int]]
Found: TypeAlias = list[tuple[str, float]]  # chunk ids with their scores, best first, as an engine returns them


def payload_of(indexed: IndexedChunk) -> Payload:
    """Return the payload of a chunk; keys whose value is unknown are left out."""
    chunk = indexed.chunk
    payload: Payload = {"document": chunk.document, "version": chunk.document_hash}
    for key, value in (("module", chunk.metadata.module), ("chapter", chunk.chapter)):
        if value is not None:
            payload[key] = value
    sections = dict.fromkeys((one.section, one.section_number) for one in chunk.section_starts or (chunk,))
    names = [name for name, _ in sections if name is not None]
    if names:
        payload["section"] = names if len(names) > 1 else names[0]
    if keys := list(dict.fromkeys(key for name, number in sections for key in section_keys(name, number))):
        payload["section_keys"] = keys
    if chunk.page is not None:
        payload["pages"] = list(range(chunk.page, max(chunk.page, chunk.last_page or 0) + 1))
    payload["chunk"] = chunk.model_dump_json(exclude_defaults=True)
    return payload


def chunk_of(payload: dict[str, Any] | None) -> Chunk:
    """Return the chunk that a payload holds.

    Raises:
        IndexNotReady: It is not a chunk of this version of Candor.
    """
    return _chunk_of((payload or {}).get("chunk"))


@lru_cache(maxsize=8_192)
def _chunk_of(text: object) -> Chunk:
    """Return the chunk of a JSON string; remembered, for the same passages come back often."""
    try:
        return Chunk.model_validate_json(str(text))
    except ValidationError as error:
        raise IndexNotReady(
            f"The index holds a chunk that this version cannot read ({error.error_count()} fields differ): "
            f"{str(text)[:80]!r}. It was written by another version: run `candor ingest --rebuild`."
        ) from error


def indexed_of(record: Any, dimension: int) -> IndexedChunk:
    """Return a chunk with the vectors of its windows; the sparse vector is left empty.

    Raises:
        IndexNotReady: The payload holds no chunk of this version of Candor.
    """
    rows = record.vector[DENSE] if isinstance(record.vector, dict) else []
    vectors = np.array(rows, dtype=np.float32).reshape(-1, dimension)
    return IndexedChunk(chunk_of(record.payload), vectors, NO_SPARSE)


def point_ids(chunk_ids: Iterable[str]) -> list[str]:
    """Return the ids that can be a point's id at all (UUIDs); others are unknown to every store."""
    return [chunk_id for chunk_id in chunk_ids if _UUID.fullmatch(chunk_id)]


def require_dimension(vectors: Vector | Matrix, dimension: int) -> None:
    """Refuse one vector or the rows of a chunk that have another length than those of the index, or no row.

    Raises:
        IndexNotReady: Another embedding model made them.
    """
    given = vectors.shape[-1] if vectors.size else 0
    if given != dimension:
        raise wrong_dimension(given, dimension)


def wrong_dimension(given: int, indexed: int) -> IndexNotReady:
    """Return the error for a vector or a setting of `given` dimensions where the index has `indexed`."""
    return IndexNotReady(
        f"The index holds vectors of {indexed} dimensions, the embedding model gives {given}. "
        f"Use the embedding model that the index was built with, or build it anew with `candor ingest --rebuild`.",
        details={"indexed_dimension": indexed, "given_dimension": given},
    )


def section_keys(section: str | None, number: str | None) -> list[str]:
    """Return every name by which a section can be asked for.

    A number also names the sections above it: `2.2` finds `2.2.1`, not `2.20`.

    >>> section_keys("2.2.1 Working with hoods", "2.2.1")
    ['2.2.1 working with hoods', 'working with hoods', '2.2.1', '2.2', '2']
    """
    names = [section or ""]
    if section and number and section.startswith(number):
        names.append(section[len(number) :])
    parts = number.strip(".").split(".") if number else []
    names.extend(".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return [key for key in dict.fromkeys(map(section_key, names)) if key]


def section_key(name: str) -> str:
    """Return a name of a section in the form in which names are compared."""
    return fold(name).strip(" .")
