"""Reading a long record before its tables are drawn: in the background, with progress, once for everybody."""

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
    jobs = resources.get_jobs()
    failed = next((job for job in jobs.of(KIND) if job.state == "failed"), None)
    if failed is not None:
        _draw_failed(failed)
        return False
    if not any(job.state == "running" for job in jobs.of(KIND)):
        jobs.start(KIND, size(unread), _read)
    _follow()
    return False


def _read(job: Job) -> None:
    resources.get_report().read(progress=lambda done, total: job.tell(done, total, f"{size(done)} of {size(total)}"))


@st.fragment(run_every=0.7)
def _follow() -> None:
    """Draw how far it is, again and again; the whole page once when it has ended."""
    running = next((job for job in resources.get_jobs().of(KIND) if job.state == "running"), None)
    if running is None:
        st.rerun()
    else:
        with st.container(border=True):
            st.progress(running.share, f"Reading what is recorded: {md(running.current or running.title)}")
            st.caption(
                "It is done once after a start; afterwards only new lines are read. You may go on to another page "
                "meanwhile."
            )


def _draw_failed(job: Job) -> None:
    st.error(md(job.error), title="What is recorded could not be read", icon=":material/error:")
    if st.button("Try again", icon=":material/refresh:", key="read-again"):
        resources.get_jobs().forget(job)
        st.rerun()
