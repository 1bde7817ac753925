"""Drafts through Ollama, with its own client."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from rag.adapters.http_deadline import Deadline
from rag.adapters.server_generator import Described, ServerGenerator, Wanted
from rag.adapters.server_trouble import Asking, BrokenOff, Server, answered_with
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from ollama import Client

MAX_DESCRIBED = 5
"""Most models to look at for one that can chat: embedding models are listed too."""
DEFAULT_PORT = 11434


class OllamaGenerator(ServerGenerator):
    """Asks a model on an Ollama server.

    Args:
        host: Address of the server, in any form that Ollama accepts.
        model: Name of the model; default: the first that the server lists and that can chat.
        times: As `ServerGenerator` takes them, in seconds.

    Raises:
        ConfigurationError: `host` is not an address.
    """

    name = "ollama"

    def __init__(self, host: str = "", model: str | None = None, **times: float) -> None:
        self.host = connectable(host)
        server = Server(
            title="Ollama",
            address=self.host,
            protocol="Ollama's protocol",
            address_setting="OLLAMA_HOST",
            model_setting="CANDOR_OLLAMA_MODEL",
            start="Start it with `ollama serve`",
        )
        super().__init__(server, model, **times)

    def _write(self, described: Described, wanted: Wanted, deadline: Deadline) -> Generator[str, None, StreamEnd]:
        seed = {} if wanted.seed is None else {"seed": wanted.seed}
        request: dict[str, Any] = {
            "model": described.info.name if described.info else "",
            "messages": wanted.messages,
            "options": {
                "num_ctx": wanted.prompt.num_ctx,
                "num_predict": wanted.max_tokens,
                "temperature": wanted.temperature,
                **seed,
            },
            "stream": True,
        }
        if described.thinks:
            request["think"] = False  # the answer's tokens would be spent on thoughts that nobody sees
        with closing(self._client(deadline)) as client:
            chat: Any = client.chat
            with closing(chat(**request)) as parts:
                for part in parts:
                    yield part.message.content or ""
                    if part.done:
                        reason: Literal["stop", "length"] = "length" if part.done_reason == "length" else "stop"
                        counts = part.prompt_eval_count, part.eval_count
                        return StreamEnd(reason, prompt_tokens=counts[0], completion_tokens=counts[1])
        raise BrokenOff("the stream ended before the answer did")

    def _names(self, deadline: Deadline) -> tuple[str, ...]:
        with closing(self._client(deadline)) as client:
            return tuple(listed(client))

    def _look(self, deadline: Deadline) -> Described:
        with closing(self._client(deadline)) as client:
            names = [self._model_name] if self._model_name else listed(client)
            if not names:
                told = f"Ollama at {self.host} has no model. Run `ollama pull NAME` with a model of your choice."
                details = {"host": self.host, "cause": "NoModel"}
                return Described(None, problem=GeneratorUnavailable(told, details=details))
            found = (described(client, name) for name in names[:MAX_DESCRIBED])
            return next((each for each in found if each.chats), Described(ModelInfo(names[0], None)))

    def _told(self, error: Exception, asking: Asking) -> str | None:
        import ollama

        if not isinstance(error, ollama.ResponseError):
            return None
        if error.status_code == 404 and "model" in str(error.error).lower():
            get = f"Run `ollama pull {asking.model}`, or set CANDOR_OLLAMA_MODEL."
            return f"does not have the model {asking.model!r}. {get}"
        return answered_with(error.status_code if error.status_code > 0 else None, error.error)

    def _client(self, deadline: Deadline) -> "Client":
        """Return a client for one exchange only, so that cutting it never touches another."""
        import httpx
        from ollama import Client

        return Client(self.host, timeout=httpx.Timeout(**self._limits(deadline)), **self._ways(deadline))


def connectable(host: str) -> str:
    """Return the address to connect to for any form of `OLLAMA_HOST` that Ollama itself accepts.

    Without a scheme the port is 11434; with one, the scheme's own. An address to listen on everywhere is this machine.

    >>> connectable(""), connectable("0.0.0.0"), connectable("box:8080"), connectable("[::1]")
    ('http://127.0.0.1:11434', 'http://127.0.0.1:11434', 'http://box:8080', 'http://[::1]:11434')
    >>> connectable("https://llm.example/ollama/")
    'https://llm.example:443/ollama'

    Raises:
        ConfigurationError: The scheme is neither http nor https, or the port is not a number up to 65535.
    """
    scheme, separator, rest = host.strip().strip("\"'").strip().rpartition("://")
    if separator and scheme not in ("http", "https"):
        raise _not_an_address(host, f"the scheme {scheme!r} is neither http nor https")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as error:
        raise _not_an_address(host, str(error)) from error
    port = port or {"http": 80, "https": 443}.get(scheme, DEFAULT_PORT)
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104
    return f"{scheme or 'http'}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"


def _not_an_address(host: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"OLLAMA_HOST={host!r} is not an address: {reason}. Use a form such as 127.0.0.1:11434 or https://host:port."
    )


def listed(client: "Client") -> list[str]:
    """Return the names of the server's models, in its order."""
    return [each.model for each in client.list().models if each.model]


def described(client: "Client", name: str) -> Described:
    """Return what the server says of one model; what it does not say is unknown."""
    from pydantic import ValidationError

    try:
        shown = client.show(name)
    except ValidationError:  # servers that only resemble Ollama leave `model_info` out
        return Described(ModelInfo(name, None))
    lengths = [value for key, value in (shown.modelinfo or {}).items() if key.endswith(".context_length")]
    length = next((value for value in lengths if isinstance(value, int) and value > 0), None)
    able = shown.capabilities
    return Described(ModelInfo(name, length), thinks="thinking" in (able or ()), chats=not able or "completion" in able)
