"""What a conversation keeps of an answer; what is older than the retention is gone, and what is not stays."""

import errno
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from fastapi.testclient import TestClient
from recorded import answered

import api.app
import api.running
import rag.record
from rag.candor import Candor
from rag.errors import ServiceUnavailable
from rag.records.linefile import rewrite
from rag.workspace.conversation import NOT_KEPT, before, keep_turn
from rag.workspace.retention import delete_conversation, forget_old

DAY = timedelta(days=1)
SESSION = "12345678-9abc-4def-8123-456789abcdef"


@pytest.mark.parametrize(("days", "later", "kept"), [(0, 1000, True), (30, 29, True), (30, 32, False)])
def test_what_is_older_than_the_retention_is_forgotten(tmp_path: Path, days: int, later: int, kept: bool) -> None:
    now = datetime.now(UTC)
    with Candor.open(data_dir=tmp_path, retention_days=days) as candor:
        sessions = candor.wiring.sessions
        sessions.append(SESSION, question="Who?", answer={}, request_id="req_1", at=now)
        answers = tmp_path / "answers"
        answers.mkdir()
        (answers / f"{now:%Y-%m-%d}.jsonl").write_text('{"request_id":"req_1",}\n')
        forget_old(candor, now=now + later * DAY)
        assert (sessions.get(SESSION) is not None) is kept
        assert any(answers.iterdir()) is kept


def full_once():
    """Return what puts a file in another's place, but not the first time: then the disk is full."""
    tries = []

    def replacing(path, keep):
        tries.append(path)
        if len(tries) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return rewrite(path, keep)

    return replacing


@pytest.fixture
def talked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Candor]:
    """A conversation of one turn and its record, whose removal fails the first time; a record of another besides."""
    monkeypatch.setattr(rag.record, "rewrite", full_once())
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "2126-01-02.jsonl").write_text('{"request_id":"req_1",}\n{"request_id":"req_2",}\n')
    with Candor.open(data_dir=tmp_path, retention_days=30, allow_open=True) as candor:
        candor.wiring.sessions.append(SESSION, question="Who?", answer={}, request_id="req_1")
        yield candor


def recorded_in(candor: Candor) -> str:
    return (candor.settings.data_dir / "answers" / "2126-01-02.jsonl").read_text()


def test_the_api_deletes_again_what_it_could_not_delete(talked: Candor) -> None:
    with TestClient(api.app.create_api(lambda: talked, talked.settings), base_url="http://127.0.0.1") as client:
        assert client.delete(f"/api/v1/sessions/{SESSION}").status_code == 503
        assert client.delete(f"/api/v1/sessions/{SESSION}").json() == {"session_id": SESSION, "turns": 1}
        assert client.delete(f"/api/v1/sessions/{SESSION}").status_code == 404
    assert recorded_in(talked) == '{"request_id":"req_2",}\n'


def test_retention_that_failed_removes_conversation_and_record_the_next_time(talked: Candor) -> None:
    later = datetime.now(UTC) + 31 * DAY
    with pytest.raises(ServiceUnavailable, match="could not be removed"):
        forget_old(talked, now=later)
    assert forget_old(talked, now=later) == 1
    assert talked.wiring.sessions.get(SESSION) is None
    assert recorded_in(talked) == '{"request_id":"req_2",}\n'


def test_a_turn_that_is_kept_while_its_conversation_is_deleted_goes_with_its_record(talked, monkeypatch):
    sessions, recorder = talked.wiring.sessions, talked.wiring.recorder
    forgotten: list[set[str]] = []

    def forget(ids: Collection[str]) -> int:
        if not forgotten:
            sessions.append(SESSION, question="And?", answer={}, request_id="req_2", begins=False)
        forgotten.append({*ids})
        return len(ids)

    monkeypatch.setattr(recorder, "forget", forget)
    assert delete_conversation(talked, SESSION) == ("req_1", "req_2")
    assert forgotten == [{"req_1"}, {"req_2"}]


def test_a_running_server_forgets_now_and_then_also_after_it_once_could_not(tmp_path, monkeypatch, caplog):
    rounds: list[Candor] = []

    def forget(candor: Candor) -> int:
        rounds.append(candor)
        if len(rounds) == 1:
            raise ValueError("a bug")
        return forget_old(candor)

    monkeypatch.setattr(api.running, "FORGET_EVERY_S", 0.02)
    monkeypatch.setattr(api.running, "forget_old", forget)
    stubborn = tmp_path / "requests" / "2020-01-01.jsonl"
    (stubborn / "within").mkdir(parents=True)
    answers = tmp_path / "answers" / "2020-01-01.jsonl"
    answers.parent.mkdir()
    answers.write_text("{}\n")
    with (
        Candor.open(data_dir=tmp_path, retention_days=30) as candor,
        TestClient(api.app.create_api(lambda: candor, candor.settings)),
    ):
        assert _soon(lambda: "could not be removed" in caplog.text)
        (stubborn / "within").rmdir()
        stubborn.rmdir()
        assert _soon(lambda: not answers.exists())
    assert ["a bug" in (record.exc_text or "") for record in caplog.records if record.exc_info] == [True]


def _soon(is_so: Callable[[], bool]) -> bool:
    until = monotonic() + 30
    while not is_so() and monotonic() < until:
        sleep(0.02)
    return is_so()


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


def test_where_the_database_does_not_answer_the_answer_says_so_and_its_record_stays(candor, monkeypatch):
    def refuses(*_: object, **__: object) -> None:
        raise ServiceUnavailable("The database does not answer.")

    monkeypatch.setattr(candor.wiring.sessions, "append", refuses)
    assert keep(candor)[0] == f"{NOT_KEPT}The database does not answer."
    assert candor.wiring.recorder.read_answer(answered(1).request_id) is not None
