"""The whole way of a question, over the sample library, with the real store, model of embedding, check and log."""

from dataclasses import replace

import pytest
from questions import GLOVES, KNOWN, OFF_TOPIC, SURE, ask
from readers import ScriptedReader, knowing

from rag.ingest.loaders import load


@pytest.fixture(scope="module")
def texts(samples):
    return {path.name: load(path) for path in samples.iterdir() if path.suffix != ".jsonl"}


def test_an_answer_is_cited_and_every_citation_is_one_of_the_first_five_passages(pipeline):
    answer = ask(pipeline, GLOVES, **SURE)

    assert "laminate gloves are required" in " ".join((answer.answer or "").split())
    assert answer.outcome == "answered"
    assert (answer.message, answer.refusal) == (None, None)
    assert answer.generator.name == "extractive"
    assert [hit.rank for hit in answer.retrieved] == list(range(1, 21))  # of which the first five may be cited
    assert {citation.chunk_id for citation in answer.citations} <= {hit.chunk_id for hit in answer.retrieved[:5]}
    assert all(sentence.supported and sentence.citations for sentence in answer.sentences)
    assert answer.answer == " ".join(sentence.text for sentence in answer.sentences)


@pytest.mark.parametrize(
    "question",
    [
        GLOVES,
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


def test_the_passage_that_the_reader_finds_comes_first_whatever_its_rank_in_retrieval(pipeline):
    (third,) = [hit for hit in ask(pipeline, GLOVES).retrieved if hit.retrieval_rank == 3]
    start, end = third.best_window
    begins = " ".join(third.content[start:end].split()[:6])
    answer = ask(replace(pipeline, reader=knowing({GLOVES: begins})), GLOVES)

    assert (answer.retrieved[0].chunk_id, answer.retrieved[0].retrieval_rank) == (third.chunk_id, 3)
    assert begins.strip("| ") in " ".join(answer.answer.split())
    assert {citation.chunk_id for citation in answer.citations} == {third.chunk_id}


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
    nothing = ask(replace(pipeline, reader=knowing({})), f"{OFF_TOPIC} {GLOVES}")
    assert (nothing.outcome, nothing.answer, nothing.notes) == ("refused", None, ())


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


@pytest.mark.parametrize("answers", [{AFTER: LAMINATE}, {AFTER: LAMINATE, JOINED: LAMINATE}])
def test_a_question_that_finds_as_much_as_asked_is_not_read_otherwise(pipeline, answers):
    answer, _ = follow_up(pipeline, answers)

    assert LAMINATE in " ".join(answer.answer.split())
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
