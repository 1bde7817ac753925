"""Filter values that the index does not hold, in words: what is not there, and what there is instead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.errors import InvalidQuery
from rag.models import Filters
from rag.models.complaints import shown
from rag.protocols import Catalogue, SearchScope
from rag.workspace.values import Collection

if TYPE_CHECKING:
    from rag.protocols import VectorStore

LISTED = 10
"""So many of the values that there are stand in a message."""
_CALLED = {"source": "document", "module": "module", "section": "section"}


@dataclass(frozen=True, slots=True)
class Unknown:
    """A filter value that occurs nowhere.

    Attributes:
        name: The filter's name.
        told: One plain sentence that says so, and names values that there are.
        details: The same for programs: `known`, or `last` of pages.
    """

    name: str
    told: str
    details: dict[str, Any] = field(default_factory=dict)


def documents_of(name: str, collections: Sequence[Collection], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the documents of a collection that are indexed.

    Raises:
        InvalidQuery: There is no such collection, or none of its documents is indexed.
    """
    found = next((one for one in collections if one.name == name), None)
    field = {"field": "filters.collection"}
    if found is None:
        known = [one.name for one in collections]
        near = [*_near(name, known), *known]
        listed = ", ".join(list(dict.fromkeys(near))[:LISTED]) or "none. Create one with `candor collection add`"
        told = f"There is no collection {shown(name)}. Collections: {listed}."
        raise InvalidQuery(told, details={**field, "known": known})
    indexed = {document for document, _ in catalogue.versions()}
    held = tuple(document for document in found.documents if document in indexed)
    if not held:
        told = f"No document of the collection {shown(name)} is indexed. Add some with `candor collection add`."
        raise InvalidQuery(told, details=field)
    return held


def require_indexed(documents: Iterable[str], catalogue: Catalogue) -> None:
    """Refuse a document that is not indexed, by name.

    Raises:
        InvalidQuery: The message lists up to ten that are, the nearest names first.
    """
    indexed = [document for document, _ in catalogue.versions()]
    for document in documents:
        if document not in indexed:
            unknown = _unknown("source", document, indexed)
            raise InvalidQuery(unknown.told, details={"field": "documents", **unknown.details})


def require_known(filters: Filters, *, store: "VectorStore", catalogue: Catalogue) -> None:
    """Refuse a document, module, section or page that the index does not hold.

    Raises:
        InvalidQuery: The message lists up to ten of the values that there are, the nearest first.
        StoreUnavailable: The store did not answer.
    """
    for unknown in unknown_in(filters, store=store, catalogue=catalogue):
        raise InvalidQuery(unknown.told, details={"field": f"filters.{unknown.name}", **unknown.details})


def unknown_in(filters: Filters, *, store: "VectorStore", catalogue: Catalogue) -> tuple[Unknown, ...]:
    """Return the document, module, section and page that the index does not hold; a chapter is retrieval's to refuse.

    Each is looked for by itself, a page in the document that is named: that two others occur nowhere together is an
    answer, not a mistake. Nothing is unknown to an empty index.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    if catalogue.chunk_count() == 0:
        return ()
    found = []
    hidden = catalogue.hidden_versions()
    if filters.source is not None and catalogue.get(filters.source) is None:
        found.append(_unknown("source", filters.source, [record.document for record in catalogue.documents()]))
    for name in ("module", "section"):
        value = getattr(filters, name)
        if value is not None and not store.count(SearchScope(Filters(**{name: value}), hidden)):
            found.append(_unknown(name, value, store.facets(name, SearchScope(hidden_versions=hidden))))
    if filters.page is not None:
        inside = filters.source if not found else None
        if not store.count(SearchScope(Filters(source=inside, page=filters.page), hidden)):
            found.append(_beyond(filters.page, inside, catalogue))
    return tuple(found)


def _beyond(page: int, source: str | None, catalogue: Catalogue) -> Unknown:
    records = [record for record in catalogue.documents() if source in (None, record.document)]
    last = max((record.pages or 0 for record in records), default=0)
    where = shown(source) if source else "the index"
    nowhere = "it has no pages" if source else "no document has pages"
    there = f"its pages are 1 to {last}" if last else nowhere
    return Unknown("page", f"There is no text on page {page} of {where}; {there}.", {"last": last})


def _unknown(name: str, value: str, known: Iterable[str]) -> Unknown:
    """Return what is told of one value.

    >>> _unknown("source", "Manul.pdf", ["faq.html", "manual.pdf"]).told
    "There is no document 'Manul.pdf' in the index. Indexed documents, the nearest names first: manual.pdf, faq.html."
    """
    there = sorted(known)
    near = _near(value, there)
    first = [*near, *(each for each in there if each not in near)]
    more = f" and {len(first) - LISTED} more" if len(first) > LISTED else ""
    called = _CALLED[name]
    order = ", the nearest names first" if near and len(first) > 1 else ""
    listed = ", ".join(first[:LISTED]) or "none"
    told = f"There is no {called} {shown(value)} in the index. Indexed {called}s{order}: {listed}{more}."
    return Unknown(name, told, {"known": first[:LISTED]})


def _near(value: str, there: list[str]) -> list[str]:
    """Return the names that are nearly this one, in small or capital letters, then those that hold it or a part of it.

    >>> _near("MANUAL", ["a.md", "lab-manual-2026.pdf", "manuel"])
    ['manuel', 'lab-manual-2026.pdf']
    """
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in reversed(there)}
    wanted = value.casefold()
    close = get_close_matches(wanted, folded, n=3)
    stem = wanted.rpartition(".")[0] or wanted
    holding = [name for name in folded if stem in name and name not in close] if len(stem) > 2 else []
    return [folded[name] for name in [*close, *sorted(holding)]]
