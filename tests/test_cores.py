"""How many cores count: those that this process may use, for the models and for questions alike."""

import os

import pytest

from rag.process.cores import cores


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system gives no process fewer cores")
def test_in_a_container_of_few_cores_only_those_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 4})
    assert cores() == 2


@pytest.mark.parametrize(("counted", "told"), [(64, 64), (None, 1)])
def test_a_system_that_limits_no_process_counts_all(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, told: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert cores() == told
