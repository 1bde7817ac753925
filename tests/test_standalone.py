"""A follow-up is read as asked and joined to the question before it."""

import pytest
from passages import hit
from readers import ScriptedReader

from rag.models import Query, Retrieval
from rag.standalone import finds_anew, joined_to_previous
from rag.validate import MAX_LENGTH


@pytest.mark.parametrize(
    ("previous", "length"),
    [
        *((nothing, None) for nothing in (None, "", "And acids?", " And acids? ")),
        ("Which gloves?", 24),
        ("x" * (MAX_LENGTH - 11), MAX_LENGTH),  # `And acids?` has 10 characters, and a space stands between the two
        ("x" * (MAX_LENGTH - 10), None),
    ],
)
def test_a_question_is_joined_to_another_before_it_unless_both_together_are_too_long(previous, length):
    joined = joined_to_previous(Query(question="And acids?", previous=previous))

    assert (joined and len(joined.question)) == length


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
