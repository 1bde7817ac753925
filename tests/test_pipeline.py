"""The whole way of a question, over the sample library, with the real store, model of embedding, check and log."""

from dataclasses import replace
from uuid import UUID

import pytest
from questions import GLOVES, SURE, ask, log

from rag.ingest.loaders import load
from rag.models import Query


@pytest.fixture(scope="module")
def texts(samples):
    return {path.name: load(path) for path in samples.iterdir() if path.suffix != ".jsonl"}


def test_an_answer_is_cited_and_every_citation_is_a_retrieved_chunk(pipeline):
    answer = ask(pipeline, GLOVES, **SURE)

    assert "laminate gloves are required" in " ".join((answer.answer or "").split())
    assert answer.outcome == "answered"
    assert (answer.message, answer.refusal) == (None, None)
    assert answer.generator.name == "extractive"
    assert {citation.chunk_id for citation in answer.citations} <= {hit.chunk_id for hit in answer.retrieved}
    assert all(sentence.supported and sentence.citations for sentence in answer.sentences)
    assert answer.answer == " ".join(sentence.text for sentence in answer.sentences)


@pytest.mark.parametrize(
    "question",
    [
        GLOVES,
        "Between which values must the face velocity of a fume hood in use lie?",
        "Who is the laser safety officer?",
        "Which extension reaches night security?",
        "What is an esker?",
        "What is the limit for a room per night in North America?",
        "How long do you keep my data?",
    ],
)
def test_excerpts_stand_verbatim_in_the_document_at_the_page_they_name(pipeline, texts, question):
    answer = ask(pipeline, question, **SURE)

    assert answer.citations
    for citation in answer.citations:
        document = texts[citation.document]
        assert 0 < len(citation.excerpt) <= 200
        assert citation.start is not None
        assert document.text[citation.start : citation.end] == citation.excerpt
        if document.pages:
            page = next(span for span in document.pages if span.start <= citation.start < span.end)
            assert citation.page == page.number
        else:
            assert citation.page is None


def test_ten_chunks_are_retrieved_with_top_k_5_and_only_the_first_five_may_be_cited(pipeline):
    answer = ask(pipeline, GLOVES, **SURE)

    assert [hit.rank for hit in answer.retrieved] == list(range(1, 11))
    assert {citation.chunk_id for citation in answer.citations} <= {hit.chunk_id for hit in answer.retrieved[:5]}


def test_ids_are_a_uuid4_and_a_request_id_made_of_it(pipeline):
    answer = ask(pipeline, GLOVES)

    assert answer.query_id.version == 4
    assert answer.request_id == f"req_{answer.query.timestamp:%Y%m%d}_{answer.query_id.hex[:12]}"
    assert ask(pipeline, GLOVES, query_id=UUID("12345678-9abc-4def-8123-456789abcdef")).request_id.endswith(
        "_123456789abc"
    )


def test_the_fingerprints_are_those_of_model_index_settings_and_gate(pipeline, library):
    prints = ask(pipeline, GLOVES).fingerprints

    assert prints.embedding == library.wiring.embedder.fingerprint
    assert prints.index == library.wiring.catalogue.fingerprint()
    assert prints.settings == pipeline.settings_fingerprint != ""
    assert prints.gate == pipeline.estimators["calibrated"].fingerprint
    assert prints.prompt == ""


def test_the_same_question_has_the_same_answer(pipeline):
    one, two = ask(pipeline, GLOVES, **SURE), ask(pipeline, GLOVES, **SURE)

    own = {"request_id", "query_id", "timestamp", "query", "timings_ms"}
    assert one.model_dump(exclude=own) == two.model_dump(exclude=own)


@pytest.mark.parametrize("question", ["¿Qué guantes se necesitan para el diclorometano?", "手袋は？", "🧤🧤🧤", "???"])
def test_any_script_is_answered_or_refused_with_words(pipeline, question):
    answer = ask(pipeline, question)

    assert (answer.answer is None) == (answer.refusal is not None) == bool(answer.message)


def test_retrieving_alone_finds_and_decides_and_returns_no_answer_line(pipeline):
    found = pipeline.retrieve(pipeline.query(GLOVES))

    assert found.retrieval.hits[0].document == "safety_manual.pdf"
    assert found.decision.estimator == "calibrated"
    assert found.timings_ms.generate is None
    assert all(line["event"] != "answer_returned" for line in log(pipeline))


def test_defaults_are_the_operators_and_an_option_overrides_them(pipeline):
    configured = replace(pipeline, defaults={"top_k": 3, "similarity_threshold": 0.2})

    assert (configured.query(GLOVES).top_k, configured.query(GLOVES, top_k=7).top_k) == (3, 7)
    assert configured.query(GLOVES, similarity_threshold=0.0).similarity_threshold == 0.0


def test_a_query_made_by_hand_is_answered_like_a_validated_one(pipeline):
    assert pipeline.ask(Query(question=GLOVES, confidence_threshold=0)).answer
