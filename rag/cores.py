"""How many cores this process may use: one number for the models' threads and for questions at once."""

import os


def cores() -> int:
    """Return how many cores this process may use; a container or `taskset` may give it fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
