"""Work that runs in the background, with progress and a way to cancel it."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Literal
from uuid import uuid4

from rag.errors import CandorError

_log = logging.getLogger(__name__)
State = Literal["running", "done", "failed", "cancelled"]


class Cancelled(BaseException):
    """Somebody cancelled the job; not an `Exception`, so that no handler of single failures swallows it."""


@dataclass(slots=True)
class Job:
    """One piece of work and how far it is. The worker writes it, everybody reads it."""

    kind: str
    title: str
    job_id: str = field(default_factory=lambda: uuid4().hex)
    state: State = "running"
    done: int = 0
    total: int = 0
    current: str = ""
    error: str = ""
    result: Any = None
    cancel: Event = field(default_factory=Event)
    thread: Thread | None = None
    holds: frozenset[Path] = frozenset()  # files and folders that must stay as long as it runs; the worker may add some
    dismissed: dict[str, float] = field(default_factory=dict)  # who has seen its end, and when (`time.monotonic`)

    def tell(self, done: int, total: int, current: str = "") -> None:
        """Say how far it is; raises `Cancelled` where somebody cancelled it."""
        self.done, self.total, self.current = done, total, current
        self.check()

    def check(self) -> None:
        """Raise `Cancelled` where somebody cancelled it."""
        if self.cancel.is_set():
            raise Cancelled

    @property
    def share(self) -> float:
        """How much is done, 0..1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0


class Jobs:
    """The background jobs of this process."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def start(self, kind: str, title: str, work: Callable[[Job], Any], *, holds: Iterable[Path] = ()) -> Job:
        """Run `work` in a thread of its own; what it returns is the job's result. Nobody may remove what it `holds`."""
        job = Job(kind, title, holds=frozenset(path.resolve() for path in holds))
        job.thread = Thread(target=_run, args=(job, work), name=f"candor-{kind}", daemon=True)
        with self._lock:
            self._jobs = {key: old for key, old in self._jobs.items() if old.state == "running" or old.kind != kind}
            self._jobs[job.job_id] = job
        job.thread.start()
        return job

    def of(self, kind: str) -> list[Job]:
        """Return the jobs of a kind: those that run, and the last that ended."""
        with self._lock:
            return [job for job in self._jobs.values() if job.kind == kind]

    def holding(self, path: Path) -> list[Job]:
        """Return the running jobs that need a file or folder, whatever their kind."""
        with self._lock:
            return [job for job in self._jobs.values() if job.state == "running" and path.resolve() in job.holds]

    def forget(self, job: Job) -> None:
        """Take a job that has ended off the list, for everybody."""
        with self._lock:
            self._jobs.pop(job.job_id, None)


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    try:
        job.result = work(job)
        job.state = "done"
    except Cancelled:
        job.state = "cancelled"
    except CandorError as error:
        job.error, job.state = error.message, "failed"
    except Exception as error:  # the thread would die unseen
        _log.exception("The background job %r failed.", job.title)
        job.error, job.state = f"{type(error).__name__}: {error}", "failed"
