"""Where two things are asked at once both are answered, or the reader is told which may not be."""

import pytest
from passages import hit

from rag.followup import asked_at_once, asked_of_each
from rag.quoting.parts import in_parts, of_each, tells, untold

OPEN, LATE = "Check-in is from 15:00.", "A late check-out costs 8 euros."
PARTS = ("When is check-in?", "how much is a late check-out?")
HITS = [hit(f"{OPEN} {LATE} Towels are blue.", section="1 Arrival")]


def drafts(**by_first_word):
    return lambda part: by_first_word.get(part.split()[0], "Towels are blue. [1]")


def test_each_part_is_answered_in_their_order():
    answer = drafts(When=f"{OPEN} [1]", how=f"{LATE} [1]")

    assert in_parts(PARTS, f"{LATE} [1] Towels are blue. [1]", answer, HITS) == f"{OPEN} [1] {LATE} [1]"


def test_what_tells_no_part_is_not_added_and_the_whole_stays():
    assert in_parts(PARTS, f"{LATE} [1]", drafts(When=f"{OPEN} [1]"), HITS) == f"{LATE} [1] {OPEN} [1]"
    assert in_parts(PARTS, f"{LATE} [1]", drafts(), HITS) == f"{LATE} [1]"
    assert in_parts((), f"{LATE} [1]", drafts(When=f"{OPEN} [1]"), HITS) == f"{LATE} [1]"


def test_nothing_is_put_together_where_a_passage_has_numbers_like_those_of_passages():
    assert in_parts(PARTS, f"{LATE} [1]", drafts(When=f"{OPEN} [1]"), [hit("It is so [1].")]) == f"{LATE} [1]"


@pytest.mark.parametrize(
    ("text", "part", "is_told"),
    [
        (OPEN, "When is check-in?", True),
        (LATE, "When is check-in?", False),  # check-out
        ("What: Drains; Who: baker", "Who cleans the drains?", False),
        (LATE, "how much is a taxi?", False),
        ("The hut is in Orr.", "how long is the hut open?", False),  # no time
    ],
)
def test_a_part_is_told_by_most_of_its_words_and_its_kind(text, part, is_told):
    assert tells(text, part) is is_told


def test_a_word_in_the_headings_counts():
    assert tells("What: Drains; Who: baker", "Who cleans the drains?", headings="Cleaning plan")


def test_the_part_that_is_left_open_is_named():
    assert untold(PARTS, LATE, "") == ("The answer may leave open a part of the question: “When is check-in?”",)
    assert untold(PARTS, f"{OPEN} {LATE}", "") == ()
    assert untold(PARTS, "Arrive after three, leave before ten.", "") == ()  # nothing is known of either


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("When does the shop open and when does it close?", ("When does the shop open?", "When does the shop close?")),
        ("When is supper and how much is a berth?", ("When is supper?", "how much is a berth?")),
        ("When is supper?", ()),
        ("Who has it and when is it open?", ()),  # nobody knows what `it` is
    ],
)
def test_every_part_stands_alone_or_there_are_none(question, parts):
    assert asked_at_once(question) == parts


@pytest.mark.parametrize(
    ("question", "each"),
    [
        ("When are lunch and dinner at sea?", ("When are lunch at sea?", "When are dinner at sea?")),
        (
            "How often are pump A and pump B seen to?",
            ("How often are pump A seen to?", "How often are pump B seen to?"),
        ),
        ("What is the distance between the hut and the lake?", ()),  # of both together
        ("How are oil and water mixed?", ()),
        ("Are lunch and dinner included?", ()),  # yes or no
        ("When is lunch?", ()),
    ],
)
def test_what_is_asked_of_two_things_is_asked_of_each(question, each):
    assert asked_of_each(question) == each


def test_what_is_left_out_on_one_of_two_things_is_added():
    lunch, dinner = "Meal: Lunch; At sea: 11:30. [1]", "Meal: Dinner; At sea: 17:30. [1]"
    each = asked_of_each("When are lunch and dinner at sea?")

    assert of_each(each, lunch, lambda question: dinner, HITS) == f"{lunch} {dinner}"
    assert of_each(each, f"{lunch} {dinner}", lambda question: "never asked", HITS) == f"{lunch} {dinner}"
    assert of_each(each, lunch, lambda question: lunch, HITS) == lunch  # nothing is said of dinner
    assert of_each(each, lunch, lambda question: dinner, [hit("It is so [1].")]) == lunch
    assert of_each((), lunch, lambda question: dinner, HITS) == lunch


def test_a_part_that_names_nothing_by_itself_is_not_answered_by_itself():
    parts = ("What are the signs of mould?", "what must be done?")

    assert in_parts(
        parts, "Mould is grey. [1]", lambda part: "A tank is done in red. [1]", [hit("Mould is grey.")]
    ) == ("Mould is grey. [1]")
