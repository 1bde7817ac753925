"""What only OpenAI's protocol has: addresses, what is asked, which model, with which key, and what servers refuse."""

import pytest
from asking import ANSWER, asking, scripted, written
from ollama_server.openai import OpenAIServer, Refusal

from rag.adapters.openai_generator import base_url_of
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.protocols import ModelInfo

CHAT = "/v1/chat/completions"


@pytest.fixture
def openai_server():
    with scripted("openai") as server:
        assert isinstance(server, OpenAIServer)
        yield server


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        *(({name: 4096}, 4096) for name in ("max_model_len", "context_length", "max_context_length", "context_window")),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 8192}}, 4096),
        ({}, 1024),  # the operator's
    ],
)
def test_the_window_is_read_wherever_a_server_says_it(entry, window, openai_server):
    openai_server.entry = entry
    assert asking(openai_server, window=1024).model() == ModelInfo("scripted:latest", window)


def test_of_several_models_one_must_be_named_and_of_none_that_are_listed_the_named_one_is_asked(openai_server, prompt):
    openai_server.names = ["scripted:latest", "other:1b"]
    generator = asking(openai_server)
    told = r"lists 2 models, and none is named. It has 'scripted:latest', 'other:1b'. Set CANDOR_OPENAI_MODEL"
    with pytest.raises(GeneratorUnavailable, match=told):
        written(generator, prompt)
    assert generator.model() == ModelInfo("unknown", None), "not nobody: the answer says why it is quoted"
    assert written(asking(openai_server, "scripted:latest"), prompt) == ANSWER
    openai_server.lists = False
    assert written(asking(openai_server, "scripted:latest"), prompt) == ANSWER
    with pytest.raises(GeneratorUnavailable, match=r"status 404.*CANDOR_OPENAI_BASE_URL, which most often ends in /v1"):
        written(asking(openai_server), prompt)


def test_a_request_has_limit_temperature_and_seed_and_what_is_refused_is_left_out_or_renamed(openai_server, prompt):
    list(asking(openai_server).stream(prompt, max_tokens=70, temperature=0.3, seed=7))
    request = openai_server.calls(CHAT)[-1].request
    assert [message["role"] for message in request.pop("messages")] == ["system", "user"]
    chosen = {"model": "scripted:latest", "max_tokens": 70, "temperature": 0.3, "seed": 7}
    assert request == {**chosen, "stream": True, "stream_options": {"include_usage": True}}
    openai_server.unknown = ("max_tokens", "temperature", "seed", "stream_options")
    assert written(asking(openai_server), prompt) == ANSWER
    request = openai_server.calls(CHAT)[-1].request
    assert (set(request), request["max_completion_tokens"]) == (
        {"model", "messages", "stream", "max_completion_tokens"}, 100,
    )  # fmt: skip


def test_thoughts_counts_and_signs_of_life_are_no_text(openai_server, prompt):
    openai_server.odd = [
        ": ping",
        'data: {"id": "1", "choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": null}]}',
        'data: {"id": "1", "choices": []}',
        'data: {"id": "1", "choices": null}',
    ]
    assert written(asking(openai_server), prompt) == ANSWER


def test_the_key_is_sent_and_no_other_of_the_environment(openai_server, prompt, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "of somebody else")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    openai_server.key = "s3cret"
    assert written(asking(openai_server, key="s3cret"), prompt) == ANSWER
    openai_server.key = "none"
    assert written(asking(openai_server), prompt) == ANSWER


ODD_PLACES = ("http://", "http://box:port", "http://box:99999", "http://box/v1?a=b", "https://me:s3cret@box/v1")


@pytest.mark.parametrize("text", ["", "localhost:8080", "ftp://box/v1", *ODD_PLACES])
def test_an_address_that_is_none_is_a_configuration_error_with_its_value(text):
    with pytest.raises(ConfigurationError, match=r"CANDOR_OPENAI_BASE_URL=.*is not an address") as caught:
        base_url_of(text)
    assert "s3cret" not in caught.value.message


def test_a_wrong_key_or_model_is_named_as_such_and_the_key_never_repeated(openai_server, prompt):
    openai_server.key, openai_server.names = "right", ["one", "two"]
    told = []
    for key, model in (("sk-wrong-one", None), ("right", "three")):
        generator = asking(openai_server, model, key=key)
        with pytest.raises(GeneratorUnavailable) as caught:
            written(generator, prompt)
        assert caught.value.details["host"] == openai_server.url
        assert generator.check().last_error is not None
        told.append(caught.value.message)
    assert "refused the key (status 401: Incorrect API key provided: ***)" in told[0]
    assert "Set CANDOR_OPENAI_API_KEY" in told[0]
    assert "sk-wrong-one" not in told[0]
    assert "does not have the model 'three'" in told[1]
    assert "It has 'one', 'two'. Set CANDOR_OPENAI_MODEL to one that it has." in told[1]


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
        (Refusal(404, {"detail": "Not Found"}), "does not have the model"),
        (Refusal(422, {"detail": [{"loc": ["body"]}]}), "status 422: .*loc.*another model"),
        (Refusal(500, "<html>Bad</html>"), "status 500: <html>Bad</html>"),
        (Refusal(503, {"error": {"message": "Loading model", "code": 503}}), "status 503: Loading model"),
    ],
)
def test_every_refusal_says_what_the_server_said_and_what_to_do(refusal, told, openai_server, prompt):
    openai_server.refusal = refusal
    with pytest.raises(GeneratorUnavailable, match=told):
        written(asking(openai_server), prompt)


def test_a_redirection_is_not_followed(openai_server, prompt):
    with scripted("openai", "Elsewhere. [1]") as other:
        openai_server.refusal = Refusal(307, {}, {"Location": f"{other.url}/chat/completions"})
        with pytest.raises(GeneratorUnavailable, match="status 307"):
            written(asking(openai_server), prompt)
        assert other.exchanges == []
