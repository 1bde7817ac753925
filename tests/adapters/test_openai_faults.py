"""A server with OpenAI's protocol that cannot be reached, refuses or misbehaves: our error, its value, what to do."""

import inspect
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from asking_ollama import ANSWER, keep
from asking_openai import asking, scripted, written
from library import free_port
from ollama_server.openai import OpenAIServer, Refusal
from ollama_server.server import Fault

from rag.adapters import server_generator
from rag.adapters.openai_generator import OpenAIGenerator
from rag.errors import GeneratorUnavailable
from rag.models import PromptContext
from rag.protocols import ModelInfo


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    with scripted() as server:
        yield server


def refused(server: OpenAIServer, prompt: PromptContext, **how: Any) -> str:
    """Return the message of what a chat ends in."""
    generator = asking(server, **how)
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    assert caught.value.details["host"] == server.url
    assert generator.check().last_error is not None
    return caught.value.message


def test_a_server_that_is_off_is_named_with_the_setting_and_is_not_taken_for_none(
    prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_generator, "sleep", lambda seconds: None)
    generator = OpenAIGenerator(f"http://127.0.0.1:{free_port()}/v1")
    assert generator.model() == ModelInfo("unknown", None)
    with pytest.raises(GeneratorUnavailable, match=r"does not answer.*refused.*correct CANDOR_OPENAI_BASE_URL"):
        written(generator, prompt)
    assert generator.check().state == "disconnected"


def test_a_wrong_key_is_named_as_such_and_never_repeated(openai_server: OpenAIServer, prompt: PromptContext) -> None:
    openai_server.key = "right"
    message = refused(openai_server, prompt, key="sk-wrong-one")
    assert "refused the key (status 401: Incorrect API key provided: ***)" in message
    assert "Set CANDOR_OPENAI_API_KEY" in message
    assert "sk-wrong-one" not in message


def test_an_unknown_model_is_told_with_those_that_there_are(openai_server: OpenAIServer, prompt: PromptContext) -> None:
    openai_server.names = ["one", "two"]
    message = refused(openai_server, prompt, model="three")
    assert "does not have the model 'three'" in message
    assert "It has 'one', 'two'. Set CANDOR_OPENAI_MODEL to one that it has." in message


TOO_LONG = "This model's maximum context length is 512 tokens. However, you requested 700 tokens."


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        # as OpenAI, llama.cpp and vLLM say it
        (Refusal(400, {"error": {"message": TOO_LONG, "code": "context_length_exceeded"}}), "window too small"),
        (Refusal(400, {"error": {"message": "too big", "type": "exceed_context_size_error"}}), "window too small"),
        (Refusal(400, {"object": "error", "message": f"{TOO_LONG} max_tokens", "code": 400}), "window too small"),
        (Refusal(429, {"error": {"message": "Slow down"}}, {"Retry-After": "7"}), "429: Slow down.*Ask again in 7 s"),
        (Refusal(429, {"error": {"message": "No quota"}}), "429: No quota.*later, or look at the account"),
        (Refusal(403, {"error": {"message": "Not you"}}), "refused the key .status 403: Not you"),
        (Refusal(404, {"detail": "Not Found"}), "does not have the model"),
        (Refusal(422, {"detail": [{"loc": ["body"]}]}), "status 422: .*loc.*another model"),
        (Refusal(500, "<html>Bad</html>"), "status 500: <html>Bad</html>"),
        (Refusal(503, {"error": {"message": "Loading model", "code": 503}}), "status 503: Loading model"),
    ],
)
def test_every_refusal_says_what_the_server_said_and_what_to_do(
    refusal: Refusal, told: str, openai_server: OpenAIServer, prompt: PromptContext
) -> None:
    openai_server.refusal = refusal
    with pytest.raises(GeneratorUnavailable, match=told):
        written(asking(openai_server), prompt)


FAULTS = {
    Fault.HANG_BEFORE_HEADERS: ("silent for 1 s.*CANDOR_TOKEN_TIMEOUT_S", "", {"token_timeout_s": 1.0}),
    Fault.HANG_MID_STREAM: ("silent for 1 s", "Nitrile gloves", {"token_timeout_s": 1.0}),
    Fault.TRICKLE: ("within 2 s.*CANDOR_GENERATION_TIMEOUT_S", "Nitrile gloves", {"total_timeout_s": 2.0}),
    Fault.GARBAGE: ("not OpenAI's protocol.*CANDOR_OPENAI_BASE_URL", "", {}),
    Fault.MISSING_MODEL: ("does not have the model 'scripted:latest'", "", {}),
    Fault.SERVER_ERROR: ("status 500.*signal: killed", "", {}),
    Fault.DIES_MID_STREAM: ("broke off", "Nitrile gloves", {}),
    Fault.ENDS_WITHOUT_DONE: ("broke off", "Nitrile gloves", {}),
    Fault.ERROR_IN_STREAM: ("an error.*unexpected EOF", "Nitrile gloves", {}),
    Fault.EMPTY: ("returned no text", "", {}),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_every_fault_is_an_error_of_ours_with_value_and_next_step(
    fault: Fault, openai_server: OpenAIServer, prompt: PromptContext
) -> None:
    message, before, limits = FAULTS[fault]
    generator = asking(openai_server, **limits)
    assert generator.model() is not None
    openai_server.fault = fault
    pieces: list[str] = []
    with pytest.raises(GeneratorUnavailable, match=message) as caught:
        keep(pieces, generator.stream(prompt, max_tokens=100, temperature=0))
    assert "".join(pieces) == before
    assert openai_server.url in caught.value.message
    assert caught.value.details["model"] == "scripted:latest"
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize(
    "garbage",
    [
        *(
            b"",
            b"\n",
            b"[1]\n",
            b"null\n",
            b"data: [1]\n\n",
            b"data: {\n\n",
            b'data: {"choices": 3}\n\n',
            b"\xff\xfe\n",
        ),
        *(b'data: {"choices": [{"delta": 3}]}\n\n', b'data: {"choices": [3]}\n\n', b'{"data": 3}', b'{"data": [{}]}'),
    ],
)
def test_any_garbage_is_an_error_of_ours(
    garbage: bytes, everywhere: bool, openai_server: OpenAIServer, prompt: PromptContext
) -> None:
    openai_server.fault, openai_server.garbage, openai_server.everywhere = Fault.GARBAGE, garbage, everywhere
    with pytest.raises(GeneratorUnavailable):
        written(asking(openai_server), prompt)


def test_a_redirection_is_not_followed(openai_server: OpenAIServer, prompt: PromptContext) -> None:
    with scripted("Elsewhere. [1]") as other:
        place = {"Location": f"{other.url}/chat/completions"}
        openai_server.refusal = Refusal(307, {}, place)
        with pytest.raises(GeneratorUnavailable, match="status 307"):
            written(asking(openai_server), prompt)
        assert other.exchanges == []


def test_a_server_that_comes_back_within_a_moment_is_tried_once_more(
    prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted()
    server.port = free_port()
    monkeypatch.setattr(server_generator, "sleep", lambda seconds: server.__enter__())
    try:
        assert written(asking(server), prompt) == ANSWER
    finally:
        server.__exit__(None, None, None)


def library_errors() -> list[type[Exception]]:
    """Return every exception class that the client and what it stands on define."""
    found = {
        each
        for module in (openai, httpx2)
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, Exception) and not issubclass(each, Warning)
    }
    return sorted(found, key=lambda each: each.__name__)


def instance_of(kind: type[Exception]) -> Exception:
    """Return an exception of a kind, whatever its constructor asks for."""
    error = kind.__new__(kind)
    Exception.__init__(error, "as raised")
    values = {"message": "as raised", "body": None, "status_code": 418, "code": None, "type": None, "param": None}
    for name, value in values.items():
        setattr(error, name, value)
    return error


def test_the_walk_finds_the_libraries_errors() -> None:
    assert {openai.RateLimitError, openai.APITimeoutError, httpx2.ReadTimeout} <= set(library_errors())


@pytest.mark.parametrize("kind", [*library_errors(), ConnectionError, OSError, ValueError, TypeError, RecursionError])
def test_no_error_of_the_client_is_unmapped(
    kind: type[Exception], openai_server: OpenAIServer, prompt: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = asking(openai_server)
    assert generator.model() is not None

    def fail(*arguments: object, **options: object) -> object:
        raise instance_of(kind)

    monkeypatch.setattr("openai.resources.chat.completions.Completions.create", fail)
    monkeypatch.setattr("openai.resources.models.Models.list", fail)
    with pytest.raises(GeneratorUnavailable) as caught:
        written(generator, prompt)
    assert isinstance(caught.value.__cause__, kind)
    assert len(caught.value.message) > 40
    assert generator.check().state == "disconnected"
