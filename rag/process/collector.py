"""How often Python looks for what nobody holds any more."""

import gc

EVERY = 20_000
"""New objects from which it looks. A question makes and drops some thousands: by the default of 700 Python looked many
times for each, and through all that stays loaded now and then, which took 1 to 2 of its 40 ms."""


def collect_seldom() -> None:
    """Let the garbage collector run seldom: for processes that are Candor's own, not for programs that import it."""
    gc.set_threshold(EVERY)
