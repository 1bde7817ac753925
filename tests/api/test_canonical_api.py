"""The canonical routes: questions, documents, records, sessions, health."""

from typing import Any

import pytest
from api_samples import ANSWERED, REFUSED
from fastapi.testclient import TestClient
from interfaces import OPENAI, V1, events_of
from prometheus_client.parser import text_string_to_metric_families

from api.routes.ask import AskRequest

RULE = {"estimator": "mean_similarity"}
ask = V1.ask
UNSURE = {"confidence_threshold": 1.0, "unsure_threshold": 0.0}
"""Thresholds between which every confidence lies."""


def test_between_the_two_thresholds_passages_are_shown_and_nothing_is_claimed(client):
    whole = ask(client, ANSWERED, **UNSURE)
    streamed = events_of(ask(client, ANSWERED, stream=True, **UNSURE).text)[-1]
    assert (whole.status_code, streamed[0]) == (200, "answer")
    for body in (whole.json(), streamed[1]):
        gate = body["gate"]
        assert (body["outcome"], body["answer"], body["sentences"], body["citations"]) == ("unsure", None, [], [])
        assert (bool(body["message"]), body["refusal"]["stage"]) == (True, "gate")
        assert (gate["outcome"], gate["passed"], gate["unsure_threshold"]) == ("unsure", False, 0.0)
        assert 1 <= len(gate["nearest_misses"]) <= 3
        assert all(miss["sentence"] and miss["sentence"] in miss["excerpt"] for miss in gate["nearest_misses"])
    body = ask(client, ANSWERED, **UNSURE, **RULE).json()  # an estimator without an unsure threshold
    assert (body["outcome"], body["gate"]["unsure_threshold"]) == ("refused", None)


def test_retrieve_finds_the_same_and_generates_nothing(client):
    found = client.post("/api/v1/retrieve", json={"question": ANSWERED, **RULE}).json()
    answer = ask(client, ANSWERED, **RULE).json()
    assert found["confidence"] == answer["confidence"]
    assert found["gate"]["passed"] is True
    assert [hit["chunk_id"] for hit in found["retrieved"]] == [hit["chunk_id"] for hit in answer["retrieved"]]
    assert (found["timings_ms"]["generate"], len(found["retrieved"])) == (None, 20)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"top_k": True}, "top_k = true is not valid: it must be a whole number."),
        ({"filters": {"source": "a" * 1001}}, "filters.source = 'aaa"),
        ({"question": "\ud800 is what"}, "The question has half a character (the surrogate U+D800) at "),
        ({"topk": 3}, "topk is not a field of this request; leave it out or check its spelling."),
        ({"mode": "chapter-aware"}, "filters.chapter"),
        ({"mode": "selected-text-only"}, "context"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(client, body, message):
    refused = V1.ask(client, **body)
    assert refused.status_code == 422
    assert message in V1.told(refused)[1]


def test_a_document_that_is_not_there_is_named_in_the_refusal_of_every_interface(client):
    asked = {"question": ANSWERED, "filters": {"source": "Textbok.md"}}
    told = "There is no document 'Textbok.md' in the index. Indexed documents, the nearest names first: textbook.md, "
    assert told in client.post("/api/v1/ask", json=asked).json()["message"]
    assert told in client.post("/api/v1/retrieve", json=asked).json()["gate"]["reason"]
    assert told in client.post("/api/service/query", json=asked).json()["message"]


def test_what_a_mode_does_not_use_is_said(client):
    body = {"question": ANSWERED, "context": "The keeper checks the lamp every four hours and writes it down."}
    wide, found = (client.post(f"/api/v1/{path}", json=body).json()["notes"] for path in ("ask", "retrieve"))
    assert wide[-1].startswith("context was not used: mode is 'book-wide'. Set mode to 'selected-text-only'")
    assert found[-1] == events_of(ask(client, stream=True, **body).text)[-1][1]["notes"][-1] == wide[-1]
    selected = {"mode": "selected-text-only", **body}
    unused = ask(client, **selected, filters={"source": "textbook.md", "page": 2}).json()["notes"]
    assert unused[-1].startswith("filters.source, filters.page were not used: mode is 'selected-text-only'")
    assert not [note for note in ask(client, **selected, filters={}).json()["notes"] if "not used" in note]


PLACE = {"source": "textbook.md", "chapter": 2, "section": None, "module": None, "page": None}
OPTIONS: dict[str, Any] = {
    "top_k": 7,
    "similarity_threshold": 0.1,
    "confidence_threshold": 0.3,
    "unsure_threshold": 0.2,
    "seed": 2026,
    "estimator": "max_similarity",
    "filters": PLACE,
    "mode": "book-wide",
    "max_tokens": 77,
    "temperature": 0.4,
    "session_id": "3F2B8C1E-4D5A-4B6C-8D7E-9F0A1B2C3D4E",
    "no_llm": True,
    "as_asked": True,
}
"""Every option that the design lists."""


def test_every_option_arrives_in_the_query(client):
    query = ask(client, ANSWERED, **OPTIONS).json()["query"]
    changed = {"session_id": OPTIONS["session_id"].lower(), "filters": {**PLACE, "collection": None, "sources": None}}
    assert {name: query[name] for name in OPTIONS} == {**OPTIONS, **changed}
    tested = {*OPTIONS, "question", "stream", "context", "model"}  # the first two in every test, the others below
    assert set(AskRequest.model_fields) == tested


def test_a_model_that_no_server_lists_is_an_error_that_says_so(client):
    refused = ask(client, ANSWERED, model="ollama/nobody:1b")
    assert (refused.status_code, refused.json()["error_code"]) == (422, "INVALID_INPUT")
    assert "'ollama/nobody:1b' is not available" in refused.json()["message"]
    quoted = ask(client, ANSWERED, model="ollama/nobody:1b", no_llm=True)
    assert quoted.json()["query"]["model"] == "ollama/nobody:1b"


def test_a_stream_ends_with_the_answer_that_json_would_give(client):
    response = ask(client, ANSWERED, stream=True, **RULE)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    assert [name for name, _ in events if name != "stage"] == ["sentence", "answer"]
    stages = [data["stage"] for name, data in events if name == "stage"]
    assert stages == ["embed", "retrieve", "read", "gate", "generate", "ground"]
    assert next(data for name, data in events if name == "sentence")["supported"]
    assert events[-1][1]["answer"] == ask(client, ANSWERED, **RULE).json()["answer"]


@pytest.mark.parametrize("options", [{"mode": "chapter-aware"}, {"mode": "chapter-aware", "filters": {"chapter": 99}}])
def test_what_is_refused_before_anything_is_told_has_the_same_status_streamed(client, options):
    whole, streamed = (ask(client, ANSWERED, stream=stream, **options) for stream in (False, True))
    assert (whole.status_code, streamed.status_code) == (422, 422)
    assert streamed.headers["content-type"] == "application/json"
    assert streamed.json()["details"]["request_id"] == streamed.headers["x-request-id"]
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


def test_questions_without_a_good_answer_are_listed_in_groups(client):
    refused = [ask(client, text).json() for text in (REFUSED, REFUSED.upper())]
    groups = client.get("/api/v1/unanswered?limit=500").json()
    (group,) = [one for one in groups if one["question"].upper() == REFUSED.upper()]
    assert {one["request_id"] for one in refused} <= {one["request_id"] for one in group["questions"]}
    assert group["times"] == len(group["questions"]) == group["why"]["refused"] >= 2
    assert not group["dismissed"]
    assert len(client.get("/api/v1/unanswered?limit=1&days=1").json()) == 1


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
