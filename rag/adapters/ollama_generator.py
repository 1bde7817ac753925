"""Drafts through Ollama, with its own client."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rag.adapters.http_deadline import Deadline
from rag.adapters.server_generator import Described, ServerGenerator, Wanted
from rag.adapters.server_trouble import Asking, BrokenOff, Server, answered_with
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from ollama import Client

MAX_DESCRIBED = 5  # most models to look at for one that can chat: embedding models are listed too
DEFAULT_PORT = 11434


class OllamaGenerator(ServerGenerator):
    """Asks a model on an Ollama server; by default the first that it lists and that can chat.

    `host` may be in any form that Ollama accepts; `times` are as `ServerGenerator` takes them, in seconds.

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

    def _client(self, deadline: Deadline) -> "Client":
        import httpx
        from ollama import Client

        return Client(self.host, timeout=httpx.Timeout(**self._limits(deadline)), **self._ways(deadline))

    def _listed(self, client: "Client") -> list[str]:
        return [each.model for each in client.list().models if each.model]

    def _look(self, client: "Client") -> Described:
        names = [self._model_name] if self._model_name else self._listed(client)
        if not names:
            told = f"Ollama at {self.host} has no model. Run `ollama pull NAME` with a model of your choice."
            details = {"host": self.host, "cause": "NoModel"}
            return Described(None, problem=GeneratorUnavailable(told, details=details))
        found = (_described(client, name) for name in names[:MAX_DESCRIBED])
        return next((each for each in found if each.chats), Described(ModelInfo(names[0], None)))

    def _write(self, client: Any, model: str, described: Described, wanted: Wanted) -> Generator[str, None, StreamEnd]:
        options = {"num_ctx": wanted.prompt.num_ctx, "num_predict": wanted.max_tokens}
        options |= {name: wanted.request[name] for name in ("temperature", "seed") if name in wanted.request}
        thinking = {"think": False} if described.thinks else {}  # else the answer's tokens are spent on thoughts
        with closing(client.chat(model, wanted.messages, options=options, stream=True, **thinking)) as parts:
            for part in parts:
                yield part.message.content or ""
                if part.done:
                    return StreamEnd(
                        "length" if part.done_reason == "length" else "stop",
                        prompt_tokens=part.prompt_eval_count,
                        completion_tokens=part.eval_count,
                    )
        raise BrokenOff("the stream ended before the answer did")

    def _told(self, error: Exception, asking: Asking) -> str | None:
        import ollama

        if not isinstance(error, ollama.ResponseError):
            return None
        if error.status_code == 404 and "model" in str(error.error).lower():
            get = f"Run `ollama pull {asking.model}`, or set CANDOR_OLLAMA_MODEL."
            return f"does not have the model {asking.model!r}. {get}"
        return answered_with(error.status_code if error.status_code > 0 else None, error.error)


def connectable(host: str) -> str:
    """Return the address to connect to for any form of `OLLAMA_HOST` that Ollama itself accepts.

    Without a scheme the port is 11434; with one, the scheme's own. An address to listen on everywhere is this machine.

    >>> connectable(""), connectable("0.0.0.0"), connectable("box:8080"), connectable("[::1]")
    ('http://127.0.0.1:11434', 'http://127.0.0.1:11434', 'http://box:8080', 'http://[::1]:11434')
    >>> connectable("https://llm.example/ollama/"), connectable("http://1.2.3.4"), connectable("llm.example/path")
    ('https://llm.example:443/ollama', 'http://1.2.3.4:80', 'http://llm.example:11434/path')
    >>> connectable("  'box' "), connectable(":5000"), connectable("[::]")
    ('http://box:11434', 'http://127.0.0.1:5000', 'http://[::1]:11434')

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


def _described(client: "Client", name: str) -> Described:
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
