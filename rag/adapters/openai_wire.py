"""OpenAI's protocol as servers really speak it: addresses, the list of models, a chat's parts, parameters refused."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from rag.adapters.openai_trouble import is_too_long, said_in
from rag.errors import ConfigurationError
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai.types import Model
    from openai.types.chat import ChatCompletionChunk

_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens")
"""What some servers refuse; an answer can be had without it."""
_WINDOWS = ("max_model_len", "context_length", "max_context_length", "context_window")
"""Where servers say how long a model's window is: vLLM, OpenRouter and Together, Mistral and LM Studio, Groq."""


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


def text_of(chunk: "ChatCompletionChunk") -> str:
    """Return the text that a part of a chat brings; empty for thoughts, counts and signs of life."""
    return "".join(choice.delta.content or "" for choice in chunk.choices or () if choice.delta)


def is_last(chunk: "ChatCompletionChunk") -> bool:
    """Return whether the model is done; counts may still follow."""
    return any(choice.finish_reason for choice in chunk.choices or ())


def ended_with(end: StreamEnd, chunk: "ChatCompletionChunk") -> StreamEnd:
    """Return how a chat ended, after one more of its parts: the reason and the counts may come in two."""
    reasons = [choice.finish_reason for choice in chunk.choices or () if choice.finish_reason]
    usage = chunk.usage
    return StreamEnd(
        "length" if "length" in reasons else end.finish_reason,
        prompt_tokens=usage.prompt_tokens if usage else end.prompt_tokens,
        completion_tokens=usage.completion_tokens if usage else end.completion_tokens,
    )


def known(model: "Model", window: int | None) -> ModelInfo:
    """Return what is known of a model; `window` is the operator's word where the server has none."""
    return ModelInfo(model.id, window_of(model) or window)


def _not_an_address(text: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"CANDOR_OPENAI_BASE_URL={text!r} is not an address of a model server: {reason}. "
        f"Use a form such as http://127.0.0.1:8080/v1."
    )
