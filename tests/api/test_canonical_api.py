"""The canonical routes: questions, documents, records, sessions, health."""

from typing import Any

import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient
from interfaces import OPENAI, V1, events_of
from prometheus_client.parser import text_string_to_metric_families
from seeds import Breaking

from api.routes.ask import AskRequest
from rag.workspace.conversation import NOT_KEPT

RULE = {"estimator": "mean_similarity"}
ask = V1.ask


def test_what_a_mode_does_not_use_is_said(client):
    body = {"question": ANSWERED, "context": "The keeper checks the lamp every four hours and writes it down."}
    wide, found = (client.post(f"/api/v1/{path}", json=body).json()["notes"] for path in ("ask", "retrieve"))
    assert wide[-1].startswith("context was not used: mode is 'book-wide'. Set mode to 'selected-text-only'")
    assert found[-1] == events_of(ask(client, stream=True, **body).text)[-1][1]["notes"][-1] == wide[-1]


PLACE = {"source": "textbook.md", "chapter": 2, "section": None, "module": None, "page": None}
OPTIONS: dict[str, Any] = {
    "top_k": 7, "similarity_threshold": 0.1, "confidence_threshold": 0.3, "unsure_threshold": 0.2, "seed": 2026,
    "estimator": "max_similarity", "filters": PLACE, "mode": "book-wide", "max_tokens": 77, "temperature": 0.4,
    "session_id": "3F2B8C1E-4D5A-4B6C-8D7E-9F0A1B2C3D4E", "no_llm": True, "as_asked": True,
}  # fmt: skip
"""Every option that the design lists."""


def test_every_option_arrives_in_the_query(client):
    query = ask(client, ANSWERED, **OPTIONS).json()["query"]
    changed = {"session_id": OPTIONS["session_id"].lower(), "filters": {**PLACE, "collection": None, "sources": None}}
    assert {name: query[name] for name in OPTIONS} == {**OPTIONS, **changed}
    assert set(AskRequest.model_fields) == {*OPTIONS, "question", "stream", "context", "model"}  # tested elsewhere


def test_a_stream_ends_with_the_answer_that_json_would_give(client):
    response = ask(client, ANSWERED, stream=True, **RULE)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    assert [name for name, _ in events if name != "stage"] == ["sentence", "answer"]
    stages = [data["stage"] for name, data in events if name == "stage"]
    assert stages == ["embed", "retrieve", "read", "gate", "generate", "ground"]
    assert events[-1][1]["answer"] == ask(client, ANSWERED, **RULE).json()["answer"]


def test_what_is_refused_before_anything_is_told_has_the_same_status_streamed(client):
    for filters in (None, {"chapter": 99}):
        options = {"mode": "chapter-aware", "filters": filters}
        whole, streamed = (ask(client, ANSWERED, stream=stream, **options) for stream in (False, True))
        assert (whole.status_code, streamed.status_code) == (422, 422)
        assert streamed.json()["message"] == whole.json()["message"]


TOOL = {"type": "function", "function": {"name": "look_up"}}


@pytest.mark.parametrize("stream", [False, True])
def test_a_chat_names_the_fields_that_it_does_not_heed_and_refuses_what_it_cannot_do(client, stream):
    answered = OPENAI.ask(client, stream=stream, tools=[TOOL], n=2, user="ada")
    assert (answered.status_code, answered.headers["x-candor-ignored"]) == (200, "n, tools")
    by_default = {"tools": [], "n": 1, "tool_choice": "auto", "response_format": {"type": "text"}, "stop": None}
    assert "x-candor-ignored" not in OPENAI.ask(client, stream=stream, **by_default).headers
    for field, value, named in (
        ("response_format", {"type": "json_schema", "json_schema": {}}, "POST /api/v1/ask answers in JSON"),
        ("tool_choice", TOOL, "Candor calls no tool"),
    ):
        refused = OPENAI.ask(client, stream=stream, tools=[TOOL], **{field: value})
        assert (refused.status_code, refused.json()["error"]["param"]) == (422, field)
        assert named in refused.json()["error"]["message"]


def test_a_recorded_answer_can_be_read_again_and_judged(client, candor):
    body = ask(client, ANSWERED, **RULE).json()
    request_id = body["request_id"]
    assert client.get(f"/api/v1/requests/{request_id}").json() == body
    assert request_id in [item["request_id"] for item in client.get("/api/v1/requests?limit=3").json()]
    for verdict, kept in (("bad", "bad"), ("withdrawn", None)):
        told = client.post("/api/v1/feedback", json={"request_id": request_id, "verdict": verdict, "note": "old"})
        assert told.json() == {"request_id": request_id, "kept": True}
        assert candor.wiring.recorder.verdict(request_id) == kept


def test_documents_are_uploaded_listed_asked_and_removed(client):
    text = b"# Harbour rules\n\nThe harbour crane lifts at most twelve tonnes and is inspected every second Monday."
    path = "/api/v1/documents/harbour.md"
    question = {"question": "How many tonnes does the harbour crane lift?", "filters": {"source": "harbour.md"}}
    uploaded = client.post("/api/v1/documents", files={"file": ("harbour.md", text)}).json()
    assert [(file["document"], file["outcome"]) for file in uploaded["files"]] == [("harbour.md", "added")]
    (record,) = [one for one in client.get("/api/v1/documents").json() if one["document"] == "harbour.md"]
    assert (client.get(path).json(), record["chunks"]) == (record, 1)
    assert len(client.post("/api/v1/retrieve", json=question).json()["retrieved"]) == 1
    assert client.delete(path).json() == {"document": "harbour.md", "removed": True}
    assert client.post("/api/v1/retrieve", json=question).json()["retrieved"] == []
    assert [client.delete(path).status_code, client.get(path).status_code] == [404, 404]


def test_a_deleted_session_is_gone_with_its_recorded_answers(client):
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    session = f"/api/v1/sessions/{session_id}"
    answer = f"/api/v1/requests/{ask(client, ANSWERED, session_id=session_id).json()['request_id']}"
    assert client.get(answer).status_code == 200
    assert client.delete(session).json() == {"session_id": session_id, "turns": 1}
    gone = [client.get(answer), client.get(session), client.delete(session)]
    assert [response.status_code for response in gone] == [404, 404, 404]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("turns", [0, 1])
def test_a_conversation_that_is_deleted_while_it_is_asked_in_stays_so_and_the_answer_says_it(
    client, candor, turns, stream
):
    def asked(client: TestClient, stream: bool) -> dict[str, Any]:
        said = ask(client, ANSWERED, session_id=session_id, stream=stream)
        return dict(events_of(said.text)[-1][1] if stream else said.json())

    session_id = client.post("/api/v1/sessions").json()["session_id"]
    for _ in range(turns):
        asked(client, False)
    slow = Breaking(candor, before=lambda: client.delete(f"/api/v1/sessions/{session_id}"))
    answer = asked(slow.client(), stream)
    assert answer["answer"]
    assert [note for note in answer["notes"] if note.startswith(NOT_KEPT) and "deleted" in note]
    for path in (f"sessions/{session_id}", f"sessions/{session_id}/history", f"requests/{answer['request_id']}"):
        assert client.get(f"/api/v1/{path}").status_code == 404, path


def metrics(client: TestClient) -> dict[tuple[str, str], float]:
    response = client.get("/api/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    found = [sample for family in text_string_to_metric_families(response.text) for sample in family.samples]
    return {(each.name, next(iter(each.labels.values()), "")): each.value for each in found if "le" not in each.labels}


def test_questions_and_stages_are_counted(client, candor):
    before = metrics(client)
    assert ask(client, "Which gloves are required for dichloromethane?").json()["outcome"] == "answered"
    ask(client, "Who won the football game on Mars in 1732?")
    after = metrics(client)
    more = {key: after[key] - before.get(key, 0) for key in after}
    count = "candor_question_seconds_count"
    assert more[count, "answered"] == 1
    assert more.get((count, "refused"), 0) + more.get((count, "unsure"), 0) == 1
    assert more["candor_stage_seconds_count", "read"] >= 2
    read = more["candor_stage_seconds_sum", "read"]
    assert 0 < read < more["candor_question_seconds_sum", "answered"] + 60
    assert after["candor_indexed_chunks", ""] == candor.wiring.catalogue.chunk_count() > 0
    assert after["candor_lost_lines", ""] == 0
