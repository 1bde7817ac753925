"""Drafts through any server with OpenAI's protocol (llama.cpp, vLLM, LM Studio, a cloud), with OpenAI's client.

The protocol is taken as servers really speak it: they differ in what they list, refuse and say of a failure.
"""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from rag.adapters.http_deadline import Deadline
from rag.adapters.server_generator import Described, ServerGenerator, Wanted
from rag.adapters.server_trouble import Asking, BrokenOff, OtherProtocol, Server, answered_with, short
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.protocols import UNKNOWN_MODEL, ModelInfo, StreamEnd

if TYPE_CHECKING:
    from openai import APIError, OpenAI, Stream
    from openai.types import CompletionUsage, Model
    from openai.types.chat import ChatCompletionChunk

NO_KEY = "none"  # what is sent where there is no key: the client insists on one, and servers that need none ignore it
_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens")
"""What some servers refuse; an answer can be had without it."""
_WINDOWS = ("max_model_len", "context_length", "max_context_length", "context_window")
"""Where servers say how long a model's window is: vLLM, OpenRouter and Together, Mistral and LM Studio, Groq."""
MOST_NAMES = 6  # most models that a message names


class OpenAIGenerator(ServerGenerator):
    """Asks a model on a server that speaks OpenAI's protocol.

    Args:
        base_url: Address of the server, as `http://127.0.0.1:8080/v1`.
        model: Name of the model; None: the only one that the server lists.
        key: Its API key, if it needs one.
        window: Tokens of the model's context window, for servers that do not say it.
        times: As `ServerGenerator` takes them, in seconds.

    Raises:
        ConfigurationError: `base_url` is not an address.
    """

    name = "openai"

    def __init__(
        self,
        base_url: str,
        model: str | None = None,
        *,
        key: str | None = None,
        window: int | None = None,
        **times: float,
    ) -> None:
        self._key, self._window = key, window
        server = Server(
            title="The model server",
            address=base_url_of(base_url),
            protocol="OpenAI's protocol",
            address_setting="CANDOR_OPENAI_BASE_URL",
            model_setting="CANDOR_OPENAI_MODEL",
            start="Start it",
        )
        super().__init__(server, model, **times)

    @property
    def _asked_for(self) -> ModelInfo:
        """The model to name where the server cannot be asked: nobody is sent to such a server without asking for it."""
        return ModelInfo(self._model_name or UNKNOWN_MODEL, self._window)

    def _client(self, deadline: Deadline) -> "OpenAI":
        """Return a client for one exchange.

        Nothing of it is left to the environment but headers that somebody asks for by name (OPENAI_CUSTOM_HEADERS), and
        it follows no redirection: documents go where the settings say.
        """
        import httpx2
        from openai import OpenAI

        timeout = httpx2.Timeout(**self._limits(deadline))
        http = httpx2.Client(timeout=timeout, follow_redirects=False, **self._ways(deadline))
        address, key = self.server.address, self._key or NO_KEY
        client = OpenAI(api_key=key, base_url=address, timeout=timeout, max_retries=0, http_client=http)
        client.organization = client.project = None
        return client

    def _listed(self, client: "OpenAI") -> list[str]:
        return [model.id for model in client.models.list().data if model.id]

    def _look(self, client: "OpenAI") -> Described:
        import openai

        try:
            models = [model for model in client.models.list().data if model.id]
        except openai.NotFoundError:
            if self._model_name is None:
                raise
            return Described(self._asked_for)  # some servers list nothing; one that is named is asked all the same
        names = tuple(model.id for model in models)
        if self._model_name is None and len(names) != 1:
            return Described(self._asked_for, names=names, problem=self._undecided(names))
        chosen = next((model for model in models if self._model_name in (None, model.id)), None)
        info = ModelInfo(chosen.id, _window_of(chosen) or self._window) if chosen else self._asked_for
        return Described(info, names=names)

    def _undecided(self, names: tuple[str, ...]) -> GeneratorUnavailable:
        text = f"{_has(names)} Set CANDOR_OPENAI_MODEL to one of them." if names else "Load one, or name it."
        what = f"lists {len(names)} models, and none is named" if names else "lists no model"
        details = {"host": self.server.address, "cause": "NoModel"}
        return GeneratorUnavailable(f"{self.server} {what}. {text}", details=details)

    def _write(
        self, client: "OpenAI", model: str, described: Described, wanted: Wanted
    ) -> Generator[str, None, StreamEnd]:
        request = {"model": model, **wanted.request, "stream": True, "stream_options": {"include_usage": True}}
        reasons: set[str] = set()
        usage: CompletionUsage | None = None
        is_chat = False
        with closing(_chat(client, request)) as chunks:
            for chunk in chunks:
                choices, usage = chunk.choices or (), chunk.usage or usage  # the counts may come after the reason
                is_chat = is_chat or bool(choices)
                reasons |= {choice.finish_reason for choice in choices if choice.finish_reason}
                # empty for thoughts, counts and signs of life
                yield "".join(choice.delta.content or "" for choice in choices if choice.delta)
        if not is_chat:
            raise OtherProtocol("no part of an answer came")
        if not reasons:
            raise BrokenOff("the stream ended before the answer did")
        return StreamEnd(
            "length" if "length" in reasons else "stop",
            prompt_tokens=usage.prompt_tokens if usage else None,
            completion_tokens=usage.completion_tokens if usage else None,
        )

    def _told(self, error: Exception, asking: Asking) -> str | None:
        """Return what the server answered with and what to do. Servers repeat the key; no message may."""
        import openai

        if not isinstance(error, openai.APIError) or isinstance(error, openai.APIConnectionError):
            return None
        said = _said_in(error)
        said = short(said.replace(self._key, "***") if self._key else said)
        if not isinstance(error, openai.APIStatusError):
            return answered_with(None, said)
        status = error.status_code
        if status in (401, 403):
            return f"refused the key (status {status}: {said}). Set CANDOR_OPENAI_API_KEY to a key that it accepts."
        if status == 429:
            wait = error.response.headers.get("retry-after", "")
            when = f"in {wait} s" if wait.isdecimal() else "later, or look at the account's limits"
            return f"accepts no more requests for now (status 429: {said}). Ask again {when}."
        if status == 404 and self._known.names and not asking.probing:
            lacks = f"does not have the model {asking.model!r} ({said}). {_has(self._known.names)}"
            return f"{lacks} Set CANDOR_OPENAI_MODEL to one that it has."
        if status == 404:
            return (
                f"answered with status 404: {said}. Correct CANDOR_OPENAI_BASE_URL, which most often ends in /v1, or "
                "CANDOR_OPENAI_MODEL."
            )
        if _is_too_long(error):
            return (
                f"has a context window too small for this prompt ({said}). Start it with a larger one, or set "
                "CANDOR_MAX_CONTEXT to the size that it has."
            )
        return answered_with(status, said)


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


def _not_an_address(text: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"CANDOR_OPENAI_BASE_URL={text!r} is not an address of a model server: {reason}. "
        f"Use a form such as http://127.0.0.1:8080/v1."
    )


def _window_of(model: "Model") -> int | None:
    """Return how many tokens a model's window has; OpenAI's own protocol does not say it, servers do all the same."""
    said: Mapping[str, Any] = model.model_extra or {}
    meta = said.get("meta")  # llama.cpp: the window it was started with
    found = [said.get(name) for name in _WINDOWS] + [meta.get("n_ctx") if isinstance(meta, dict) else None]
    return next((value for value in found if isinstance(value, int) and value > 0), None)


def _chat(client: "OpenAI", request: Mapping[str, Any]) -> "Stream[ChatCompletionChunk]":
    """Return a chat that has begun; what the server does not know is left out, once it has said so."""
    import openai

    while True:
        try:
            stream: Stream[ChatCompletionChunk] = client.chat.completions.create(**request)
            return stream
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            plainer = without_refused(request, error.param, _said_in(error))
            if plainer is None or _is_too_long(error):
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


def _said_in(error: "APIError") -> str:
    """Return the server's own words in an error, from wherever servers put them."""
    body = error.body
    if isinstance(body, dict):
        said = body.get("message") or body.get("detail")
        return said if isinstance(said, str) else str(body)
    return str(body or error.message)


def _is_too_long(error: "APIError") -> bool:
    """Return whether the prompt is longer than the model's window; each server has a code or words of its own."""
    return "context" in f"{error.code} {error.type} {_said_in(error)}".lower()


def _has(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES])
    return f"It has {shown}{f' and {more} more' if more > 0 else ''}."
