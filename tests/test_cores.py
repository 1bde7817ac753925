"""How many cores count: those that this process may use, for the models and for questions alike."""

import os

import pytest

from api.desk import Desk
from rag.candor import Candor
from rag.process.cores import cores


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system gives no process fewer cores")
def test_in_a_container_of_few_cores_only_those_are_counted(monkeypatch: pytest.MonkeyPatch, library: Candor) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 4})
    assert cores() == 2
    desk = Desk(lambda: library, library.settings.model_copy(update={"queue_size": 0}))
    try:
        assert desk._turns._room == 3
    finally:
        desk.close()


def test_a_system_that_limits_no_process_counts_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert cores() == 64
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
