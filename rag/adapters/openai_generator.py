"""Drafts through any server with OpenAI's protocol (llama.cpp, vLLM, LM Studio, a cloud), with OpenAI's client."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from rag.adapters.http_deadline import Deadline
from rag.adapters.openai_protocol import base_url_of, chat, has, listed, told_by_openai, window_of
from rag.adapters.server_generator import Described, ServerGenerator, Wanted
from rag.adapters.server_trouble import Asking, BrokenOff, OtherProtocol, Server
from rag.errors import GeneratorUnavailable
from rag.protocols import UNKNOWN_MODEL, ModelInfo, StreamEnd

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import CompletionUsage

NO_KEY = "none"
"""What is sent where there is no key: the client insists on one, and servers that need none ignore it."""


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

    def _write(self, described: Described, wanted: Wanted, deadline: Deadline) -> Generator[str, None, StreamEnd]:
        request = {
            "model": described.info.name if described.info else "",
            **wanted.request,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        reasons: set[str] = set()
        usage: CompletionUsage | None = None
        is_chat = False
        with closing(self._client(deadline)) as client, closing(chat(client, request)) as chunks:
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

    def _names(self, deadline: Deadline) -> tuple[str, ...]:
        with closing(self._client(deadline)) as client:
            return tuple(model.id for model in listed(client))

    def _look(self, deadline: Deadline) -> Described:
        import openai

        with closing(self._client(deadline)) as client:
            try:
                models = listed(client)
            except openai.NotFoundError:
                if self._model_name is None:
                    raise
                return Described(self._asked_for)  # some servers list nothing; one that is named is asked all the same
        names = tuple(model.id for model in models)
        chosen = next((model for model in models if self._model_name in (None, model.id)), None)
        if self._model_name is None and len(names) != 1:
            return Described(self._asked_for, names=names, problem=self._undecided(names))
        info = ModelInfo(chosen.id, window_of(chosen) or self._window) if chosen else self._asked_for
        return Described(info, names=names)

    def _told(self, error: Exception, asking: Asking) -> str | None:
        names = () if asking.probing else self._known.names
        return told_by_openai(error, asking, names=names, key=self._key)

    def _client(self, deadline: Deadline) -> "OpenAI":
        """Return a client for one exchange only, so that cutting it never touches another.

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

    def _undecided(self, names: tuple[str, ...]) -> GeneratorUnavailable:
        text = f"{has(names)} Set CANDOR_OPENAI_MODEL to one of them." if names else "Load one, or name it."
        what = f"lists {len(names)} models, and none is named" if names else "lists no model"
        return GeneratorUnavailable(
            f"{self.server} {what}. {text}", details={"host": self.server.address, "cause": "NoModel"}
        )
