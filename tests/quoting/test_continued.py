"""What tells whether, why or how stands after the sentence that names the thing, and is quoted with it."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.continued import _goes_on

BARN = "The barn may be hired by members. It is let from age 18 only. Hay costs 4 euros."


def answer(question: str, text: str) -> str:
    return extract(Query(question=question), [hit(text)], document_frequency=lambda _: {}, indexed=9).text.replace(
        " [1]", ""
    )


def test_what_limits_the_thing_comes_with_the_sentence_that_names_it():
    assert answer("I am 16. May I hire the barn?", BARN) == (
        "The barn may be hired by members. It is let from age 18 only."
    )


def test_what_goes_on_by_the_name_of_the_thing_comes_too():
    told = "Drivers pay at the red machines. The machines take no notes."

    assert answer("Can drivers pay with a ten at the red machines?", told) == told


def test_what_goes_on_after_a_case_comes_too():
    told = "Walls may be painted in any light colour. When moving out, they need not be painted white."

    assert answer("Must the walls be painted by whoever leaves?", told) == told


def test_what_is_done_with_another_one_of_the_kind_comes_too():
    told = "A rope may be used until it is 9 years old. An older rope must be cut up."

    assert answer("My rope is ten years old. May it be used?", told) == told


def test_another_figure_for_a_case_comes_with_the_first_one():
    told = "The varnish dries for 6 hours. If the shed is cold, it dries for 10 hours."

    assert answer("How long does the varnish dry?", told) == told


@pytest.mark.parametrize(
    "after",
    [
        "If the shed is cold, light the stove.",  # no figure
        "If the shed is cold, 10 litres are used.",  # of something else
        "If the guest is late, the key is kept for 2 hours.",  # of another thing
        "The shed is open for 10 hours.",  # for no case
        "There is a stove for those who are cold.",
    ],
)
def test_no_figure_of_something_else_comes_with_one(after: str):
    told = "The varnish dries for 6 hours."

    assert answer("How long does the varnish dry?", f"{told} {after}") == told


def test_a_figure_for_a_case_does_not_come_where_no_figure_is_asked():
    told = "Members may varnish for 6 hours."

    assert answer("Who may varnish?", f"{told} If they are late, 2 hours are left.") == told


def test_a_word_that_only_begins_with_the_does_not_name_the_thing_again():
    assert not _goes_on("Gloves may be lent.", "Thermal gloves stay in the hall.")
    assert _goes_on("Gloves may be lent.", "The gloves stay in the hall.")
    assert _goes_on("Gloves may be lent.", "A warmer glove stays in the hall.")


def test_that_there_is_something_else_does_not_go_on():
    told = "Children under six are not allowed in the loft."

    assert answer("Is a child of four allowed in the loft?", f"{told} There is one free cake on Sundays.") == told


def test_a_reason_after_the_sentence_that_gives_none_comes_with_it():
    told = "The north gate is shut for a week. A ditch was dug, because the pipe leaked. Dogs are kept on a lead."

    assert answer("Why is the north gate shut?", told) == (
        "The north gate is shut for a week. A ditch was dug, because the pipe leaked."
    )


def test_nothing_comes_with_a_sentence_that_gives_its_reason():
    assert answer("Why is the north gate shut?", "The north gate is shut because of mud. It is green.") == (
        "The north gate is shut because of mud."
    )


def test_how_a_thing_is_done_comes_with_the_sentence_that_names_it():
    told = "Members who agree to a new rule show it. Their names on the sheet count as consent."

    assert answer("How do members agree to a new rule?", told) == told
    assert answer("Which members agree to a new rule?", told) == "Members who agree to a new rule show it."


@pytest.mark.parametrize(
    "text",
    [
        "The barn may be hired by members. Dogs are never let in.",  # about another thing
        "The barn may be hired by members. It is red.",  # decides nothing
        "The barn may be hired by members.\n\nIt must be swept.",  # of another paragraph
    ],
)
def test_what_does_not_go_on_about_the_thing_or_decides_nothing_stays_out(text):
    assert answer("May members hire the barn?", text) == "The barn may be hired by members."


def test_nothing_is_added_where_neither_whether_nor_why_nor_how_is_asked():
    assert answer("Who may hire the barn?", BARN) == "The barn may be hired by members."
