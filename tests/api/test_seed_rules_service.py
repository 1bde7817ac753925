"""Seed 000: the rules that are about entities, seen from outside. docs/seed-rules.md lists every rule and its test."""

import json
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF
from fastapi.testclient import TestClient
from seeds import GATE, Away, recorded, serving, uploaded, with_model

from api.contracts.service import Citation
from rag.candor import Candor
from rag.errors import StoreUnavailable


def ask(client: TestClient, question: Any = ANSWERED, **more: Any) -> Any:
    return client.post("/api/service/query", json={"question": question, **more})


def chunks(client: TestClient, question: str, **filters: Any) -> list[dict[str, Any]]:
    body = {"question": question, "filters": filters or None}
    return list(client.post("/api/service/retrieve", json=body).json())


def log_of(candor: Candor, response: Any) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in candor.wiring.recorder.log_path.read_text().splitlines()]
    return [line for line in lines if line["request_id"] == response.headers["x-request-id"]]


def test_000_a_query_with_every_field_of_the_seed_is_taken(client: TestClient) -> None:
    filters = {"source": "safety_manual.pdf", "max_results": 5}
    response = ask(client, ANSWERED_PDF, filters=filters, request_id="req_20260121_every_field")
    assert response.status_code == 200
    query = recorded(client, response)["query"]
    assert query["filters"]["source"] == "safety_manual.pdf"
    assert (query["top_k"], query["request_id"]) == (5, "req_20260121_every_field")


def test_000_a_question_is_stripped_before_it_is_asked(client: TestClient) -> None:
    response = ask(client, f"  {ANSWERED}\n")
    assert recorded(client, response)["query"]["question"] == ANSWERED
    assert client.post("/api/service/prompt", json={"question": f" {ANSWERED} "}).json()["question"] == ANSWERED


@pytest.mark.parametrize(("filters", "status"), [(None, 200), ({}, 200), ("a", 422), ([], 422), (5, 422)])
def test_000_filters_are_optional_and_an_object(client: TestClient, filters: Any, status: int) -> None:
    assert ask(client, filters=filters).status_code == status


@pytest.mark.parametrize("source", [5, True, ["textbook.md"]])
def test_000_a_source_is_text(client: TestClient, source: Any) -> None:
    response = ask(client, filters={"source": source})
    assert response.status_code == 422
    assert response.json()["details"]["field"] == "filters.source"


def test_000_a_source_that_is_not_there_finds_nothing(client: TestClient) -> None:
    body = ask(client, filters={"source": "none.pdf"}).json()
    assert (body["answer"], body["citations"], body["confidence"]) == (None, [], 0.0)
    assert "none.pdf" in body["message"]


def test_000_a_whole_number_may_be_written_with_a_point(client: TestClient) -> None:
    assert len(chunks(client, ANSWERED, max_results=2.0)) == 2
    assert ask(client, filters={"max_results": 2.5}).status_code == 422


def test_000_a_chunks_id_is_unique_and_its_index_is_its_position_in_the_document(client: TestClient) -> None:
    found = chunks(client, ANSWERED, max_results=10)
    assert len({chunk["chunk_id"] for chunk in found}) == len(found) == 10
    for chunk in found:
        document = client.get(f"/api/v1/documents/{chunk['metadata']['document_name']}").json()
        assert document["chunk_ids"][chunk["metadata"]["chunk_index"]] == chunk["chunk_id"]


def test_000_a_page_number_stands_where_the_document_has_pages(client: TestClient) -> None:
    assert all(chunk["metadata"]["page_number"] >= 1 for chunk in chunks(client, ANSWERED, source="safety_manual.pdf"))
    assert all(chunk["metadata"]["page_number"] is None for chunk in chunks(client, ANSWERED, source="textbook.md"))


def test_000_a_negative_cosine_is_a_similarity_of_0(client: TestClient) -> None:
    text = "Zebra stripes 0x7f 0x3a; kernel panic; stack trace at frame seven of the debugger."
    body = {"question": "What is the capital of Mongolia?", "filters": {"source": "noise.txt"}}
    with uploaded(client, {"noise.txt": text}):
        [raw] = client.post("/api/v1/retrieve", json=body).json()["retrieved"]
        [chunk] = client.post("/api/service/retrieve", json=body).json()
        assert ask(client, **body).json()["confidence"] == 0.0
    assert raw["cosine"] < 0.0
    assert chunk["similarity_score"] == 0.0


def test_000_an_excerpt_of_a_longer_sentence_has_at_most_200_characters_of_it(client: TestClient) -> None:
    sentence = (
        "The north gate opens at six, " + "after the watch has walked round the whole yard, " * 6 + "not earlier."
    )
    assert len(sentence) == 335  # 29 + 6 * 49 + 12
    with uploaded(client, {"gate.txt": sentence}):
        [citation] = ask(client, GATE, filters={"source": "gate.txt"}).json()["citations"]
    assert 0 < len(citation["excerpt"]) <= 200
    assert citation["excerpt"] in sentence


def test_000_a_citation_is_presented_with_page_or_section_or_its_document_alone(client: TestClient) -> None:
    def presented(question: str, source: str) -> tuple[str, str]:
        body: dict[str, Any] = {"question": question, "filters": {"source": source}}
        canonical = client.post("/api/v1/ask", json={**body, "estimator": "mean_similarity", "top_k": 1}).json()
        body["filters"]["max_results"] = 1
        [own] = client.post("/api/service/query", json=body).json()["citations"]
        return canonical["citations"][0]["label"], str(Citation(**own))

    label = "[safety_manual.pdf, page 8]"
    assert presented(ANSWERED_PDF, "safety_manual.pdf") == (label, label)
    label = "[textbook.md, section 1.1 From snow to ice]"
    assert presented(ANSWERED, "textbook.md") == (label, label)
    with uploaded(client, {"gate.txt": "The north gate opens at six."}):
        assert presented(GATE, "gate.txt") == ("[gate.txt]", "[gate.txt]")


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_000_a_citation_is_taken_from_a_retrieved_chunk(client: TestClient, question: str) -> None:
    found = {chunk["chunk_id"]: chunk for chunk in chunks(client, question)}
    citations = ask(client, question).json()["citations"]
    assert citations
    for citation in citations:
        chunk = found[citation["chunk_id"]]
        assert citation["document_name"] == chunk["metadata"]["document_name"]
        assert (citation["page_number"], citation["section"]) == (
            chunk["metadata"]["page_number"],
            chunk["metadata"]["section"],
        )


def test_000_an_answer_refused_after_the_gate_has_the_confidence_0(candor: Candor) -> None:
    with with_model(candor, lambda question, passages: "The passages do not say.", doubted=True) as client:
        body = ask(client).json()
    assert (body["answer"], body["citations"], body["confidence"]) == (None, [], 0.0)
    assert body["message"].startswith("Information not found in the knowledge base.")


def test_000_the_formatted_context_numbers_its_passages_and_names_document_and_place(client: TestClient) -> None:
    body = client.post(
        "/api/service/prompt", json={"question": ANSWERED_PDF, "filters": {"source": "safety_manual.pdf"}}
    ).json()
    for number, chunk in enumerate(body["retrieved_chunks"], start=1):
        place = f"[{number}] safety_manual.pdf, page {chunk['metadata']['page_number']}"
        assert place in body["formatted_context"]
        assert chunk["content"].split(".")[0] in body["formatted_context"]
    assert "from what the passages say" in body["system_prompt"]


def test_000_the_retrieved_chunks_of_a_prompt_are_those_of_the_retrieval(client: TestClient) -> None:
    body = client.post("/api/service/prompt", json={"question": ANSWERED, "filters": {"max_results": 2}}).json()
    assert body["retrieved_chunks"] == chunks(client, ANSWERED, max_results=2)


def test_000_the_log_has_the_facts_that_the_seed_names(client: TestClient, candor: Candor) -> None:
    response = ask(client)
    lines = log_of(candor, response)
    by_event = {line["event"]: line for line in lines}
    assert by_event["query_received"]["data"]["question_length"] == len(ANSWERED) == 45
    assert by_event["chunks_retrieved"]["component"] == "retrieval"
    assert by_event["chunks_retrieved"]["data"]["chunks_retrieved"] == 5
    assert by_event["answer_generated"]["component"] == "generation"
    assert by_event["answer_returned"]["data"]["confidence"] == response.json()["confidence"]
    assert all(line["data"]["processing_time_ms"] >= 0 for line in lines)
    assert {line["error"] for line in lines} == {None}
    assert ANSWERED not in json.dumps(lines)


def test_000_an_error_line_has_the_details_of_its_error(candor: Candor) -> None:
    response = ask(serving(candor, store=Away(StoreUnavailable("The store is away."))))
    failed = [line for line in log_of(candor, response) if line["level"] == "ERROR"]
    assert response.status_code == 503
    assert response.json()["error_code"] == "VECTOR_DB_ERROR"
    assert failed
    for line in failed:
        assert (line["error"]["error_code"], line["error"]["message"]) == ("VECTOR_DB_ERROR", "The store is away.")
