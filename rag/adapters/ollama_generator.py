"""Drafts through Ollama, with its own client."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rag.adapters.ollama_address import connectable
from rag.adapters.ollama_trouble import told_by_ollama
from rag.adapters.ollama_wire import described, end_of, listed
from rag.adapters.server_generator import Described, ServerGenerator, Wanted, begun, once_more
from rag.adapters.server_trouble import Asking, BrokenOff, Server
from rag.errors import GeneratorUnavailable
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from ollama import Client

    from rag.adapters.http_deadline import Deadline

MAX_DESCRIBED = 5
"""Most models to look at for one that can chat: embedding models are listed too."""


class OllamaGenerator(ServerGenerator):
    """Asks a model on an Ollama server.

    Args:
        host: Address of the server, in any form that Ollama accepts.
        model: Name of the model; default: the first that the server lists and that can chat.
        connect_timeout_s: Longest wait for a connection.
        token_timeout_s: Longest silence, also before the first token.
        total_timeout_s: Longest whole generation.

    Raises:
        ConfigurationError: `host` is not an address.
    """

    name = "ollama"

    def __init__(
        self,
        host: str = "",
        model: str | None = None,
        *,
        connect_timeout_s: float = 2.0,
        token_timeout_s: float = 20.0,
        total_timeout_s: float = 40.0,
    ) -> None:
        self.host = connectable(host)
        super().__init__(
            Server(
                title="Ollama",
                address=self.host,
                protocol="Ollama's protocol",
                address_setting="OLLAMA_HOST",
                model_setting="CANDOR_OLLAMA_MODEL",
                start="Start it with `ollama serve`",
            ),
            model,
            connect_timeout_s=connect_timeout_s,
            token_timeout_s=token_timeout_s,
            total_timeout_s=total_timeout_s,
        )

    def _write(self, described: Described, wanted: Wanted, deadline: "Deadline") -> Generator[str, None, StreamEnd]:
        options: dict[str, float] = {
            "num_ctx": wanted.prompt.num_ctx,
            "num_predict": wanted.max_tokens,
            "temperature": wanted.temperature,
        }
        if wanted.seed is not None:
            options["seed"] = wanted.seed
        name = described.info.name if described.info else ""
        request: dict[str, Any] = {"model": name, "messages": wanted.messages, "options": options, "stream": True}
        if described.thinks:
            request["think"] = False  # the answer's tokens would be spent on thoughts that nobody sees
        with closing(self._client(deadline)) as client:
            with closing(once_more(lambda: begun(client.chat(**request)))) as parts:
                for part in parts:
                    yield part.message.content or ""
                    if part.done:
                        return end_of(part)
            raise BrokenOff("the stream ended before the answer did")

    def _names(self, deadline: "Deadline") -> tuple[str, ...]:
        with closing(self._client(deadline)) as client:
            return tuple(listed(client))

    def _look(self, deadline: "Deadline") -> Described:
        with closing(self._client(deadline)) as client:
            names = [self._model_name] if self._model_name else listed(client)
            if not names:
                return Described(None, problem=self._no_model())
            found = (described(client, name) for name in names[:MAX_DESCRIBED])
            return next((each for each in found if each.chats), Described(ModelInfo(names[0], None)))

    def _told(self, error: Exception, asking: Asking) -> str | None:
        return told_by_ollama(error, asking)

    def _client(self, deadline: "Deadline") -> "Client":
        """Return a client for one exchange only, so that cutting it never touches another."""
        import httpx
        from ollama import Client

        timeout = httpx.Timeout(**self._limits(deadline))
        return Client(
            self.host, timeout=timeout, event_hooks=deadline.hooks, trust_env=self._is_proxied, verify=self._tls
        )

    def _no_model(self) -> GeneratorUnavailable:
        return GeneratorUnavailable(
            f"Ollama at {self.host} has no model. Run `ollama pull NAME` with a model of your choice.",
            details={"host": self.host, "cause": "NoModel"},
        )
