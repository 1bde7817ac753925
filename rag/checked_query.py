"""Text and options -> the canonical query, by the operator's defaults; what is refused leaves a line in the log."""

from collections.abc import Mapping
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import uuid4

from rag.clock import RequestClock
from rag.errors import InvalidQuery
from rag.ingest.loaders.cleaning import clean
from rag.models import Query, request_id_of
from rag.record import Recorder
from rag.validate import validate


def checked_query(
    question: str, options: Mapping[str, Any], *, defaults: Mapping[str, Any], recorder: Recorder
) -> Query:
    """Return the canonical query, options that are None by default; one that is refused leaves a line in the log.

    Its selected text has canonical characters, as a document's text has (`clean`): invisible ones are gone. Every
    offset of the answer counts characters of that text, which the query carries.

    Raises:
        InvalidQuery: The question or an option is outside its limits, or nothing of the selected text is visible.
    """
    given = {name: value for name, value in options.items() if value is not None}
    begun = perf_counter()
    try:
        query = validate(question, **{**defaults, **given})
        if query.context is None or (context := clean(query.context)) == query.context:
            return query
        return validate(question, **{**defaults, **given, "context": context})
    except InvalidQuery as error:
        request_id = str(given.get("request_id") or request_id_of(uuid4(), datetime.now(UTC)))
        spent_ms = round((perf_counter() - begun) * 1000, 3)
        facts = {"question_length": len(str(question)), "processing_time_ms": spent_ms}
        RequestClock(recorder, request_id).note("validation", "query_rejected", facts, error=error)
        raise
