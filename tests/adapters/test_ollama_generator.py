"""Which models a question may name and reach, and what only Ollama's protocol has: addresses, what is asked."""

from collections.abc import Generator
from time import perf_counter

import pytest
from asking import asking, written
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from ollama_server.server import Fault, OllamaServer

from rag.adapters import server_generator
from rag.adapters.generators import Generators, made_generator
from rag.adapters.ollama_generator import OllamaGenerator
from rag.adapters.server_trouble import knock, require_allowed
from rag.errors import ConfigurationError, GeneratorUnavailable, InvalidQuery
from rag.protocols import ModelInfo
from rag.settings import load_settings


def brain(name: str) -> ScriptedBrain:
    return ScriptedBrain(lambda question, passages: f"This is {name}.", name=name)


def test_models_of_every_server_and_the_model_file_are_listed_and_each_of_them_alone_can_be_named(tmp_path):
    file = tmp_path / "small.gguf"
    with OllamaServer(brain("llama:8b")) as ollama, OpenAIServer(brain("qwen")) as openai:
        openai.names = ("qwen", "mistral")
        settings = load_settings(
            data_dir=tmp_path, ollama_host=ollama.url, openai_base_url=openai.url, openai_model="qwen", gguf=file
        )
        found = Generators(settings, made_generator(settings))
        assert found.names() == ("openai/qwen", "openai/mistral", "ollama/llama:8b", "gguf/small.gguf")
        for name in ("openai/mistral", "ollama/llama:8b"):
            one = found.named(name)
            assert f"{one.name}/{one.model().name}" == name
            assert found.named(name) is one  # one client, however often it is named
        for name in ("openai/gpt", "llama:8b", "/"):
            with pytest.raises(InvalidQuery, match=rf"'{name}' is not available. Available models: openai/qwen, "):
                found.named(name)


HERE = ("127.0.0.1:11434", "localhost/v1", "[::1]:80", "127.8.9.1", "LOCALHOST")
ELSEWHERE = (
    *("192.168.0.7:11434", "box:11434", "llm.example/v1", "[2001:db8::1]:80"),
    *("127.0.0.1.llm.example/v1", "localhost.llm.example/v1"),  # names that anybody may own
)


@pytest.mark.parametrize("place", ELSEWHERE)
def test_any_address_but_a_loopback_one_needs_leave_and_is_never_knocked_at(place):
    address = f"https://{place}"
    for here in HERE:
        require_allowed(f"http://{here}", is_allowed=False, setting="OLLAMA_HOST")
    require_allowed(address, is_allowed=True, setting="OLLAMA_HOST")
    assert knock(address, timeout_s=0.01) is None
    with pytest.raises(ConfigurationError, match=r"is not on this machine.*CANDOR_ALLOW_REMOTE_MODEL=true") as caught:
        require_allowed(address, is_allowed=False, setting="OLLAMA_HOST")
    assert repr(address) in caught.value.message


FOREVER_S = 300.0  # A limit that nothing here reaches
SCRIPTED = ModelInfo("scripted:latest", 4096)


@pytest.mark.parametrize("host", ["ftp://box", "box:port", "box:99999", "http://[::1"])
def test_address_that_is_none_is_a_configuration_error_with_its_value(host):
    with pytest.raises(ConfigurationError, match=r"OLLAMA_HOST=.*is not an address"):
        OllamaGenerator(host)


def test_request_carries_window_limit_temperature_and_seed(server, prompt):
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


def test_named_model_is_asked_for_by_name_and_a_missing_one_names_the_command_that_gets_it(server, prompt):
    assert OllamaGenerator(server.url, "scripted").model() == ModelInfo("scripted", 4096)
    generator = OllamaGenerator(server.url, "llama3.2:3b")
    assert generator.model() == ModelInfo("llama3.2:3b", None)
    with pytest.raises(GeneratorUnavailable, match=r"'llama3.2:3b'.*ollama pull llama3.2:3b"):
        written(generator, prompt)
    status = generator.check()
    assert (status.state, "ollama pull llama3.2:3b" in status.detail) == ("disconnected", True)
    with OllamaServer() as empty:
        assert OllamaGenerator(empty.url).model() is None
        with pytest.raises(GeneratorUnavailable, match=r"has no model.*ollama pull"):
            written(OllamaGenerator(empty.url), prompt)


def looked_for(looking: Generator[str, None, ModelInfo | None]) -> tuple[list[str], ModelInfo | None]:
    """Return the pulses while a model is looked for, and the model."""
    models: list[ModelInfo | None] = []

    def watched() -> Generator[str, None, None]:
        models.append((yield from looking))

    return list(watched()), models[0]


@pytest.fixture
def silent(server, monkeypatch):
    """A server that does not even say what it has, and that nobody gives up on by himself."""
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", FOREVER_S)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    return server


def test_a_server_that_does_not_say_what_it_has_is_hung_up_on_and_asked_anew_by_the_next(silent):
    generator = asking(silent)
    looking = generator.find_model(pulse=".")
    assert next(pulse for pulse in looking if silent.calls("/api/tags")) == "."
    looking.close()
    assert silent.disconnect_seen.wait(30)
    silent.fault = Fault.NONE
    assert looked_for(generator.find_model(pulse="."))[1] == SCRIPTED  # not remembered as one that does not answer
    assert looked_for(generator.find_model(pulse=".")) == ([], SCRIPTED)  # from memory, so at once


def test_who_waits_for_the_same_list_is_not_hung_up_on_by_one_who_leaves(silent):
    generator = asking(silent)
    first, second = generator.find_model(pulse="."), generator.find_model(pulse=".")
    next(pulse for pulse in first if silent.calls("/api/tags"))
    assert next(second) == "."
    silent.fault = Fault.NONE
    first.close()
    pulses, model = looked_for(second)
    assert set(pulses) <= {"."}
    assert model == SCRIPTED


def test_server_that_hangs_everywhere_costs_a_few_seconds_once(server, prompt, monkeypatch):
    monkeypatch.setattr(server_generator, "PROBE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(server_generator, "PROBLEM_CACHE_S", FOREVER_S)
    server.fault, server.everywhere = Fault.HANG_BEFORE_HEADERS, True
    generator = asking(server)
    started = perf_counter()
    assert generator.model() is not None
    with pytest.raises(GeneratorUnavailable, match="did not list its models"):
        written(generator, prompt)
    assert perf_counter() - started < 30
    assert len(server.calls("/api/tags")) == 1
