"""What is older than the retention is gone; what is not, stays."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rag.candor import Candor
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
