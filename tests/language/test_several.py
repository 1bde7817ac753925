"""Two questions in one are told apart from one question with two clauses."""

import pytest

from rag.language.several import questions_in


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("When is it open and how much is a ticket?", ("When is it open?", "how much is a ticket?")),
        ("How much is a berth? When is supper?", ("How much is a berth?", "When is supper?")),
        ("Who rings the bell, and at what time is it rung?", ("Who rings the bell?", "at what time is it rung?")),
        ("What happens if it leaks and who is called?", ("What happens if it leaks?", "who is called?")),
    ],
)
def test_a_question_is_cut_where_another_begins(question, parts):
    assert questions_in(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "When and where is it held?",
        "Who rings it and how often?",
        "Which doors are open when it rains and when it snows?",
        "What are the speed and the load of the winch?",
        "Is it open and who has the key?",
        "Hello! When is it open? Thanks.",
    ],
)
def test_one_question_stays_whole(question):
    assert questions_in(question) == ()
