"""The model that the settings name: on a server with OpenAI's protocol, on Ollama, or a file in this process.

Where several are at hand, a question may name another of them, as `ollama/llama3.2:3b`.
"""

from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from rag.adapters.server_trouble import require_allowed
from rag.errors import ConfigurationError, InvalidQuery
from rag.protocols import Generator
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.adapters.server_generator import ServerGenerator


def made_generator(settings: Settings) -> Generator:
    """Return what writes drafts; a server is not asked yet, and a file not loaded.

    Where several are set, a server with OpenAI's protocol comes first, then Ollama, where a model of it is named, then
    the file: other programs read `OLLAMA_HOST`, so that alone chooses nothing.

    Raises:
        ConfigurationError: An address is none, or not on this machine where that is not allowed; the model file is not
            there, no GGUF file, or what runs it is not installed.
    """
    if settings.openai_base_url:
        return _openai(settings, settings.openai_base_url)
    if settings.gguf and not settings.ollama_model:
        return _of_file(settings, settings.gguf)
    return _ollama(settings)


class Generators:
    """All models that the settings lead to; `default` is what `made_generator` made of them."""

    def __init__(self, settings: Settings, default: Generator) -> None:
        self._settings, self._default = settings, default
        self._made: dict[str, Generator] = {}
        self._lock = Lock()

    def names(self) -> tuple[str, ...]:
        """Return what may be asked, as `KIND/MODEL`; each server is asked what it lists, for some seconds at most."""
        chosen, found = self._settings, []
        if chosen.openai_base_url:
            found += [f"openai/{name}" for name in _openai(chosen, chosen.openai_base_url).names()]
        with suppress(ConfigurationError):  # an address of Ollama that may not be used chooses nothing
            found += [f"ollama/{name}" for name in _ollama(chosen).names()]
        if chosen.gguf:
            found.append(f"gguf/{chosen.gguf.name}")
        return tuple(found)

    def named(self, name: str) -> Generator:
        """Return the model of that name.

        Raises:
            InvalidQuery: No server that the settings lead to lists it, and it is not the model file.
        """
        with self._lock:
            if name not in self._made:
                known = self.names()
                if name not in known:
                    listed = ", ".join(known) or "none"
                    raise InvalidQuery(
                        f"The model {name!r} is not available. Available models: {listed}. Choose one of them, or none."
                    )
                self._made[name] = self._make(name)
            return self._made[name]

    def close(self) -> None:
        """Let go of model files that were loaded beside the default one."""
        for one in self._made.values():
            if one is not self._default and hasattr(one, "close"):
                one.close()

    def _make(self, name: str) -> Generator:
        chosen = self._settings
        kind, _, model = name.partition("/")
        if kind == "gguf":
            return self._default if self._default.name == "gguf" else _of_file(chosen, chosen.gguf or Path(model))
        named = chosen.model_copy(update={f"{kind}_model": model})
        return _ollama(named) if kind == "ollama" else _openai(named, chosen.openai_base_url or "")


def _of_file(settings: Settings, path: Path) -> Generator:
    from rag.adapters.gguf_generator import GgufGenerator

    total_s, threads = settings.generation_timeout_s, settings.threads
    return GgufGenerator(path, max_context=settings.max_context, total_timeout_s=total_s, threads=threads)


def _openai(settings: Settings, base_url: str) -> "ServerGenerator":
    from rag.adapters.openai_generator import OpenAIGenerator

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    window = settings.openai_context
    made = OpenAIGenerator(base_url, settings.openai_model, key=key, window=window, **_times(settings))
    return _allowed(made, settings)


def _ollama(settings: Settings) -> "ServerGenerator":
    from rag.adapters.ollama_generator import OllamaGenerator

    return _allowed(OllamaGenerator(settings.ollama_host, settings.ollama_model, **_times(settings)), settings)


def _allowed(made: "ServerGenerator", settings: Settings) -> "ServerGenerator":
    server = made.server
    require_allowed(server.address, is_allowed=settings.allow_remote_model, setting=server.address_setting)
    return made


def _times(settings: Settings) -> dict[str, float]:
    return {
        "connect_timeout_s": settings.connect_timeout_s,
        "token_timeout_s": settings.token_timeout_s,
        "total_timeout_s": settings.generation_timeout_s,
    }
