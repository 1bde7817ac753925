"""What rows of tables say, and which rows of a table hold the heads of its columns."""

import pytest
from passages import hit

from rag.ingest.loaders.tables import heads_of
from rag.text.rows import silent_rows, statements_of
from rag.text.words import sentence_spans

TICKETS = "| Ticket | Adult | Child 6 to 15 |\n| Single | CHF 9 | CHF 4 |\n| Return | CHF 13 | none |"


def test_rows_are_read_with_their_heads_and_the_heads_say_nothing() -> None:
    assert statements_of(hit(f"Prices in the halls.\n\n{TICKETS}")) == (
        "Prices in the halls.",
        "",
        "Ticket: Single; Adult: CHF 9; Child 6 to 15: CHF 4",
        "Ticket: Return; Adult: CHF 13; Child 6 to 15: none",
    )
    assert silent_rows(hit(TICKETS)) == {0}
    odd = hit("| | 2023 | 2022 |\n| Rent | 7 | |\n| Total | 9 | 8 | 3 |")
    assert statements_of(odd) == ("", "Rent; 2023: 7", "Total | 9 | 8 | 3")


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        (["| Whom to call | Number | When |", "| Fire | 112 | At any time |"], (1, ("Whom to call", "Number", "When"))),
        (["| | 2021 | 2022 |", "| Members | 120 | 145 |"], (1, ("", "2021", "2022"))),
        (["| Subject | Year 9 and 10 |", "| Dance | 150 |", "| Choir | 90 |"], (1, ("Subject", "Year 9 and 10"))),
        (["| Staff |", "| Office | Full | Part |", "| Oslo | 4 | 5 |"], (2, ("Office", "Full", "Part"))),
        (["| | 1,250 | 13% |", "| Rent | 700 | 7% |"], (0, ())),  # totals
        (["| Fume hood | checked monthly |", "| Eye wash | checked weekly |"], (0, ())),
        (["| Stage 1 | cold | none |", "| Stage 2 | warm | 10 |"], (0, ())),  # one of those below it
    ],
)
def test_heads_that_no_file_marks_are_known_by_their_form(rows: list[str], heads: tuple[int, tuple[str, ...]]) -> None:
    assert heads_of(rows) == heads


def test_heads_that_a_file_marks_are_heads_whatever_their_words() -> None:
    assert heads_of(["| 2021 | 2022 |", "| acetone | butyl |"], marked=1) == (1, ("2021", "2022"))
    rows = ["| Staff |", "| | 2021 | 2021 |", "| Office | Full time | Part time |", "| Oslo | 4 | 5 |"]
    assert heads_of(rows, marked=3) == (3, ("Office", "2021 Full time", "2021 Part time"))


@pytest.mark.parametrize("head", ["Deposit?", "Deposit, i.e. what is paid back. Always.", "Fuse 10 A. What for?"])
def test_a_row_is_one_sentence_whatever_stands_in_its_cells(head: str) -> None:
    table = f"| Tool | Price per day | {head} |\n| Chain saw | 30 euros | Yes. Paid back. |\n| Ladder | 8 euros | No? |"

    assert [table[start:end] for start, end in sentence_spans(table)] == table.split("\n")
    assert statements_of(hit(table))[2] == f"Tool: Ladder; Price per day: 8 euros; {head}: No?"
