"""Seed 003: the rules that are about entities, seen from outside. docs/seed-rules.md lists every rule and its test."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from ollama_server.brains import ScriptedBrain
from ollama_server.server import OllamaServer
from seeds import LAMP, Away, lamps, recorded, serving, uploaded, with_model

from api.app import create_api
from rag.candor import Candor
from rag.errors import GeneratorUnavailable, StoreUnavailable

QUERY = "/api/chatbot/query"
SELECTED = (
    "The keeper of the lighthouse checks the lamp every two hours and writes the time of each check into the book."
)


def ask(client: TestClient, question: Any = ANSWERED, **more: Any) -> Any:
    return client.post(QUERY, json={"question": question, **more})


def quoting_every_passage(question: str, passages: list[str]) -> str:
    return " ".join(f"{text} [{number}]" for number, text in enumerate(passages, start=1))


def test_003_a_question_is_required(client: TestClient) -> None:
    response = client.post(QUERY, json={"top_k": 5})
    assert response.status_code == 422
    assert response.json()["error"]["message"] == "question is missing; add it to the request."


@pytest.mark.parametrize("question", [5, None, ["What?"], "x" * 1001])
def test_003_a_question_is_text_of_at_most_1000_characters(client: TestClient, question: Any) -> None:
    assert ask(client, question).status_code == 422


def test_003_the_defaults_are_5_chunks_and_the_whole_book(client: TestClient) -> None:
    query = recorded(client, ask(client))["query"]
    assert (query["top_k"], query["mode"], query["context"]) == (5, "book-wide", None)
    assert query["filters"]["chapter"] is None


def test_003_top_k_and_chapter_reach_the_query(client: TestClient) -> None:
    query = recorded(client, ask(client, top_k=7, chapter_id=2))["query"]
    assert (query["top_k"], query["mode"], query["filters"]["chapter"]) == (7, "chapter-aware", 2)


@pytest.mark.parametrize("context", [5, ["text"], "x" * 200_001])
def test_003_a_context_is_text_of_at_most_200000_characters(client: TestClient, context: Any) -> None:
    assert ask(client, context=context, use_context_only=True).status_code == 422


def test_003_an_empty_context_is_ignored_without_use_context_only(client: TestClient) -> None:
    body = ask(client, context="", use_context_only=False).json()
    assert body["mode"] == "book-wide"
    assert body["sources"]


def test_003_a_selection_comes_before_a_chapter(client: TestClient) -> None:
    body = ask(client, LAMP, context=SELECTED, use_context_only=True, chapter_id=2).json()
    assert body["mode"] == "selected-text-only"
    assert body["answer"] == SELECTED


def test_003_a_query_begins_no_session(client: TestClient) -> None:
    before = client.get("/api/v1/sessions?limit=500").json()
    assert recorded(client, ask(client))["session_id"] is None
    assert client.get("/api/v1/sessions?limit=500").json() == before


def test_003_two_queries_have_two_responses(client: TestClient) -> None:
    first, second = ask(client), ask(client)
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


@pytest.mark.parametrize(
    "body",
    [
        {"question": ANSWERED},
        {"question": ANSWERED_PDF},
        {"question": LAMP, "context": SELECTED, "use_context_only": True},
    ],
)
def test_003_a_source_keeps_the_rules_of_a_retrieved_chunk(client: TestClient, body: dict[str, Any]) -> None:
    sources = client.post(QUERY, json=body).json()["sources"]
    assert 1 <= len(sources) <= 10
    assert len({source["chunk_id"] for source in sources}) == len(sources)
    for source in sources:
        assert source["chunk_id"]
        assert isinstance(source["chapter_id"], int)
        assert source["section_id"].strip()
        assert source["section_title"].strip()
        assert len(source["preview_text"]) <= 200
        assert source["full_text"].startswith(source["preview_text"])
        assert 0.0 <= source["relevance_score"] <= 1.0


def test_003_a_source_is_a_chunk_of_the_index_and_holds_the_answer(client: TestClient) -> None:
    body = ask(client).json()
    stored = client.get("/api/v1/documents/textbook.md").json()["chunk_ids"]
    assert body["sources"][0]["chunk_id"] in stored
    assert body["answer"] in " ".join(body["sources"][0]["full_text"].split())


def test_003_of_more_than_10_chunks_used_10_are_sources(client: TestClient, candor: Candor) -> None:
    with uploaded(client, {"lamps.md": lamps(14)}), with_model(candor, quoting_every_passage) as talking:
        response = ask(talking, LAMP, top_k=14)
        used = {citation["chunk_id"] for citation in recorded(client, response)["citations"]}
    assert len(used) > 10
    assert len(response.json()["sources"]) == 10
    assert 10 <= len(response.json()["answer"]) <= 5000


def test_003_an_answer_of_fewer_than_10_characters_is_completed(client: TestClient, candor: Candor) -> None:
    question, text = "Which pin is earth?", "Which pin is earth? Pin 3. The other pins of the plug carry the signal."
    with (
        uploaded(client, {"pins.md": text}),
        with_model(candor, lambda asked, passages: "Pin 3. [1]") as talking,
    ):
        body = ask(talking, question, top_k=1).json()
    assert body["answer"] == "Pin 3. The other pins of the plug carry the signal."
    assert len(body["sources"]) == 1


def test_003_an_answer_of_more_than_5000_characters_loses_its_last_sentences(tmp_path: Path, samples: Path) -> None:
    words = re.findall("[a-z]+", (samples / "textbook.md").read_text())
    text = "".join(
        f"## {n} Lamp {n}\n\nThe keeper of lighthouse {n} checks the lamp every {n} hours, "
        f"and there is a book on {' '.join(words[n * 70 : n * 70 + 60])}.\n\n"
        for n in range(1, 15)
    )
    brain = ScriptedBrain(quoting_every_passage, context_length=32768)
    with OllamaServer(brain) as server:
        settings = settings_of(tmp_path / "data", ollama_host=server.url, max_tokens=2000)
        with Candor.open(settings) as candor:
            candor.ingest_bytes("lamps.md", text.encode())
            client = TestClient(create_api(lambda: candor, settings))
            response = ask(client, LAMP, top_k=14)
            whole = recorded(client, response)["answer"]
    answer = response.json()["answer"]
    assert len(whole) > 5000
    assert 4000 < len(answer) <= 5000
    assert whole.startswith(answer)
    assert answer.endswith(".")


def test_003_what_is_not_covered_has_an_answer_text_and_a_mode_all_the_same(client: TestClient) -> None:
    body = ask(client, REFUSED).json()
    assert set(body) == {"answer", "sources", "query_time_ms", "mode"}
    assert 10 <= len(body["answer"]) <= 5000
    assert body["mode"] == "book-wide"


def test_003_what_a_selection_does_not_cover_advises_another_selection(client: TestClient) -> None:
    body = ask(client, context=SELECTED, use_context_only=True).json()
    assert (body["mode"], body["sources"]) == ("selected-text-only", [])
    assert body["answer"].endswith("Select the passage that says it, or ask without a selection.")
    assert "add a document" not in body["answer"]


@pytest.mark.parametrize(
    ("part", "error"),
    [
        ("store", StoreUnavailable("Qdrant at http://10.0.0.7:6333 cannot be reached.")),
        ("generator", GeneratorUnavailable("Ollama at http://10.0.0.7:11434 does not answer.")),
    ],
)
def test_003_a_service_that_is_away_is_told_kindly_with_the_id_of_the_request(
    candor: Candor, part: str, error: Exception
) -> None:
    response = ask(serving(candor, **{part: Away(error), "on_model_failure": "error"}))
    body = response.json()
    assert response.status_code == 503
    assert body["error"]["type"] == "service_unavailable"
    assert response.headers["x-request-id"] in body["error"]["message"]
    assert "10.0.0.7" not in response.text


def test_003_too_many_queries_are_rate_limit_exceeded(candor: Candor) -> None:
    settings = settings_of(candor.settings.data_dir, rate_limit_per_minute=1)
    client = TestClient(create_api(lambda: candor, settings))
    assert ask(client).status_code == 200
    response = ask(client)
    assert response.status_code == 429
    assert set(response.json()) == {"error"}
    assert response.json()["error"]["type"] == "rate_limit_exceeded"
    assert response.json()["error"]["message"]


def test_003_the_current_chapter_is_prioritised(client: TestClient) -> None:
    question = {"question": "What is a glacier?", "top_k": 20}
    aware = client.post("/api/v1/retrieve", json={**question, "mode": "chapter-aware", "filters": {"chapter": 5}})
    wide = client.post("/api/v1/retrieve", json=question)

    def best_rank(response: Any) -> int:
        return min(hit["retrieval_rank"] for hit in response.json()["retrieved"] if hit["chapter"] == 5)

    assert best_rank(aware) < best_rank(wide)
    assert all(hit["preferred"] == (hit["chapter"] == 5) for hit in aware.json()["retrieved"])


def test_003_a_session_counts_its_queries_and_knows_the_last_one(client: TestClient) -> None:
    created = client.post("/api/v1/sessions").json()
    path = f"/api/v1/sessions/{created['session_id']}"
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", created["session_id"])
    assert (created["query_count"], created["last_query_at"]) == (0, None)
    for _ in range(2):
        client.post("/api/v1/ask", json={"question": ANSWERED, "session_id": created["session_id"]})
    session = client.get(path).json()
    assert session["query_count"] == len(client.get(f"{path}/history").json()) == 2
    assert datetime.fromisoformat(session["last_query_at"]) > datetime.fromisoformat(session["created_at"])
    assert client.delete(path).status_code == 200


@pytest.mark.parametrize("session_id", ["my-chat", "12345678-9abc-1def-8123-456789abcdef"])
def test_003_a_session_id_is_a_uuid_v4(client: TestClient, session_id: str) -> None:
    assert client.get(f"/api/v1/sessions/{session_id}").status_code == 422
    body = {"question": ANSWERED, "session_id": session_id}
    assert client.post("/api/v1/ask", json=body).status_code == 422
