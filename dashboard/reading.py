"""What takes longer than a page may: done in the background, with progress, once for everybody."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard import resources
from dashboard.jobs import Job
from dashboard.words import md, size

KIND = "read-records"
AT_ONCE_BYTES = 32_000_000
"""Up to so many new bytes are read while a page is drawn, in well under a second; more in the background."""


def records_are_read() -> bool:
    """Return whether tables of records can be drawn at once; where not, have them read, and draw how far that is."""
    unread = resources.get_report().unread()
    if unread <= AT_ONCE_BYTES:
        return True
    work_on(KIND, size(unread), _read, title="What is recorded could not be read", told="Reading what is recorded")
    return False


def _read(job: Job) -> None:
    resources.get_report().read(progress=lambda done, total: job.tell(done, total, f"{size(done)} of {size(total)}"))


def work_on(kind: str, size_of_it: str, work: Callable[[Job], Any], *, title: str, told: str) -> None:
    """Have something done in the background unless it is under way, and draw how far it is, or that it failed.

    Args:
        kind: Of the job.
        size_of_it: How much there is to do.
        work: Does it.
        title: What to say where it failed.
        told: What to say meanwhile.
    """
    jobs = resources.get_jobs()
    failed = next((job for job in jobs.of(kind) if job.state == "failed"), None)
    if failed is not None:
        _draw_failed(failed, title)
        return
    if not any(job.state == "running" for job in jobs.of(kind)):
        jobs.start(kind, size_of_it, work)
    _follow(kind, told)


@st.fragment(run_every=0.7)
def _follow(kind: str, told: str) -> None:
    """Draw how far it is, again and again; the whole page once when it has ended."""
    running = next((job for job in resources.get_jobs().of(kind) if job.state == "running"), None)
    if running is None:
        st.rerun()
    else:
        with st.container(border=True):
            st.progress(running.share, f"{told}: {md(running.current or running.title)}")
            st.caption(
                "It is done once after a start; afterwards only what is new. You may go on to another page meanwhile."
            )


def _draw_failed(failed: Job, title: str) -> None:
    st.error(md(failed.error), title=title, icon=":material/error:")
    if st.button("Try again", icon=":material/refresh:", key=f"again-{failed.kind}"):
        resources.get_jobs().forget(failed)
        st.rerun()
