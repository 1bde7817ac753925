"""What a text says of one thing that it lists is not said of the others; in doubt it is."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.siblings import is_of_sibling, lists_in
from rag.models import Query

LISTS = lists_in(["The club has active rowers, friends and honorary rowers."])
ROWERS = "Active rowers are admitted after a trial of eight weeks."


def test_things_of_a_list_are_told_apart_by_the_words_that_each_alone_has():
    assert ((frozenset({"activ"}), frozenset({"friend"}), frozenset({"honorari"})),) == LISTS
    assert lists_in(["Bring rope and tar.", "We row, sing and eat."]) == ()


@pytest.mark.parametrize(
    "question", ["How long are the friends admitted?", "How long is the trial of friends?", "Do honorary rowers wait?"]
)
def test_a_sentence_about_another_thing_of_the_list_is_told(question):
    assert is_of_sibling(question, ROWERS, LISTS)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long are active rowers admitted?", ROWERS),
        ("How long are rowers admitted?", ROWERS),  # asks about no one thing of the list
        ("How long are friends admitted?", "Active rowers and friends are admitted for a year."),
        ("How long are friends admitted?", "Active rowers are admitted for a year, all others for two."),
        ("How long are friends admitted?", "Whoever is admitted stays, as active rowers do."),  # begins otherwise
        ("Who admits the friends?", "Active rowers admit them."),
        ("Which friends are admitted?", ROWERS),
    ],
)
def test_a_sentence_that_may_be_about_the_thing_asked_is_left_alone(question, text):
    assert not is_of_sibling(question, text, LISTS)


def test_what_is_said_of_rowers_is_not_quoted_for_friends():
    passage = hit(f"The club has active rowers, friends and honorary rowers. {ROWERS} Friends give a gift each year.")

    def told(whom):
        query = Query(question=f"How long is the trial of {whom}?")
        return extract(query, [passage], document_frequency=lambda _: {}, indexed=9).text

    assert "eight weeks" in told("active rowers")
    assert "eight weeks" not in told("friends")
