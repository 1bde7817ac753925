"""What is older than the retention is gone; what is not, stays."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from fastapi.testclient import TestClient

import api.app
from rag.candor import Candor
from rag.errors import ServiceUnavailable
from rag.retention import forget_old

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


def test_a_file_that_cannot_be_removed_is_told_and_tried_again(tmp_path: Path) -> None:
    with Candor.open(data_dir=tmp_path, retention_days=30) as candor:
        stubborn = tmp_path / "requests" / "2020-01-01.jsonl"
        (stubborn / "within").mkdir(parents=True)  # no file, so that removing it fails, for root too
        answers = tmp_path / "answers" / "2020-01-01.jsonl"
        answers.parent.mkdir()
        answers.write_text("{}\n")
        with pytest.raises(ServiceUnavailable, match=r"2020-01-01\.jsonl"):
            forget_old(candor)
        (stubborn / "within").rmdir()
        stubborn.rmdir()
        assert forget_old(candor) == 1
        assert not answers.exists()


def test_a_running_server_forgets_now_and_then_also_after_it_once_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(api.app, "FORGET_EVERY_S", 0.02)
    stubborn = tmp_path / "requests" / "2020-01-01.jsonl"
    (stubborn / "within").mkdir(parents=True)
    answers = tmp_path / "answers" / "2020-01-01.jsonl"
    answers.parent.mkdir()
    answers.write_text("{}\n")
    candor = Candor.open(data_dir=tmp_path, retention_days=30)
    with TestClient(api.app.create_api(lambda: candor, candor.settings)):
        assert _soon(lambda: "could not be removed" in caplog.text)
        (stubborn / "within").rmdir()
        stubborn.rmdir()
        assert _soon(lambda: not answers.exists())


def _soon(is_so: Callable[[], bool]) -> bool:
    until = monotonic() + 30
    while not is_so() and monotonic() < until:
        sleep(0.02)
    return is_so()
