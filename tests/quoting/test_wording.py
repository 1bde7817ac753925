"""A quotation ends as its source does: no full stop is made up where the text goes on."""

import pytest
from passages import hit

from rag.models import AnswerSentence
from rag.quoting.wording import head_notes, quoted, statements_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("If a transmission error\n\ncauses a damaged file, try again.", "If a transmission error..."),
        ("If a transmission error\n\nThe file is damaged.", "If a transmission error."),
        ("Gloves and boots", "Gloves and boots."),
        ("Gloves are worn.\n\nthey are cheap.", "Gloves are worn."),
        ("firn: old snow\nesker: ridge of sand", "firn: old snow."),
        ("- Gloves are worn.", "Gloves are worn."),
        ("- in contact with measles, unless you are immune.", "- in contact with measles, unless you are immune."),
        ("**Never** mix 2 ** 3 of it.", "Never mix 2 ** 3 of it."),
        ("The file __init__ is read.", "The file __init__ is read."),
    ],
)
def test_a_sentence_is_quoted_as_it_stands(text, shown):
    assert quoted(hit(text), 0) == shown


def test_an_item_below_the_words_of_its_list_keeps_its_bullet():
    assert quoted(hit("- Gloves are worn."), 0, listed=True) == "- Gloves are worn."


def test_the_mark_of_an_answer_is_dropped_only_below_a_marked_question():
    assert quoted(hit("Q. Is it safe?\n\nA. Yes, it is."), 1) == "Yes, it is."
    assert quoted(hit("The stamp is red. A. Ek signs."), 1) == "A. Ek signs."


def test_a_term_is_quoted_alone():
    assert quoted(hit("--help\n    Print a text."), 0, term_alone=True) == "--help."


HEADS = "Doses\n| Illness | Mild | Forte |"


def test_a_row_whose_heads_stand_in_the_passage_before_is_told_with_them():
    part = hit("| Moderate | 1 tablet | not to be used |\n\nAsk a nurse.").model_copy(update={"context": HEADS})
    row, text = (AnswerSentence(text=quoted(part, place), citations=(1,), support=1.0) for place in (0, 1))

    assert head_notes([row], [part]) == (
        "The columns of the row quoted, which its passage does not name, are in order: Illness | Mild | Forte.",
    )
    assert head_notes([text], [part]) == ()  # the passage begins with the row, and something else of it is quoted
    assert head_notes([row], [hit("| Moderate | 1 tablet | not to be used |")]) == ()


def test_a_row_deep_in_a_table_is_judged_with_the_heads_from_the_passage_before_and_shown_as_it_stands():
    part = hit("| Moderate | 1 tablet | not to be used |\n\nAsk a nurse.").model_copy(update={"context": HEADS})

    assert statements_of(part) == ("Illness: Moderate; Mild: 1 tablet; Forte: not to be used", "Ask a nurse.")
    assert quoted(part, 0) == "Moderate | 1 tablet | not to be used."


TABLE = (
    "| Goods | Free of charge | Beyond that |\n| Bottles | unlimited | free |\n| Doors | 2 a year | 8 pounds each |\n"
    "| Beds | none | 9 pounds each |"
)


def test_of_a_table_whose_heads_are_not_known_the_first_row_is_told():
    part = hit(TABLE)
    doors = AnswerSentence(text=quoted(part, 2), citations=(1,), support=1.0)

    assert doors.text == "Doors | 2 a year | 8 pounds each."
    assert head_notes([doors], [part]) == (
        "The row quoted is of a table that begins with this row: Goods | Free of charge | Beyond that.",
    )


def test_a_first_row_with_figures_or_a_row_with_its_heads_has_no_such_note():
    bare = hit("| Doors | 2 a year | 8 pounds each |\n| Beds | none | 9 pounds each |\n| Lamps | all | free |")
    known = hit("| Goods | Number | Fee |\n| Doors | 2 | 8 |\n| Beds | 3 | 9 |")

    for part in (bare, known):
        row = AnswerSentence(text=quoted(part, 1), citations=(1,), support=1.0)
        assert head_notes([row], [part]) == ()
