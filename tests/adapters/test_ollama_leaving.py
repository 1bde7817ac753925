"""Leaving a model that speaks, is silent, or does not say what it has."""

import socket
from collections.abc import Generator

import httpx
import pytest
from asking_ollama import ANSWER, patient, written
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from rag.adapters.http_deadline import Deadline
from rag.adapters.ollama_generator import OllamaGenerator
from rag.errors import GeneratorUnavailable
from rag.models import PromptContext
from rag.protocols import ModelInfo


def test_closing_the_iterator_stops_the_model(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault, server.piece_pause_s = Fault.SLOW_TOKENS, 0.6
    server.brain = ScriptedBrain(lambda *_: ANSWER * 50, context_length=4096)  # its 100 tokens take a minute
    stream = patient(server).stream(prompt, max_tokens=100, temperature=0)
    assert next(piece for piece in stream if piece) == "Nitrile"
    stream.close()
    assert server.disconnect_seen.wait(60)
    assert server.calls("/api/chat")[-1].disconnected


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM])
def test_a_model_that_is_silent_is_stopped_by_closing_the_iterator(
    fault: Fault, server: OllamaServer, prompt: PromptContext
) -> None:
    server.fault = fault
    generator = patient(server, token_timeout_s=300, total_timeout_s=300)
    stream = generator.stream(prompt, max_tokens=100, temperature=0)
    # Silence is told, so that there is a moment to leave at: here one at which the model has been asked.
    assert next(piece for piece in stream if not piece and server.calls("/api/chat")) == ""
    stream.close()
    assert server.disconnect_seen.wait(60)
    assert server.calls("/api/chat")[-1].disconnected


def found(generator: OllamaGenerator) -> tuple[list[str], ModelInfo | None]:
    """Return the pulses while a model is looked for, and the model."""
    models: list[ModelInfo | None] = []

    def looking() -> Generator[str, None, None]:
        models.append((yield from generator.find_model(pulse=".")))

    return list(looking()), models[0]


def test_a_model_is_found_as_it_is_asked_for(server: OllamaServer) -> None:
    generator = patient(server)
    assert found(generator)[1] == generator.model() == ModelInfo("scripted:latest", 4096)
    assert found(generator) == ([], ModelInfo("scripted:latest", 4096))  # from memory, so at once
    assert len(server.calls("/api/tags")) == 1


@pytest.fixture
def silent(server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> OllamaServer:
    """A server that does not even say what it has, and that nobody gives up on by himself."""
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", 300.0)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    return server


def test_a_server_that_does_not_say_what_it_has_is_hung_up_on_and_asked_anew_by_the_next(silent: OllamaServer) -> None:
    generator = patient(silent)
    looking = generator.find_model(pulse=".")
    assert next(pulse for pulse in looking if silent.calls("/api/tags")) == "."
    looking.close()
    assert silent.disconnect_seen.wait(30)
    silent.fault = Fault.NONE
    assert found(generator)[1] == ModelInfo("scripted:latest", 4096)  # not remembered as one that does not answer


def test_who_waits_for_the_same_list_is_not_hung_up_on_by_one_who_leaves(silent: OllamaServer) -> None:
    generator = patient(silent)
    first, second = generator.find_model(pulse="."), generator.find_model(pulse=".")
    next(pulse for pulse in first if silent.calls("/api/tags"))
    assert next(second) == "."
    silent.fault = Fault.NONE
    first.close()

    def rest() -> Generator[str, None, None]:
        models.append((yield from second))

    models: list[ModelInfo | None] = []
    assert set(rest()) <= {"."}
    assert models == [ModelInfo("scripted:latest", 4096)]


def test_a_connection_that_comes_about_after_the_iterator_was_closed_is_cut() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        deadline = Deadline(300)
        deadline.cut()
        request = httpx.Request("GET", "http://127.0.0.1/")
        for hook in deadline.hooks["request"]:
            hook(request)
        stream = type("Stream", (), {"get_extra_info": lambda self, name: {"socket": ours}[name]})()
        request.extensions["trace"]("connection.connect_tcp.complete", {"return_value": stream})
        assert theirs.recv(1) == b""


def test_time_out_closes_the_connection_too(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.HANG_MID_STREAM
    with pytest.raises(GeneratorUnavailable):
        written(patient(server, token_timeout_s=1.0), prompt)
    assert server.disconnect_seen.wait(60)
