"""Seed 000 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import json
import re
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from interfaces import SERVICE, lines_of
from seeds import FIRN, GATE, recorded, uploaded, with_model

ask = SERVICE.ask


def chunks(client: TestClient, question: str = ANSWERED, **filters: Any) -> list[dict[str, Any]]:
    body = {"question": question, "filters": filters or None}
    return list(client.post("/api/service/retrieve", json=body).json())


def test_000_a_query_with_every_field_of_the_seed_is_taken_and_a_missing_id_is_generated(client):
    filters = {"source": "safety_manual.pdf", "max_results": 5}
    response = ask(client, f"  {ANSWERED_PDF}\n", filters=filters, request_id="req_20260121_every_field")
    assert response.json()["request_id"] == response.headers["x-request-id"] == "req_20260121_every_field"
    assert type(response.json()["processing_time_ms"]) is int
    query = recorded(client, response)["query"]
    assert (query["filters"]["source"], query["top_k"], query["question"]) == ("safety_manual.pdf", 5, ANSWERED_PDF)
    first, second = (ask(client).json()["request_id"] for _ in range(2))
    assert re.fullmatch(r"req_\d{8}_[0-9a-f]{12}", first)
    assert first != second


def test_000_the_filters_bound_the_chunks_and_each_of_them_names_its_place_in_its_document(client):
    assert [len(chunks(client)), len(chunks(client, source=None)), len(chunks(client, max_results=2.0))] == [5, 5, 2]
    for source, has_pages in (("safety_manual.pdf", True), ("textbook.md", False)):
        found = {chunk["chunk_id"]: chunk["metadata"] for chunk in chunks(client, source=source, max_results=10)}
        stored = client.get(f"/api/v1/documents/{source}").json()["chunk_ids"]
        assert [stored[place["chunk_index"]] for place in found.values()] == [*found]
        assert len(found) == 10
        for place in found.values():
            assert (place["document_name"], place["page_number"] is not None) == (source, has_pages)


def test_000_a_negative_cosine_is_a_similarity_of_0(client):
    body = {"question": REFUSED, "filters": {"source": "noise.txt"}}
    with uploaded(client, {"noise.txt": "Zebra stripes 0x7f 0x3a; kernel panic; stack trace at frame seven."}):
        [raw] = client.post("/api/v1/retrieve", json=body).json()["retrieved"]
        [chunk] = chunks(client, REFUSED, source="noise.txt")
        assert ask(client, **body).json()["confidence"] == 0.0
    assert (raw["cosine"] < 0.0, chunk["similarity_score"]) == (True, 0.0)


def test_000_every_citation_is_an_excerpt_of_a_retrieved_chunk_and_names_its_place(client):
    long = "The north gate opens at six, " + "after the watch has walked round the whole yard, " * 6 + "not earlier."
    with uploaded(client, {"gate.txt": long}):  # one sentence of 335 characters
        for question, filters in ((ANSWERED, {}), (ANSWERED_PDF, {}), (GATE, {"source": "gate.txt"})):
            found = {chunk["chunk_id"]: chunk for chunk in chunks(client, question, **filters)}
            citations = ask(client, question, filters=filters).json()["citations"]
            assert citations
            for citation in citations:
                chunk = found[citation["chunk_id"]]
                assert 0 < len(citation["excerpt"]) <= 200
                assert citation["excerpt"] in chunk["content"]
                place = {name: citation[name] for name in ("document_name", "page_number", "section")}
                assert place.items() <= chunk["metadata"].items()


def test_000_a_citation_is_presented_with_page_or_section_or_its_document_alone(client):
    labels = {
        "safety_manual.pdf": (ANSWERED_PDF, "[safety_manual.pdf, page 8]"),
        "textbook.md": (ANSWERED, "[textbook.md, section 1.1 From snow to ice]"),
        "gate.txt": (GATE, "[gate.txt]"),
    }
    with uploaded(client, {"gate.txt": "The north gate opens at six."}):
        for source, (question, label) in labels.items():
            body = {"question": question, "estimator": "mean_similarity", "top_k": 1, "filters": {"source": source}}
            assert client.post("/api/v1/ask", json=body).json()["citations"][0]["label"] == label


def test_000_confidence_is_the_mean_similarity_of_the_retrieved_chunks_also_where_a_model_answers(client, candor):
    for question in (ANSWERED, REFUSED):
        scores = [chunk["similarity_score"] for chunk in chunks(client, question)]
        assert ask(client, question).json()["confidence"] == pytest.approx(sum(scores) / 5)
    with with_model(candor, lambda question, passages: f"{FIRN} [1]", doubted=True) as speaking:  # support * .4
        response, plain = ask(speaking), ask(client)
    assert (response.json()["answer"], response.json()["confidence"]) == (FIRN, plain.json()["confidence"])


def test_000_below_a_confidence_of_one_half_it_refuses(client):
    question = "How often is the refresher course held and how long does it take?"
    narrow, wide = (ask(client, question, filters={"max_results": most}).json() for most in (1, 5))
    assert (narrow["confidence"] >= 0.5, bool(narrow["answer"])) == (True, True)
    assert (wide["confidence"] < 0.5, wide["answer"]) == (True, None)


def test_000_the_prompt_context_holds_question_retrieved_chunks_and_instructions(client):
    filters = {"source": "safety_manual.pdf", "max_results": 2}
    body = client.post("/api/service/prompt", json={"question": f" {ANSWERED_PDF} ", "filters": filters}).json()
    assert (body["question"], body["retrieved_chunks"]) == (ANSWERED_PDF, chunks(client, ANSWERED_PDF, **filters))
    assert "from what the passages say" in body["system_prompt"]
    for number, chunk in enumerate(body["retrieved_chunks"], start=1):
        assert f"[{number}] safety_manual.pdf, page {chunk['metadata']['page_number']}" in body["formatted_context"]
        assert chunk["content"].split(".")[0] in body["formatted_context"]


def test_000_every_log_line_has_the_seven_keys_and_the_facts_of_the_seed(client, candor):
    response = ask(client)
    lines = lines_of(candor.wiring.recorder.log_path, response)
    assert len(lines) == 8  # a line for each stage, and the last
    for line in lines:
        assert list(line) == ["timestamp", "request_id", "level", "component", "event", "data", "error"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["timestamp"])
        assert (line["level"], line["error"], line["data"]["processing_time_ms"] >= 0) == ("INFO", None, True)
    by_event = {line["event"]: (line["component"], line["data"]) for line in lines}
    assert by_event["query_received"][1]["question_length"] == len(ANSWERED)
    component, data = by_event["chunks_retrieved"]
    assert (component, data["chunks_retrieved"]) == ("retrieval", 5)
    assert (by_event["question_embedded"][0], by_event["answer_generated"][0]) == ("embedding", "generation")
    assert by_event["answer_returned"][1]["confidence"] == response.json()["confidence"]
    assert ANSWERED not in json.dumps(lines)
