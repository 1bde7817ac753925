"""Stage 1: text and options in, one canonical `Query` out. A bad question is refused here, by name, before it costs."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rag.errors import ErrorCode, InvalidQuery
from rag.models import Filters, Mode, Query
from rag.models.complaints import complaint, reason_of
from rag.models.query import MAX_LENGTH as MAX_LENGTH
from rag.text.counted import several

MIN_LENGTH = 3
GREETING_LENGTH = 2  # the least length where a greeting is answered, too: `hi`
MAX_CONTEXT_LENGTH = 200_000  # longest selected text, in characters: about 70 pages
_WHITE_SPACE = re.compile(r"[^\S\x0b\x0c\x1c-\x1f\x85]+")
"""White space but for the control characters among it: those are refused."""


def validate(question: str, *, shortest: int = MIN_LENGTH, **options: Any) -> Query:
    """Return the canonical query for a question and its options.

    Args:
        question: 3 to 1000 characters after white space is collapsed, any script.
        shortest: The least length; who answers `hi`, too, lets it in.
        **options: The fields of `Query`; one that is None takes its default.

    Raises:
        InvalidQuery: Too short (QUERY_TOO_SHORT), or anything else outside its limits (INVALID_INPUT).
    """
    given = {name: value for name, value in options.items() if value is not None}
    text = clean_question(question, shortest=shortest)
    try:
        query = Query(question=text, **given)
    except ValidationError as error:
        raise invalid_option(error) from error
    return _check_mode(_check_texts(query))


def clean_question(question: object, *, shortest: int = MIN_LENGTH) -> str:
    """Return the question stripped, every stretch of white space within it made one space.

    A pattern that looks at each of a thousand spaces anew costs seconds, so no stage ever sees two of them.

    Raises:
        InvalidQuery: Not text, too short, too long, or with control characters.
    """
    if not isinstance(question, str):
        raise InvalidQuery(f"The question must be text, not {type(question).__name__}.")
    text = _WHITE_SPACE.sub(" ", question.strip())
    if len(text) < shortest:
        raise InvalidQuery(
            f"The question {text!r} has {several(len(text), 'character')}; ask with at least {MIN_LENGTH}.",
            code=ErrorCode.QUERY_TOO_SHORT,
            details={"length": len(text), "minimum": MIN_LENGTH},
        )
    if len(text) > MAX_LENGTH:
        raise InvalidQuery(
            f"The question has {len(text)} characters; shorten it to at most {MAX_LENGTH}.",
            details={"length": len(text), "maximum": MAX_LENGTH},
        )
    for position, character in enumerate(text):
        kind = unicodedata.category(character)
        if kind in ("Cc", "Cs"):
            code = f"U+{ord(character):04X}"
            what = f"the control character {code}" if kind == "Cc" else f"half a character (the surrogate {code})"
            raise InvalidQuery(
                f"The question has {what} at position {position}; remove it.",
                details={"position": position, "character": code},
            )
    return text


def invalid_option(error: ValidationError) -> InvalidQuery:
    """Return the first complaint of a validation as an `InvalidQuery` that names option, value and limit."""
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"]) or "query"
    if first["type"] == "extra_forbidden":
        known = sorted(Filters.model_fields if name.startswith("filters.") else {*Query.model_fields} - {"question"})
        return InvalidQuery(
            f"{name} is not an option of a question. Options: {', '.join(known)}.", details={"field": name}
        )
    return InvalidQuery(complaint(name, first), details={"field": name, "reason": reason_of(first)})


def unused_notes(query: Query, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what of a question's options its mode does not use, a note each."""
    mode, only = query.mode.value, Mode.SELECTED_TEXT_ONLY
    if query.mode is not only:
        if not str(options.get("context") or "").strip():
            return ()
        return (f"context was not used: mode is {mode!r}. Set mode to {only.value!r} to answer from context alone.",)
    given = [f"filters.{name}" for name in query.filters.named]
    if not given:
        return ()
    were = "was" if len(given) == 1 else "were"
    return (f"{', '.join(given)} {were} not used: mode is {mode!r}, which uses only context.",)


def _check_mode(query: Query) -> Query:
    """Return the query with what its mode does not use left out."""
    if query.mode is not Mode.SELECTED_TEXT_ONLY:
        if query.mode is Mode.CHAPTER_AWARE and query.filters.chapter is None:
            raise InvalidQuery(
                "mode = 'chapter-aware' needs the chapter: set filters.chapter.", details={"field": "filters.chapter"}
            )
        return query.model_copy(update={"context": None})
    if query.context is None or not query.context.strip():
        raise InvalidQuery(
            "mode = 'selected-text-only' needs the selected text: set context to the passage to answer from.",
            details={"field": "context"},
        )
    if len(query.context) > MAX_CONTEXT_LENGTH:
        raise InvalidQuery(
            f"The selected text has {len(query.context)} characters; select at most {MAX_CONTEXT_LENGTH}, "
            f"or ingest it as a document.",
            details={"field": "context", "length": len(query.context), "maximum": MAX_CONTEXT_LENGTH},
        )
    return query


def _check_texts(query: Query) -> Query:
    """Return the query where every option that is text can be written as UTF-8."""
    for name, value in (*query, *((f"filters.{name}", value) for name, value in query.filters)):
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise InvalidQuery(f"{name} holds half a character (a lone surrogate); send valid Unicode.")
    return query
