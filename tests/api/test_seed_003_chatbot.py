"""Seed 003 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from datetime import datetime
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from interfaces import CHATBOT
from seeds import LAMP, lamps, recorded, uploaded, with_model

SELECTED = (
    "The keeper of the lighthouse checks the lamp every two hours and writes the time of each check into the book."
)
ONLY = {"use_context_only": True, "context": SELECTED}
ask = CHATBOT.ask


def quoting_every_passage(question: str, passages: list[str]) -> str:
    return " ".join(f"{text} [{number}]" for number, text in enumerate(passages, start=1))


def test_003_top_k_and_chapter_reach_the_query_and_are_5_and_none_by_default(client):
    query = recorded(client, ask(client))["query"]
    assert (query["top_k"], query["mode"], query["context"]) == (5, "book-wide", None)
    assert query["filters"]["chapter"] is None
    query = recorded(client, ask(client, top_k=7, chapter_id=2))["query"]
    assert (query["top_k"], query["mode"], query["filters"]["chapter"]) == (7, "chapter-aware", 2)


@pytest.mark.parametrize("context", ["", SELECTED])
def test_003_without_use_context_only_the_context_is_ignored(client, context):
    with_context, without = ask(client, context=context).json(), ask(client).json()
    assert (with_context["mode"], bool(with_context["sources"])) == ("book-wide", True)
    assert with_context["answer"] == without["answer"]


@pytest.mark.parametrize("chapter", [None, 2])
def test_003_selected_text_only_answers_from_the_selection_whatever_the_chapter(client, chapter):
    body = ask(client, LAMP, chapter_id=chapter, **ONLY).json()
    assert (body["mode"], body["answer"]) == ("selected-text-only", SELECTED)
    assert body["sources"]
    assert all(source["full_text"] in SELECTED for source in body["sources"])


def test_003_what_the_book_or_a_selection_does_not_cover_has_empty_sources_and_no_error(client):
    of_book, of_selection = ask(client, REFUSED), ask(client, **ONLY)
    for response, mode in ((of_book, "book-wide"), (of_selection, "selected-text-only")):
        body = response.json()
        assert (response.status_code, body["mode"], body["sources"]) == (200, mode, [])
        assert set(body) == {"answer", "sources", "query_time_ms", "mode"}
        assert 10 <= len(body["answer"]) <= 5000
    assert body["answer"].endswith("Select the passage that says it, or ask without a selection.")
    assert "add a document" not in body["answer"]


def test_003_a_chapter_means_chapter_aware(client):
    chapter = ask(client).json()["sources"][0]["chapter_id"]
    body = ask(client, chapter_id=chapter).json()
    assert (body["mode"], body["sources"][0]["chapter_id"]) == ("chapter-aware", chapter)


@pytest.mark.parametrize("chapter", [99, 0, -1])
def test_003_a_chapter_that_is_not_there_is_an_error_that_lists_those_that_are(client, chapter):
    response = ask(client, chapter_id=chapter)
    assert response.status_code == 422
    assert "Indexed chapters: 1, 2" in CHATBOT.told(response)[1]


def test_003_the_current_chapter_is_prioritised(client):
    question = {"question": "What is a glacier?", "top_k": 20}
    aware = client.post("/api/v1/retrieve", json={**question, "mode": "chapter-aware", "filters": {"chapter": 5}})
    wide = client.post("/api/v1/retrieve", json=question)

    def best_rank(response: Any) -> int:
        return min(hit["retrieval_rank"] for hit in response.json()["retrieved"] if hit["chapter"] == 5)

    assert best_rank(aware) < best_rank(wide)
    assert all(hit["preferred"] == (hit["chapter"] == 5) for hit in aware.json()["retrieved"])


def test_003_two_queries_have_two_responses_and_begin_no_session(client):
    before = client.get("/api/v1/sessions?limit=500").json()
    first, second = ask(client), ask(client)
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    assert recorded(client, first)["session_id"] is None
    assert client.get("/api/v1/sessions?limit=500").json() == before


@pytest.mark.parametrize("body", [{"question": ANSWERED}, {"question": ANSWERED_PDF}, {"question": LAMP, **ONLY}])
def test_003_a_source_is_a_chunk_with_its_preview_and_a_place_and_holds_the_answer(client, body):
    found = ask(client, **body).json()
    sources = found["sources"]
    assert len({source["chunk_id"] for source in sources}) == len(sources) >= 1
    for source in sources:
        assert source["chapter_id"] >= 1
        assert source["section_id"].strip()  # a page stands in for the section of a source without one
        assert source["section_title"].strip()
        assert source["preview_text"] == source["full_text"][:200]
    is_row = body["question"] == ANSWERED_PDF  # of a table: told with its heads
    assert is_row or found["answer"] in " ".join(sources[0]["full_text"].split())


def test_003_of_more_than_10_chunks_used_10_are_sources(client, candor):
    with uploaded(client, {"lamps.md": lamps(14)}), with_model(candor, quoting_every_passage) as talking:
        response = ask(talking, LAMP, top_k=14)
        used = {citation["chunk_id"] for citation in recorded(client, response)["citations"]}
    assert len(used) > 10
    assert len(response.json()["sources"]) == 10
    assert 10 <= len(response.json()["answer"]) <= 5000


def test_003_an_answer_of_fewer_than_10_characters_is_completed(client, candor):
    question, text = "Which pin is earth?", "Which pin is earth? Pin 3. The other pins of the plug carry the signal."
    with uploaded(client, {"pins.md": text}), with_model(candor, lambda asked, passages: "Pin 3. [1]") as talking:
        body = ask(talking, question, top_k=1).json()
    assert body["answer"] == "Pin 3. The other pins of the plug carry the signal."
    assert len(body["sources"]) == 1


def test_003_an_error_has_one_of_the_three_types_and_a_message(client):
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]["ChatError"]
    assert schema["properties"]["type"]["enum"] == ["validation_error", "service_unavailable", "rate_limit_exceeded"]
    assert set(schema["required"]) == {"type", "message"}


def test_003_a_session_counts_its_queries_and_knows_the_last_one(client):
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
    assert client.get("/api/v1/sessions/my-chat").status_code == 422
