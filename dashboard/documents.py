"""What the page Documents does: upload in the background, the list, removal, and the chunk browser."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import components, job_cards, queries, resources, run_choice, sources, state, tables
from dashboard.columns import CHUNKS, DOCUMENTS
from dashboard.jobs import Job
from dashboard.words import md, moment, passage, several, size
from rag.errors import CandorError
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.members import holder
from rag.ingest.report import FileOutcome, Progress
from rag.models import Chunk, DocumentRecord

if TYPE_CHECKING:
    from rag.candor import Candor

KIND = "ingest"
_SHOWN = "shown"
"""URL, and key: the document that is open."""
TYPES = [suffix.removeprefix(".") for suffix in SUPPORTED_SUFFIXES]
_ICONS = {"added": "check_circle", "replaced": "published_with_changes", "unchanged": "remove", "removed": "delete"}


# --- upload ------------------------------------------------------------------------------------------------------


def draw_upload(candor: "Candor") -> None:
    """Draw the uploader; the files are brought into the index in the background."""
    uploads = state.get(state.UPLOADS, 0)
    files = st.file_uploader(
        "Add documents", TYPES, accept_multiple_files=True, key=f"upload-{uploads}",
        max_upload_size=candor.settings.max_upload_mb,
        help="A file whose name is indexed already replaces that document; an unchanged one is skipped.",
    )  # fmt: skip
    label = f"Add {len(files)} to the index" if files else "Add to the index"
    if st.button(label, type="primary", icon=":material/upload_file:", disabled=not files):
        given = [(file.name, file.getvalue()) for file in files]
        resources.get_jobs().start(
            KIND, f"Adding {several(len(given), 'file')}", lambda job: ingest_files(candor, given, job)
        )
        state.put(state.UPLOADS, uploads + 1)
        st.rerun()


def ingest_files(candor: "Candor", files: Sequence[tuple[str, bytes]], job: Job) -> list[FileOutcome]:
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
            job.tell(number, total, f"{progress.current}, {several(progress.chunks_done, 'chunk')} read{left}")

    return tell


def reingest(candor: "Candor", record: DocumentRecord) -> None:
    """Read a document again: from where it came, or from the copy that was kept."""
    path = (holder(Path(record.path)) if record.path else None) or sources.original(candor, record.document)
    if path is None:
        st.error(f"No file of {md(record.document)} is left: upload it again.", icon=":material/error:")
        return

    def work(job: Job) -> list[FileOutcome]:
        job.tell(0, 1, record.document)
        return list(candor.ingest([path], force=True, progress=_teller(job, 0, 1)).files)

    resources.get_jobs().start(KIND, record.document, work)
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
    outcomes: list[FileOutcome] = job.result or []
    with st.container(border=True):
        counts = pd.Series([one.outcome for one in outcomes]).value_counts()
        summary = ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing done"
        st.markdown(f"**Last ingestion:** {summary}" + (" (cancelled)" if job.state == "cancelled" else ""))
        if job.error:
            st.error(md(job.error), icon=":material/error:")
        for one in outcomes:
            if one.outcome == "failed":
                st.error(md(one.reason or ""), title=f"{md(one.document)} was not added", icon=":material/error:")
            else:
                icon = f":material/{_ICONS.get(one.outcome, 'check')}:"
                st.caption(
                    f"{icon} {md(one.document)}: {one.outcome}, {several(one.chunks, 'chunk')} in {one.seconds:.1f} s"
                )
            for note in one.notes:
                st.warning(md(note), title=f"How {md(one.document)} was read", icon=":material/warning:")
        job_cards.draw_dismiss(job)


# --- the list ----------------------------------------------------------------------------------------------------


def draw_list(records: Sequence[DocumentRecord]) -> None:
    """Draw what is indexed, with a search in names and titles."""
    components.metrics(
        {
            "Documents": f"{len(records)}",
            "Chunks": f"{sum(record.chunks for record in records)}",
            "Size": size(sum(record.size_bytes for record in records)),
        },
        helps={"Chunks": "Passages that the documents were cut into; each is found and cited on its own."},
    )
    wanted = st.text_input("Search", placeholder="name or title", key="find", bind="query-params", type="search")
    found = [r for r in records if (wanted or "").casefold() in f"{r.document} {r.title or ''}".casefold()]
    if found:
        components.table(
            tables.documents_table(found), columns=DOCUMENTS, alt="Indexed documents", key="documents-table"
        )
    else:
        st.caption("No document has that in its name or title.")


def draw_one(candor: "Candor", records: Sequence[DocumentRecord]) -> None:
    """Draw one document: its facts, what can be done with it, and its chunks."""
    names = [record.document for record in records]
    run_choice.note_missing(_SHOWN, names, shown="")
    name = st.selectbox("Open a document", names, index=None, placeholder="Choose one to see its chunks",
                        key=_SHOWN, bind="query-params")  # fmt: skip
    record = next((record for record in records if record.document == name), None)
    if record is None:
        _draw_gone()
        return
    st.subheader(md(record.document), anchor=False)
    st.caption(
        f"{md(record.title or 'no title')} · {record.media_type} · {size(record.size_bytes)} · "
        f"{record.characters:,} characters · indexed {moment(record.ingested_at)}  \nSHA-256 `{record.hash}`"
    )
    for note in record.notes:
        st.warning(md(note), title="How it was read", icon=":material/warning:")
    with st.container(horizontal=True):
        if st.button("Ingest again", icon=":material/refresh:", help="Read the file again and replace the document."):
            reingest(candor, record)
        if st.button("Remove", icon=":material/delete:", key="remove"):
            confirm_removal(candor, record)
    draw_chunks(queries.chunks(candor, record.document))


def _draw_gone() -> None:
    """Draw that the document of a link is not indexed, as long as no other is chosen."""
    if asked := state.get(state.MISSING, {}).get(_SHOWN, ("", ""))[0]:
        st.warning(
            "It was removed, or it never came here. Choose one of those listed, or add it above.",
            title=f"The document {md(asked)} is not indexed",
            icon=":material/search_off:",
        )


@st.dialog("Remove this document?", icon=":material/delete:")
def confirm_removal(candor: "Candor", record: DocumentRecord) -> None:
    """Ask before a document is removed."""
    st.markdown(
        f"**{md(record.document)}** with its {several(record.chunks, 'chunk')} leaves the index; it answers nothing "
        "any more. "
        "Recorded answers that cite it are kept."
    )
    with st.container(horizontal=True):
        removed = st.button("Remove it", type="primary", icon=":material/delete:", key="remove-confirmed",
                            on_click=_remove, args=(candor, record.document))  # fmt: skip
        if st.button("Keep it", key="remove-refused") or removed:
            st.rerun()


def _remove(candor: "Candor", document: str) -> None:
    """Remove a document; what came of it is told when the page is drawn again."""
    try:
        candor.forget(document)
        state.put(state.TOLD, f"Removed {document}.")
    except CandorError as error:
        state.put(state.TOLD, error)


# --- chunks ------------------------------------------------------------------------------------------------------


def draw_chunks(chunks: Sequence[Chunk]) -> None:
    """Draw the chunks of a document, and one of them with its neighbours."""
    wanted = st.text_input("Search in its chunks", key="in_chunks", type="search")
    found = [chunk for chunk in chunks if (wanted or "").casefold() in chunk.content.casefold()]
    st.caption(f"{len(found)} of {several(len(chunks), 'chunk')}")
    if not found:
        return
    components.table(tables.chunks_table(found), columns=CHUNKS, height=280, alt="Chunks", key="chunks-table")
    number = st.selectbox("Read chunk", [chunk.chunk_index + 1 for chunk in found], key="chunk_number")
    for chunk in chunks:
        if number is not None and abs(chunk.chunk_index + 1 - number) <= 1:
            _draw_chunk(chunk, is_chosen=chunk.chunk_index + 1 == number)


def _draw_chunk(chunk: Chunk, *, is_chosen: bool) -> None:
    with st.container(border=is_chosen):
        page = f"page {chunk.page}" if chunk.page else ""
        place = " · ".join(part for part in (f"Chunk {chunk.chunk_index + 1}", page, md(chunk.section or "")) if part)
        st.markdown(f"**{place}**" if is_chosen else f":small[{place} (neighbour)]")
        st.markdown(passage(chunk.content) if is_chosen else f":gray[{passage(chunk.content)}]")
        if is_chosen:
            st.caption(f"{chunk.pieces} of 256 word pieces · {len(chunk.content)} characters · `{chunk.chunk_id}`")
            if chunk.context:
                st.caption(f"Indexed with it, never shown in an answer: {md(chunk.context)}")
