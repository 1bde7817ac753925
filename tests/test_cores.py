"""How many cores count: those that this process may use, for the models and for questions alike."""

import os

import pytest

from rag.process.cores import cores


@pytest.mark.parametrize(("counted", "usable", "told"), [(64, {3, 4}, 2), (64, None, 64), (None, None, 1)])
def test_only_the_cores_that_this_process_may_use_are_counted(monkeypatch, counted, usable, told):
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable, raising=False)
    if usable is None:  # a system that limits no process
        monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == told
