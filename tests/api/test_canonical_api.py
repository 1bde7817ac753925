"""The canonical routes: questions, documents, records, sessions, health."""

import json
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from interfaces import OPENAI, V1

from api.schemas import AskRequest
from rag.candor import Candor
from rag.models import Answer

FIELDS = (
    "outcome answer sentences citations retrieved confidence gate grounding refusal message generator timings_ms "
    "request_id query_id session_id fingerprints timestamp"
)
RULE = {"estimator": "mean_similarity"}


def ask(client: TestClient, question: Any, **more: Any) -> Any:
    return client.post("/api/v1/ask", json={"question": question, **more})


def test_an_answer_has_every_field_that_the_design_names(client: TestClient) -> None:
    body = ask(client, ANSWERED_PDF, **RULE).json()
    assert set(body) >= set(FIELDS.split())
    assert (body["refusal"], body["outcome"], len(body["retrieved"])) == (None, "answered", 20)
    cited = "document page chapter section excerpt chunk_id similarity_score url ieee"
    assert set(body["citations"][0]) >= set(cited.split())
    found = "rank retrieval_rank chunk_id document page chapter section similarity_score content"
    assert set(body["retrieved"][0]) >= set(found.split())
    assert all(sentence["citations"] for sentence in body["sentences"])
    assert set(body["timings_ms"]) >= {"embed", "retrieve", "read", "gate", "generate", "ground", "total"}


def test_what_was_read_has_a_reading_for_each_window_and_a_mark_for_each_sentence(client: TestClient) -> None:
    for found in (ask(client, ANSWERED), client.post("/api/v1/retrieve", json={"question": ANSWERED})):
        for hit in found.json()["retrieved"]:
            assert len(hit["window_readings"]) == len(hit["window_cosines"]) == len(hit["windows"])
            assert len(hit["marks"]) == len(hit["sentences"])
        best = found.json()["retrieved"][0]
        assert 0 < max(reading for reading in best["window_readings"] if reading is not None) <= 1
        assert sorted(hit["rank"] for hit in found.json()["retrieved"]) == [*range(1, 21)]
        assert len({hit["retrieval_rank"] for hit in found.json()["retrieved"]}) == 20


UNSURE = {"confidence_threshold": 1.0, "unsure_threshold": 0.0}
"""Thresholds between which every confidence lies."""


def test_between_the_two_thresholds_passages_are_shown_and_nothing_is_claimed(client: TestClient) -> None:
    response = ask(client, ANSWERED, **UNSURE)
    body = response.json()
    assert (response.status_code, body["outcome"], body["answer"]) == (200, "unsure", None)
    assert (body["sentences"], body["citations"], body["refusal"]["stage"]) == ([], [], "gate")
    assert body["message"]
    gate = body["gate"]
    assert (gate["outcome"], gate["passed"], gate["unsure_threshold"]) == ("unsure", False, 0.0)
    assert 1 <= len(gate["nearest_misses"]) <= 3
    assert all(miss["sentence"] and miss["sentence"] in miss["excerpt"] for miss in gate["nearest_misses"])
    found = client.post("/api/v1/retrieve", json={"question": ANSWERED, **UNSURE}).json()
    assert found["gate"]["outcome"] == "unsure"


def test_an_estimator_without_an_unsure_threshold_refuses_below_the_other(client: TestClient) -> None:
    body = ask(client, ANSWERED, **UNSURE, **RULE).json()
    assert (body["outcome"], body["gate"]["unsure_threshold"]) == ("refused", None)


def test_a_stream_of_a_question_on_which_it_is_unsure_ends_as_one_of_an_answer_does(client: TestClient) -> None:
    told = ask(client, ANSWERED, stream=True, **UNSURE).text
    *_, last = [part for part in told.split("\n\n") if part]
    assert last.startswith("event: answer\ndata: {")
    assert json.loads(last.split("data: ", 1)[1])["outcome"] == "unsure"


def test_a_refusal_is_200_and_says_why(client: TestClient) -> None:
    response = ask(client, REFUSED, **RULE)
    body = response.json()
    assert response.status_code == 200
    assert body["answer"] is None
    assert body["refusal"]["stage"] == "gate"
    assert body["gate"]["margin"] < 0
    assert body["gate"]["nearest_misses"]


def test_retrieve_finds_the_same_and_generates_nothing(client: TestClient) -> None:
    found = client.post("/api/v1/retrieve", json={"question": ANSWERED, **RULE}).json()
    answer = ask(client, ANSWERED, **RULE).json()
    assert found["confidence"] == answer["confidence"]
    assert found["gate"]["passed"] is True
    assert [hit["chunk_id"] for hit in found["retrieved"]] == [hit["chunk_id"] for hit in answer["retrieved"]]
    assert found["timings_ms"]["generate"] is None


def test_options_of_a_question_are_used(client: TestClient) -> None:
    body = ask(
        client,
        ANSWERED,
        estimator="max_similarity",
        confidence_threshold=0.99,
        top_k=3,
        similarity_threshold=0.2,
        filters={"source": "textbook.md"},
        no_llm=True,
    ).json()
    assert (body["gate"]["estimator"], body["gate"]["threshold"], body["answer"]) == ("max_similarity", 0.99, None)
    assert {hit["document"] for hit in body["retrieved"]} == {"textbook.md"}
    assert min(hit["similarity_score"] for hit in body["retrieved"]) >= 0.2
    assert body["query"]["top_k"] == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"question": 5}, "question = 5 is not valid: it must be text."),
        ({"top_k": True}, "top_k = true is not valid: it must be a whole number."),
        ({"filters": []}, "filters = [] is not valid: it must be an object, in bra"),
        ({"filters": {"source": "a" * 1001}}, "filters.source = 'aaa"),
        ({"question": "\ud800 is what"}, "The question has half a character (the surrogate U+D800) at "),
        ({"topk": 3}, "topk is not a field of this request; leave it out or check its spelling."),
        ({"mode": "chapter-aware"}, "filters.chapter"),
        ({"mode": "selected-text-only"}, "context"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(client: TestClient, body: Any, message: str) -> None:
    refused = V1.ask(client, **body)
    assert refused.status_code == 422
    assert message in V1.told(refused)[1]


def test_a_document_that_is_not_there_is_named_in_the_refusal_of_every_interface(client: TestClient) -> None:
    filters = {"source": "Textbok.md"}
    told = "There is no document 'Textbok.md' in the index; documents there, the nearest names first: textbook.md, "
    assert told in ask(client, ANSWERED, filters=filters).json()["message"]
    assert (
        told
        in client.post("/api/v1/retrieve", json={"question": ANSWERED, "filters": filters}).json()["gate"]["reason"]
    )
    service = client.post("/api/service/query", json={"question": ANSWERED, "filters": filters})
    assert (service.status_code, service.json()["answer"]) == (200, None)
    assert told in service.json()["message"]


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


def test_every_option_arrives_in_the_query(client: TestClient) -> None:
    query = ask(client, ANSWERED, **OPTIONS).json()["query"]
    changed = {"session_id": OPTIONS["session_id"].lower(), "filters": {**PLACE, "collection": None, "sources": None}}
    assert {name: query[name] for name in OPTIONS} == {**OPTIONS, **changed}
    tested = {*OPTIONS, "question", "stream", "context", "model"}  # the first two in every test, the others below
    assert set(AskRequest.model_fields) == tested


def test_a_model_that_no_server_lists_is_an_error_that_says_so(client: TestClient) -> None:
    refused = ask(client, ANSWERED, model="ollama/nobody:1b")
    assert (refused.status_code, refused.json()["error_code"]) == (422, "INVALID_INPUT")
    assert "'ollama/nobody:1b' is not at hand here" in refused.json()["message"]
    quoted = ask(client, ANSWERED, model="ollama/nobody:1b", no_llm=True)
    assert quoted.json()["query"]["model"] == "ollama/nobody:1b"


def test_a_selected_text_is_all_that_is_looked_at(client: TestClient) -> None:
    text = "The harbour crane lifts at most twelve tonnes. It is inspected every second Monday by the harbour master."
    question = "How many tonnes does the harbour crane lift?"
    body = ask(client, question, mode="selected-text-only", context=text, **RULE).json()
    assert "twelve tonnes" in body["answer"]
    assert {hit["document"] for hit in body["retrieved"]} == {"selected text"}
    assert ask(client, ANSWERED, mode="selected-text-only", context=text).json()["answer"] is None


def events_of(text: str) -> list[tuple[str, Any]]:
    parts = [part.split("\n", 1) for part in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in parts]


def test_a_stream_ends_with_the_answer_that_json_would_give(client: TestClient) -> None:
    response = ask(client, ANSWERED, stream=True, **RULE)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    assert [name for name, _ in events if name != "stage"] == ["sentence", "answer"]
    stages = [data["stage"] for name, data in events if name == "stage"]
    assert stages == ["embed", "retrieve", "read", "gate", "generate", "ground"]
    assert next(data for name, data in events if name == "sentence")["supported"]
    assert events[-1][1]["answer"] == ask(client, ANSWERED, **RULE).json()["answer"]


@pytest.mark.parametrize("options", [{"mode": "chapter-aware"}, {"mode": "chapter-aware", "filters": {"chapter": 99}}])
def test_what_is_refused_before_anything_is_told_has_the_same_status_streamed(
    client: TestClient, options: dict[str, Any]
) -> None:
    whole, streamed = (ask(client, ANSWERED, stream=stream, **options) for stream in (False, True))
    assert (whole.status_code, streamed.status_code) == (422, 422)
    assert streamed.headers["content-type"] == "application/json"
    assert streamed.json()["details"]["request_id"] == streamed.headers["x-request-id"]
    assert streamed.json()["message"] == whole.json()["message"]


def test_what_a_mode_does_not_use_is_said(client: TestClient) -> None:
    context = "The keeper checks the lamp every four hours and writes it down."
    selected = {"mode": "selected-text-only", "context": context}
    told = {
        "context": ask(client, ANSWERED, context=context).json(),
        "chapter": ask(client, ANSWERED, context=context, mode="chapter-aware", filters={"chapter": 1}).json(),
        "filters": ask(client, ANSWERED, **selected, filters={"source": "textbook.md", "page": 2}).json(),
        "found": client.post("/api/v1/retrieve", json={"question": ANSWERED, "context": context}).json(),
    }
    said = "context was not used: mode is 'book-wide'. Set mode to 'selected-text-only' to answer from context alone."
    assert told["context"]["notes"][-1] == told["found"]["notes"][-1] == said
    assert told["chapter"]["notes"][-1].startswith("context was not used: mode is 'chapter-aware'.")
    assert told["filters"]["notes"][-1] == (
        "filters.source, filters.page were not used: mode is 'selected-text-only', which looks at nothing but context."
    )
    events = events_of(ask(client, ANSWERED, context=context, stream=True).text)
    assert events[-1][1]["notes"][-1] == said


@pytest.mark.parametrize(
    "options",
    [
        {"filters": {"source": "textbook.md"}},
        {"context": " "},
        {"context": None, "filters": {"source": None}},
        {"mode": "selected-text-only", "context": "Firn becomes glacier ice at 830 kilograms.", "filters": {}},
    ],
)
def test_what_a_mode_uses_needs_no_word(client: TestClient, options: dict[str, Any]) -> None:
    assert not [note for note in ask(client, ANSWERED, **options).json()["notes"] if "not used" in note]


def test_a_question_too_short_for_a_chat_has_the_same_status_streamed(client: TestClient) -> None:
    for stream in (False, True):
        refused = OPENAI.ask(client, "a", stream=stream)
        assert (refused.status_code, OPENAI.told(refused)[0]) == (422, "QUERY_TOO_SHORT")


TOOL = {"type": "function", "function": {"name": "look_up"}}


def test_a_chat_names_the_fields_that_it_does_not_heed(client: TestClient) -> None:
    for stream in (False, True):
        answered = OPENAI.ask(client, stream=stream, tools=[TOOL], n=2, user="ada")
        assert (answered.status_code, answered.headers["x-candor-ignored"]) == (200, "n, tools")
    by_default = {"tools": [], "n": 1, "tool_choice": "auto", "response_format": {"type": "text"}, "stop": None}
    assert "x-candor-ignored" not in OPENAI.ask(client, **by_default).headers


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("response_format", {"type": "json_object"}, "response_format.type = 'json_object' is not supported"),
        ("response_format", {"type": "json_schema", "json_schema": {}}, "POST /api/v1/ask answers in JSON"),
        ("tool_choice", "required", "tool_choice = 'required' is not supported"),
        ("tool_choice", TOOL, "Candor calls no tool"),
    ],
)
def test_a_chat_that_must_be_json_or_call_a_tool_is_refused(
    client: TestClient, field: str, value: Any, named: str
) -> None:
    for stream in (False, True):
        refused = OPENAI.ask(client, stream=stream, tools=[TOOL], **{field: value})
        assert (refused.status_code, refused.json()["error"]["param"]) == (422, field)
        assert named in refused.json()["error"]["message"]


def test_what_another_process_promotes_or_takes_back_decides_from_the_next_question_on(
    client: TestClient, candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.stored.in_force.FOLLOW_EVERY_S", 0.0)
    promotions = candor.wiring.sessions.promotions
    promotions.promote({"top_k": 3}, note="elsewhere", by="Ada")
    try:
        assert ask(client, ANSWERED).json()["query"]["top_k"] == 3
    finally:
        promotions.undo(by="Ada")
    assert client.post("/api/v1/retrieve", json={"question": ANSWERED}).status_code == 200
    assert candor.settings.top_k == 5


def test_a_recorded_answer_can_be_read_again_and_judged(client: TestClient) -> None:
    body = ask(client, ANSWERED, **RULE).json()
    assert client.get(f"/api/v1/requests/{body['request_id']}").json() == body
    assert body["request_id"] in [item["request_id"] for item in client.get("/api/v1/requests?limit=3").json()]
    kept = client.post("/api/v1/feedback", json={"request_id": body["request_id"], "verdict": "bad", "note": "old"})
    assert kept.json() == {"request_id": body["request_id"], "kept": True}
    recorder = client.app.state.desk.candor.wiring.recorder  # type: ignore[attr-defined]
    assert recorder.verdict(body["request_id"]) == "bad"
    back = client.post("/api/v1/feedback", json={"request_id": body["request_id"], "verdict": "withdrawn"})
    assert back.status_code == 200
    assert recorder.verdict(body["request_id"]) is None


def test_questions_without_a_good_answer_are_listed_in_groups(client: TestClient) -> None:
    refused = [ask(client, text).json() for text in (REFUSED, REFUSED.upper())]
    groups = client.get("/api/v1/unanswered?limit=500").json()
    (group,) = [one for one in groups if one["question"].upper() == REFUSED.upper()]
    assert {one["request_id"] for one in refused} <= {one["request_id"] for one in group["questions"]}
    assert group["times"] == len(group["questions"]) == group["why"]["refused"] >= 2
    assert not group["dismissed"]
    assert len(client.get("/api/v1/unanswered?limit=1&days=1").json()) == 1


def test_documents_are_uploaded_listed_asked_and_removed(client: TestClient) -> None:
    text = b"# Harbour rules\n\nThe harbour crane lifts at most twelve tonnes and is inspected every second Monday."
    uploaded = client.post("/api/v1/documents", files={"file": ("harbour.md", text)}).json()
    assert [(file["document"], file["outcome"]) for file in uploaded["files"]] == [("harbour.md", "added")]
    listed = {record["document"]: record for record in client.get("/api/v1/documents").json()}
    assert listed["harbour.md"]["chunks"] == 1
    assert client.get("/api/v1/documents/harbour.md").json() == listed["harbour.md"]
    question = {"question": "How many tonnes does the harbour crane lift?", "filters": {"source": "harbour.md"}}
    assert client.post("/api/v1/retrieve", json=question).json()["retrieved"]
    assert client.delete("/api/v1/documents/harbour.md").json() == {"document": "harbour.md", "removed": True}
    assert client.post("/api/v1/retrieve", json=question).json()["retrieved"] == []
    assert client.delete("/api/v1/documents/harbour.md").status_code == 404
    assert client.get("/api/v1/documents/harbour.md").status_code == 404


def test_a_follow_up_question_is_read_with_the_one_before_and_says_so(client: TestClient) -> None:
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    question = "Which gloves are required for dichloromethane?"
    first = ask(client, question, session_id=session_id).json()
    found = client.post("/api/v1/retrieve", json={"question": "And why?", "session_id": session_id, **RULE}).json()
    second = ask(client, "And why?", session_id=session_id, **RULE).json()
    joined = f"{question} And why?"
    assert (first["session_id"], first["query"]["previous"]) == (session_id, None)
    assert not [note for note in first["notes"] if note.startswith("Read as")]
    assert (second["query"]["question"], second["query"]["previous"]) == ("And why?", question)
    assert (second["asked"], second["notes"][0]) == (joined, f"Read as: {joined}")
    assert (found["notes"][0], found["confidence"]) == (second["notes"][0], pytest.approx(second["confidence"]))
    history = client.get(f"/api/v1/sessions/{session_id}/history").json()
    assert [turn["question"] for turn in history] == [question, "And why?"]  # what was only retrieved for is no turn
    assert [turn["answer"]["read_as"] for turn in history] == [question, joined]
    assert client.get(f"/api/v1/sessions/{session_id}").json()["query_count"] == 2


def test_a_question_that_finds_more_as_it_was_asked_is_read_so(client: TestClient) -> None:
    session = {"session_id": client.post("/api/v1/sessions").json()["session_id"]}
    ask(client, "Which hotel may be booked?", **session)
    second = ask(client, ANSWERED, **session, **RULE).json()
    assert second["query"]["previous"] == "Which hotel may be booked?"
    assert second["asked"] is None
    assert not [note for note in second["notes"] if note.startswith("Read as")]


def test_a_deleted_session_is_gone_with_its_recorded_answers(client: TestClient) -> None:
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    request_id = ask(client, ANSWERED, session_id=session_id).json()["request_id"]
    assert client.get(f"/api/v1/requests/{request_id}").status_code == 200
    assert client.delete(f"/api/v1/sessions/{session_id}").json() == {"session_id": session_id, "turns": 1}
    assert client.get(f"/api/v1/requests/{request_id}").status_code == 404
    assert client.get(f"/api/v1/sessions/{session_id}").status_code == 404
    assert client.delete(f"/api/v1/sessions/{session_id}").status_code == 404


def test_health_names_every_service_with_its_state(client: TestClient) -> None:
    response = client.get("/api/v1/health")
    services = response.json()["services"]
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    states = {name: service["state"] for name, service in services.items()}
    connected = dict.fromkeys(("qdrant", "embedding", "sessions"), "connected")
    assert states == {**connected, "llm": "disconnected"}
    assert (services["llm"]["kind"], services["llm"]["model"]) == ("ollama", None)


def test_the_api_gives_what_the_library_gives(client: TestClient, candor: Candor) -> None:
    over_http = Answer.model_validate(
        {**ask(client, ANSWERED, **RULE).json()}
        | {"citations": [], "answer": None, "message": "-", "refusal": {"stage": "gate", "reason": "-"}}
        | {"outcome": "refused"}
    )
    in_process = candor.ask(ANSWERED, estimator="mean_similarity")
    assert over_http.confidence == in_process.confidence
    assert over_http.sentences == in_process.sentences
    assert over_http.fingerprints == in_process.fingerprints
