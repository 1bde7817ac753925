"""One request, one id: in every line of the log, in the response's header, and in its error. On a running server."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_samples import ANSWERED, settings_of
from interfaces import SERVICE
from live import live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from seeds import Away, Breaking

from rag.candor import Candor
from rag.errors import StoreUnavailable

RULE = {"estimator": "mean_similarity"}
FOUND = ["query_received", "question_embedded", "chunks_retrieved", "windows_read", "gate_decided"]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Iterator[Candor]:
    with Candor.open(settings_of(tmp_path_factory.mktemp("log"))) as candor:
        candor.ingest([samples / "textbook.md"])
        yield candor


@contextmanager
def served(own: Candor, **parts: Any) -> Iterator[httpx.Client]:
    """The API over a pipeline of which some parts are others."""

    changed = Breaking(own, **parts)
    with live(lambda: changed, own.settings) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def lines_of(own: Candor, response: httpx.Response) -> list[dict[str, Any]]:
    """The log lines of a request, found by the id in its response's header."""
    lines = [json.loads(line) for line in own.wiring.recorder.log_path.read_text().splitlines()]
    return [line for line in lines if line["request_id"] == response.headers["x-request-id"]]


def events(lines: list[dict[str, Any]]) -> list[str]:
    return [line["event"] for line in lines]


def ask(client: httpx.Client, question: str, **more: Any) -> httpx.Response:
    return client.post("/api/v1/ask", json={"question": question, **RULE, **more})


@pytest.mark.parametrize(
    ("body", "logged"),
    [
        ({"question": "no"}, ["request_failed"]),
        ({"question": ANSWERED, "mode": "chapter-aware"}, ["query_rejected", "request_failed"]),
    ],
)
def test_invalid_input_is_a_warning_under_the_id_of_its_response(
    own: Candor, body: dict[str, Any], logged: list[str]
) -> None:
    with served(own) as client:
        response, elsewhere = client.post("/api/v1/ask", json=body), client.get("/api/v1/nothing")
    lines = lines_of(own, response)
    assert events(lines) == logged
    assert {line["level"] for line in lines} == {"WARNING"}
    assert response.json()["details"]["request_id"] == response.headers["x-request-id"]
    assert "'no'" not in json.dumps(lines)  # what a person typed stays out of the log
    assert events(lines_of(own, elsewhere)) == ["request_failed"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("error", "logged", "field", "told"),
    [
        (
            StoreUnavailable("The store is away."),
            ["retrieve_failed", "request_failed"],
            "error_code",
            "VECTOR_DB_ERROR",
        ),
        (KeyError("/secret/path"), ["request_failed"], "type", "KeyError"),
    ],
)
def test_a_store_that_fails_and_a_bug_are_errors_of_the_request_and_show_no_internals(
    own: Candor, error: Exception, logged: list[str], field: str, told: str, stream: bool
) -> None:
    with served(own, store=Away(error)) as client:
        response = ask(client, ANSWERED, stream=stream)
    lines = lines_of(own, response)
    assert events(lines) == ["query_received", "question_embedded", *logged]
    assert [line["level"] for line in lines[2:]] == ["ERROR"] * len(logged)
    assert {line["error"][field] for line in lines[2:]} == {told}
    assert response.headers["x-request-id"] in response.text
    assert "secret" not in response.text


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_fails_is_an_error_of_its_stage_and_of_the_request(own: Candor, stream: bool) -> None:
    from rag.adapters.ollama_generator import OllamaGenerator

    brain = ScriptedBrain(lambda question, passages: "Firn becomes ice at 830 kilograms. [1]")
    with (
        OllamaServer(brain, fault=Fault.DIES_MID_STREAM) as ollama,
        served(own, generator=OllamaGenerator(ollama.url, None), on_model_failure="error") as client,
    ):
        response = ask(client, ANSWERED, stream=stream)
    lines = lines_of(own, response)
    assert events(lines) == [*FOUND, "prompt_built", "generate_failed", "request_failed"]
    assert {line["error"]["error_code"] for line in lines if line["error"]} == {"LLM_ERROR"}
    assert response.headers["x-request-id"] in response.text
    assert response.status_code == (200 if stream else 503)  # a stream has begun: its last event is the error


def test_a_clients_own_id_is_the_id_of_every_line(own: Candor) -> None:
    with served(own) as client:
        response = SERVICE.ask(client, request_id="req_20260121_abc123")
    assert response.headers["x-request-id"] == response.json()["request_id"] == "req_20260121_abc123"
    logged = events(lines_of(own, response))
    assert (logged[0], logged[-1]) == ("query_received", "answer_returned")


def test_a_line_that_cannot_be_written_costs_nobody_the_answer_and_is_told_to_who_looks_for_it(
    own: Candor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with served(own) as client, caplog.at_level("DEBUG", "candor.api"):
        monkeypatch.setattr(own.wiring.recorder, "event", full)
        response = client.post("/api/v1/ask", json={"question": "no"})
    assert response.status_code == 422
    assert f"the line of request {response.headers['x-request-id']} was not written" in caplog.text
    assert "No space left on device" in caplog.text
