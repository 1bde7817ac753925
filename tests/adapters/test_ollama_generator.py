"""The Ollama adapter, over HTTP with the real client against a real server that misbehaves on demand."""

import inspect
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Thread, Timer
from time import perf_counter

import httpx
import ollama
import pytest
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from passages import hit

from rag.adapters.http_deadline import Deadline
from rag.adapters.ollama_address import connectable
from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.ollama_trouble import Asking, unavailable
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.models import PromptContext, Query
from rag.prompt import build_prompt
from rag.protocols import ModelInfo, StreamEnd

ANSWER = "Nitrile gloves are worn. [1] They last one shift. [1]"


@pytest.fixture
def prompt() -> PromptContext:
    hits = [hit("Nitrile gloves are worn. They last one shift.")]
    return build_prompt(Query(question="Which gloves?", max_tokens=100), hits, model=None, max_context=8192)


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(
        ScriptedBrain(lambda question, passages: ANSWER, context_length=4096), piece_pause_s=0.05
    ) as found:
        yield found


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


# --- answering ----------------------------------------------------------------------------------------------------


def test_draft_is_streamed_piece_by_piece(server: OllamaServer, prompt: PromptContext) -> None:
    pieces = [piece for piece in quick(server).stream(prompt, max_tokens=100, temperature=0) if piece]
    assert "".join(pieces) == ANSWER
    assert len(pieces) == 10, "one for each word and marker"


def test_stream_returns_how_it_ended(server: OllamaServer, prompt: PromptContext) -> None:
    def ended(max_tokens: int) -> StreamEnd:
        ends: list[StreamEnd] = []

        def watched() -> Iterator[str]:
            ends.append((yield from quick(server).stream(prompt, max_tokens=max_tokens, temperature=0)))

        list(watched())
        return ends[0]

    whole = ended(100)
    assert (whole.finish_reason, whole.completion_tokens) == ("stop", 10)
    assert whole.prompt_tokens
    assert whole.prompt_tokens > 50
    assert ended(3).finish_reason == "length"


def test_request_carries_window_limit_temperature_and_seed(server: OllamaServer, prompt: PromptContext) -> None:
    list(quick(server).stream(prompt, max_tokens=70, temperature=0.3, seed=7))
    request = server.calls("/api/chat")[-1].request
    assert request["options"] == {"num_ctx": prompt.num_ctx, "num_predict": 70, "temperature": 0.3, "seed": 7}
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][1]["content"] == prompt.user_prompt
    assert "think" not in request


def test_answer_never_gets_more_tokens_than_the_prompt_left_for_it(server: OllamaServer, prompt: PromptContext) -> None:
    list(quick(server).stream(prompt, max_tokens=2000, temperature=0))
    assert server.calls("/api/chat")[-1].request["options"]["num_predict"] == prompt.max_tokens == 100


def test_model_that_thinks_is_asked_not_to(server: OllamaServer, prompt: PromptContext) -> None:
    server.capabilities = ("completion", "thinking")
    list(quick(server).stream(prompt, max_tokens=70, temperature=0))
    assert server.calls("/api/chat")[-1].request["think"] is False


# --- which model --------------------------------------------------------------------------------------------------


def test_first_listed_model_speaks_and_its_context_length_is_read(server: OllamaServer) -> None:
    assert quick(server).model() == ModelInfo("scripted:latest", 4096)


def test_what_the_server_has_is_asked_once_in_a_while(server: OllamaServer) -> None:
    generator = quick(server)
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
    status = quick(server).check()
    assert status.state == "connected"
    assert "'scripted:latest', 4096 tokens" in status.detail


def test_check_tells_of_a_server_that_lists_its_models_and_fails_at_answers(
    server: OllamaServer, prompt: PromptContext
) -> None:
    generator = quick(server)
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


# --- a refused connection -----------------------------------------------------------------------------------------


def test_refused_connection_is_noticed_at_once_and_remembered(prompt: PromptContext) -> None:
    generator = OllamaGenerator(f"127.0.0.1:{free_port()}")
    started = perf_counter()
    assert generator.model() is None
    assert generator.model() is None
    assert perf_counter() - started < 0.5
    with pytest.raises(GeneratorUnavailable, match=r"refused.*ollama serve"):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_server_that_comes_back_within_a_moment_is_tried_once_more(prompt: PromptContext) -> None:
    port = free_port()
    server = OllamaServer(ScriptedBrain(lambda *_: ANSWER), port=port)
    timer = Timer(0.05, server.__enter__)
    generator = OllamaGenerator(f"127.0.0.1:{port}")
    timer.start()
    try:
        assert written(generator, prompt) == ANSWER
    finally:
        timer.join()
        server.__exit__(None, None, None)


def test_server_that_goes_away_between_two_questions_is_unavailable(
    server: OllamaServer, prompt: PromptContext
) -> None:
    generator = quick(server)
    assert generator.model() is not None
    server.__exit__(None, None, None)
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
    assert written(quick(server), prompt) == ANSWER


def test_eight_questions_at_once_are_answered(server: OllamaServer, prompt: PromptContext) -> None:
    generator = quick(server)
    with ThreadPoolExecutor(8) as pool:
        drafts = list(pool.map(lambda _: written(generator, prompt), range(8)))
    assert drafts == [ANSWER] * 8
    assert len(server.calls("/api/tags")) == 1


# --- faults -------------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("fault", list(FAULTS))
def test_every_fault_is_an_error_of_ours_with_value_and_next_step(
    fault: Fault, server: OllamaServer, prompt: PromptContext
) -> None:
    message, before = FAULTS[fault]
    generator = quick(server, total_timeout_s=2.0)
    assert generator.model() is not None
    server.fault = fault
    pieces: list[str] = []
    started = perf_counter()
    with pytest.raises(GeneratorUnavailable, match=message) as caught:
        keep(pieces, generator.stream(prompt, max_tokens=100, temperature=0))
    assert perf_counter() - started < 4
    assert "".join(pieces) == before
    assert server.url in caught.value.message
    assert caught.value.details["model"] == "scripted:latest"
    assert caught.value.__cause__ is not None


def test_slow_tokens_are_fine_within_the_time_given(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    assert written(quick(server), prompt) == ANSWER


def test_slow_tokens_are_cut_when_the_whole_time_is_up(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    server.piece_pause_s = 0.4
    started = perf_counter()
    with pytest.raises(GeneratorUnavailable, match="within 1 s"):
        written(quick(server, total_timeout_s=1.0), prompt)
    assert perf_counter() - started < 2.5


@pytest.mark.parametrize(
    "garbage",
    [b"", b"\n", b"[1]\n", b"null\n", b'{"error": {"deep": 1}}\n', b"\xff\xfe\n", b'{"message": 3}\n', b'{"a":'],
)
def test_any_garbage_is_an_error_of_ours(garbage: bytes, server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.GARBAGE
    server.garbage = garbage
    with pytest.raises(GeneratorUnavailable):
        written(quick(server), prompt)


@pytest.mark.parametrize("garbage", [b"", b"[]", b'{"models": 3}', b"<html>", b'{"models": [{"size": "x"}]}'])
def test_server_that_misbehaves_everywhere_is_not_taken_for_none(
    garbage: bytes, server: OllamaServer, prompt: PromptContext
) -> None:
    server.fault, server.everywhere, server.garbage = Fault.GARBAGE, True, garbage
    generator = quick(server)
    assert generator.model() == ModelInfo("unknown", None)
    with pytest.raises(GeneratorUnavailable):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_server_that_hangs_everywhere_costs_a_few_seconds_once(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    generator = quick(server)
    started = perf_counter()
    assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable, match="which models it has"):
        written(generator, prompt)
    assert perf_counter() - started < 4.5


def test_address_that_is_no_ollama_server_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            listener.accept()[0].close()  # the knock
            listener.accept()[0].close()

        Thread(target=hang_up, daemon=True).start()
        status = OllamaGenerator(f"127.0.0.1:{listener.getsockname()[1]}").check()
    assert status.state == "disconnected"
    assert "broke off" in status.detail


# --- cancelling ---------------------------------------------------------------------------------------------------


def test_closing_the_iterator_stops_the_model(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    stream = quick(server).stream(prompt, max_tokens=100, temperature=0)
    assert next(piece for piece in stream if piece) == "Nitrile"
    stream.close()
    assert server.disconnect_seen.wait(3)
    assert server.calls("/api/chat")[-1].disconnected
    assert len(server.calls("/api/chat")[-1].events) < 10


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM])
def test_a_model_that_is_silent_is_stopped_by_closing_the_iterator(
    fault: Fault, server: OllamaServer, prompt: PromptContext
) -> None:
    server.fault = fault
    generator = quick(server, token_timeout_s=300, total_timeout_s=300)
    stream = generator.stream(prompt, max_tokens=100, temperature=0)
    assert "" in stream  # silence is told, so that there is a moment to leave at
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
    generator = quick(server)
    assert found(generator)[1] == generator.model() == ModelInfo("scripted:latest", 4096)
    assert found(generator) == ([], ModelInfo("scripted:latest", 4096))  # from memory, so at once
    assert len(server.calls("/api/tags")) == 1


@pytest.fixture
def silent(server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> OllamaServer:
    """A server that does not even say what it has, and that nobody gives up on by himself."""
    monkeypatch.setattr("rag.adapters.ollama_generator.PROBE_TIMEOUT_S", 300.0)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    return server


def test_a_server_that_does_not_say_what_it_has_is_hung_up_on_and_asked_anew_by_the_next(silent: OllamaServer) -> None:
    generator = quick(silent)
    looking = generator.find_model(pulse=".")
    assert next(pulse for pulse in looking if silent.calls("/api/tags")) == "."
    looking.close()
    assert silent.disconnect_seen.wait(30)
    silent.fault = Fault.NONE
    assert found(generator)[1] == ModelInfo("scripted:latest", 4096)  # not remembered as one that does not answer


def test_who_waits_for_the_same_list_is_not_hung_up_on_by_one_who_leaves(silent: OllamaServer) -> None:
    generator = quick(silent)
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
        written(quick(server), prompt)
    assert server.disconnect_seen.wait(3)


# --- the border ---------------------------------------------------------------------------------------------------


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
    generator = quick(server)
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
    asking = Asking("http://h:1", "m", 20, 40)
    assert "within 40 s" in unavailable(httpx.ReadError("reset"), asking, expired=True).message


# --- the address --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  'box' ", "http://box:11434"),
        (":5000", "http://127.0.0.1:5000"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        ("1.2.3.4:56789", "http://1.2.3.4:56789"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("https://example.com", "https://example.com:443"),
        ("https://example.com:56789/path/", "https://example.com:56789/path"),
        ("example.com/path", "http://example.com:11434/path"),
        ("[0001:002:003:0004::1]:56789", "http://[0001:002:003:0004::1]:56789"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434"),
        ("[::]", "http://[::1]:11434"),
    ],
)
def test_every_form_of_address_that_ollama_accepts_is_accepted(host: str, address: str) -> None:
    assert connectable(host) == address


@pytest.mark.parametrize("host", ["ftp://box", "box:port", "box:99999", "http://[::1"])
def test_address_that_is_none_is_a_configuration_error_with_its_value(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"OLLAMA_HOST=.*is not an address"):
        OllamaGenerator(host)
