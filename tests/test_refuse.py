from passages import hit

from rag.gate import MeanSimilarity, decide
from rag.models import GroundedSentence, Grounding, Query, Retrieval
from rag.refuse import NOT_FOUND, explain
from rag.validate import validate

HITS = Retrieval(hits=(hit("Gloves.", similarity=0.3),), indexed=20, searched=20)


def refusal(query=Query(question="Which gloves?"), retrieval=HITS, grounding=None):
    return explain(query, retrieval, decide(query, retrieval, estimator=MeanSimilarity()), grounding)


def checked(*supported):
    return Grounding(
        is_valid=all(supported),
        sentences=tuple(GroundedSentence(text="x", supported=each, support=float(each)) for each in supported),
        answers=False,
    )


def test_the_gate_says_what_was_held_against_what():
    found = refusal()

    assert (found.stage, found.code) == ("gate", "NO_RELEVANT_CONTENT")
    assert found.reason == f"{NOT_FOUND} The confidence 0.30 is below the threshold 0.50."
    assert "documents' own words" in found.advice


def test_filters_that_hid_something_are_to_be_left_out():
    query = validate("Which gloves?", filters={"source": "a.pdf", "page": 2})

    found = refusal(query, Retrieval(indexed=20, searched=0))
    assert found.advice == (
        "Ask without the filter (source = 'a.pdf', page = 2), or check its spelling with 'candor documents'."
    )


def test_a_similarity_threshold_that_left_nothing_is_to_be_lowered():
    query = validate("Which gloves?", similarity_threshold=0.8)

    assert refusal(query, Retrieval(indexed=20, searched=20, below_threshold=7)).advice == (
        "Lower the similarity threshold (0.80)."
    )


def test_an_empty_index_is_to_be_filled():
    assert refusal(retrieval=Retrieval()).advice == "Add documents first."


def test_a_model_that_says_it_does_not_know_is_said_to_have_abstained():
    decision = decide(Query(question="Which gloves?"), HITS, estimator=MeanSimilarity())
    found = explain(Query(question="Which gloves?"), HITS, decision, checked(False), abstained=True)

    assert found.stage == "grounding"
    assert found.reason == (
        f"{NOT_FOUND} Passages were found, but the model read them and abstained: "
        f"it says that they do not answer the question."
    )
    assert "sentences written" not in found.reason


def test_one_dropped_sentence_is_spoken_of_as_one():
    assert refusal(grounding=checked(False)).reason == (
        f"{NOT_FOUND} The one sentence written is not carried by the passages, so it is not shown."
    )


def test_the_check_says_how_many_sentences_it_dropped():
    assert refusal(grounding=checked(False, False)).reason == (
        f"{NOT_FOUND} None of the 2 sentences written is carried by the passages, so none is shown."
    )
    assert refusal(grounding=checked(True, False, False)).reason == (
        f"{NOT_FOUND} 2 of 3 sentences were not carried by the passages, and what is left does not answer."
    )
    assert refusal(grounding=checked(True)).reason == f"{NOT_FOUND} The passages found do not answer the question."
    assert refusal(grounding=checked()).reason == (
        f"{NOT_FOUND} Passages were found, but none of their sentences answers the question."
    )
    assert refusal(grounding=checked()).stage == "grounding"


def advised(**inputs):
    """The advice for a question with these signals, at a confidence of .3 and a threshold of .5."""
    decision = decide(Query(question="Which gloves?"), HITS, estimator=MeanSimilarity())
    return explain(Query(question="Which gloves?"), HITS, decision.model_copy(update={"inputs": inputs}), None).advice


def test_other_words_are_advised_only_where_the_documents_nowhere_use_a_word_of_the_question():
    assert "documents' own words" in advised(unknown_words=0.2, words_in_chunk=0.8)
    assert "documents' own words" not in advised(unknown_words=0.0, words_in_chunk=0.8)
    assert "documents' own words" not in advised(unknown_words=0.0, words_in_chunk=0.1)


def test_a_passage_with_most_of_the_questions_words_is_said_to_answer_perhaps():
    assert advised(unknown_words=0.0, words_in_chunk=0.7).startswith("The closest passage may answer it")


def test_a_passage_that_was_read_and_does_not_answer_is_not_said_to_answer_perhaps():
    near = {"unknown_words": 0.0, "words_in_chunk": 0.9}

    assert advised(**near, reading=0.3).startswith("The closest passage may answer it")
    assert advised(**near, reading=0.29) == "Read the closest passages, or add a document that covers this."
    assert advised(**near, reading=0.6, contrary=1.0).startswith("Read the closest passages")
    assert advised(**near, reading=0.6, contrary=0.0).startswith("The closest passage may answer it")


def test_a_passage_that_reading_found_likely_is_to_be_read_first_even_where_a_word_is_unknown():
    may = "The closest passage may answer it, but not surely enough to be given as the answer: read it."
    unknown = {"unknown_words": 0.2, "words_in_chunk": 0.1}

    assert advised(**unknown, reading=0.3) == (
        f"{may} Else use the documents' own words, or add a document that covers this."
    )
    assert advised(**unknown, reading=0.29) == "Use the documents' own words, or add a document that covers this."
    assert advised(**unknown, reading=0.9, contrary=1.0).startswith("Read the closest passages")
    assert advised(unknown_words=0.0, words_in_chunk=0.1, reading=0.4) == may


def test_a_row_is_read_with_the_heads_of_its_columns_when_it_is_said_what_it_lacks():
    rows = ("| Loaf | Weight | Baking |", "| --- | --- | --- |", "| Rye | 900 g | 75 minutes |")
    loaf = hit("\n".join((*rows, "| Spelt | 800 g | 45 minutes |")), cosines=(0.0, 0.0, 0.9, 0.0))
    nothing = Grounding(is_valid=False, answers=False)
    found = Retrieval(hits=(loaf,), indexed=1, searched=1)

    assert refusal(Query(question="What does the rye loaf cost?"), found, nothing).reason.endswith(
        "the sentence nearest to the question does not tell a price."
    )
