"""A generator whose times a test may shorten, and what it writes."""

from collections.abc import Iterator

from ollama_server.server import OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator
from rag.models import PromptContext

ANSWER = "Nitrile gloves are worn. [1] They last one shift. [1]"


def patient(server: OllamaServer, **changes: float) -> OllamaGenerator:
    """A generator that waits for a server that is slow, whatever a test does not set."""
    times = {"connect_timeout_s": 60.0, "token_timeout_s": 300.0, "total_timeout_s": 300.0, **changes}
    return OllamaGenerator(server.url, **times)


def written(generator: OllamaGenerator, prompt: PromptContext) -> str:
    return "".join(generator.stream(prompt, max_tokens=100, temperature=0))


def keep(pieces: list[str], stream: Iterator[str]) -> None:
    """Append what comes, so that what came before a fault is not lost with it."""
    for piece in stream:
        pieces.append(piece)
