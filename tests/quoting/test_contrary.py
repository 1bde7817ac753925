"""Whether one may is answered with both halves of a rule that allows one thing and forbids another."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query

CHARCOAL, ELECTRIC = "Charcoal grills are forbidden on the deck.", "Electric grills are allowed until 21:00."
RULES = f"- {CHARCOAL} {ELECTRIC}\n- Bicycles stand in the yard."


def answer(question: str, text: str) -> str:
    return extract(Query(question=question), [hit(text)], document_frequency=lambda _: {}, indexed=9).text


@pytest.mark.parametrize("question", ["Are electric grills allowed?", "May we use electric grills until late?"])
def test_what_forbids_beside_what_allows_is_quoted(question):
    assert answer(question, RULES) == f"{CHARCOAL} [1] {ELECTRIC} [1]"


def test_another_question_is_answered_with_one_half():
    assert answer("Until when are electric grills used?", RULES) == f"{ELECTRIC} [1]"


def test_what_stands_in_another_item_or_has_no_word_of_the_question_is_left_out():
    text = f"- Charcoal grills are forbidden.\n- {ELECTRIC} Smoking is forbidden."

    assert answer("Are electric grills allowed?", text).endswith(f"{ELECTRIC} [1]")


GIVEN, NOT_GIVEN = "Seeds are given to gardens and schools.", "They are not given to private persons."


def test_what_goes_on_and_denies_is_quoted_with_what_allows():
    assert answer("Could I get seeds for my garden?", f"{GIVEN} {NOT_GIVEN}") == f"{GIVEN} [1] {NOT_GIVEN} [1]"
    assert answer("To whom are seeds given?", f"{GIVEN} {NOT_GIVEN}") == f"{GIVEN} [1]"


def test_a_denial_of_another_paragraph_is_left_out():
    assert answer("Could I get seeds for my garden?", f"{GIVEN}\n\n{NOT_GIVEN}") == f"{GIVEN} [1]"
