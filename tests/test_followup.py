"""Follow-up questions made to stand alone."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from dialogues import FOLLOW_UPS, MISREAD, STAND_ALONE, Dialogue
from hypothesis import given
from hypothesis import strategies as st
from library import quiet_settings

from api.conversation import READ_AS, Talk
from rag import Candor
from rag.followup import read_in_turn, stand_alone
from rag.models import Answer
from rag.stored import new_session_id
from rag.validate import MAX_LENGTH


def read(dialogue: Dialogue) -> str:
    """Return a dialogue's last question as it is read."""
    return read_in_turn([*(question.strip() for question in dialogue.before.split("|")), dialogue.asked])


@pytest.mark.parametrize("dialogue", FOLLOW_UPS, ids=lambda dialogue: dialogue.asked)
def test_a_question_that_leans_on_the_one_before_is_read_with_it(dialogue: Dialogue) -> None:
    assert read(dialogue) == dialogue.read_as


@pytest.mark.parametrize("dialogue", STAND_ALONE, ids=lambda dialogue: dialogue.asked)
def test_a_question_that_stands_alone_is_left_as_it_is(dialogue: Dialogue) -> None:
    assert read(dialogue) == dialogue.asked


@pytest.mark.parametrize(
    "dialogue",
    [pytest.param(one, marks=pytest.mark.xfail(strict=True, reason="form does not tell")) for one in MISREAD],
    ids=lambda dialogue: dialogue.asked,
)
def test_a_follow_up_that_form_does_not_tell_is_read(dialogue: Dialogue) -> None:
    assert read(dialogue) == dialogue.read_as


@pytest.mark.parametrize(
    "told",
    ["It does not work.", "I did that but it fails", "Thanks!", "OK", "Are you sure?", "Really?", "Who told you that?"],
)
def test_what_is_told_or_said_to_the_assistant_is_no_follow_up(told: str) -> None:
    assert stand_alone(told, "How do I reset my password?") is None


def test_what_would_be_too_long_is_left_as_it_is() -> None:
    assert stand_alone("Why?", f"What is {'x' * 999}?") is None


def test_only_the_first_question_of_a_conversation_can_have_nothing_before_it() -> None:
    assert read_in_turn(["And for acids?"]) == "And for acids?"


def test_what_could_not_be_asked_is_passed_over() -> None:
    assert read_in_turn(["Which gloves resist ethers?", "?", "Are they thick?"]) == (
        "Are the gloves that resist ethers thick?"
    )


_TEXT = st.text(max_size=60) | st.lists(
    st.sampled_from(
        re.findall(
            r"\S+",
            "who what which how why when is are do does can the a of for in and or if one ones it they that this not "
            "gloves acids first else then ? , . ( ) many much true same explain about there",
        )
    ),
    max_size=12,
).map(" ".join)


@given(question=_TEXT, before=_TEXT)
def test_any_text_after_any_text_is_read_without_an_error(question: str, before: str) -> None:
    found = stand_alone(question, before)
    assert found is None or 0 < len(found) <= MAX_LENGTH


# --- what the reading finds --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def candor(library_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Candor]:
    """The sample library, with conversations of its own."""
    home = tmp_path_factory.mktemp("conversations") / "data"
    shutil.copytree(library_home, home)
    with Candor.open(quiet_settings(home)) as opened:
        yield opened


def talk(candor: Candor, *questions: str) -> list[Answer]:
    """Ask one question after the other in a new conversation."""
    session_id, answers = new_session_id(), []
    for question in questions:
        turn = Talk.open(candor, session_id, question, None)
        answers.append(turn.keep(candor.ask(turn.question)))
    return answers


@pytest.mark.parametrize(
    ("before", "asked", "says"),
    [
        ("What is a moraine?", "What about an esker?", "winding ridge"),
        ("What is firn?", "When does it become glacier ice?", "830 kilograms"),
        ("How often is the refresher course held?", "How long does it take?", "ninety minutes"),
        ("What protective equipment is required for class A chemicals?", "And for class C?", "double gloves"),
        ("What protective equipment is required for class A chemicals?", "And for class B?", "Face shield"),
        ("Which gloves are required for dichloromethane?", "And why?", "passes through nitrile"),
        ("What is a bursting disc?", "How often is it replaced?", "every two years"),
        ("How fast do most valley glaciers move?", "Which is the fastest?", "Jakobshavn"),
    ],
)
def test_a_follow_up_is_answered_and_says_how_it_was_read(candor: Candor, before: str, asked: str, says: str) -> None:
    _, answer = talk(candor, before, asked)
    assert says in (answer.answer or "")
    assert f"{READ_AS}{answer.query.question}" in answer.notes


PASSES = pytest.mark.xfail(reason="a near miss that the gate lets pass", strict=True)


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("How often is the refresher course held?", "What does it cost?"),
        ("How long does the Analytical Core keep raw data?", "Who can read them?"),
        pytest.param("At what density does firn become glacier ice?", "On which planet?", marks=PASSES),
        ("Within how many days after return must travel expenses be claimed?", "Since when?"),
    ],
)
def test_a_follow_up_that_the_documents_do_not_answer_is_not_answered_with_the_answer_before(
    candor: Candor, before: str, asked: str
) -> None:
    first, second = talk(candor, before, asked)
    assert first.answer is not None
    assert second.answer is None


def test_a_chain_of_follow_ups_keeps_its_subject_until_another_is_named(candor: Candor) -> None:
    answers = talk(
        candor,
        "How often is the refresher course held?",
        "How long does it take?",
        "Why?",
        "What is an esker?",
        "Where is it found?",
    )
    assert [answer.query.question for answer in answers] == [
        "How often is the refresher course held?",
        "How long does the refresher course take?",
        "Why? (the refresher course takes)",
        "What is an esker?",
        "Where is an esker found?",
    ]


def test_a_follow_up_after_a_refusal_is_read_with_what_was_refused(candor: Candor) -> None:
    refused, answered = talk(candor, "Which gloves are required for carbon disulfide?", "And for dichloromethane?")
    assert refused.answer is None
    assert answered.query.question == "Which gloves are required for dichloromethane?"
    assert "laminate" in (answered.answer or "")
