"""Filter values that the index does not hold, told before a question is asked, with what there is instead."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rag.errors import InvalidQuery
from rag.models import Filters
from rag.protocols import Catalogue, SearchScope

if TYPE_CHECKING:
    from rag.protocols import VectorStore

LISTED = 10
"""So many of the values that there are stand in a message."""


def require_known(filters: Filters, *, store: "VectorStore", catalogue: Catalogue) -> None:
    """Refuse a document, module, section or page that the index does not hold; a chapter is for retrieval to refuse.

    Each is looked for by itself: that two of them occur nowhere together is an answer, not a mistake.

    Raises:
        InvalidQuery: The message lists up to ten of the values that there are, the closest first.
        StoreUnavailable: The store did not answer.
    """
    if catalogue.chunk_count() == 0:
        return
    if filters.source is not None and catalogue.get(filters.source) is None:
        raise _unknown("source", filters.source, [record.document for record in catalogue.documents()])
    hidden = catalogue.hidden_versions()
    for name in ("module", "section", "page"):
        value = getattr(filters, name)
        if value is None or store.count(SearchScope(Filters(**{name: value}), hidden)):
            continue
        if name == "page":
            raise _beyond(value, max((record.pages or 0 for record in catalogue.documents()), default=0))
        raise _unknown(name, value, store.facets(name, SearchScope(hidden_versions=hidden)))


def _beyond(page: int, last: int) -> InvalidQuery:
    there = f"1 to {last}" if last else "none"
    return InvalidQuery(
        f"page = {page} is not in the index; pages there: {there}.", details={"field": "filters.page", "last": last}
    )


def _unknown(name: str, value: str, known: Iterable[str]) -> InvalidQuery:
    """Return the error for one value.

    >>> _unknown("source", "manul.pdf", ["faq.html", "manual.pdf"]).message
    "source = 'manul.pdf' is not in the index; sources there: manual.pdf, faq.html."
    """
    there = sorted(known)
    close = get_close_matches(value, there, n=3)
    first = [*close, *(each for each in there if each not in close)]
    more = f" and {len(first) - LISTED} more" if len(first) > LISTED else ""
    return InvalidQuery(
        f"{name} = {value!r} is not in the index; {name}s there: {', '.join(first[:LISTED]) or 'none'}{more}.",
        details={"field": f"filters.{name}", "known": first[:LISTED]},
    )
