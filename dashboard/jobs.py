"""Work that runs in the background: its progress, a way to cancel it, and how pages draw it, once for everybody."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Literal
from uuid import uuid4

import streamlit as st

from dashboard import resources, state
from dashboard.words import md, size
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
        job.result, job.state = work(job), "done"
    except Cancelled:
        job.state = "cancelled"
    except CandorError as error:
        job.error, job.state = error.message, "failed"
    except Exception as error:  # the thread would die unseen
        _log.exception("The background job %r failed.", job.title)
        job.error, job.state = f"{type(error).__name__}: {error}", "failed"


def running_of(kind: str) -> list[Job]:
    """Return the jobs of a kind that are going on."""
    return [job for job in resources.get_jobs().of(kind) if job.state == "running"]


def draw_running(kind: str, *, cancel_help: str) -> bool:
    """Draw the jobs of a kind that are going on, and return whether any is; the help says what cancelling one does."""
    is_running = bool(running_of(kind))
    if is_running:
        _follow(kind, cancel_help)
    return is_running


def draw_ended(kind: str, done: Callable[[Job], str], *, lead_on: Callable[[Job], None] | None = None) -> None:
    """Draw how the last job of a kind ended: what to say of one that is done, in Markdown, and what leads on."""
    for job in resources.get_jobs().of(kind):
        if job.state == "running" or is_dismissed(job):
            continue
        if job.state == "failed":
            st.error(md(job.error), title=f"{md(job.title)} failed", icon=":material/error:")
        elif job.state == "cancelled":
            st.info(f"{md(job.title)} was cancelled at {job.done} of {job.total}.", icon=":material/cancel:")
        else:
            st.success(done(job), icon=":material/check_circle:")
        with st.container(horizontal=True):
            if lead_on is not None and job.state == "done":
                lead_on(job)
            draw_dismiss(job)


@st.fragment(run_every=1.0)
def _follow(kind: str, cancel_help: str = "", told: str = "") -> None:
    """Draw running jobs again and again, with Cancel or with what is `told`; the whole page once all have ended."""
    running = running_of(kind)
    if not running:
        st.rerun()
    for job in running:
        with st.container(border=True):
            if told:
                st.progress(job.share, f"{told}: {md(job.current or job.title)}")
                st.caption("This happens once after a start. Later only what is new is read. You can use other pages "
                           "meanwhile.")  # fmt: skip
                continue
            how_far = f", {job.done} of {job.total}" if job.total else ""
            st.progress(job.share, f"{md(job.title)}{how_far}: {md(job.current or 'starting')}")
            if st.button("Cancel", key=f"cancel-{job.job_id}", icon=":material/cancel:", help=cancel_help):
                job.cancel.set()


def draw_dismiss(job: Job) -> None:
    """Draw the button that takes away what a job came to, for whoever clicks it and for nobody else."""

    def dismiss() -> None:
        job.dismissed.setdefault(state.get(state.ACCOUNT) or "", monotonic())
        state.put(state.DISMISSED, {*state.get(state.DISMISSED, ()), job.job_id})

    st.button("Dismiss", key=f"dismiss-{job.job_id}", type="tertiary", icon=":material/close:", on_click=dismiss,
              help="Hides it for you. Others see it until they dismiss it.")  # fmt: skip


def is_dismissed(job: Job) -> bool:
    """Return whether whoever looks has dismissed what a job came to.

    Who did not log in is known in this browser session alone; one that begins later takes it as seen, too.
    """
    account = state.get(state.ACCOUNT) or ""
    at = job.dismissed.get(account)
    if account or at is None:
        return at is not None
    return job.job_id in state.get(state.DISMISSED, ()) or at <= state.get(state.BEGAN, 0.0)


RECORDS = "read-records"
AT_ONCE_BYTES = 32_000_000
"""Up to so many new bytes are read while a page is drawn, in well under a second; more in the background."""


def records_are_read() -> bool:
    """Return whether tables of records can be drawn at once; where not, have them read, and draw how far that is."""
    report = resources.get_report()
    unread = report.unread()

    def read(job: Job) -> None:
        report.read(progress=lambda done, total: job.tell(done, total, f"{size(done)} of {size(total)}"))

    if unread > AT_ONCE_BYTES:
        work_on(RECORDS, size(unread), read, title="The records could not be read", told="Reading the records")
    return unread <= AT_ONCE_BYTES


def work_on(kind: str, size_of_it: str, work: Callable[[Job], Any], *, title: str, told: str) -> None:
    """Have something done in the background unless it is under way; draw what is `told` of it, `title` if it failed."""
    jobs = resources.get_jobs()
    for failed in [job for job in jobs.of(kind) if job.state == "failed"]:
        st.error(md(failed.error), title=title, icon=":material/error:")
        st.button("Try again", icon=":material/refresh:", key=f"again-{kind}", on_click=jobs.forget, args=(failed,))
        return
    if not running_of(kind):
        jobs.start(kind, size_of_it, work)
    _follow(kind, told=told)
