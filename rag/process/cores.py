"""How many cores this process may use: one number for the models' threads and for questions at once."""

import os


def cores() -> int:
    """Return how many cores this process may use: a CPU set or `taskset` may give it fewer than the machine has.

    A quota of processor time (`docker --cpus`) is not seen: set `CANDOR_THREADS` and `CANDOR_CONCURRENCY` then.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
