"""What a conversation keeps of an answer, and what is said where it could not be kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded import answered

from rag.candor import Candor
from rag.errors import ServiceUnavailable
from rag.workspace.conversation import NOT_KEPT, before, keep_turn

SESSION = "12345678-9abc-4def-8123-456789abcdef"


@pytest.fixture
def candor(tmp_path: Path) -> Iterator[Candor]:
    with Candor.open(data_dir=tmp_path) as opened:
        yield opened


def keep(candor: Candor, **more: bool) -> tuple[str, ...]:
    answer = answered(1)
    candor.wiring.recorder.answer(answer)
    return keep_turn(candor, SESSION, answer, asked="Gloves?", read_as="Which gloves?", **more).notes


def test_a_turn_is_kept_as_asked_and_the_next_question_is_read_with_it_as_it_was_read(candor: Candor) -> None:
    sessions = candor.wiring.sessions
    assert before(sessions.history(SESSION)) is None
    assert keep(candor) == answered(1).notes
    (turn,) = sessions.history(SESSION)
    assert (turn.question, turn.answer["read_as"]) == ("Gloves?", "Which gloves?")
    assert before(sessions.history(SESSION)) == "Which gloves?"
    sessions.append(SESSION, question="And at night?", answer={"answer": None}, request_id="older")
    assert before(sessions.history(SESSION)) == "And at night?"  # kept before turns said how they were read


def test_where_the_database_does_not_answer_the_answer_says_so_and_its_record_stays(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise ServiceUnavailable("The database does not answer.")

    monkeypatch.setattr(candor.wiring.sessions, "append", refuses)
    assert keep(candor)[0] == f"{NOT_KEPT}The database does not answer."
    assert candor.wiring.recorder.read_answer(answered(1).request_id) is not None
