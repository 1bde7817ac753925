"""May the month and may the verb, months in each other's place, and spans of months. All written by hand."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.grounding.evidence import EvidenceCheck
from rag.grounding.reading import read

CHECK = EvidenceCheck()
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
FRAMES = (
    "The drill is held in {}.",
    "The pool of the town is closed until {}.",
    "Since {} the mill has been a museum.",
    "In {} the ferry runs twice a day.",
    "Rents are due by the end of {}.",
    "The {} meeting of the board takes place in Odda.",
    "The driest month in Tarvik is {}.",
    "{} is the driest month in Tarvik.",
    "The harvest lasts from {} to December 2021.",
)
"""A month in each place that it takes in a sentence."""
VERBS = (
    "The drill may be held.",
    "May guests bring a dog to the hall?",
    "Visitors may enter the hall in May.",
    "You May Not Enter The Hall",
    "May I borrow a book?",
)
CARRIED = [
    ("The drill is held.", "The drill is held in May."),
    ("The drill is held in May.", "The drill is held in May and October."),
    ("May and June are dry in Tarvik.", "In Tarvik, May and June are dry."),
    ("The pool is closed from March to May.", "From March to May the pool is closed."),
    ("The pool is closed in April, May and June.", "In April, May and June the pool is closed."),
    ("In May the mill is shut, and in June the lock is shut.", "The mill is shut in May. The lock is shut in June."),
    ("Visitors may enter the hall in May.", "In May visitors may enter the hall."),
    ("The mill stands in Odda, and it is shut in May.", "The mill stands in Odda. It is shut in May."),
    ("The mill stands in Odda and is shut in May.", "The mill stands in Odda. It is shut in May."),
]  # fmt: skip
NOT_CARRIED = [
    ("The pool is closed from March to May.", "The pool is closed in March and May."),
    ("The pool is closed in March and May.", "The pool is closed from March to May."),
    ("The pool is closed in April and May.", "The pool is closed in April and June."),
    ("The drill is held on 5 May.", "The drill is held on 6 May."),
    ("The drill is held in May 2021.", "The drill is held in May 2022."),
    ("The drill is held in May.", "The drill may be held."),
    ("The drill is held.", "The drill may be held."),
    ("Visitors enter the hall in May.", "Visitors may enter the hall in May."),
    ("In May the mill is shut, and in June the lock is shut.", "The mill is shut in May. The lock is shut in July."),
    ("In May the mill is shut, and in June the lock is shut.", "The mill is shut in June. The lock is shut in May."),
    ("The mill is in Odda, and the lock is in Tarvik.", "The mill is in Tarvik. The lock is in Odda."),
]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("month", MONTHS)
def test_a_sentence_with_a_month_supports_itself_and_none_with_another_month(frame: str, month: str) -> None:
    said = frame.format(month)
    assert CHECK.examine(said, said).support >= 0.5
    for other in {*MONTHS} - {month}:
        assert CHECK.support(frame.format(other), said) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), CARRIED, ids=lambda text: text)
def test_what_is_said_with_may_stays_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(("claim", "evidence"), NOT_CARRIED, ids=lambda text: text)
def test_what_is_not_said_with_may_is_not_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize("text", VERBS)
def test_may_the_verb_stays_a_permission(text: str) -> None:
    assert "may" in read(text).words


@pytest.mark.parametrize(("one", "other"), [*permutations(MONTHS[2:7], 2)], ids=lambda text: text)
def test_a_span_of_months_is_not_a_list_of_them(one: str, other: str) -> None:
    span, listed = f"The pool is closed from {one} to {other}.", f"The pool is closed in {one} and {other}."
    assert CHECK.support(span, listed) < 0.5
    assert CHECK.support(listed, span) < 0.5
    assert CHECK.examine(span, span).support >= 0.5
    assert CHECK.examine(listed, listed).support >= 0.5


SUBJECTS = st.sampled_from(("The drill", "The pool of the town", "A tour of the mill", "The board"))
VERB_GROUPS = st.sampled_from(("is held", "may be held", "is not held", "must be held", "was nearly held"))
PLACES = st.sampled_from(("in {}", "until {}", "from {} to November", "in {} and November", "by {}"))


@given(SUBJECTS, VERB_GROUPS, PLACES, st.sampled_from(MONTHS[:10]), VERB_GROUPS, PLACES, st.sampled_from(MONTHS[:10]))
def test_may_is_judged_as_june_is(
    subject: str, verb: str, place: str, month: str, other_verb: str, other_place: str, other_month: str
) -> None:
    """Put May for June, and June for May, on both sides: whether the text carries the claim must stay as it is."""
    swap = {"May": "June", "June": "May"}

    def told(first: str, second: str) -> bool:
        claim = f"{subject} {verb} {place.format(first)}."
        return CHECK.support(claim, f"{subject} {other_verb} {other_place.format(second)}.") >= 0.5

    assert told(month, other_month) == told(swap.get(month, month), swap.get(other_month, other_month))
