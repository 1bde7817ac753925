"""A sentence that only counts is quoted with those that name what it counts."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query

LABOUR = (
    "The ferry is loaded in three stages. During stage one the ramp is lowered. Nobody may stand on it. In the second "
    "stage lorries drive aboard. The last stage belongs to those on foot. Late cars wait for the next ferry."
)
SEEDS = (
    "Lichens belong to two phyla. The larger phylum, Alba, grows on stone. Members of the phylum Bruna grow on bark. "
    "Both grow slowly."
)


def answer(question: str, text: str) -> str:
    draft = extract(Query(question=question), [hit(text)], document_frequency=lambda _: {}, indexed=9)
    return draft.text.replace(" [1]", "")


def test_each_member_is_quoted_and_what_stands_between_is_not():
    assert answer("In which stages is the ferry loaded?", LABOUR) == (
        "The ferry is loaded in three stages. During stage one the ramp is lowered. In the second stage lorries drive "
        "aboard. The last stage belongs to those on foot."
    )


def test_a_noun_of_another_ending_names_a_member():
    assert answer("What are the two phyla of lichens?", SEEDS) == (
        "Lichens belong to two phyla. The larger phylum, Alba, grows on stone. Members of the phylum Bruna grow on "
        "bark."
    )


def test_where_no_sentence_names_the_counted_thing_the_next_two_are_quoted():
    text = "The pier has three rules. Nobody dives. Dogs are led. Fires are out by ten. The kiosk sells ice."

    assert answer("What are the rules of the pier?", text) == "The pier has three rules. Nobody dives. Dogs are led."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many stages are there in loading the ferry?", LABOUR),
        ("Are there three stages in which the ferry is loaded?", LABOUR),
    ],
)
def test_a_count_that_was_asked_for_stands_alone(question, text):
    assert "stage one" not in answer(question, text)


def test_a_count_at_the_end_of_its_paragraph_stays_as_it_is():
    assert answer("What are the rules of the pier?", "The pier has three rules.\n\nThe kiosk sells ice.") == (
        "The pier has three rules."
    )


def test_a_short_noun_keeps_its_ending():
    text = "The club has two ties. One is of wool. The other is of silk. Tickets are sold at the door. Time is short."

    assert answer("What are the ties of the club?", text) == (
        "The club has two ties. One is of wool. The other is of silk."
    )


def test_what_a_count_leans_on_stays_with_it():
    text = (
        "The ferry is loaded at noon. It has three stages of loading. In stage one the ramp is lowered. In stage two "
        "lorries drive aboard."
    )

    assert answer("Which stages of loading has the ferry?", text).startswith(
        "The ferry is loaded at noon. It has three"
    )
