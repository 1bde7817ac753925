"""A scripted server with OpenAI's protocol, and a generator that waits for it as long as a test does not say."""

from typing import Any

from asking_ollama import ANSWER
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer

from rag.adapters.openai_generator import OpenAIGenerator
from rag.models import PromptContext


def scripted(answer: str = ANSWER) -> OpenAIServer:
    return OpenAIServer(ScriptedBrain(lambda question, passages: answer), piece_pause_s=0.05)


def asking(server: OpenAIServer, model: str | None = None, **changes: Any) -> OpenAIGenerator:
    times = {"connect_timeout_s": 60.0, "token_timeout_s": 300.0, "total_timeout_s": 300.0, **changes}
    return OpenAIGenerator(server.url, model, **times)


def written(generator: OpenAIGenerator, prompt: PromptContext) -> str:
    return "".join(generator.stream(prompt, max_tokens=100, temperature=0, seed=7))
