"""A model server that cannot be reached or misbehaves: an error of ours, with its value and the next step."""

import inspect
import socket
import subprocess
import sys
from contextlib import ExitStack
from threading import Thread
from time import perf_counter

import httpx
import ollama
import pytest
from asking_ollama import ANSWER, keep, patient, written
from library import free_port
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from rag.adapters import server_generator
from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.server_trouble import Asking, unavailable
from rag.errors import GeneratorUnavailable
from rag.models import PromptContext
from rag.protocols import ModelInfo

FOREVER_S = 300.0
"""A limit that nothing here reaches."""
LONGEST_S = 30.0
"""Far more than what a limit of a second or two takes on a busy machine, and far less than `FOREVER_S`."""


def test_refused_connection_is_noticed_at_once_and_remembered(
    prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    knock, heard, pauses = server_generator.knock, list[OSError | None](), list[float]()

    def counted(address: str, *, timeout_s: float) -> OSError | None:
        heard.append(knock(address, timeout_s=timeout_s))
        return heard[-1]

    monkeypatch.setattr(server_generator, "knock", counted)
    monkeypatch.setattr(server_generator, "sleep", pauses.append)
    monkeypatch.setattr(server_generator, "PROBLEM_CACHE_S", FOREVER_S)
    generator = OllamaGenerator(f"127.0.0.1:{free_port()}")
    assert generator.model() is None
    assert generator.model() is None
    assert [type(reason) for reason in heard] == [ConnectionRefusedError]
    assert pauses == []
    with pytest.raises(GeneratorUnavailable, match=r"refused.*ollama serve"):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_server_that_comes_back_within_a_moment_is_tried_once_more(
    prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = OllamaServer(ScriptedBrain(lambda *_: ANSWER), port=free_port())
    with ExitStack() as until_the_end:
        monkeypatch.setattr(server_generator, "sleep", lambda seconds: until_the_end.enter_context(server))
        assert written(patient(server), prompt) == ANSWER
        assert server.calls("/api/chat")  # it was there after the pause, and not before


def test_server_that_goes_away_between_two_questions_is_unavailable(prompt: PromptContext) -> None:
    with OllamaServer(ScriptedBrain(lambda *_: ANSWER), port=free_port()) as server:
        generator = patient(server)
        assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable, match="refused"):
        written(generator, prompt)


def test_noticing_a_refused_connection_loads_no_client() -> None:
    code = (
        "import sys; from rag.adapters.ollama_generator import OllamaGenerator; "
        f"assert OllamaGenerator('127.0.0.1:{free_port()}').model() is None; "
        f"assert not list(OllamaGenerator('127.0.0.1:{free_port()}').find_model(pulse=None)); "
        "assert not {'ollama', 'httpx'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_proxy_of_the_environment_never_sees_what_stays_on_this_machine(
    server: OllamaServer, prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert written(patient(server), prompt) == ANSWER


FAULTS = {
    Fault.HANG_BEFORE_HEADERS: ("silent for 1 s.*CANDOR_TOKEN_TIMEOUT_S", ""),
    Fault.HANG_MID_STREAM: ("silent for 1 s", "Nitrile gloves"),
    Fault.TRICKLE: ("did not finish.*within 2 s.*CANDOR_GENERATION_TIMEOUT_S", "Nitrile gloves"),
    Fault.GARBAGE: ("not Ollama's protocol.*OLLAMA_HOST", ""),
    Fault.MISSING_MODEL: ("ollama pull scripted:latest", ""),
    Fault.SERVER_ERROR: ("status 500.*signal: killed", ""),
    Fault.DIES_MID_STREAM: ("broke off", "Nitrile gloves"),
    Fault.ENDS_WITHOUT_DONE: ("broke off", "Nitrile gloves"),
    Fault.ERROR_IN_STREAM: ("an error.*unexpected EOF", "Nitrile gloves"),
    Fault.EMPTY: ("returned no text", ""),
}
LIMITS = {
    Fault.HANG_BEFORE_HEADERS: {"token_timeout_s": 1.0},
    Fault.HANG_MID_STREAM: {"token_timeout_s": 1.0},
    Fault.TRICKLE: {"total_timeout_s": 2.0},
}
"""What ends a wait; the other limits are far away, and other faults are noticed without any."""


@pytest.mark.parametrize("fault", list(FAULTS))
def test_every_fault_is_an_error_of_ours_with_value_and_next_step(
    fault: Fault, server: OllamaServer, prompt: PromptContext
) -> None:
    message, before = FAULTS[fault]
    generator = patient(server, **LIMITS.get(fault, {}))
    assert generator.model() is not None
    server.fault = fault
    pieces: list[str] = []
    started = perf_counter()
    with pytest.raises(GeneratorUnavailable, match=message) as caught:
        keep(pieces, generator.stream(prompt, max_tokens=100, temperature=0))
    assert perf_counter() - started < LONGEST_S
    assert "".join(pieces) == before
    assert server.url in caught.value.message
    assert caught.value.details["model"] == "scripted:latest"
    assert caught.value.__cause__ is not None


def test_slow_tokens_are_fine_within_the_time_given(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    assert written(patient(server), prompt) == ANSWER


def test_slow_tokens_are_cut_when_the_whole_time_is_up(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    server.piece_pause_s = 0.4
    server.brain = ScriptedBrain(lambda *_: ANSWER * 10)  # 40 s of it
    with pytest.raises(GeneratorUnavailable, match="within 1 s"):
        written(patient(server, total_timeout_s=1.0), prompt)
    assert server.disconnect_seen.wait(60)
    assert server.calls("/api/chat")[-1].disconnected


@pytest.mark.parametrize(
    "garbage",
    [b"", b"\n", b"[1]\n", b"null\n", b'{"error": {"deep": 1}}\n', b"\xff\xfe\n", b'{"message": 3}\n', b'{"a":'],
)
def test_any_garbage_is_an_error_of_ours(garbage: bytes, server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.GARBAGE
    server.garbage = garbage
    with pytest.raises(GeneratorUnavailable):
        written(patient(server), prompt)


@pytest.mark.parametrize("garbage", [b"", b"[]", b'{"models": 3}', b"<html>", b'{"models": [{"size": "x"}]}'])
def test_server_that_misbehaves_everywhere_is_not_taken_for_none(
    garbage: bytes, server: OllamaServer, prompt: PromptContext
) -> None:
    server.fault, server.everywhere, server.garbage = Fault.GARBAGE, True, garbage
    generator = patient(server)
    assert generator.model() == ModelInfo("unknown", None)
    with pytest.raises(GeneratorUnavailable):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_server_that_hangs_everywhere_costs_a_few_seconds_once(
    server: OllamaServer, prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_generator, "PROBE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(server_generator, "PROBLEM_CACHE_S", FOREVER_S)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    generator = patient(server)
    started = perf_counter()
    assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable, match="which models it has"):
        written(generator, prompt)
    assert perf_counter() - started < LONGEST_S
    assert len(server.calls("/api/tags")) == 1


def test_address_that_is_no_ollama_server_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            listener.accept()[0].close()  # the knock
            listener.accept()[0].close()

        Thread(target=hang_up, daemon=True).start()
        status = OllamaGenerator(f"127.0.0.1:{listener.getsockname()[1]}").check()
    assert status.state == "disconnected"
    assert "broke off" in status.detail


def library_errors() -> list[type[Exception]]:
    """Return every exception class that ollama and httpx define."""
    found = {
        each
        for module in (ollama, httpx)
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, Exception)
    }
    return sorted(found, key=lambda each: each.__name__)


def instance_of(kind: type[Exception]) -> Exception:
    """Return an exception of a kind, whatever its constructor asks for."""
    error = kind.__new__(kind)
    Exception.__init__(error, "as raised")
    error.error = "as raised"  # type: ignore[attr-defined]
    error.status_code = 418  # type: ignore[attr-defined]
    return error


def test_the_walk_finds_the_libraries_errors() -> None:
    assert {ollama.ResponseError, httpx.ReadTimeout, httpx.InvalidURL, httpx.StreamError} <= set(library_errors())


@pytest.mark.parametrize(
    "kind",
    [*library_errors(), ConnectionError, OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError],
)
def test_no_error_of_the_client_is_unmapped(
    kind: type[Exception], server: OllamaServer, prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = patient(server)
    assert generator.model() is not None

    def fail(*arguments: object, **options: object) -> object:
        raise instance_of(kind)

    monkeypatch.setattr(ollama.Client, "chat", fail)
    monkeypatch.setattr(ollama.Client, "list", fail)
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    assert isinstance(caught.value.__cause__, kind)
    assert len(caught.value.message) > 40
    assert generator.check().state == "disconnected"


def test_message_of_an_expired_exchange_names_the_time_whatever_broke() -> None:
    asking = Asking(OllamaGenerator("http://h:1").server, "m", 20, 40)
    assert "within 40 s" in unavailable(httpx.ReadError("reset"), asking, expired=True).message
