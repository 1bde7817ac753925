"""What a server with OpenAI's protocol says of its own troubles; servers differ in where they say it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.adapters.server_trouble import Asking, answered_with, short

if TYPE_CHECKING:
    from openai import APIError, APIStatusError

MOST_NAMES = 6
"""Most models that a message names."""


def told_by_openai(error: Exception, asking: Asking, *, names: Sequence[str], key: str | None) -> str | None:
    """Return what the server answered with and what to do; None where it is no answer of the server.

    Args:
        error: What the client raised.
        asking: What was being asked.
        names: The models that the server lists, where it was asked.
        key: The key that was sent: servers repeat it, and no message may.
    """
    import openai

    if not isinstance(error, openai.APIError) or isinstance(error, openai.APIConnectionError):
        return None
    said = said_in(error)
    said = short(said.replace(key, "***") if key else said)
    if not isinstance(error, openai.APIStatusError):
        return answered_with(None, said)
    if error.status_code in (401, 403):
        return (
            f"refused the key (status {error.status_code}: {said}). Set CANDOR_OPENAI_API_KEY to a key that it takes."
        )
    if error.status_code == 429:
        return f"takes no more requests for now (status 429: {said}). Ask again {_when(error)}."
    if error.status_code == 404:
        return _not_found(asking.model, names, said)
    if is_too_long(error):
        return (
            f"has a context window too small for this prompt ({said}). Start it with a larger one, or set "
            f"CANDOR_MAX_CONTEXT to the size that it has."
        )
    return answered_with(error.status_code, said)


def said_in(error: "APIError") -> str:
    """Return the server's own words in an error, from wherever servers put them."""
    body = error.body
    if isinstance(body, dict):
        said = body.get("message") or body.get("detail")
        return said if isinstance(said, str) else str(body)
    return str(body or error.message)


def is_too_long(error: "APIError") -> bool:
    """Return whether the prompt is longer than the model's window; each server has a code or words of its own."""
    return "context" in f"{error.code} {error.type} {said_in(error)}".lower()


def _when(error: "APIStatusError") -> str:
    wait = error.response.headers.get("retry-after", "")
    return f"in {wait} s" if wait.isdecimal() else "later, or look at the account's limits"


def _not_found(model: str, names: Sequence[str], said: str) -> str:
    if names:
        return f"does not have the model {model!r} ({said}). {has(names)} Set CANDOR_OPENAI_MODEL to one that it has."
    return (
        f"answered with status 404: {said}. Correct CANDOR_OPENAI_BASE_URL, which most often ends in /v1, or "
        f"CANDOR_OPENAI_MODEL."
    )


def has(names: Sequence[str]) -> str:
    """Return which models a server has, as a sentence.

    >>> has(["a", "b"])
    "It has 'a', 'b'."
    """
    more = len(names) - MOST_NAMES
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES])
    return f"It has {shown}{f' and {more} more' if more > 0 else ''}."
