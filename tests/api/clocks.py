"""A clock that a test puts forward, so that a limit of minutes is reached at once and never by mere slowness."""

from time import monotonic

import pytest

LIMIT_S = 120.0
"""A limit that no machine reaches by being slow."""


class Clock:
    """Tells the time since some moment, and what it was put forward by."""

    def __init__(self) -> None:
        self._ahead_s = 0.0

    def __call__(self) -> float:
        return monotonic() + self._ahead_s

    def forward(self, seconds: float = LIMIT_S) -> None:
        """Let seconds pass in no time."""
        self._ahead_s += seconds


def clock_of(module: str, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock that a module looks at from now on."""
    clock = Clock()
    monkeypatch.setattr(f"{module}.monotonic", clock)
    return clock
