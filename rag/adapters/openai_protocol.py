"""OpenAI's protocol as servers really speak it: addresses, models, a chat's parts, what is refused, what goes wrong."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from rag.adapters.server_trouble import Asking, answered_with, short
from rag.errors import ConfigurationError

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, OpenAI, Stream
    from openai.types import Model
    from openai.types.chat import ChatCompletionChunk

_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens")
"""What some servers refuse; an answer can be had without it."""
_WINDOWS = ("max_model_len", "context_length", "max_context_length", "context_window")
"""Where servers say how long a model's window is: vLLM, OpenRouter and Together, Mistral and LM Studio, Groq."""
MOST_NAMES = 6
"""Most models that a message names."""


def base_url_of(text: str) -> str:
    """Return the address of a server with OpenAI's protocol; one without a path gets the customary `/v1`.

    An address to listen on everywhere is this machine.

    >>> base_url_of("http://localhost:8080/"), base_url_of("http://0.0.0.0:8000/v1")
    ('http://localhost:8080/v1', 'http://127.0.0.1:8000/v1')
    >>> base_url_of("https://llm.example/openai/v1/")
    'https://llm.example/openai/v1'

    Raises:
        ConfigurationError: It is no http or https address, or carries a password or a query.
    """
    parts = urlsplit(text.strip())
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _not_an_address(text, str(error)) from error
    if "@" in parts.netloc:
        raise _not_an_address("…", "it carries a password. Put the key into CANDOR_OPENAI_API_KEY")
    if parts.scheme not in ("http", "https") or not host:
        raise _not_an_address(text, "it needs http:// or https:// and a host")
    if parts.query or parts.fragment:
        raise _not_an_address(text, "nothing may follow its path")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/") or "/v1", "", ""))


def listed(client: "OpenAI") -> list["Model"]:
    """Return the models that the server lists, in its order."""
    return [each for each in client.models.list().data if each.id]


def window_of(model: "Model") -> int | None:
    """Return how many tokens a model's window has; OpenAI's own protocol does not say it, servers do all the same."""
    said: Mapping[str, Any] = model.model_extra or {}
    meta = said.get("meta")  # llama.cpp: the window it was started with
    found = [said.get(name) for name in _WINDOWS] + [meta.get("n_ctx") if isinstance(meta, dict) else None]
    return next((value for value in found if isinstance(value, int) and value > 0), None)


def chat(client: "OpenAI", request: Mapping[str, Any]) -> "Stream[ChatCompletionChunk]":
    """Return a chat that has begun; what the server does not know is left out, once it has said so."""
    import openai

    while True:
        try:
            stream: Stream[ChatCompletionChunk] = client.chat.completions.create(**request)
            return stream
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            plainer = without_refused(request, error.param, said_in(error))
            if plainer is None or is_too_long(error):
                raise
            request = plainer


def without_refused(request: Mapping[str, Any], param: str | None, said: str) -> dict[str, Any] | None:
    """Return a request without what a server has refused, or None where it has refused nothing optional.

    The limit of tokens has a newer name, which takes its place.

    >>> without_refused({"model": "m", "max_tokens": 5}, "max_tokens", "Use 'max_completion_tokens' instead.")
    {'model': 'm', 'max_completion_tokens': 5}
    >>> without_refused({"model": "m"}, None, "temperature is not known") is None
    True
    """
    words = {param, *re.findall(r"\w+", said)}
    refused = next((name for name in _OPTIONAL if name in words and name in request), None)
    if refused is None:
        return None
    kept = {name: value for name, value in request.items() if name != refused}
    return kept | ({"max_completion_tokens": request[refused]} if refused == "max_tokens" else {})


def _not_an_address(text: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"CANDOR_OPENAI_BASE_URL={text!r} is not an address of a model server: {reason}. "
        f"Use a form such as http://127.0.0.1:8080/v1."
    )


def told_by_openai(error: Exception, asking: Asking, *, names: Sequence[str], key: str | None) -> str | None:
    """Return what the server answered with and what to do; None where it is no answer of the server.

    `names` are the models that it lists, where it was asked. Servers repeat the key that was sent; no message may.
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
            f"refused the key (status {error.status_code}: {said}). Set CANDOR_OPENAI_API_KEY to a key that it accepts."
        )
    if error.status_code == 429:
        return f"accepts no more requests for now (status 429: {said}). Ask again {_when(error)}."
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
