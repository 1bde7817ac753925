"""A follow-up is read as asked and joined to the question before it."""

import pytest

from rag.models import Query
from rag.standalone import joined_to_previous
from rag.validate import MAX_LENGTH


def test_a_question_is_joined_to_the_one_before_it_and_keeps_all_else():
    query = Query(question="And acids?", previous=" Which gloves for ethers? ", top_k=3)
    joined = joined_to_previous(query)

    assert joined == query.model_copy(update={"question": "Which gloves for ethers? And acids?"})


@pytest.mark.parametrize("previous", [None, "", "And acids?", " And acids? "])
def test_without_another_question_before_it_there_is_nothing_to_join(previous):
    assert joined_to_previous(Query(question="And acids?", previous=previous)) is None


@pytest.mark.parametrize(("length", "is_joined"), [(MAX_LENGTH - 11, True), (MAX_LENGTH - 10, False)])
def test_what_is_too_long_together_is_not_joined(length, is_joined):
    """`And acids?` has 10 characters, and a space stands between the two."""
    joined = joined_to_previous(Query(question="And acids?", previous="x" * length))

    assert (joined is not None) == is_joined
    assert joined is None or len(joined.question) == MAX_LENGTH
