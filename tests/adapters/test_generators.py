"""Which models a question may name, and who speaks where it names one; no server elsewhere unless that is allowed."""

import pytest
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from ollama_server.server import OllamaServer

from rag.adapters.generators import Generators, made_generator
from rag.adapters.server_trouble import is_this_machine, knock, require_allowed
from rag.errors import ConfigurationError, InvalidQuery
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


@pytest.mark.parametrize("place", HERE)
def test_loopback_is_this_machine(place):
    assert is_this_machine(f"http://{place}")
    require_allowed(f"http://{place}", is_allowed=False, setting="OLLAMA_HOST")


@pytest.mark.parametrize("place", ELSEWHERE)
def test_any_other_address_needs_leave_and_is_never_knocked_at(place):
    address = f"https://{place}"
    assert not is_this_machine(address)
    require_allowed(address, is_allowed=True, setting="OLLAMA_HOST")
    assert knock(address, timeout_s=0.01) is None
    with pytest.raises(ConfigurationError, match=r"is not on this machine.*CANDOR_ALLOW_REMOTE_MODEL=true") as caught:
        require_allowed(address, is_allowed=False, setting="OLLAMA_HOST")
    assert repr(address) in caught.value.message
