"""Rows that the question does not tell apart are quoted together; a row that it names stands alone."""

from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.candidates import Candidate
from rag.quoting.choice import choose

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


def test_a_row_beside_a_sentence_that_answers_must_be_nearly_as_good():
    passage = hit("Ada Lund has the hall. The porter stands in for her.\n\n| Warden of the hall | Ada Lund |")
    texts = passage.sentence_texts

    def chosen(row_score):
        # the bar of a second sentence is 0.78 of the best score, that of a row 0.96
        ranked = [
            Candidate(1, place, texts[place], frozenset((f"stem{place}",)), score, 0.0, is_row=place == 2)
            for place, score in ((0, 1.0), (2, row_score), (1, 0.8))
        ]
        return [place.index for place in choose(ranked, [passage], 3, frozenset())]

    assert chosen(0.92) == [0, 1]
    assert 2 in chosen(0.97)
