"""A code or version that texts do not have, though they have others of its kind, is found; in doubt they have it."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.codes import uncoded
from rag.models import Query

PARKS = ["P1 costs 2 euros.", "P2 and P3 cost 1 euro."]


@pytest.mark.parametrize(
    ("question", "texts", "found"),
    [
        ("How much is P4?", PARKS, ("P4", ("P1", "P2", "P3"))),
        ("What does TP-40 mean?", ["TP-31: disk full", "TP-32: no power"], ("TP-40", ("TP-31", "TP-32"))),
        ("When did version 4.3 come?", ["Version 4.2 came in May."], ("version 4.3", ("version 4.2",))),
        ("When did release 4.3 come?", ["v4.2 came in May."], ("version 4.3", ("version 4.2",))),
    ],
)
def test_a_code_that_only_others_of_its_kind_stand_for_is_found(question, texts, found):
    assert uncoded(question, texts) == found


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How much is P2?", PARKS),
        ("How much is P4?", ["P1 costs 2 euros."]),  # one other is no kind
        ("How much is P4?", ["P1 costs 2 euros.", "P2, 3 and 4 cost 1 euro."]),
        ("How much is P4?", ["P1 to P5 cost 2 euros.", "P7 and P8 are free."]),
        ("Which is cheaper, P4 or P5?", PARKS),
        ("What was sold in Q3?", ["In Q1 and Q2 little was sold.", "The third quarter was good."]),
        ("When did version 4.3 come?", ["Version 4.2 came in May, 4.3 in June."]),
        ("What does version 4.3 need?", ["Version 4.1 or later needs 8 GB."]),
        ("What does version 4.3 need?", ["It needs 8 GB."]),
        ("How warm is it at 4.3?", ["Version 4.2 is warm."]),
    ],
)
def test_what_may_be_meant_is_left_alone(question, texts):
    assert uncoded(question, texts) is None


def test_nothing_is_quoted_for_a_code_that_is_not_there():
    def told(question: str) -> str:
        return extract(
            Query(question=question), [hit(" ".join(PARKS))], document_frequency=lambda _: {}, indexed=9
        ).text

    assert told("How much is P4?") == ""
    assert told("How much is P1?").startswith("P1 costs 2 euros. [1]")
