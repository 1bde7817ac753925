"""Who does something is not told by what only says what is done, or how it is; in doubt it may be told."""

import pytest

from rag.language.doers import names_doer, names_no_doer


@pytest.mark.parametrize(
    "text",
    [
        "The gate is locked at nine.",
        "The gate is locked at the end of the season.",
        "If it rains, the gate is locked.",
        "The gate is oak. It is locked at nine.",
        "The gate is locked by hand.",
    ],
)
def test_a_sentence_without_anybody_names_no_doer(text):
    assert names_no_doer("Who locks the gate?", text)


@pytest.mark.parametrize(
    "text",
    [
        "The gate is locked by the porter at nine.",
        "The gate is locked at nine, a task of the warden.",
        "The porter sees to it at nine.",
        "Gates are handed over to tenants.",
        "The gate is locked at nine by Ada Lund.",
        "You lock the gate at nine.",
        "The gate is oak. The porter closes it.",
        "Gate | porter | 9:00",
        "The gate: the porter",
    ],
)
def test_a_sentence_with_somebody_may_name_the_doer(text):
    assert not names_no_doer("Who locks the gate?", text)


def test_other_questions_ask_no_doer():
    assert not names_no_doer("Who is the porter?", "The porter is here at nine.")
    assert not names_no_doer("Who needs a key?", "A key is needed at nine.")
    assert not names_no_doer("Who locks the gate, Ada or Bo?", "The gate is locked at nine.")
    assert not names_no_doer("When is the gate locked?", "The gate is locked at nine.")


def test_by_whom_a_deed_is_done_is_read_from_its_participle():
    assert names_doer("Who writes the minutes?", "They are written at once by the clerk.")
    assert names_doer("Who opens the gate?", "It is opened by the clerk.")
    assert not names_doer("Who opens the gate?", "It is painted by the clerk.")
    assert not names_doer("Who opens the gate?", "It is opened by 9:00.")
