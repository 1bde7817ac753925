"""What rows of tables say, and when a first row is known to hold the heads."""

import pytest

from rag.language.rows import cells, statements

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
