"""What rows of tables say, and when a first row is known to hold the heads."""

import pytest

from rag.language.rows import HEADS_MARK, cells, row_of_heads, statements, with_marks, without_marks
from rag.language.text import sentence_spans
from rag.models import Chunk

HEADS = "| Whom to call | Extension | When |"
FIRE = "| Fire | 112 | At any time |"
SECURITY = "| Night security | 4499 | 17:00 to 07:00 |"


def test_rows_of_a_table_that_begins_in_the_passage_are_read_with_their_heads() -> None:
    said = statements(["Numbers:", HEADS, FIRE])
    assert said == ["Numbers:", "", "Whom to call: Fire; Extension: 112; When: At any time"]


def test_heads_at_the_beginning_of_a_passage_are_known_by_a_column_of_numbers_below() -> None:
    assert statements([HEADS, FIRE, SECURITY])[0] == ""


@pytest.mark.parametrize(
    "rows",
    [
        [FIRE, SECURITY],
        [HEADS, FIRE],
        ["| Ethanol | flammable | yellow cabinet |", "| Water | none | any shelf |", "| Lime | caustic | shelf 3 |"],
    ],
)
def test_a_row_with_which_a_passage_begins_is_not_taken_for_heads_without_a_sign(rows: list[str]) -> None:
    assert statements(rows) == [row.strip("| ") for row in rows]


def test_a_rule_shows_the_heads_and_says_nothing_itself() -> None:
    assert statements(["| Name | Room |", "|---|:--:|", "| Ek | B7 |"]) == ["", "", "Name: Ek; Room: B7"]


def test_rows_of_two_cells_without_heads_are_name_and_value() -> None:
    assert statements(["Contact", "| Phone | 4410 |", "| Fax | none |"]) == ["Contact", "Phone: 4410", "Fax: none"]


def test_empty_cells_are_left_out_and_rows_of_another_length_stand_as_they_are() -> None:
    said = statements(["Costs", "| | 2023 | 2022 |", "| Rent | 7 | |", "| Total |  | 9 | 8 |"])
    assert said[2:] == ["Rent; 2023: 7", "Total | 9 | 8"]


def test_text_with_pipes_inside_is_no_row() -> None:
    assert cells("a | b | c") == []
    assert statements(["a | b | c"]) == ["a | b | c"]


def test_heads_over_labels_have_an_empty_corner_wherever_the_passage_begins() -> None:
    said = statements(["| | 2021 | 2022 |", "| Members | 120 | 145 |"])
    assert said == ["", "Members; 2021: 120; 2022: 145"]


def test_totals_without_a_label_are_no_heads() -> None:
    assert statements(["| | 1,250 | 13% |", "| Rent | 700 | 7% |"])[0] == "1,250 | 13%"


def test_a_table_right_below_another_of_another_width_has_its_own_heads() -> None:
    said = statements(["Two tables", "| Room | Wing | Floor |", "| B7 | east | 2 |", "| | 2021 |", "| Staff | 9 |"])
    assert said[2:] == ["Room: B7; Wing: east; Floor: 2", "", "Staff; 2021: 9"]


def test_a_row_that_lacks_a_cell_does_not_begin_a_table() -> None:
    said = statements(["Rooms", "| Room | Wing | Floor |", "| B7 | east |", "| B8 | west | 3 |"])
    assert said[2:] == ["B7: east", "Room: B8; Wing: west; Floor: 3"]


def chunk_of(text: str, *heads: str, context: str = "") -> Chunk:
    """A chunk whose rows of heads are those given."""
    return Chunk(
        chunk_id="c", document="a.md", document_hash="0" * 64, content=text, context=context, chunk_index=0, start=0,
        end=len(text), heads=tuple(text.index(head) for head in heads),
    )  # fmt: skip


def said_in(chunk: Chunk) -> list[str]:
    marked = with_marks(chunk, chunk.content)
    assert without_marks(marked) == chunk.content
    return statements(marked.split("\n"))


@pytest.mark.parametrize(
    "heads",
    [
        "| Chemical handled | Glove material required |",
        "| Substance | Limit (8 hours) |",
        "| Name of the substance in the room | What has to be worn by those who handle it |",
        "| 2021 | 2022 |",
    ],
)
def test_heads_that_a_file_marks_are_heads_whatever_their_words(heads: str) -> None:
    first, second = heads.strip("| ").split(" | ")
    said = said_in(chunk_of(f"{heads}\n| acetone | butyl |", heads))
    assert said == ["", f"{first}: acetone; {second}: butyl"]


def test_rows_that_no_file_marks_are_read_as_before() -> None:
    assert said_in(chunk_of("| Fume hood | checked monthly |\n| Eye wash | checked weekly |")) == [
        "Fume hood: checked monthly",
        "Eye wash: checked weekly",
    ]


def test_heads_in_two_rows_are_read_together_and_a_title_above_them_says_nothing() -> None:
    rows = ("| Staff |", "| | 2021 | 2021 |", "| Office | Full time | Part time |", "| Oslo | 4 | 5 |")
    assert said_in(chunk_of("\n".join(rows), *rows[:3])) == [
        "", "", "", "Office: Oslo; 2021 Full time: 4; 2021 Part time: 5"
    ]  # fmt: skip


def test_each_of_two_tables_has_its_own_marked_heads() -> None:
    rows = ("| Drug | Dose |", "| Zorvex | 15 mg |", "| Office | Phone |", "| Hall | 4711 |")
    said = said_in(chunk_of("\n".join(rows), rows[0], rows[2]))
    assert said == ["", "Drug: Zorvex; Dose: 15 mg", "", "Office: Hall; Phone: 4711"]


def test_the_first_row_of_a_chunk_that_begins_within_a_table_is_no_head() -> None:
    rows = "| Fee | Amount |\n| Room | 7 |\n| Desk | 9 |"
    within = chunk_of(rows, context="Prices\n| Item | Price in euros |")
    assert said_in(within)[0] == "Fee: Amount"
    assert said_in(chunk_of(rows, context="Prices"))[0] == ""


def test_a_space_of_another_kind_in_plain_text_is_no_mark() -> None:
    assert statements(["5\u2007000 euros"]) == ["5 000 euros"]


@pytest.mark.parametrize("head", ["Deposit?", "Deposit, i.e. what is paid back. Always.", "Fuse 10 A. What for?"])
def test_a_row_is_one_sentence_whatever_stands_in_its_cells(head):
    heads = f"|{HEADS_MARK}Tool | Price per day | {head} |"
    table = f"{heads}\n| Chain saw | 30 euros | Yes. Paid back. |\n| Ladder | 8 euros | No? |"
    rows = [table[start:end] for start, end in sentence_spans(table)]

    assert rows == table.split("\n")
    assert statements(rows)[2] == f"Tool: Ladder; Price per day: 8 euros; {head}: No?"


def test_a_passage_goes_on_below_a_row_with_a_question_mark():
    text = "Prices.\n\n| Ladder | 8 euros | Free? |\n\nPay at the gate. Keep the slip."

    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "Prices.", "| Ladder | 8 euros | Free? |", "Pay at the gate.", "Keep the slip."
    ]  # fmt: skip


PRICES = "| Place | Members | Young members up to 22 |"


def test_heads_at_the_beginning_of_a_passage_may_have_figures_in_their_words() -> None:
    said = statements([PRICES, "| Hall | 30 | 20 |", "| Loft | 48 | 38 |"])

    assert said == [
        "",
        "Place: Hall; Members: 30; Young members up to 22: 20",
        "Place: Loft; Members: 48; Young members up to 22: 38",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["| Level 2 | open |", "| Level 3 | 8 |", "| Level 4 | 9 |"],  # two columns may be names and values
        ["| Stage 1 | cold | none |", "| Stage 2 | warm | 10 |", "| Stage 3 | hot | 20 |"],  # one of them
        ["| Hall | 30 | 20 |", "| Loft | 48 | 38 |", "| Attic | 9 | 8 |"],
    ],
)
def test_rows_with_figures_that_may_be_no_heads_are_left_alone(rows: list[str]) -> None:
    assert "" not in statements(rows)


def test_years_above_figures_are_heads_where_a_passage_begins_with_them() -> None:
    assert statements(["| Source | 2025 | 2026 |", "| Parking | 190 | 220 |"]) == [
        "", "Source: Parking; 2025: 190; 2026: 220"
    ]  # fmt: skip
    assert "" not in statements(["| Built | 1911 | 1987 |", "| Closed | 1952 | 1999 |"])


def test_the_heads_of_a_table_in_which_a_chunk_begins_stand_in_its_context() -> None:
    below = chunk_of("| Loft | 48 |", context="Halls\n| Place | Fee |")
    assert row_of_heads(below) == f"|{HEADS_MARK}Place | Fee |"
    assert row_of_heads(chunk_of("The loft costs 48.", context="Halls\n| Place | Fee |")) == ""


TICKETS = "| Ticket | Adult | Child 6 to 15 |\n| Single | CHF 9 | CHF 4 |\n| Return | CHF 13 | none |"


def test_a_chunk_that_begins_with_a_table_and_has_no_heads_in_its_context_begins_with_its_heads() -> None:
    assert said_in(chunk_of(TICKETS, context="Rules\nTickets"))[1:] == [
        "Ticket: Single; Adult: CHF 9; Child 6 to 15: CHF 4", "Ticket: Return; Adult: CHF 13; Child 6 to 15: none"
    ]  # fmt: skip
    for rows in (
        "| Loft | 8 seats | 3 |\n| Hall | 60 seats | 4 |\n| Attic | 2 seats | 5 |",
        "| Stage 1 | cold | none |\n| Stage 2 | warm | 10 |\n| Stage 3 | hot | 20 |",
        "| Owl | mice | night |\n| Kite | carrion | day |\n| Hawk | birds | day |",
    ):
        assert "" not in said_in(chunk_of(rows, context="Rules\nTickets"))


def test_a_first_row_above_few_figures_is_a_row_and_no_heads() -> None:
    table = "| Rope | sold out | Lind |\n| Hook | 5 in stock | Voss |\n| Ladder | on order | Dahl |"
    assert with_marks(chunk_of(table, context="Stock"), table) == table
