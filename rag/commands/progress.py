"""A progress bar on standard error, with rate and time left; where that is no terminal, a line a minute.

Where a program reads the output (`--json`) it is silent on a terminal too: a line that redraws itself would stand among
the JSON on the same screen.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.ingest.report import Progress

EVERY = 60.0
"""Seconds from one line to the next where standard error is no terminal."""


@contextmanager
def bar(*, quiet: bool = False) -> "Iterator[Callable[[Progress], None]]":
    """Yield a callback that draws an ingest's progress; `quiet`: nothing is drawn."""
    from tqdm import tqdm

    tell = _teller(quiet=quiet)
    with tqdm(
        unit="file",
        file=sys.stderr,
        disable=quiet or not sys.stderr.isatty(),
        bar_format="{desc} {n_fmt}/{total_fmt} |{bar}| {postfix}",
    ) as drawn:

        def show(progress: "Progress") -> None:
            left = "" if progress.seconds_left is None else f", {_duration(progress.seconds_left)} left"
            done = f"{progress.files_done} of {progress.files_total} files, {progress.chunks_done} chunks"
            tell(f"{done}{left}: {progress.current}")
            drawn.total, drawn.n = progress.files_total, progress.files_done
            drawn.set_description_str(progress.current[:40], refresh=False)
            drawn.set_postfix_str(f"{progress.chunks_done} chunks, {progress.rate:.0f}/s{left}")

        yield show


@contextmanager
def counter(unit: str, *, quiet: bool = False) -> "Iterator[Callable[[int, int], None]]":
    """Yield a callback that draws how many of how many are done, with rate and time left; `quiet`: nothing."""
    from tqdm import tqdm

    tell = _teller(quiet=quiet)
    with tqdm(unit=unit, file=sys.stderr, disable=quiet or not sys.stderr.isatty()) as drawn:

        def show(done: int, total: int) -> None:
            tell(f"{unit} {done} of {total}")
            drawn.total = total
            drawn.update(done - drawn.n)

        yield show


def _teller(*, quiet: bool) -> Callable[[str], None]:
    """Return what writes a line to standard error, at most one in `EVERY` seconds; none on a terminal."""
    is_plain, told = not quiet and not sys.stderr.isatty(), monotonic()

    def tell(line: str) -> None:
        nonlocal told
        if is_plain and monotonic() - told >= EVERY:
            told = monotonic()
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    return tell


def _duration(seconds: float) -> str:
    """Return a duration as people say it.

    >>> _duration(75)
    '1 min 15 s'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
