"""Filter values that the index does not hold, in words: what is not there, and what there is instead."""

from collections.abc import Iterable, Sequence

from rag.errors import InvalidQuery
from rag.models import Filters
from rag.models.complaints import shown
from rag.protocols import Catalogue, SearchScope, VectorStore
from rag.workspace.values import Collection

LISTED = 10
"""So many of the values that there are stand in a message."""
_CALLED = {"source": "document", "module": "module", "section": "section"}


def documents_of(name: str, collections: Sequence[Collection], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the documents of a collection that are indexed.

    Raises:
        InvalidQuery: There is no such collection, or none of its documents is indexed.
    """
    found = next((one for one in collections if one.name == name), None)
    field = {"field": "filters.collection"}
    if found is None:
        known = [one.name for one in collections]
        first = list(dict.fromkeys([*_near(name, known), *known]))[:LISTED]
        listed = ", ".join(first) or "none. Create one with `candor collection add`"
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
            raise _unknown("source", document, indexed, field="documents")


def require_known(filters: Filters, *, store: VectorStore, catalogue: Catalogue) -> None:
    """Refuse a document, module, section or page that the index does not hold.

    Raises:
        InvalidQuery: The message lists up to ten of the values that there are, the nearest first.
        StoreUnavailable: The store did not answer.
    """
    for unknown in unknown_in(filters, store=store, catalogue=catalogue):
        raise unknown


def unknown_in(filters: Filters, *, store: VectorStore, catalogue: Catalogue) -> list[InvalidQuery]:
    """Return what is wrong with each document, module, section and page that the index does not hold.

    Each is looked for by itself, a page in the document that is named: that two others occur nowhere together is an
    answer, not a mistake. Nothing is unknown to an empty index, and a chapter is retrieval's to refuse. `details` has
    `field` and what is `known`, or the `last` of pages.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    if catalogue.chunk_count() == 0:
        return []
    found, hidden = [], catalogue.hidden_versions()
    if filters.source is not None and catalogue.get(filters.source) is None:
        found.append(_unknown("source", filters.source, [name for name, _ in catalogue.versions()]))
    for name in ("module", "section"):
        value = getattr(filters, name)
        if value is not None and not store.count(SearchScope(Filters(**{name: value}), hidden)):
            found.append(_unknown(name, value, store.facets(name, SearchScope(hidden_versions=hidden))))
    if filters.page is not None:
        inside = filters.source if not found else None
        if not store.count(SearchScope(Filters(source=inside, page=filters.page), hidden)):
            found.append(_beyond(filters.page, inside, catalogue))
    return found


def _beyond(page: int, source: str | None, catalogue: Catalogue) -> InvalidQuery:
    records = [record for record in catalogue.documents() if source in (None, record.document)]
    last = max((record.pages or 0 for record in records), default=0)
    where = shown(source) if source else "the index"
    nowhere = "it has no pages" if source else "no document has pages"
    there = f"its pages are 1 to {last}" if last else nowhere
    told = f"There is no text on page {page} of {where}; {there}."
    return InvalidQuery(told, details={"field": "filters.page", "last": last})


def _unknown(name: str, value: str, known: Iterable[str], *, field: str = "") -> InvalidQuery:
    there = sorted(known)
    near = _near(value, there)
    first = list(dict.fromkeys([*near, *there]))
    more = f" and {len(first) - LISTED} more" if len(first) > LISTED else ""
    called = _CALLED[name]
    order = ", the nearest names first" if near and len(first) > 1 else ""
    listed = ", ".join(first[:LISTED]) or "none"
    told = f"There is no {called} {shown(value)} in the index. Indexed {called}s{order}: {listed}{more}."
    return InvalidQuery(told, details={"field": field or f"filters.{name}", "known": first[:LISTED]})


def _near(value: str, there: list[str]) -> list[str]:
    """Return the names that are nearly this one, then those that hold it or a part of it."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in reversed(there)}
    wanted = value.casefold()
    close = get_close_matches(wanted, folded, n=3)
    stem = wanted.rpartition(".")[0] or wanted
    holding = [name for name in folded if stem in name and name not in close] if len(stem) > 2 else []
    return [folded[name] for name in [*close, *sorted(holding)]]
