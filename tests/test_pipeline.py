"""The whole way of a question, over the sample library, with the real store, model of embedding, check and log."""

from dataclasses import replace

import pytest
from questions import GLOVES, OFF_TOPIC, SURE, ask
from readers import knowing

from rag.ingest.loaders import load


@pytest.fixture(scope="module")
def texts(samples):
    return {path.name: load(path) for path in samples.iterdir() if path.suffix != ".jsonl"}


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


NIGHT = "Which extension reaches night security?"
LAMINATE = "laminate gloves are required"


def test_two_questions_in_one_are_answered_one_by_one_and_one_without_an_answer_is_named(pipeline):
    answer = ask(pipeline, f"{GLOVES} {NIGHT}")
    told = [" ".join(sentence.text.split()) for sentence in answer.sentences]
    assert LAMINATE in told[0]
    assert "4499" in told[-1]
    assert [hit.rank for hit in answer.retrieved] == list(range(1, len(answer.retrieved) + 1))
    assert {citation.chunk_id for citation in answer.citations} == {hit.chunk_id for hit in answer.retrieved[:2]}
    assert not any(note.startswith("Not answered") for note in answer.notes)
    half = ask(pipeline, f"{OFF_TOPIC} {GLOVES}")
    assert half.outcome == "answered"
    assert LAMINATE in " ".join(half.answer.split())
    assert f"Not answered: {OFF_TOPIC}" in half.notes
    nothing = ask(replace(pipeline, reader=knowing({})), f"{OFF_TOPIC} {GLOVES}")
    assert (nothing.outcome, nothing.answer, nothing.notes) == ("refused", None, ())


def test_two_questions_in_one_sentence_are_told_apart_and_one_that_leans_is_read_joined_to_the_first(pipeline):
    alone, leaning = "which extension reaches night security?", "how long does it resist?"
    both = f"{GLOVES.rstrip('?')} and {alone}"
    reader = knowing({GLOVES: LAMINATE, alone: "4499", f"{GLOVES} {leaning}": "two minutes", leaning: "two minutes"})
    answer = ask(replace(pipeline, reader=reader), both)
    assert all(words in " ".join(answer.answer.split()) for words in (LAMINATE, "4499"))
    assert f"Read as: {GLOVES} {alone}" in answer.notes
    assert ask(replace(pipeline, reader=reader), both, as_asked=True).outcome == "refused"
    leans = ask(replace(pipeline, reader=knowing({GLOVES: LAMINATE})), f"{GLOVES.rstrip('?')} and {leaning}")
    assert f"Not answered: {leaning}" in leans.notes
    joined = ask(replace(pipeline, reader=reader), f"{GLOVES.rstrip('?')} and {leaning}")
    assert not any(note.startswith("Not answered") for note in joined.notes)


BEFORE, AFTER = "Which gloves are worn with ethers?", "And with dichloromethane?"
JOINED = f"{BEFORE} {AFTER}"


@pytest.mark.parametrize(
    ("found_by", "outcome", "asked"),
    [
        ([JOINED], "answered", JOINED),
        ([AFTER], "answered", None),
        ([AFTER, JOINED], "answered", None),  # as much as asked: it is not read otherwise
        ([JOINED, BEFORE], "refused", None),  # a passage that only answers the question before is no find
    ],
)
def test_a_follow_up_is_answered_by_the_reading_that_finds_more_and_says_so(pipeline, found_by, outcome, asked):
    reader = knowing(dict.fromkeys(found_by, LAMINATE))
    answer = ask(replace(pipeline, reader=reader), AFTER, previous=BEFORE, top_k=20)
    assert (answer.outcome, answer.query.question, answer.asked) == (outcome, AFTER, asked)
    assert answer.notes == ((f"Read as: {JOINED}",) if asked else ())
    assert (LAMINATE in " ".join((answer.answer or "").split())) == (outcome == "answered")
    if BEFORE in found_by:
        assert [question for question, _ in reader.calls] == [AFTER, JOINED, BEFORE, AFTER]


def test_the_fingerprints_are_those_of_model_index_settings_and_gate(pipeline, library):
    prints = ask(pipeline, GLOVES).fingerprints
    assert prints.embedding == library.wiring.embedder.fingerprint
    assert prints.index == library.wiring.catalogue.fingerprint()
    assert prints.settings == pipeline.settings_fingerprint != ""
    assert prints.gate == pipeline.estimators["calibrated"].fingerprint
    assert prints.prompt == ""


def test_confidence_is_computed_alike_whatever_the_threshold_and_the_operators_is_for_its_own_estimator(pipeline):
    low, high = (ask(pipeline, GLOVES, confidence_threshold=value) for value in (0.0, 1.0))
    strict = replace(pipeline, threshold=1.0)
    assert low.confidence == high.confidence
    assert (low.outcome, high.outcome) == ("answered", "unsure")
    assert ask(strict, GLOVES).gate.threshold == 1.0
    assert ask(strict, GLOVES, estimator="mean_similarity").gate.threshold == 0.5


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"source": "Manul.pdf"}, "no document 'Manul.pdf' in the index. Indexed documents, the nearest names"),
        ({"section": "99 Nowhere"}, "There is no section '99 Nowhere' in the index. Indexed sections"),
        ({"module": "nothing"}, "There is no module 'nothing' in the index. Indexed modules"),
        ({"page": 4711}, "There is no text on page 4711 of the index"),
    ],
)
def test_a_filter_that_fits_nothing_is_told_as_such_in_the_refusal(pipeline, filters, told):
    answer = ask(pipeline, GLOVES, filters=filters)
    assert told in answer.message
    assert told in answer.gate.reason
    assert answer.gate.removed_by_filters == pipeline.catalogue.chunk_count()


def test_a_question_that_names_a_code_of_no_document_is_not_answered_and_a_note_says_why(library):
    sure = library.ask("Which gloves are required for dichloromethane?")
    other = library.ask("Which gloves are required for dichloromethane DX-4471?")
    assert (sure.outcome, sure.notes) == ("answered", ())
    assert other.outcome == "unsure"
    assert other.notes == ("No document has 'DX-4471'.",)


def test_a_similarity_threshold_that_removes_everything_is_named_in_the_advice(pipeline):
    assert "Lower the similarity threshold (0.99)" in ask(pipeline, GLOVES, similarity_threshold=0.99).message
