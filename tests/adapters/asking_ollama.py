"""A generator with short times, and what it writes."""

import socket
from collections.abc import Iterator

from ollama_server.server import OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator
from rag.models import PromptContext

ANSWER = "Nitrile gloves are worn. [1] They last one shift. [1]"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def quick(server: OllamaServer, **changes: float) -> OllamaGenerator:
    times = {"connect_timeout_s": 1.0, "token_timeout_s": 1.0, "total_timeout_s": 5.0, **changes}
    return OllamaGenerator(server.url, **times)


def written(generator: OllamaGenerator, prompt: PromptContext) -> str:
    return "".join(generator.stream(prompt, max_tokens=100, temperature=0))


def keep(pieces: list[str], stream: Iterator[str]) -> None:
    """Append what comes, so that what came before a fault is not lost with it."""
    for piece in stream:
        pieces.append(piece)
