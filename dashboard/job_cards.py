"""How far background work is, and how it ended: the same on every page that starts some, once for everybody."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import streamlit as st

from dashboard import resources, state
from dashboard.jobs import Job
from dashboard.words import md, size

Words = Callable[[Job], str]  # what to say of a job that is done; Markdown of our own, or escaped


def running_of(kind: str) -> list[Job]:
    """Return the jobs of a kind that are going on."""
    return [job for job in resources.get_jobs().of(kind) if job.state == "running"]


def draw_running(kind: str, *, cancel_help: str) -> None:
    """Draw the jobs of a kind that are going on; cancelling one does to the work what the help says."""
    if running_of(kind):
        follow(kind, cancel_help)


def draw_ended(kind: str, done: Words, *, lead_on: Callable[[Job], None] | None = None) -> None:
    """Draw how the last job of a kind ended: what to say of one that is done, and what leads to what came of it."""
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
def follow(kind: str, cancel_help: str = "", told: str = "") -> None:
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
    st.button("Dismiss", key=f"dismiss-{job.job_id}", type="tertiary", icon=":material/close:", on_click=_dismiss,
              args=(job,), help="Hides it for you. Others see it until they dismiss it.")  # fmt: skip


def _dismiss(job: Job) -> None:
    job.dismissed.setdefault(state.get(state.ACCOUNT) or "", monotonic())
    state.put(state.DISMISSED, {*state.get(state.DISMISSED, ()), job.job_id})


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
    if unread <= AT_ONCE_BYTES:
        return True

    def read(job: Job) -> None:
        report.read(progress=lambda done, total: job.tell(done, total, f"{size(done)} of {size(total)}"))

    work_on(RECORDS, size(unread), read, title="The records could not be read", told="Reading the records")
    return False


def work_on(kind: str, size_of_it: str, work: Callable[[Job], Any], *, title: str, told: str) -> None:
    """Have something done in the background unless it is under way; draw what is `told` of it, `title` if it failed."""
    jobs = resources.get_jobs()
    failed = next((job for job in jobs.of(kind) if job.state == "failed"), None)
    if failed is not None:
        st.error(md(failed.error), title=title, icon=":material/error:")
        if st.button("Try again", icon=":material/refresh:", key=f"again-{kind}"):
            jobs.forget(failed)
            st.rerun()
        return
    if not running_of(kind):
        jobs.start(kind, size_of_it, work)
    follow(kind, told=told)
