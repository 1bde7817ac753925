"""What only Ollama's protocol has: addresses, what is asked, which model speaks, and a server that says nothing."""

import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from time import perf_counter

import httpx
import pytest
from asking import ANSWER, asking, scripted, written
from library import free_port
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from rag.adapters import server_generator
from rag.adapters.http_deadline import Deadline
from rag.adapters.ollama_generator import OllamaGenerator, connectable
from rag.adapters.server_trouble import Asking, unavailable
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.models import PromptContext
from rag.protocols import ModelInfo, StreamEnd

FOREVER_S = 300.0
"""A limit that nothing here reaches."""
SCRIPTED = ModelInfo("scripted:latest", 4096)


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


def test_stream_returns_how_it_ended(server: OllamaServer, prompt: PromptContext) -> None:
    def ended(max_tokens: int) -> StreamEnd:
        ends: list[StreamEnd] = []

        def watched() -> Iterator[str]:
            ends.append((yield from asking(server).stream(prompt, max_tokens=max_tokens, temperature=0)))

        list(watched())
        return ends[0]

    whole = ended(100)
    assert (whole.finish_reason, whole.completion_tokens) == ("stop", 10)
    assert whole.prompt_tokens
    assert whole.prompt_tokens > 50
    assert ended(3).finish_reason == "length"


def test_request_carries_window_limit_temperature_and_seed(server: OllamaServer, prompt: PromptContext) -> None:
    list(asking(server).stream(prompt, max_tokens=70, temperature=0.3, seed=7))
    request = server.calls("/api/chat")[-1].request
    assert request["options"] == {"num_ctx": prompt.num_ctx, "num_predict": 70, "temperature": 0.3, "seed": 7}
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][1]["content"] == prompt.user_prompt
    assert "think" not in request
    server.capabilities = ("completion", "thinking")
    list(asking(server).stream(prompt, max_tokens=2000, temperature=0))
    request = server.calls("/api/chat")[-1].request
    assert request["think"] is False
    assert request["options"]["num_predict"] == prompt.max_tokens == 100, "no more than the prompt left for it"


def test_named_model_is_asked_for_by_name_and_a_missing_one_names_the_command_that_gets_it(
    server: OllamaServer, prompt: PromptContext
) -> None:
    assert OllamaGenerator(server.url, "scripted").model() == ModelInfo("scripted", 4096)
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


def test_check_tells_model_and_context_length_and_of_a_server_that_fails_at_answers(
    server: OllamaServer, prompt: PromptContext
) -> None:
    generator = asking(server)
    written(generator, prompt)
    status = generator.check()
    assert (status.state, status.last_error) == ("connected", None)
    assert "'scripted:latest', 4096 tokens" in status.detail
    server.fault = Fault.SERVER_ERROR
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    status = generator.check()
    assert status.state == "connected"
    assert status.last_error
    assert status.last_error.message == caught.value.message


def test_eight_questions_at_once_are_answered(server: OllamaServer, prompt: PromptContext) -> None:
    generator = asking(server)
    with ThreadPoolExecutor(8) as pool:
        drafts = list(pool.map(lambda _: written(generator, prompt), range(8)))
    assert drafts == [ANSWER] * 8
    assert len(server.calls("/api/tags")) == 1


# --- looking for a model, and leaving -----------------------------------------------------------------------------


def looked_for(looking: Generator[str, None, ModelInfo | None]) -> tuple[list[str], ModelInfo | None]:
    """Return the pulses while a model is looked for, and the model."""
    models: list[ModelInfo | None] = []

    def watched() -> Generator[str, None, None]:
        models.append((yield from looking))

    return list(watched()), models[0]


def test_a_model_is_found_as_it_is_asked_for(server: OllamaServer) -> None:
    generator = asking(server)
    assert looked_for(generator.find_model(pulse="."))[1] == generator.model() == SCRIPTED
    assert looked_for(generator.find_model(pulse=".")) == ([], SCRIPTED)  # from memory, so at once
    assert len(server.calls("/api/tags")) == 1


@pytest.fixture
def silent(server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> OllamaServer:
    """A server that does not even say what it has, and that nobody gives up on by himself."""
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", FOREVER_S)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    return server


def test_a_server_that_does_not_say_what_it_has_is_hung_up_on_and_asked_anew_by_the_next(silent: OllamaServer) -> None:
    generator = asking(silent)
    looking = generator.find_model(pulse=".")
    assert next(pulse for pulse in looking if silent.calls("/api/tags")) == "."
    looking.close()
    assert silent.disconnect_seen.wait(30)
    silent.fault = Fault.NONE
    assert looked_for(generator.find_model(pulse="."))[1] == SCRIPTED  # not remembered as one that does not answer


def test_who_waits_for_the_same_list_is_not_hung_up_on_by_one_who_leaves(silent: OllamaServer) -> None:
    generator = asking(silent)
    first, second = generator.find_model(pulse="."), generator.find_model(pulse=".")
    next(pulse for pulse in first if silent.calls("/api/tags"))
    assert next(second) == "."
    silent.fault = Fault.NONE
    first.close()
    pulses, model = looked_for(second)
    assert set(pulses) <= {"."}
    assert model == SCRIPTED


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


@pytest.mark.parametrize(
    ("fault", "limits", "told"),
    [
        (Fault.HANG_MID_STREAM, {"token_timeout_s": 1.0}, "silent for 1 s"),
        (Fault.SLOW_TOKENS, {"total_timeout_s": 1.0}, "within 1 s"),
    ],
)
def test_time_out_closes_the_connection_too(
    fault: Fault, limits: dict[str, float], told: str, server: OllamaServer, prompt: PromptContext
) -> None:
    server.fault, server.piece_pause_s = fault, 0.4
    server.brain = ScriptedBrain(lambda *_: ANSWER * 10)  # 40 s of it, where its tokens are slow
    with pytest.raises(GeneratorUnavailable, match=told):
        written(asking(server, **limits), prompt)
    assert server.disconnect_seen.wait(60)
    assert server.calls("/api/chat")[-1].disconnected


def test_slow_tokens_are_fine_within_the_time_given(server: OllamaServer, prompt: PromptContext) -> None:
    server.fault = Fault.SLOW_TOKENS
    assert written(asking(server), prompt) == ANSWER


# --- a server that is not there -----------------------------------------------------------------------------------


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
    assert generator.model() is generator.model() is None
    assert [type(reason) for reason in heard] == [ConnectionRefusedError]
    assert pauses == []
    with pytest.raises(GeneratorUnavailable, match=r"refused.*ollama serve"):
        written(generator, prompt)


def test_server_that_goes_away_between_two_questions_is_unavailable(prompt: PromptContext) -> None:
    with scripted("ollama", port=free_port()) as server:
        generator = asking(server)
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


def test_server_that_hangs_everywhere_costs_a_few_seconds_once(
    server: OllamaServer, prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_generator, "PROBE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(server_generator, "PROBLEM_CACHE_S", FOREVER_S)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    generator = asking(server)
    started = perf_counter()
    assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable, match="which models it has"):
        written(generator, prompt)
    assert perf_counter() - started < 30
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


def test_message_of_an_expired_exchange_names_the_time_whatever_broke() -> None:
    asked = Asking(OllamaGenerator("http://h:1").server, "m", 20, 40)
    assert "within 40 s" in unavailable(httpx.ReadError("reset"), asked, expired=True).message
