"""Work that several threads do at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def at_once(*works: Callable[[], object]) -> None:
    """Do each in a thread of its own; what one of them raises is raised when all have ended."""
    with ThreadPoolExecutor(len(works)) as pool:
        begun = [pool.submit(work) for work in works]
    for work in begun:
        work.result()
