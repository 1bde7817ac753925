"""Adding documents on the page Documents: what is dropped is read in the background; what it would replace is asked."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import job_cards, resources, state
from dashboard.jobs import Job
from dashboard.words import md, several
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.report import FileOutcome, Progress
from rag.models import DocumentRecord

if TYPE_CHECKING:
    from rag.candor import Candor

KIND = "ingest"
TYPES = [suffix.removeprefix(".") for suffix in SUPPORTED_SUFFIXES]
NAMED = 20
"""So many files that failed are listed, and so many that have notes."""
File = tuple[str, bytes]


def draw_upload(candor: "Candor", records: Sequence[DocumentRecord]) -> None:
    """Draw the uploader: what is dropped on it is added at once, what would replace a document after a question."""
    uploads = state.get(state.UPLOADS, 0)
    dropped = st.file_uploader(
        "Add documents", TYPES, accept_multiple_files=True, key=f"upload-{uploads}",
        max_upload_size=candor.settings.max_upload_mb,
        help="A file whose name is indexed already replaces that document, after a question; an unchanged one is "
        "skipped.",
    )  # fmt: skip
    files = [(file.name, file.getvalue()) for file in dropped]
    if not files:
        return
    kept = {record.document: record.hash for record in records}
    replacing = [name for name, data in files if kept.get(name) not in (None, hashlib.sha256(data).hexdigest())]
    if not replacing:
        _start(candor, files)
        st.rerun()
    st.warning(
        f"{md(', '.join(replacing[:NAMED]))}",
        title=f"{several(len(replacing), 'document')} would be replaced", icon=":material/published_with_changes:",
    )  # fmt: skip
    others = [file for file in files if file[0] not in replacing]
    with st.container(horizontal=True):
        st.button("Replace them", type="primary", on_click=_start, args=(candor, files))
        if others:
            st.button("Add only the others", on_click=_start, args=(candor, others))
        st.button("Add nothing", on_click=_start, args=(candor, []))


def _start(candor: "Candor", files: Sequence[File]) -> None:
    """Begin to add files, where there are any; the uploader is empty again."""
    state.put(state.UPLOADS, state.get(state.UPLOADS, 0) + 1)
    if files:
        title = f"Adding {several(len(files), 'file')}"
        resources.get_jobs().start(KIND, title, lambda job: ingest_files(candor, files, job))


def ingest_files(candor: "Candor", files: Sequence[File], job: Job) -> list[FileOutcome]:
    """Ingest uploaded files one by one; what is done is seen while the rest is worked on.

    Raises:
        Cancelled: Somebody cancelled it; the file that was being read left no trace, those before it are indexed.
    """
    job.result = outcomes = []
    for number, (name, data) in enumerate(files):
        job.tell(number, len(files), name)
        outcomes.append(candor.ingest_bytes(name, data, progress=_teller(job, number, len(files)), check=job.check))
    job.tell(len(files), len(files))
    return outcomes


def _teller(job: Job, number: int, total: int) -> Callable[[Progress], None]:
    """Return what tells a job how far one of its files is; it raises `Cancelled` until the document is written."""

    def tell(progress: Progress) -> None:
        if progress.files_done == 0:
            left = f", about {progress.seconds_left:.0f} s left" if progress.seconds_left else ""
            job.tell(number, total, f"{progress.current}, {several(progress.chunks_done, 'passage')} read{left}")

    return tell


def read_again(candor: "Candor", document: str, path: Path | None) -> None:
    """Read a document again from a file: from where it came, or from the copy that was kept."""
    if path is None:
        st.error(f"No file of {md(document)} is left: upload it again.", icon=":material/error:")
        return

    def work(job: Job) -> list[FileOutcome]:
        job.tell(0, 1, document)
        return list(candor.ingest([path], force=True, progress=_teller(job, 0, 1)).files)

    resources.get_jobs().start(KIND, document, work)
    st.rerun()


def draw_jobs() -> None:
    """Draw what is being ingested, and what came of it."""
    jobs = resources.get_jobs().of(KIND)
    if any(job.state == "running" for job in jobs):
        job_cards.follow(KIND, "Files that are through stay in the index; the one that is being read stays as it was.")
        return
    for job in jobs:
        if not job_cards.is_dismissed(job):
            _draw_outcomes(job)


def _draw_outcomes(job: Job) -> None:
    """Draw in one line what became of the files; below it only those that failed, and which have notes."""
    outcomes: list[FileOutcome] = job.result or []
    counts = {"failed": 0, **pd.Series([one.outcome for one in outcomes]).value_counts()}
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda one: one[0] == "failed"))
    failed = [one for one in outcomes if one.outcome == "failed"]
    noted = [md(one.document) for one in outcomes if one.notes and one.outcome != "failed"]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{summary}**{' (cancelled)' if job.state == 'cancelled' else ''}", width="content")
            job_cards.draw_dismiss(job)
        if job.error:
            st.error(md(job.error), icon=":material/error:")
        for one in failed[:NAMED]:
            st.error(md(one.reason or ""), title=f"{md(one.document)} was not added", icon=":material/error:")
        if len(failed) > NAMED:
            st.caption(f"{len(failed) - NAMED} more were not added; the log has them.")
        if noted:
            more = f" and {len(noted) - NAMED} more" if len(noted) > NAMED else ""
            st.caption(f":material/warning: Not all was read as it stands; open them to see how: "
                       f"{', '.join(noted[:NAMED])}{more}")  # fmt: skip
