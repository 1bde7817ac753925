"""What the page Documents does: the list, and beside it the document that is open, its text as it is read."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard import components, jobs, library, queries, readable, resources, sources, state, tables
from dashboard.columns import DOCUMENTS
from dashboard.jobs import Job
from dashboard.words import first_of, md, several, size
from rag.candor import Candor
from rag.ingest.incoming import holder
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.report import FileOutcome, Progress
from rag.models import Chunk, DocumentRecord

_SHOWN = "shown"  # URL: the document that is open
_CLOSED = "documents_closed"  # how often one was closed: the table then forgets what was clicked


def draw(candor: Candor) -> None:
    """Draw what is indexed, and beside it the document that the URL names; who may change that sees how."""
    records, shown, may_change = candor.documents(), state.url(_SHOWN), state.get(state.MAY_CHANGE)
    if may_change:
        draw_jobs()
    record = next((record for record in records if record.document == shown), None)
    if record is not None:
        beside, opened = components.side_by_side()
        with beside:
            draw_list(candor, records, most=320)
        with opened, st.container(border=True):
            draw_one(candor, record)
    elif shown:
        st.warning("It was removed or never added. Choose a document from the list.",
                   title=f"The document {md(shown)} is not indexed", icon=":material/search_off:")  # fmt: skip
    if may_change:
        draw_upload(candor, records)
    if records and record is None:
        draw_list(candor, records, most=620)
    elif not records:
        components.no_documents()


def draw_list(candor: Candor, records: Sequence[DocumentRecord], *, most: int) -> None:
    """Draw what is indexed, at most so many pixels high; a click on a row opens the document."""
    wanted = st.text_input("Search", placeholder="name or title", key="find", bind=state.URL, type="search") or ""
    kept = library.collections(candor)
    within = library.pick(kept, "within") if kept else None
    found = [record for record in records if wanted.casefold() in f"{record.document} {record.title or ''}".casefold()
             and (within is None or record.document in within.documents)]  # fmt: skip
    st.caption(f"{len(found)} of {several(len(records), 'document')}. Click a document to open it.")
    if not found:
        st.caption("No document has that in its name or title.")
        return
    listed = tuple(record.document for record in found)
    components.opening_table(tables.documents_table(found, kept), listed, _SHOWN, columns=DOCUMENTS,
                             key=f"documents-{state.get(_CLOSED, 0)}-{hash(listed)}", alt="Indexed documents",
                             height="content" if len(found) < most // 35 else most, by="cells")  # fmt: skip


def _close() -> None:
    state.put_url(_SHOWN, None)
    state.put(_CLOSED, state.get(_CLOSED, 0) + 1)


def what_leaves(sends_to: Sequence[str]) -> str:
    """Return in a line whether documents leave this machine, and where they go; Markdown."""
    if not sends_to:
        return "Nothing that you add leaves this machine."
    return f"Documents, or passages of them, are sent to {md(' and '.join(sends_to))}."


def draw_one(candor: Candor, record: DocumentRecord) -> None:
    """Draw a document: what can be done with it, how it was read, and its text."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(md(record.title or record.document), anchor=False, width="content")
        st.button("Close", icon=":material/close:", type="tertiary", on_click=_close)
    pages = f"{several(record.pages, 'page')} · " if record.pages else ""
    st.caption(f"{md(record.document)} · {pages}{size(record.size_bytes)} · added {record.ingested_at:%-d %B %Y}")
    _draw_actions(candor, record)
    for note in record.notes:
        st.warning(md(note), title="How it was read", icon=":material/warning:")
    chunks = queries.chunks(candor, record.document)
    _draw_text(candor, chunks, record.document)
    with st.expander("Details", icon=":material/info:"):
        st.caption(f"{several(len(chunks), 'passage')} · {record.characters:,} characters · {md(record.media_type)}  \n"
                   f"SHA-256 `{record.hash}`")  # fmt: skip
        if st.toggle("Show where its passages begin and end", key="passages"):
            for chunk in _chosen(readable.parts_of(chunks), "passages-part"):
                with st.container(border=True, gap="small"):
                    place = md(readable.place_of([chunk]))
                    st.caption(f"Passage {chunk.chunk_index + 1} · {place} · {chunk.pieces} of 256 word pieces")
                    st.markdown(readable.markdown_of([chunk]), anchors=False)
                    if chunk.context:
                        st.caption(f"Indexed with it, never shown in an answer: {md(chunk.context)}")


def _draw_actions(candor: Candor, record: DocumentRecord) -> None:
    kept = sources.original(candor, record.document)
    with st.container(horizontal=True, vertical_alignment="center"):
        components.page_link("pages/ask.py", "Ask this document", icon=":material/forum:",
                             params={"document": record.document})  # fmt: skip
        if kept is not None:
            components.download("Original", kept.read_bytes, Path(record.document).name, type="tertiary",
                                help="As it was added.")  # fmt: skip
        if not state.get(state.MAY_CHANGE):
            return
        if st.button("Read again", icon=":material/refresh:", type="tertiary",
                     help="Read the file again and replace the document."):  # fmt: skip
            path = (holder(Path(record.path)) if record.path else None) or kept
            read_again(candor, record.document, path)
        with st.popover("Remove", icon=":material/delete:", type="tertiary"):
            st.markdown(f"The document and its {several(record.chunks, 'passage')} are removed from the index. "
                        "Recorded answers that cite it are kept.")  # fmt: skip

            def remove() -> None:
                candor.forget(record.document)
                _close()

            st.button("Remove it", type="primary", on_click=components.tell,
                      args=(f"Removed {record.document}.", remove))  # fmt: skip


def _draw_text(candor: Candor, chunks: Sequence[Chunk], document: str) -> None:
    searched, collected = components.side_by_side()
    with collected:
        library.draw_collections_of(candor, document)
    wanted = (searched.text_input("Search in its text", key=f"in-{document}", type="search") or "").strip()
    found = [chunk for chunk in chunks if wanted.casefold() in chunk.content.casefold()]
    if wanted:
        st.caption(f"{several(len(found), 'passage')} with “{md(wanted)}”")
    part = _chosen(readable.parts_of(found), f"part-{document}-{wanted}")
    st.markdown(readable.markdown_of(part, find=wanted), anchors=False)


def _chosen(parts: Sequence[list[Chunk]], key: str) -> list[Chunk]:
    if len(parts) < 2:
        return parts[0] if parts else []
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = parts[st.pagination(len(parts), key=key) - 1]
        st.caption(md(readable.place_of(chosen)), width="content")
    return chosen


KIND = "ingest"
TYPES = [suffix.removeprefix(".") for suffix in SUPPORTED_SUFFIXES]  # what can be added
NAMED = 20  # so many files that failed are listed, and so many that have notes
File = tuple[str, bytes]


def draw_upload(candor: Candor, records: Sequence[DocumentRecord]) -> None:
    """Draw the uploader: what is dropped on it is added at once, what would replace a document after a question."""
    uploads = state.get(state.UPLOADS, 0)
    dropped = st.file_uploader(
        "Add documents", TYPES, accept_multiple_files=True, key=f"upload-{uploads}",
        max_upload_size=candor.settings.max_upload_mb,
        help="A file with the name of an indexed document replaces it after you confirm. An unchanged file is skipped.",
    )  # fmt: skip
    if dropped:
        draw_adding(candor, records, [(file.name, file.getvalue()) for file in dropped])


def draw_adding(candor: Candor, records: Sequence[DocumentRecord], files: Sequence[File]) -> None:
    """Add files at once, or ask first where one would replace a document."""
    kept = {record.document: record.hash for record in records}
    replacing = [name for name, data in files if kept.get(name) not in (None, hashlib.sha256(data).hexdigest())]
    if not replacing:
        _start(candor, files)
        st.rerun()
    title = f"{several(len(replacing), 'document')} would be replaced"
    st.warning(md(", ".join(replacing[:NAMED])), title=title, icon=":material/published_with_changes:")
    others = [file for file in files if file[0] not in replacing]
    with st.container(horizontal=True):
        st.button("Replace them", type="primary", on_click=_start, args=(candor, files))
        if others:
            st.button("Add only the others", on_click=_start, args=(candor, others))
        st.button("Add nothing", on_click=_start, args=(candor, []))


def _start(candor: Candor, files: Sequence[File]) -> None:
    state.put(state.UPLOADS, state.get(state.UPLOADS, 0) + 1)
    if files:
        title = f"Adding {several(len(files), 'file')}"
        resources.get_jobs().start(KIND, title, lambda job: ingest_files(candor, files, job))


def ingest_files(candor: Candor, files: Sequence[File], job: Job) -> list[FileOutcome]:
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


def read_again(candor: Candor, document: str, path: Path | None) -> None:
    """Read a document again from a file: from where it came, or from the copy that was kept."""
    if path is None:
        st.error(f"The file of {md(document)} is missing: upload it again.", icon=":material/error:")
        return

    def work(job: Job) -> list[FileOutcome]:
        job.tell(0, 1, document)
        return list(candor.ingest([path], force=True, progress=_teller(job, 0, 1)).files)

    resources.get_jobs().start(KIND, document, work)
    st.rerun()


def draw_jobs() -> bool:
    """Draw what is being ingested, and what came of it; return whether all of it was done."""
    if jobs.draw_running(KIND, cancel_help="Finished files stay in the index. The file being read stays as it was."):
        return False
    ended = resources.get_jobs().of(KIND)
    for job in ended:
        if not jobs.is_dismissed(job):
            _draw_outcomes(job)
    return all(job.state == "done" for job in ended)


def _draw_outcomes(job: Job) -> None:
    outcomes: list[FileOutcome] = job.result or []
    counts: Counter[str] = Counter(one.outcome for one in outcomes)
    summary = ", ".join(f"{counts[name]} {name}" for name in [*(one for one in counts if one != "failed"), "failed"])
    failed = [one for one in outcomes if one.outcome == "failed"]
    noted = [md(one.document) for one in outcomes if one.notes and one.outcome != "failed"]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{summary}**{' (cancelled)' if job.state == 'cancelled' else ''}", width="content")
            jobs.draw_dismiss(job)
        if job.error:
            st.error(md(job.error), icon=":material/error:")
        for one in failed[:NAMED]:
            st.error(md(one.reason or ""), title=f"{md(one.document)} was not added", icon=":material/error:")
        if len(failed) > NAMED:
            st.caption(f"{len(failed) - NAMED} more were not added; the log has them.")
        if noted:
            st.caption(f":material/warning: Some documents were not read exactly; open them to see how: "
                       f"{first_of(noted, NAMED)}")  # fmt: skip
