"""The model that the settings name: on a server with OpenAI's protocol, on Ollama, or a file in this process."""

from pathlib import Path

from rag.adapters.server_address import require_allowed
from rag.protocols import Generator
from rag.settings import Settings


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


def _of_file(settings: Settings, path: Path) -> Generator:
    from rag.adapters.gguf_generator import GgufGenerator

    return GgufGenerator(
        path,
        max_context=settings.max_context,
        total_timeout_s=settings.generation_timeout_s,
        threads=settings.threads,
    )


def _openai(settings: Settings, base_url: str) -> Generator:
    from rag.adapters.openai_generator import OpenAIGenerator

    key = settings.openai_api_key
    made = OpenAIGenerator(
        base_url,
        settings.openai_model,
        key=key.get_secret_value() if key else None,
        window=settings.openai_context,
        connect_timeout_s=settings.connect_timeout_s,
        token_timeout_s=settings.token_timeout_s,
        total_timeout_s=settings.generation_timeout_s,
    )
    require_allowed(made.server.address, is_allowed=settings.allow_remote_model, setting="CANDOR_OPENAI_BASE_URL")
    return made


def _ollama(settings: Settings) -> Generator:
    from rag.adapters.ollama_generator import OllamaGenerator

    made = OllamaGenerator(
        settings.ollama_host,
        settings.ollama_model,
        connect_timeout_s=settings.connect_timeout_s,
        token_timeout_s=settings.token_timeout_s,
        total_timeout_s=settings.generation_timeout_s,
    )
    require_allowed(made.server.address, is_allowed=settings.allow_remote_model, setting="OLLAMA_HOST")
    return made
