"""Rows of tables and the sentences above them: which of them answers."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.tables import has_measure, only_heads_rows, tells_column_of, tells_figure_of

CLASSES = (
    "The class decides what must be worn on the platform.\n\n| Class | To be worn | Rope |\n"
    "| A | helmet | 10 m |\n| B | helmet and harness | 20 m |"
)
SIZES = (
    "The plate of a bench is 30 cm in the north field.\n\n| Field | Height | Width |\n"
    "| North | 90 cm | 60 cm |\n| South | 70 cm | 50 cm |"
)
FODDER = "| Group | Hay a day | Shod |\n| Group A | 3 kg | no |\n| Group B | unlimited | front feet |"


def answer(question: str, *texts: str) -> str:
    hits = [hit(text, rank=rank) for rank, text in enumerate(texts, 1)]
    return extract(Query(question=question), hits, document_frequency=lambda _: {}, indexed=9).text


def test_what_says_on_what_the_rows_depend_is_not_quoted_for_a_row():
    assert answer("What must be worn in class B?", CLASSES).startswith("Class: B; To be worn: helmet and harness")


def test_on_what_they_depend_is_told_where_that_is_asked():
    assert answer("What decides what must be worn on the platform?", CLASSES).startswith("The class decides")


def test_a_row_with_the_measure_asked_for_is_quoted_beside_a_sentence_with_another():
    assert "Field: North; Height: 90 cm" in answer("How high may a bench in the north field be?", SIZES)
    assert "Field:" not in answer("How far is the plate of a bench in the north field?", SIZES)


def test_the_first_row_of_a_table_whose_heads_are_not_known_counts_for_its_rows():
    other = "| Group | Names | Rope |\n| Group A | Pip, Bram | none |\n| Group B | Juno, Mag | up to 2 m |"

    assert answer("How much hay does group A get?", other, FODDER) == "Group A | 3 kg | no. [2]"


def test_a_row_whose_limits_hold_the_value_is_quoted_beside_a_sentence_that_it_only_exceeds():
    table = "| Milk | To do |\n| --- | --- |\n| 6.1-8 °C | use the same day |\n| 8.1-10 °C | heat at once |"
    told = f"If milk has more than 7 °C for an hour, it is heated.\n\n{table}"

    assert "Milk: 8.1-10 °C; To do: heat at once" in answer("The milk has 9 °C, what to do?", told)
    assert "Milk: 6.1-8 °C" not in answer("The milk has 9 °C, what to do?", told)


def test_a_sentence_far_above_the_best_is_not_read_first_for_a_word_it_shares():
    told = "Hands are washed after work outside the vat room. Coats are white. No child under 12 enters the vat room."

    assert answer("May a child enter the vat room?", told) == "No child under 12 enters the vat room. [1]"


@pytest.mark.parametrize(
    ("question", "above"),
    [
        ("What is the fee?", "The fee depends on the size."),
        ("What is the fee?", "Fees are as follows:"),
        ("What is the fee?", "The fees are given below."),
        ("What is the fee?", "The fees are listed in the following table."),
        ("What is worn?", "What is worn is set by the class."),
    ],
)
def test_what_only_says_on_what_rows_depend_is_known(question, above):
    assert only_heads_rows(question, hit(f"{above}\n| Class | Fee |\n| A | 10 |"), 0)


@pytest.mark.parametrize(
    ("question", "above"),
    [
        ("Who sets the fee?", "The fee is set by the council."),
        ("What is the fee?", "The fee is 5 euros; the fees for groups are given below."),
        ("Where is the list of fees?", "The fees are listed in the hall."),
        ("Where can the keys be found?", "The keys are found at the desk."),
        ("When is dinner?", "Guests sit down at the table when the bell rings."),
    ],
)
def test_a_sentence_above_a_table_may_tell_what_is_asked(question, above):
    assert not only_heads_rows(question, hit(f"{above}\n| Class | Fee |\n| A | 10 |"), 0)


def test_a_fee_that_is_high_has_no_height():
    assert not has_measure("How high is the fee for a fence?", "Fence: north; Height: 90 cm; Fee: 5 euros")
    assert has_measure("How high is the fence?", "Fence: north; Height: 90 cm; Fee: 5 euros")


def test_a_row_whose_whole_label_is_in_a_question_for_a_figure_tells_it():
    wren = "Type: Blue Wren; Seats: 40; Standing places: 60"

    assert tells_figure_of("How many people may stand in a blue wren?", wren)
    assert not tells_figure_of("How many people may stand in a wren?", wren)
    assert not tells_figure_of("Who may drive a blue wren?", wren)


def test_the_row_is_quoted_beside_a_sentence_that_names_its_thing_and_has_no_such_figure():
    boats = (
        "The Blue Wren stays in the harbour in winter, since its hull is thin.\n\n| Type | Seats | Standing places |\n"
        "| --- | --- | --- |\n| Blue Wren | 40 | 60 |\n| Red Kite | 30 | 20 |"
    )

    assert "Standing places: 60" in answer("How many standing people may a Blue Wren carry?", boats)


def test_the_row_of_the_thing_asked_about_with_the_column_asked_for_is_quoted_before_a_sentence():
    boats = "The Swan is steered on the lake only.\n\n| Boat | Crew | Who may steer |\n| The Swan | 4 | skippers |"

    assert answer("Who may steer the Swan?", boats).startswith("Boat: The Swan; Crew: 4; Who may steer: skippers")


def test_a_row_of_another_thing_or_without_the_column_does_not_tell_it():
    row = "Boat: The Swan; Crew: 4; Who may steer: skippers"

    assert tells_column_of("Who may steer the Swan?", row)
    assert not tells_column_of("Who may steer the Gull?", row)
    assert not tells_column_of("Who may paint the Swan?", row)


def test_until_when_is_told_by_the_row_of_the_day_with_its_times():
    hours = (
        "On feast days the hours of Sunday apply.\n\n| Day | Open | Last entry |\n| Sunday | 9:00 to 20:00 | 18:30 |"
    )

    assert answer("Until when can I get in on Sunday?", hours).startswith("Day: Sunday; Open: 9:00 to 20:00")
    assert not tells_figure_of("When is Sunday school?", "Day: Sunday; Open: yes; Last entry: none")
