"""Work that several threads do at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def at_once(*works: Callable[[], object]) -> None:
    """Do each in a thread of its own, all from one moment on; what one raises is raised when all have ended."""
    together = Barrier(len(works))

    def begin(work: Callable[[], object]) -> None:
        together.wait()  # without it a quick work ends before the next begins, and one thread does both
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        begun = [pool.submit(begin, work) for work in works]
    for one in begun:
        one.result()
