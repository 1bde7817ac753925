"""What the guard remembers of whether there are keys: by a clock that nobody sets, and never before it has looked."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from api import guard
from api.desk import Desk
from rag.settings import Settings


class Keys:
    """As many keys as it is told of."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def were_made(self) -> bool:
        return bool(self.made)


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Both clocks, in seconds."""
    read = SimpleNamespace(monotonic=1.0, wall=1_700_000_000.0)
    monkeypatch.setattr(guard, "monotonic", lambda: read.monotonic)
    monkeypatch.setattr("time.time", lambda: read.wall)
    return read


def guarded(keys: Keys) -> Any:
    return guard.Guard(cast(Desk, SimpleNamespace(candor=None)), Settings())


def test_a_guard_that_has_not_looked_yet_knows_of_no_open_door(clock: SimpleNamespace, keys: Keys) -> None:
    clock.monotonic = 0.5  # the machine has just started
    clock.wall = 0.5
    keys.made = ["k"]
    made = guarded(keys)
    assert not made._known_open()
    assert made._is_guarded(keys)


def test_a_wall_clock_that_is_set_back_does_not_keep_the_door_open(clock: SimpleNamespace, keys: Keys) -> None:
    made = guarded(keys)
    assert not made._is_guarded(keys)
    keys.made = ["k"]
    clock.wall -= 3600.0
    clock.monotonic += 1.0
    assert not made._is_guarded(keys)  # seen a moment ago
    clock.monotonic += 2.0
    assert made._is_guarded(keys)
