"""A chunk as a point of Qdrant, and back; what a search scope means; how equal scores are ordered.

Shared by the embedded engine and the client, so that both store and find the same. Imports neither.

A point's id is the chunk id. Its vector `windows` has a row for each window, compared by the nearest ("max-sim",
Khattab and Zaharia 2020); its sparse vector is `bm25`. Its payload holds the chunk as one JSON string (rebuilt in one
pass of the validator), and a flat, indexed key for everything that can be filtered or counted.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from pydantic import ValidationError

from rag.errors import IndexNotReady, InvalidQuery
from rag.language.text import fold
from rag.models import Chunk
from rag.protocols import DocumentVersion, IndexedChunk, Scored, SearchScope, SparseVector, Vector

DENSE: Final = "windows"
SPARSE: Final = "bm25"
OLDER_DENSE: Final = "text"
"""The name of the vector by which an older Candor kept one for a chunk."""
KEYWORD_KEYS: Final = ("document", "version", "module", "section", "section_keys")
INTEGER_KEYS: Final = ("chapter", "pages")
CHUNK_KEYS: Final = ("chunk",)
FACET_KEYS: Final = {
    "document": "document",
    "version": "version",
    "module": "module",
    "section": "section",
    "chapter": "chapter",
    "page": "pages",
}
MOST_FACETS: Final = 100_000
"""More distinct values of one field than this are not listed."""
WRITE_BATCH: Final = 128
"""Points in one write: about 1 MB."""

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
NO_SPARSE: Final = SparseVector((), ())
Payload: TypeAlias = dict[str, str | int | list[str] | list[int]]
Found: TypeAlias = list[tuple[str, float]]
"""Chunk ids with their scores, best first, as an engine returns them."""


# --- chunk <-> point ---------------------------------------------------------------------------------------------


def payload_of(indexed: IndexedChunk) -> Payload:
    """Return the payload of a chunk; keys whose value is unknown are left out."""
    chunk = indexed.chunk
    flat: dict[str, str | int | None] = {
        "document": chunk.document,
        "version": chunk.document_hash,
        "module": chunk.metadata.module,
        "chapter": chunk.chapter,
    }
    payload: Payload = {key: value for key, value in flat.items() if value is not None}
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


@lru_cache(maxsize=8_192)
def chunk_of(text: object) -> Chunk:
    """Return the chunk that a payload's JSON string holds; remembered, for the same passages come back often.

    Raises:
        IndexNotReady: The string is not a chunk of this version of Candor.
    """
    try:
        return Chunk.model_validate_json(str(text))
    except ValidationError as error:
        raise IndexNotReady(
            f"The index holds a chunk that this version cannot read ({error.error_count()} fields differ): "
            f"{str(text)[:80]!r}. It was written by another version: run `candor ingest --rebuild`.",
        ) from error


def indexed_of(payload: object, vectors: Sequence[Sequence[float]], dimension: int) -> IndexedChunk:
    """Return a chunk with the vectors of its windows, of which there may be none; the sparse vector is left empty.

    Raises:
        IndexNotReady: The payload holds no chunk of this version of Candor.
    """
    text = payload.get("chunk") if isinstance(payload, dict) else None
    return IndexedChunk(chunk_of(text), np.array(vectors, dtype=np.float32).reshape(-1, dimension), NO_SPARSE)


def point_ids(chunk_ids: Iterable[str]) -> list[str]:
    """Return the ids that can be a point's id at all (UUIDs); others are unknown to every store."""
    return [chunk_id for chunk_id in chunk_ids if _UUID.fullmatch(chunk_id)]


def require_dimension(vector: Vector, dimension: int) -> None:
    """Refuse a vector of another length than the index has.

    Raises:
        IndexNotReady: It is of another length: another embedding model made it.
    """
    if vector.shape != (dimension,):
        raise wrong_dimension(vector.shape[-1] if vector.ndim else 0, dimension)


def require_vectors(indexed: IndexedChunk, dimension: int) -> None:
    """Refuse a chunk that has no vector, or vectors of another length than the index has.

    Raises:
        IndexNotReady: They are of another length: another embedding model made them.
    """
    shape = indexed.vectors.shape
    if len(shape) != 2 or not shape[0] or shape[1] != dimension:
        raise wrong_dimension(shape[1] if len(shape) == 2 and shape[0] else 0, dimension)


def wrong_dimension(given: int, indexed: int) -> IndexNotReady:
    """Return the error for a vector or a setting of `given` dimensions where the index has `indexed`."""
    return IndexNotReady(
        f"The index holds vectors of {indexed} dimensions, the embedding model gives {given}. "
        f"Use the embedding model that the index was built with, or build it anew with `candor ingest --rebuild`.",
        details={"indexed_dimension": indexed, "given_dimension": given},
    )


# --- what a scope means ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conditions:
    """A scope in the payload's words: every key equals its value, `version` and `document` are none of those given.

    Where `documents` are given, `document` is one of them.

    `hidden` leaves out versions of one document each: another of the same bytes stays.
    """

    equal: tuple[tuple[str, str | int], ...] = ()
    hidden: tuple[DocumentVersion, ...] = ()
    without_versions: tuple[str, ...] = ()
    without_documents: tuple[str, ...] = ()
    documents: tuple[str, ...] | None = None

    @property
    def unwanted(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Keys with the values that no point in the scope has."""
        both = (("version", self.without_versions), ("document", self.without_documents))
        return tuple((key, values) for key, values in both if values)

    @property
    def hidden_by_document(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The documents that have hidden versions, each with those."""
        names = dict.fromkeys(name for name, _ in self.hidden)
        return tuple((name, tuple(version for each, version in self.hidden if each == name)) for name in names)


def conditions_of(scope: SearchScope) -> Conditions:
    """Return what a point must satisfy to be in the scope.

    A page matches every chunk that stands on it, in part or whole, and so does a section: short ones share a chunk. A
    section is named by its number, its title, or both, case folded; a number also matches the sections below it (`2.2`
    finds `2.2.1`, not `2.20`).
    """
    filters = scope.filters
    wanted: list[tuple[str, str | int | None]] = [
        ("document", filters.source),
        ("chapter", filters.chapter),
        ("section_keys", None if filters.section is None else _section_key(filters.section)),
        ("module", filters.module),
        ("pages", filters.page),
    ]
    equal = tuple((key, value) for key, value in wanted if value is not None)
    return Conditions(equal, scope.hidden_versions, without_documents=scope.without, documents=filters.sources)


def section_keys(section: str | None, number: str | None) -> list[str]:
    """Return every name by which a section can be asked for.

    >>> section_keys("2.2.1 Working with hoods", "2.2.1")
    ['2.2.1 working with hoods', 'working with hoods', '2.2.1', '2.2', '2']
    """
    names = [section or ""]
    if section and number and section.startswith(number):
        names.append(section[len(number) :])
    parts = number.strip(".").split(".") if number else []
    names.extend(".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return [key for key in dict.fromkeys(map(_section_key, names)) if key]


def _section_key(name: str) -> str:
    return fold(name).strip(" .")


def facet_key(field: str) -> str:
    """Return the payload key that a metadata field is counted by.

    Raises:
        InvalidQuery: There is no such field.
    """
    try:
        return FACET_KEYS[field]
    except KeyError as error:
        raise InvalidQuery(f"The field {field!r} cannot be counted. Use one of: {', '.join(FACET_KEYS)}.") from error


def ordered_facets(counts: Iterable[tuple[str | int, int]]) -> dict[str, int]:
    """Return the counts with numbers in numerical and texts in alphabetical order, values as text."""
    by_value = sorted(counts, key=lambda pair: (isinstance(pair[0], str), pair[0]))
    return {str(value): count for value, count in by_value if count}


# --- order of results --------------------------------------------------------------------------------------------


def ranked(search: Callable[[int], Found], limit: int, found: Found | None = None) -> list[Scored]:
    """Return the `limit` best of a search; equal scores are ordered by chunk id, also where the limit cuts a tie.

    Scores are rounded to 6 decimals: engines compute in float32 and differ beyond that, and two passages of the same
    text must tie. A few more than `limit` are asked for; while the last has the score at the limit, more.

    Args:
        search: Gives the n best, best first, in any order among equals.
        limit: The most results; below 1 gives none.
        found: What `search(with_ties(limit))` gave, where that is known already.
    """
    if limit < 1:
        return []
    asked = with_ties(limit)
    found = search(asked) if found is None else found
    while len(found) >= asked and round(found[-1][1], 6) == round(found[limit - 1][1], 6):
        asked *= 4
        found = search(asked)
    scored = sorted([(-round(score, 6), chunk_id) for chunk_id, score in found])
    return [Scored(chunk_id, -score) for score, chunk_id in scored[:limit]]


def with_ties(limit: int) -> int:
    """Return how many to ask for, so that few ties at the limit need a second search; one of BM25 often does."""
    return limit + 1 + limit // 5


def in_batches(chunks: Sequence[IndexedChunk]) -> Iterable[Sequence[IndexedChunk]]:
    """Yield the chunks in groups small enough for one write."""
    return (chunks[start : start + WRITE_BATCH] for start in range(0, len(chunks), WRITE_BATCH))
