"""What every benchmark needs: durations, memory as the kernel counts it, a table, and the load under which it ran."""

import os
import platform
import resource
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Durations:
    """How long calls took, in milliseconds.

    Attributes:
        p50: Median of the wall clock.
        p95: 95th percentile of the wall clock.
        cpu: Mean processor time of this process, all threads: what is left of a figure on a busy machine.
    """

    p50: float
    p95: float
    cpu: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.2f}, p95 {self.p95:.2f}, CPU {self.cpu:.2f} ms"


def timed(call: Callable[[Item], object], arguments: Iterable[Item]) -> Durations:
    """Return how long a call takes for each of the arguments."""
    wall, cpu = [], process_time()
    for argument in arguments:
        begun = perf_counter()
        call(argument)
        wall.append((perf_counter() - begun) * 1000)
    spent = (process_time() - cpu) * 1000 / len(wall)
    return Durations(float(np.percentile(wall, 50)), float(np.percentile(wall, 95)), spent)


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of this process in MB.

    Attributes:
        peak: The most that was ever resident, mapped files included (VmHWM).
        own: What it holds by itself now (RssAnon).
        files: Pages of mapped files that are resident now; the kernel takes them back when it needs them (RssFile).
    """

    peak: float
    own: float
    files: float

    @classmethod
    def now(cls) -> "Memory":
        """Return what the kernel counts now."""
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
        peak, own, files = (int(lines[key].split()[0]) / 1024 for key in ("VmHWM", "RssAnon", "RssFile"))
        return cls(peak, own, files)

    def __str__(self) -> str:
        return f"peak {self.peak:,.0f} MB, own {self.own:,.0f} MB, mapped files {self.files:,.0f} MB"


class Children:
    """The most that any child process held by itself (RssAnon) while this was open, in MB; looked at every 0.1 s.

    The kernel keeps only the peak of everything resident, mapped files included (`ru_maxrss`).
    """

    def __init__(self) -> None:
        self.own = 0.0
        self._ended = Event()
        self._watcher = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Children":
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watcher.join()

    def __str__(self) -> str:
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        return f"processes that optimised: peak {peak:,.0f} MB, own at most {self.own:,.0f} MB"

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            for task in Path("/proc/self/task").glob("*/children"):
                with suppress(OSError):
                    self.own = max([self.own, *map(_own_mb, task.read_text().split())])


def _own_mb(process: str) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)


def machine() -> str:
    """Return the machine and its load, as a figure needs them beside it."""
    return f"{platform.machine()}, {os.cpu_count()} cores, load {' '.join(f'{one:.1f}' for one in os.getloadavg())}"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a Markdown table."""
    lines = [f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


@contextmanager
def kept_or_removed(home: Path | None) -> Iterator[Path]:
    """Yield a folder that was named, or a new one that is removed again."""
    if home is not None:
        yield home
        return
    with tempfile.TemporaryDirectory(prefix="candor-") as folder:
        yield Path(folder)


def size_mb(folder: Path) -> float:
    """Return what the files of a folder take on disk, in MB; holes in sparse files count nothing."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()) / 1e6
