"""Seed 003 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from datetime import datetime
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF
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


def test_003_without_use_context_only_the_context_is_ignored(client):
    found, without = ask(client, context=SELECTED).json(), ask(client).json()
    assert (found["mode"], bool(found["sources"]), found["answer"]) == ("book-wide", True, without["answer"])


def test_003_selected_text_only_answers_from_the_selection_whatever_the_chapter(client):
    for chapter in (None, 2):
        body = ask(client, LAMP, chapter_id=chapter, **ONLY).json()
        assert (body["mode"], body["answer"]) == ("selected-text-only", SELECTED)
        assert [source["full_text"] in SELECTED for source in body["sources"]] == [True] * len(body["sources"]) != []


def test_003_what_a_selection_does_not_cover_has_empty_sources_and_no_error(client):
    response = ask(client, **ONLY)
    body = response.json()
    assert (response.status_code, body["mode"], body["sources"]) == (200, "selected-text-only", [])
    assert body["answer"].endswith("Select the passage that says it, or ask without a selection.")
    assert "add a document" not in body["answer"]


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
        assert (source["chapter_id"] >= 1, source["preview_text"]) == (True, source["full_text"][:200])
        assert [source[name].strip() != "" for name in ("section_id", "section_title")] == [True, True]
    is_row = body["question"] == ANSWERED_PDF  # of a table: told with its heads
    assert is_row or found["answer"] in " ".join(sources[0]["full_text"].split())


def test_003_of_more_than_10_chunks_used_10_are_sources(client, candor):
    with uploaded(client, {"lamps.md": lamps(14)}), with_model(candor, quoting_every_passage) as talking:
        response = ask(talking, LAMP, top_k=14)
        used = {citation["chunk_id"] for citation in recorded(client, response)["citations"]}
    assert len(used) > 10
    assert len(response.json()["sources"]) == 10
    assert 10 <= len(response.json()["answer"]) <= 5000


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
