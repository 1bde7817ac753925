"""Follow-up questions made to stand alone."""

import pytest

from rag.followup import stand_alone


@pytest.mark.parametrize(
    ("question", "before", "read_as"),
    [
        ("What about acids?", "Which gloves are needed for ethers?", "Which gloves are needed for acids?"),
        ("how about on Sundays?", "When is the library open?", "When is the library open on Sundays?"),
        ("And for acids?", "Which gloves are needed for ethers?", "Which gloves are needed for acids?"),
        (
            "How long does it take?",
            "How often is the course held?",
            "How long does it take? (How often is the course held?)",
        ),
        ("Why?", "Who may use a hood?", "Why? (Who may use a hood?)"),
        ("And who pays for it?", "What is a permit?", "And who pays for it? (What is a permit?)"),
    ],
)
def test_a_question_that_leans_on_the_one_before_is_read_with_it(question: str, before: str, read_as: str) -> None:
    assert stand_alone(question, before) == read_as


@pytest.mark.parametrize(
    "question",
    [
        "Which gloves are needed for acids?",
        "What happens to a cell when it dries?",
        "Is the permit valid in winter, and who renews it?",
        "What is the fee that applies to guests?",
        "Android phones: which are supported?",
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(question: str) -> None:
    assert stand_alone(question, "Who may use a hood?") is None


def test_what_would_be_too_long_is_left_as_it_is() -> None:
    assert stand_alone("Why?", "x" * 999) is None
