"""Text and options -> the canonical query, by the operator's defaults; what is refused leaves a line in the log."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeAlias
from uuid import uuid4

from rag.asking.clock import RequestClock
from rag.errors import InvalidQuery
from rag.ingest.loaders.cleaning import clean
from rag.models import Mode, Query, request_id_of
from rag.record import Recorder
from rag.validate import validate

Collected: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the documents of a collection; raises `InvalidQuery` where it has none that is indexed, or is not there."""


def checked_query(
    question: str,
    options: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
    recorder: Recorder,
    collected: Collected | None = None,
) -> Query:
    """Return the canonical query, options that are None by default; one that is refused leaves a line in the log.

    Its selected text has canonical characters, as a document's text has (`clean`): invisible ones are gone. Every
    offset of the answer counts characters of that text, which the query carries. A collection is here turned into
    its documents, and nowhere else.

    Raises:
        InvalidQuery: The question or an option is outside its limits, or nothing of the selected text is visible; or
            there is no such collection.
    """
    given = {name: value for name, value in options.items() if value is not None}
    begun = perf_counter()
    try:
        query = validate(question, **{**defaults, **given})
        if query.mode is not Mode.SELECTED_TEXT_ONLY:
            return _within(query, collected) if query.filters.collection is not None else query
        if query.context is None or (context := clean(query.context)) == query.context:
            return query
        return validate(question, **{**defaults, **given, "context": context})
    except InvalidQuery as error:
        request_id = str(given.get("request_id") or request_id_of(uuid4(), datetime.now(UTC)))
        spent_ms = round((perf_counter() - begun) * 1000, 3)
        facts = {"question_length": len(str(question)), "processing_time_ms": spent_ms}
        RequestClock(recorder, request_id).note("validation", "query_rejected", facts, error=error)
        raise


def _within(query: Query, collected: Collected | None) -> Query:
    name = query.filters.collection or ""
    documents = tuple(collected(name)) if collected else ()
    return query.model_copy(update={"filters": query.filters.model_copy(update={"sources": documents})})
