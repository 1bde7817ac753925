"""Seed 001 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from typing import Any

from api_samples import ANSWERED, ANSWERED_PDF
from interfaces import TEXTBOOK
from seeds import recorded, with_model

ask = TEXTBOOK.ask


def test_001_the_options_of_a_query_are_used_and_are_5_chunks_and_one_half_by_default(client):
    given = {"max_chunks": 7, "similarity_threshold": 0.25}
    for more, options in (({}, (5, 0.5)), (dict.fromkeys(given), (5, 0.5)), (given, (7, 0.25))):
        query = recorded(client, ask(client, **more))["query"]
        assert (query["top_k"], query["similarity_threshold"]) == options


def test_001_the_options_of_a_query_bound_the_chunks_used(client):
    assert len(ask(client, max_chunks=1).json()["chunks_used"]) == 1
    used = ask(client, similarity_threshold=0.6).json()["chunks_used"]
    assert [chunk["similarity_score"] >= 0.6 for chunk in used] == [True] * len(used) != []
    question = "How often is the refresher course held and how long does it take?"
    statuses = [ask(client, question, similarity_threshold=threshold).status_code for threshold in (None, 0.5, 0.0)]
    assert statuses == [200, 200, 404]  # the mean of five is below one half


def test_001_an_embedding_is_made_from_the_text_alone(client):
    def made(text: str) -> Any:
        return client.post("/api/textbook/embedding", json={"text": text}).json()

    assert made(ANSWERED) == made(f" {ANSWERED} ") != made(ANSWERED_PDF)
    own = client.post("/api/service/embedding", json={"question": ANSWERED}).json()
    assert made(ANSWERED)["vector"] == own["vector"]


def test_001_every_citation_is_of_a_chunk_used_has_its_ieee_text_and_page_and_url_only_where_the_source_has(client):
    for question, title, page, section, url in (
        (ANSWERED, "Glaciers", None, "1.1 From snow to ice", "https://"),
        (ANSWERED_PDF, "Laboratory Safety Manual", 8, None, ""),
    ):
        body = ask(client, f" {question} ").json()
        assert body["query"] == f" {question} "  # as it was given
        metadata = {chunk["metadata"]["citation"]: chunk["metadata"] for chunk in body["chunks_used"]}
        assert [citation["text"] for citation in body["citations"]] == list(metadata)
        for number, citation in enumerate(body["citations"], start=1):
            chunk = metadata[citation["text"]]
            assert (citation["source"], citation["url"]) == (chunk["source"], chunk["url"])
            assert (chunk["page_number"], (chunk["url"] or "")[: len(url)], bool(chunk["url"])) == (
                page,
                url,
                bool(url),
            )
            assert section in (None, chunk["section_title"])
            assert re.fullmatch(rf"\[{number}\] .+, \d{{4}}, .+\.?", citation["text"])  # authors and title, year, place
            assert title in citation["text"]


def test_001_several_chunks_make_one_response(candor):
    def first_sentences(question: str, passages: list[str]) -> str:
        return " ".join(f"{text.split('. ')[0]}. [{number}]" for number, text in enumerate(passages, start=1))

    with with_model(candor, first_sentences) as client:
        body = ask(client, similarity_threshold=0.0).json()
    assert len(body["chunks_used"]) == len({chunk["id"] for chunk in body["chunks_used"]}) > 1
    numbers = [citation["text"].split()[0] for citation in body["citations"]]
    assert numbers == [f"[{number}]" for number in range(1, len(numbers) + 1)]
