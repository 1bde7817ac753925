"""The case asked about, and what takes a rule back, are quoted where the next sentences say them."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query

LOAN = "A telescope is lent for 14 days."
REST = "Guides rest for eleven hours between two tours."


def answer(question: str, text: str) -> str:
    return extract(Query(question=question), [hit(text)], document_frequency=lambda _: {}, indexed=9).text


def test_the_case_that_the_question_names_is_quoted_after_the_rule():
    text = f"{LOAN} Members renew once. For juniors it is seven."

    assert answer("For how many days is a telescope lent to juniors?", text).endswith("For juniors it is seven. [1]")


def test_a_case_that_was_not_asked_about_is_left_out():
    assert answer("How long is a telescope lent?", f"{LOAN} Lenses are cleaned by the warden.") == f"{LOAN} [1]"


@pytest.mark.parametrize(
    "taken_back",
    [
        "This may be reduced to nine in high season.",
        "However, nine are enough in high season.",
        "The leader may shorten it by two.",
        "In urgent cases nine are enough.",
        "It does not apply to rescuers.",
        "Rescuers are exempt.",
    ],
)
def test_a_rule_is_quoted_with_what_takes_it_back(taken_back):
    asked = "How many hours must a guide rest between two tours?"

    assert answer(asked, f"{REST} {taken_back}") == f"{REST} [1] {taken_back} [1]"


def test_what_takes_back_another_rule_or_stands_in_another_paragraph_is_left_out():
    asked = "How many hours must a guide rest between two tours?"

    assert answer(asked, f"{REST} Maps are lent. This may be reduced.") == f"{REST} [1]"
    assert answer(asked, f"{REST}\n\nThis may be reduced to nine.") == f"{REST} [1]"


def test_a_row_of_a_table_brings_no_row_with_it():
    text = "| Boat | Crew |\n| --- | --- |\n| Skiff | 2 |\n| Cutter | 5, may be reduced to 4 |"

    assert "Cutter" not in answer("What is the crew of a skiff?", text)


def test_a_right_is_quoted_with_when_it_does_not_exist():
    text = "Members may end the lease within a month. This right does not exist for stables."

    assert answer("Within what time may members end the lease?", text).endswith("does not exist for stables. [1]")


def test_what_is_quoted_beside_the_best_sentence_is_taken_back_too():
    text = "A horse is lent for a day. A horse is fed by whoever rides it. This does not hold in winter."

    assert "This does not hold in winter." in answer("By whom is a horse fed that is lent for a day?", text)
