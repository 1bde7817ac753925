"""Rows that the question does not tell apart are quoted together; a row that it names stands alone."""

from passages import hit

from rag.generate import extract
from rag.models import Query

OILS = (
    "| Property | M30 | M40 |\n| --- | --- | --- |\n| Engine oil | 3.4 litres | 4.5 litres |\n"
    "| Gearbox oil | 0.6 litres | 0.7 litres |\n| Coolant | 4.0 litres | 5.2 litres |"
)


def answer(question: str, cosines: tuple[float, ...]) -> str:
    passage = hit(OILS, cosines=cosines)
    return extract(Query(question=question), [passage], document_frequency=lambda _: {}, indexed=9).text


def test_two_rows_for_oil_are_both_quoted():
    told = answer("How much oil does the M40 take?", (0.1, 0.0, 0.4, 0.5, 0.3))

    assert told == (
        "Property: Engine oil; M30: 3.4 litres; M40: 4.5 litres. [1] "
        "Property: Gearbox oil; M30: 0.6 litres; M40: 0.7 litres. [1]"
    )


def test_the_row_that_the_question_names_is_quoted_alone():
    told = answer("How much gearbox oil does the M40 take?", (0.1, 0.0, 0.4, 0.5, 0.3))

    assert told == "Property: Gearbox oil; M30: 0.6 litres; M40: 0.7 litres. [1]"


def test_rows_that_share_only_the_words_of_the_heads_are_not_alike():
    told = answer("What property of the M40 matters most?", (0.1, 0.0, 0.4, 0.5, 0.3))

    assert told.count("[1]") == 1
