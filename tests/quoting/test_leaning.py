"""A sentence whose first clause points back brings what it means; one that stands by itself brings nothing."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.leaning import leans


def answer(question: str, text: str, *, max_sentences: int = 3) -> str:
    query = Query(question=question)
    return extract(query, [hit(text)], document_frequency=lambda _: {}, indexed=9, max_sentences=max_sentences).text


@pytest.mark.parametrize(
    "text",
    [
        "It is locked.",
        "Members of this group may read the log.",
        "Outside of those hours you may take a taxi.",
        "When a quarter of the crew has changed, both are held within a day.",
        "In these cases the smallest class is taken.",
        "- Users of this option see all.",
        "Rub them for 30 seconds.",
        "Keep it dry.",
        "Ivy is one example of this.",
        "Moles are cases of these.",
        "The resulting paste is called tar.",
    ],
)
def test_a_sentence_that_points_back_leans(text):
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "Readers of this manual may skip the notes.",  # the document itself
        "If it rains, the roof is shut.",
        "Should it rain, the roof is shut.",
        "Boats carry it ashore.",
        "Changes of these statutes need two thirds of the votes.",
        "Reports are due at the end of this month.",
        "Passengers with green cards go to the deck, those with white cards to the lounge.",
        "The drill and the inspection are short, and both are held on Mondays.",  # named in the sentence
        "Gloves wear out, and these gloves are then burnt.",
        "Ivy is one example of a climber.",
        "Everyone must know that the pumps of the old hall run at night and that this pump is loud.",  # far behind
    ],
)
def test_a_sentence_that_names_what_it_means_does_not_lean(text):
    assert not leans(text)


def test_what_is_meant_by_both_comes_along():
    text = (
        "The fire drill and the raft drill are weekly. After a change of crew both are held within a day. Ice is cold."
    )

    assert answer("What is held within a day after a change of crew?", text, max_sentences=2) == (
        "The fire drill and the raft drill are weekly. [1] After a change of crew both are held within a day. [1]"
    )


def test_below_a_list_a_sentence_leans_on_the_list_and_not_on_its_last_item():
    text = (
        "A car is hired when:\n- three persons travel\n- no train goes\n\nIn these cases the smallest class is taken."
    )

    assert answer("Which class is taken?", text) == (
        "A car is hired when: [1] - three persons travel [1] - no train goes [1] "
        "In these cases the smallest class is taken. [1]"
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "How long may cakes stay in a cooled counter?",
            "Cakes stay on the counter for four hours, unless it is cooled. There they stay until evening.",
        ),
        (
            "What happens if I cancel 48 hours before?",
            "You may cancel free of charge up to 48 hours before. If you cancel later, half is due.",
        ),
    ],
)
def test_a_sentence_that_excepts_the_case_asked_about_brings_the_next(question, text):
    assert answer(question, text).replace(" [1]", "") == text


def test_a_sentence_with_an_exception_that_was_not_asked_about_comes_alone():
    text = "Cakes stay on the counter for four hours, unless it is cooled. There is a bin below it."

    assert answer("How long do cakes stay on the counter?", text, max_sentences=2) == (
        "Cakes stay on the counter for four hours, unless it is cooled. [1]"
    )


def test_an_order_brings_the_sentence_that_names_what_it_is_about():
    text = "Disinfect your hands at the door. Rub them for 30 seconds. The door is red."

    assert answer("How long do I rub?", text) == "Disinfect your hands at the door. [1] Rub them for 30 seconds. [1]"


def test_both_halves_of_a_sentence_that_a_page_has_cut_are_quoted():
    text = "Nobody stays in the X-ray room;\n\nthose who must stay wear aprons. The door is red."

    assert answer("Who stays in the X-ray room?", text) == (
        "Nobody stays in the X-ray room; [1] those who must stay wear aprons. [1]"
    )
    assert answer("Who wears aprons?", text).startswith("Nobody stays in the X-ray room; [1] those")


@pytest.mark.parametrize(
    "text",
    [
        "In water below 10 °C they stay for 60 hours.",
        "If fewer than 50 percent germinate, it is sown again.",
        "When they dry out they are thrown away.",
    ],
)
def test_a_case_of_it_that_names_no_thing_leans(text):
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "If the cable breaks, it must be replaced.",
        "When dogs bark, they are hungry.",
        "In winter it rains.",
        "In 1990 it was sold.",
        "During frost it is necessary to heat.",
        "From this it followed.",
    ],
)
def test_a_case_that_names_what_it_is_a_year_and_an_it_that_is_nothing_do_not_lean(text):
    assert not leans(text)


def test_an_exception_brings_the_rule_that_it_is_taken_from():
    text = "Rowers must be at least 14 years old. With the consent of a parent, rowing may begin at the age of 12."

    assert answer("From what age may rowing begin?", text) == (
        "Rowers must be at least 14 years old. [1] With the consent of a parent, rowing may begin at the age of 12. [1]"
    )


def test_only_what_allows_in_a_case_is_an_exception():
    assert leans("In exceptional cases a guest may stay longer.")
    assert leans("With prior approval, boats can be borrowed.")
    assert not leans("With the approval of the board the rules came into force.")
    assert not leans("Without permission nobody may enter.")


def test_after_a_limit_only_a_sentence_for_what_lies_beyond_it_is_quoted():
    asked = "For how many hours may a kayak be kept out?"
    rule = "A kayak may be kept out for up to three hours."

    assert answer(asked, f"{rule} Longer trips need a permit.") == f"{rule} [1] Longer trips need a permit. [1]"
    assert answer(asked, f"{rule} Paddles hang on hooks.") == f"{rule} [1]"
