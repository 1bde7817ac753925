"""What holds for either protocol, over HTTP with the real client against a real server that misbehaves on demand.

Whatever the server does is a draft, or an error of ours with its value and the next step.
"""

from contextlib import ExitStack
from time import perf_counter
from typing import Any

import httpx
import httpx2
import ollama
import openai
import pytest
from asking import ANSWER, CHAT, LIST, asking, keep, scripted, written
from client_errors import errors_of, instance_of
from library import free_port
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault

from rag.adapters import server_generator
from rag.errors import GeneratorUnavailable
from rag.protocols import ModelInfo

LONGEST_S = 30.0
"""Far more than what a limit of a second or two takes on a busy machine, and far less than any other limit."""
KINDS = ("ollama", "openai")


@pytest.fixture(params=KINDS)
def kind(request):
    return str(request.param)


@pytest.fixture
def server(kind):
    with scripted(kind) as found:
        yield found


def test_the_model_is_asked_for_once_in_a_while_and_a_draft_comes_piece_by_piece(kind, server, prompt):
    generator = asking(server)
    window = 4096 if kind == "ollama" else None
    assert generator.model() == generator.model() == ModelInfo("scripted:latest", window)
    pieces = [piece for piece in generator.stream(prompt, max_tokens=100, temperature=0) if piece]
    assert ("".join(pieces), len(pieces)) == (ANSWER, 10)  # one for each word and marker
    assert len(server.calls(LIST[kind])) == 1


def test_a_server_that_is_off_is_named_with_the_setting(kind, prompt, monkeypatch):
    monkeypatch.setattr(server_generator, "sleep", lambda seconds: None)
    generator = asking(scripted(kind, port=free_port()))
    assert generator.model() == {"ollama": None, "openai": ModelInfo("unknown", None)}[kind]
    told = {"ollama": "ollama serve", "openai": "correct CANDOR_OPENAI_BASE_URL"}[kind]
    with pytest.raises(GeneratorUnavailable, match=rf"does not answer.*refused.*{told}"):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_a_server_that_comes_back_within_a_moment_is_tried_once_more_and_no_proxy_sees_it(kind, prompt, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = scripted(kind, port=free_port())
    with ExitStack() as until_the_end:
        monkeypatch.setattr(server_generator, "sleep", lambda seconds: until_the_end.enter_context(server))
        assert written(asking(server), prompt) == ANSWER
        assert server.calls(CHAT[kind])  # it was there after the pause, and not before


@pytest.mark.parametrize("fault", [Fault.SLOW_TOKENS, Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM])
def test_a_model_that_writes_or_is_silent_is_stopped_by_closing_the_iterator(fault, kind, server, prompt):
    server.fault, server.piece_pause_s = fault, 0.6
    server.brain = ScriptedBrain(lambda *_: ANSWER * 50, context_length=4096)  # its 100 tokens take a minute
    stream = asking(server).stream(prompt, max_tokens=100, temperature=0)
    # Silence is told, so that there is a moment to leave at: here one at which the model has been asked.
    awaited = "Nitrile" if fault == Fault.SLOW_TOKENS else ""
    assert next(piece for piece in stream if piece == awaited and server.calls(CHAT[kind])) == awaited
    stream.close()
    assert server.disconnect_seen.wait(60)
    assert server.calls(CHAT[kind])[-1].disconnected


FAULTS: dict[Fault, tuple[str, str, dict[str, float]]] = {
    Fault.HANG_BEFORE_HEADERS: ("silent for 1 s.*CANDOR_TOKEN_TIMEOUT_S", "", {"token_timeout_s": 1.0}),
    Fault.HANG_MID_STREAM: ("silent for 1 s", "Nitrile gloves", {"token_timeout_s": 1.0}),
    Fault.TRICKLE: ("finish.*within 2 s.*CANDOR_GENERATION_TIMEOUT_S", "Nitrile gloves", {"total_timeout_s": 2.0}),
    Fault.GARBAGE: ("not (Ollama's protocol.*OLLAMA_HOST|OpenAI's protocol.*CANDOR_OPENAI_BASE_URL)", "", {}),
    Fault.MISSING_MODEL: ("does not have the model 'scripted:latest'", "", {}),
    Fault.SERVER_ERROR: ("status 500.*signal: killed", "", {}),
    Fault.DIES_MID_STREAM: ("broke off", "Nitrile gloves", {}),
    Fault.ENDS_WITHOUT_DONE: ("broke off", "Nitrile gloves", {}),
    Fault.ERROR_IN_STREAM: ("an error.*unexpected EOF", "Nitrile gloves", {}),
    Fault.EMPTY: ("returned no text", "", {}),
}
"""What is told, what came before it, and which limit ends a wait: other faults are noticed without any."""


@pytest.mark.parametrize("fault", list(FAULTS))
def test_every_fault_is_an_error_of_ours_with_value_and_next_step(fault, server, prompt):
    message, before, limits = FAULTS[fault]
    generator = asking(server, **limits)
    assert generator.model() is not None
    server.fault = fault
    pieces: list[str] = []
    started = perf_counter()
    with pytest.raises(GeneratorUnavailable, match=message) as caught:
        keep(pieces, generator.stream(prompt, max_tokens=100, temperature=0))
    assert perf_counter() - started < LONGEST_S
    assert "".join(pieces) == before
    assert server.url in caught.value.message
    assert (caught.value.details["host"], caught.value.details["model"]) == (server.url, "scripted:latest")
    assert caught.value.__cause__ is not None
    server.fault = Fault.NONE
    assert generator.check().last_error is not None  # kept when it works again


ANYWHERE = (b"", b"[1]\n", b"null\n", b"\xff\xfe\n")

GARBAGE = {
    "ollama": [*ANYWHERE, b'{"error": {"deep": 1}}\n', b'{"message": 3}\n', b'{"a":'],
    "openai": [
        *(*ANYWHERE, b"data: [1]\n\n", b"data: {\n\n", b'data: {"choices": 3}\n\n', b'{"data": 3}', b'{"data": [{}]}'),
        *(b'data: {"choices": [{"delta": 3}]}\n\n', b'data: {"choices": [3]}\n\n'),
    ],
}
GARBAGE_EVERYWHERE = {
    "ollama": [b"", b"[]", b'{"models": 3}', b"<html>", b'{"models": [{"size": "x"}]}'],
    "openai": GARBAGE["openai"],
}


@pytest.mark.parametrize(
    ("kind", "garbage", "everywhere"),
    [
        (kind, garbage, everywhere)
        for everywhere, lists in ((False, GARBAGE), (True, GARBAGE_EVERYWHERE))
        for kind in KINDS
        for garbage in lists[kind]
    ],
)
def test_any_garbage_is_an_error_of_ours_and_its_server_not_taken_for_none(garbage, everywhere, server, prompt):
    server.fault, server.garbage, server.everywhere = Fault.GARBAGE, garbage, everywhere
    generator = asking(server)
    assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable):
        written(generator, prompt)
    assert generator.check().state == ("disconnected" if everywhere else "connected")


CLIENTS: dict[str, tuple[Any, ...]] = {"ollama": (ollama, httpx), "openai": (openai, httpx2)}
CALLS = {
    "ollama": ("ollama.Client.chat", "ollama.Client.list"),
    "openai": ("openai.resources.chat.completions.Completions.create", "openai.resources.models.Models.list"),
}


@pytest.mark.parametrize(("kind", "raised"), [(kind, raised) for kind in KINDS for raised in errors_of(*CLIENTS[kind])])
def test_no_error_of_the_client_is_unmapped(kind, raised, server, prompt, monkeypatch):
    generator = asking(server)
    assert generator.model() is not None
    assert CLIENTS[kind][1].ReadTimeout in errors_of(*CLIENTS[kind])

    def fail(*arguments: object, **options: object) -> object:
        raise instance_of(raised)

    for call in CALLS[kind]:
        monkeypatch.setattr(call, fail)
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    assert isinstance(caught.value.__cause__, raised)
    assert len(caught.value.message) > 40
    assert generator.check().state == "disconnected"
