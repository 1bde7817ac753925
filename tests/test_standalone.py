"""A follow-up is read as asked and joined to the question before it."""

import pytest
from passages import hit
from readers import ScriptedReader

from rag.models import Query, Retrieval
from rag.standalone import finds_anew, joined_to_previous
from rag.validate import MAX_LENGTH


@pytest.mark.parametrize("previous", [None, "", "And acids?", " And acids? "])
def test_without_another_question_before_it_there_is_nothing_to_join(previous):
    assert joined_to_previous(Query(question="And acids?", previous=previous)) is None


@pytest.mark.parametrize(("length", "is_joined"), [(MAX_LENGTH - 11, True), (MAX_LENGTH - 10, False)])
def test_what_is_too_long_together_is_not_joined(length, is_joined):
    """`And acids?` has 10 characters, and a space stands between the two."""
    joined = joined_to_previous(Query(question="And acids?", previous="x" * length))

    assert (joined is not None) == is_joined
    assert joined is None or len(joined.question) == MAX_LENGTH


FOLLOW_UP = Query(question="And acids?", previous="Which gloves for ethers?")


@pytest.mark.parametrize(
    ("before", "alone", "is_find"),
    [
        (0.5, 0.0, True),  # the joined question, .8, finds more than the one before
        (0.8, 0.24, False),  # the window answers the question before, and hardly the new one
        (0.9, 0.25, True),  # it answers the new one by itself, too
        (0.9, 0.0, False),
    ],
)
def test_a_window_that_answers_only_the_question_before_is_no_find(before, alone, is_find):
    said = {FOLLOW_UP.previous: before, FOLLOW_UP.question: alone}
    found = Retrieval(hits=(hit("Butyl gloves are worn.", readings=(0.8,), marks=(0.9,)),))

    assert finds_anew(FOLLOW_UP, found, reader=ScriptedReader(lambda question, text: said[question])) is is_find
