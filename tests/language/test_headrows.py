"""Heads of columns and rules say nothing; rows that only look like them do."""

import pytest
from passages import hit

from rag.language.headrows import silent_rows

TIMES = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        (TIMES, {0}),
        ("| Subject | Year 9 and 10 |\n| Dance | 150 |\n| Choir | 90 |", {0}),  # of two columns nothing else is made
        ("Lengths:\n\n" + TIMES, {1}),
        ("| Item | Kept |\n| --- | --- |\n| Rope | shed |", {0, 1}),
        ("| Stage 1 | cold | Section 4 |\n| Stage 2 | 10 l | Section 5 |\n| Stage 3 | 20 l | Section 6 |", set()),
        ("| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |", set()),
        ("| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |", set()),  # one row agrees with nothing
        ("| Rope | blue | shed |\n| Oar | red | hall |\n| Sail | white | loft |", set()),
        ("No table.", set()),
    ],
)
def test_rows_above_figures_and_rules_are_silent(text, silent):
    assert silent_rows(hit(text)) == silent
