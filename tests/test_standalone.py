"""A follow-up is read as asked and joined to the question before it."""

import pytest

from rag.models import Query
from rag.standalone import joined_to_previous
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
