"""A scripted server of either protocol, and a generator that waits for it as long as a test does not say."""

from collections.abc import Iterator
from typing import Any

from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from ollama_server.server import OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.openai_generator import OpenAIGenerator
from rag.models import PromptContext

ANSWER = "Nitrile gloves are worn. [1] They last one shift. [1]"
CHAT = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
LIST = {"ollama": "/api/tags", "openai": "/v1/models"}


def scripted(kind: str, answer: str = ANSWER, *, port: int = 0) -> OllamaServer:
    made = {"ollama": OllamaServer, "openai": OpenAIServer}[kind]
    brain = ScriptedBrain(lambda question, passages: answer, context_length=4096)
    return made(brain, piece_pause_s=0.05, port=port)


def asking(server: OllamaServer, model: str | None = None, **changes: Any) -> OllamaGenerator | OpenAIGenerator:
    times = {"connect_timeout_s": 60.0, "token_timeout_s": 300.0, "total_timeout_s": 300.0, **changes}
    kind = OpenAIGenerator if isinstance(server, OpenAIServer) else OllamaGenerator
    return kind(server.url, model, **times)


def written(generator: OllamaGenerator | OpenAIGenerator, prompt: PromptContext) -> str:
    return "".join(generator.stream(prompt, max_tokens=100, temperature=0, seed=7))


def keep(pieces: list[str], stream: Iterator[str]) -> None:
    """Append what comes, so that what came before a fault is not lost with it."""
    for piece in stream:
        pieces.append(piece)
