"""How much processor time something takes, in a unit that a slow or busy machine stretches alike."""

from collections.abc import Callable
from time import process_time
from typing import Any


def turns_of(work: Callable[[], Any]) -> float:
    """Return the processor time of some work as so many turns of a loop, timed before it and after it.

    A turn makes and measures 100,000 short strings: 8 ms of an idle machine.
    """
    before = _seconds(_turn)
    spent = _seconds(work)
    return 2 * spent / (before + _seconds(_turn))


def _turn() -> int:
    return sum(len(str(number)) for number in range(100_000))


def _seconds(work: Callable[[], Any]) -> float:
    begun = process_time()
    work()
    return process_time() - begun
