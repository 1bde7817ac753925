"""The Ollama adapter, over HTTP with the real client against a real server that misbehaves on demand."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from asking_ollama import ANSWER, patient, written
from ollama_server.server import Fault, OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator
from rag.errors import GeneratorUnavailable
from rag.models import PromptContext
from rag.protocols import ModelInfo, StreamEnd


def test_draft_is_streamed_piece_by_piece(server: OllamaServer, prompt: PromptContext) -> None:
    pieces = [piece for piece in patient(server).stream(prompt, max_tokens=100, temperature=0) if piece]
    assert "".join(pieces) == ANSWER
    assert len(pieces) == 10, "one for each word and marker"


def test_stream_returns_how_it_ended(server: OllamaServer, prompt: PromptContext) -> None:
    def ended(max_tokens: int) -> StreamEnd:
        ends: list[StreamEnd] = []

        def watched() -> Iterator[str]:
            ends.append((yield from patient(server).stream(prompt, max_tokens=max_tokens, temperature=0)))

        list(watched())
        return ends[0]

    whole = ended(100)
    assert (whole.finish_reason, whole.completion_tokens) == ("stop", 10)
    assert whole.prompt_tokens
    assert whole.prompt_tokens > 50
    assert ended(3).finish_reason == "length"


def test_request_carries_window_limit_temperature_and_seed(server: OllamaServer, prompt: PromptContext) -> None:
    list(patient(server).stream(prompt, max_tokens=70, temperature=0.3, seed=7))
    request = server.calls("/api/chat")[-1].request
    assert request["options"] == {"num_ctx": prompt.num_ctx, "num_predict": 70, "temperature": 0.3, "seed": 7}
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][1]["content"] == prompt.user_prompt
    assert "think" not in request


def test_answer_never_gets_more_tokens_than_the_prompt_left_for_it(server: OllamaServer, prompt: PromptContext) -> None:
    list(patient(server).stream(prompt, max_tokens=2000, temperature=0))
    assert server.calls("/api/chat")[-1].request["options"]["num_predict"] == prompt.max_tokens == 100


def test_model_that_thinks_is_asked_not_to(server: OllamaServer, prompt: PromptContext) -> None:
    server.capabilities = ("completion", "thinking")
    list(patient(server).stream(prompt, max_tokens=70, temperature=0))
    assert server.calls("/api/chat")[-1].request["think"] is False


def test_first_listed_model_speaks_and_its_context_length_is_read(server: OllamaServer) -> None:
    assert patient(server).model() == ModelInfo("scripted:latest", 4096)


def test_what_the_server_has_is_asked_once_in_a_while(server: OllamaServer) -> None:
    generator = patient(server)
    assert generator.model() == generator.model() == generator.model()
    assert len(server.calls("/api/tags")) == 1


def test_named_model_is_asked_for_by_name(server: OllamaServer) -> None:
    assert OllamaGenerator(server.url, "scripted").model() == ModelInfo("scripted", 4096)


def test_missing_model_names_the_command_that_gets_it(server: OllamaServer, prompt: PromptContext) -> None:
    generator = OllamaGenerator(server.url, "llama3.2:3b")
    assert generator.model() == ModelInfo("llama3.2:3b", None)
    with pytest.raises(GeneratorUnavailable, match=r"'llama3.2:3b'.*ollama pull llama3.2:3b"):
        written(generator, prompt)
    status = generator.check()
    assert status.state == "disconnected"
    assert "ollama pull llama3.2:3b" in status.detail


def test_server_without_models_says_so(prompt: PromptContext) -> None:
    with OllamaServer() as server:
        generator = OllamaGenerator(server.url)
        assert generator.model() is None
        with pytest.raises(GeneratorUnavailable, match=r"has no model.*ollama pull"):
            written(generator, prompt)


def test_check_tells_model_and_context_length(server: OllamaServer) -> None:
    status = patient(server).check()
    assert status.state == "connected"
    assert "'scripted:latest', 4096 tokens" in status.detail


def test_check_tells_of_a_server_that_lists_its_models_and_fails_at_answers(
    server: OllamaServer, prompt: PromptContext
) -> None:
    generator = patient(server)
    written(generator, prompt)
    assert generator.check().last_error is None
    server.fault = Fault.SERVER_ERROR
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    for fault in (Fault.SERVER_ERROR, Fault.NONE):  # kept when it works again
        server.fault = fault
        status = generator.check()
        assert status.state == "connected"
        assert status.last_error
        assert status.last_error.message == caught.value.message


def test_eight_questions_at_once_are_answered(server: OllamaServer, prompt: PromptContext) -> None:
    generator = patient(server)
    with ThreadPoolExecutor(8) as pool:
        drafts = list(pool.map(lambda _: written(generator, prompt), range(8)))
    assert drafts == [ANSWER] * 8
    assert len(server.calls("/api/tags")) == 1
