"""The whole way of a question, over the sample library, with the real store, model of embedding, check and log."""

from dataclasses import replace
from uuid import UUID

import pytest
from questions import GLOVES, KNOWN, OFF_TOPIC, SURE, ask, log
from readers import YES, ScriptedReader, knowing

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


def test_twenty_passages_are_kept_with_top_k_5_and_only_the_first_five_may_be_cited(pipeline):
    answer = ask(pipeline, GLOVES, **SURE)

    assert [hit.rank for hit in answer.retrieved] == list(range(1, 21))
    assert {citation.chunk_id for citation in answer.citations} <= {hit.chunk_id for hit in answer.retrieved[:5]}


def test_ids_are_a_uuid4_and_a_request_id_made_of_it(pipeline):
    answer = ask(pipeline, GLOVES)

    assert answer.query_id.version == 4
    assert answer.request_id == f"req_{answer.query.timestamp:%Y%m%d}_{answer.query_id.hex[:12]}"
    assert ask(pipeline, GLOVES, query_id=UUID("12345678-9abc-4def-8123-456789abcdef")).request_id.endswith(
        "_123456789abc"
    )


def test_the_passage_that_the_reader_finds_comes_first_whatever_its_rank_in_retrieval(pipeline):
    (third,) = [hit for hit in ask(pipeline, GLOVES).retrieved if hit.retrieval_rank == 3]
    start, end = third.best_window
    begins = " ".join(third.content[start:end].split()[:6])
    answer = ask(replace(pipeline, reader=knowing({GLOVES: begins})), GLOVES)

    assert (answer.retrieved[0].chunk_id, answer.retrieved[0].retrieval_rank) == (third.chunk_id, 3)
    assert begins.strip("| ") in " ".join(answer.answer.split())
    assert {citation.chunk_id for citation in answer.citations} == {third.chunk_id}


def test_as_many_windows_are_read_as_the_operator_sets_and_in_one_batch(pipeline):
    reader = knowing(KNOWN)
    answer = ask(replace(pipeline, reader=reader, windows=7), GLOVES)

    assert [len(texts) for _, texts in reader.calls] == [7]
    assert sum(one is not None for hit in answer.retrieved for one in hit.window_readings) == 7


def test_without_a_reader_passages_stay_in_the_order_of_retrieval_and_the_first_is_quoted(pipeline):
    answer = ask(replace(pipeline, reader=None), GLOVES, estimator="max_similarity", **SURE)

    assert [hit.rank for hit in answer.retrieved] == [hit.retrieval_rank for hit in answer.retrieved]
    assert {citation.chunk_id for citation in answer.citations} == {answer.retrieved[0].chunk_id}
    assert {hit.reading for hit in answer.retrieved} == {None}


def test_what_is_unsure_claims_nothing_and_shows_three_sentences(pipeline):
    """Every passage is read as answering with .5: the confidence lies between the two thresholds of the gate."""
    asked = {"confidence_threshold": 1.0, "unsure_threshold": 0.0}
    answer = ask(replace(pipeline, reader=ScriptedReader(lambda question, text: 0.5)), GLOVES, **asked)

    assert (answer.outcome, answer.answer, answer.sentences, answer.citations) == ("unsure", None, (), ())
    assert answer.message.startswith("I can't confirm that your documents answer this.")
    assert (answer.refusal.stage, answer.generator.name) == ("gate", "none")
    contents = {hit.chunk_id: hit.content for hit in answer.retrieved}
    assert len(answer.gate.nearest_misses) == 3
    for miss in answer.gate.nearest_misses:
        assert miss.sentence
        assert miss.sentence in miss.excerpt
        assert miss.excerpt in contents[miss.chunk_id]


# --- two questions in one ---------------------------------------------------------------------------------------------

NIGHT = "Which extension reaches night security?"


def test_two_questions_in_one_are_answered_one_by_one(pipeline):
    answer = ask(replace(pipeline, reader=knowing(KNOWN)), f"{GLOVES} {NIGHT}")

    told = [" ".join(sentence.text.split()) for sentence in answer.sentences]
    assert "laminate gloves are required" in told[0]
    assert "4499" in told[-1]
    assert [hit.rank for hit in answer.retrieved] == list(range(1, len(answer.retrieved) + 1))
    assert {citation.chunk_id for citation in answer.citations} == {hit.chunk_id for hit in answer.retrieved[:2]}
    assert not any(note.startswith("Not answered") for note in answer.notes)


def test_of_two_questions_the_one_without_an_answer_is_named(pipeline):
    answer = ask(replace(pipeline, reader=knowing(KNOWN)), f"{OFF_TOPIC} {GLOVES}")

    assert answer.outcome == "answered"
    assert "laminate gloves are required" in " ".join(answer.answer.split())
    assert f"Not answered: {OFF_TOPIC}" in answer.notes


def test_two_questions_without_an_answer_are_refused_as_one(pipeline):
    answer = ask(replace(pipeline, reader=knowing({})), f"{OFF_TOPIC} {GLOVES}")

    assert (answer.outcome, answer.answer, answer.notes) == ("refused", None, ())


def test_with_one_passage_shown_only_the_part_that_it_answers_is_quoted(pipeline):
    answer = ask(replace(pipeline, reader=knowing(KNOWN)), f"{GLOVES} {NIGHT}", top_k=1)

    assert {citation.chunk_id for citation in answer.citations} == {answer.retrieved[0].chunk_id}
    assert "laminate gloves are required" in " ".join(answer.answer.split())


# --- follow-ups -------------------------------------------------------------------------------------------------------

BEFORE, AFTER = "Which gloves are worn with ethers?", "And with dichloromethane?"
JOINED = f"{BEFORE} {AFTER}"
LAMINATE = "laminate gloves are required"


def follow_up(pipeline, answers):
    reader = knowing(answers)
    return ask(replace(pipeline, reader=reader), AFTER, previous=BEFORE, top_k=20), reader


def test_a_follow_up_is_answered_by_the_reading_that_finds_more_and_says_so(pipeline):
    answer, _ = follow_up(pipeline, {JOINED: LAMINATE})

    assert answer.outcome == "answered"
    assert LAMINATE in " ".join(answer.answer.split())
    assert answer.notes[0] == f"Read as: {JOINED}"
    assert (answer.query.question, answer.asked) == (AFTER, JOINED)


def test_a_question_that_finds_more_as_asked_is_not_read_otherwise(pipeline):
    answer, _ = follow_up(pipeline, {AFTER: LAMINATE})

    assert LAMINATE in " ".join(answer.answer.split())
    assert (answer.notes, answer.asked) == ((), None)


def test_where_both_readings_find_as_much_the_question_stands_as_asked(pipeline):
    answer, _ = follow_up(pipeline, {AFTER: LAMINATE, JOINED: LAMINATE})

    assert (answer.notes, answer.asked) == ((), None)


def test_a_passage_that_only_answers_the_question_before_is_no_find(pipeline):
    answer, reader = follow_up(pipeline, {JOINED: LAMINATE, BEFORE: LAMINATE})

    assert (answer.outcome, answer.asked) == ("refused", None)
    assert [question for question, _ in reader.calls] == [AFTER, JOINED, BEFORE, AFTER]


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

    assert (answer.answer is None) == bool(answer.message)
    assert (answer.refusal is None) == (answer.outcome in ("answered", "talk"))


def test_retrieving_alone_finds_and_decides_and_returns_no_answer_line(pipeline):
    found = pipeline.retrieve(pipeline.query(GLOVES))

    assert found.retrieval.hits[0].document == "safety_manual.pdf"
    assert found.retrieval.hits[0].reading == YES
    assert found.decision.estimator == "calibrated"
    assert found.timings_ms.read > 0
    assert found.timings_ms.generate is None
    assert all(line["event"] != "answer_returned" for line in log(pipeline))


def test_defaults_are_the_operators_and_an_option_overrides_them(pipeline):
    configured = replace(pipeline, defaults={"top_k": 3, "similarity_threshold": 0.2})

    assert (configured.query(GLOVES).top_k, configured.query(GLOVES, top_k=7).top_k) == (3, 7)
    assert configured.query(GLOVES, similarity_threshold=0.0).similarity_threshold == 0.0


def test_a_query_made_by_hand_is_answered_like_a_validated_one(pipeline):
    assert pipeline.ask(Query(question=GLOVES, confidence_threshold=0)).answer
