"""How far background work is, and how it ended: the same on every page that starts some."""

from collections.abc import Callable
from time import monotonic

import streamlit as st

from dashboard import resources, state
from dashboard.jobs import Job
from dashboard.words import md

Words = Callable[[Job], str]
"""What to say of a job that is done; Markdown of our own, or escaped."""


def draw_jobs(kind: str, done: Words, *, cancel_help: str, lead_on: Callable[[Job], None] | None = None) -> None:
    """Draw the jobs of a kind that are going on, and how the last one ended.

    Args:
        kind: As given to `Jobs.start`.
        done: What to say of one that is done.
        cancel_help: What becomes of the work when somebody cancels it.
        lead_on: Draws what leads to what came of one that is done.
    """
    draw_running(kind, cancel_help=cancel_help)
    draw_ended(kind, done, lead_on=lead_on)


def draw_running(kind: str, *, cancel_help: str) -> None:
    """Draw the jobs of a kind that are going on, as `draw_jobs` does."""
    if any(job.state == "running" for job in resources.get_jobs().of(kind)):
        follow(kind, cancel_help)


def draw_ended(kind: str, done: Words, *, lead_on: Callable[[Job], None] | None = None) -> None:
    """Draw how the last job of a kind ended, as `draw_jobs` does."""
    for job in resources.get_jobs().of(kind):
        if job.state != "running" and not is_dismissed(job):
            _draw_ended(job, done, lead_on)


@st.fragment(run_every=1.0)
def follow(kind: str, cancel_help: str) -> None:
    """Draw running jobs again and again; the whole page once when all have ended."""
    running = [job for job in resources.get_jobs().of(kind) if job.state == "running"]
    if not running:
        st.rerun()
    for job in running:
        with st.container(border=True):
            how_far = f", {job.done} of {job.total}" if job.total else ""
            st.progress(job.share, f"{md(job.title)}{how_far}: {md(job.current or 'beginning')}")
            if st.button("Cancel", key=f"cancel-{job.job_id}", icon=":material/cancel:", help=cancel_help):
                job.cancel.set()


def _draw_ended(job: Job, done: Words, lead_on: Callable[[Job], None] | None) -> None:
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


def draw_dismiss(job: Job) -> None:
    """Draw the button that takes away what a job came to, for whoever clicks it and for nobody else."""
    st.button("Dismiss", key=f"dismiss-{job.job_id}", type="tertiary", icon=":material/close:", on_click=_dismiss,
              args=(job,), help="For you; others see it until they dismiss it themselves.")  # fmt: skip


def _dismiss(job: Job) -> None:
    job.dismissed.setdefault(state.get(state.ACCOUNT) or "", monotonic())
    state.put(state.DISMISSED, {*state.get(state.DISMISSED, ()), job.job_id})


def is_dismissed(job: Job) -> bool:
    """Return whether whoever looks has dismissed what a job came to.

    Who logged in is known in every tab. Who did not is known in this browser session alone; one that begins later, as
    after a reload, takes it as seen, too.
    """
    account = state.get(state.ACCOUNT) or ""
    at = job.dismissed.get(account)
    if account or at is None:
        return at is not None
    return job.job_id in state.get(state.DISMISSED, ()) or at <= state.get(state.BEGAN, 0.0)
