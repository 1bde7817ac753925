"""What the page Documents does: the list, and beside it the document that is open, its text as it is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import adding, components, library, queries, readable, sources, state, tables
from dashboard.columns import DOCUMENTS
from dashboard.words import md, several, size
from rag.errors import CandorError
from rag.ingest.incoming import holder
from rag.models import Chunk, DocumentRecord

if TYPE_CHECKING:
    from rag.candor import Candor

_SHOWN, _CLOSED = "shown", "documents_closed"
"""URL: the document that is open. How often one was closed: the table then forgets what was clicked."""


def draw(candor: "Candor", records: Sequence[DocumentRecord]) -> None:
    """Draw what is indexed, and beside it the document that the URL names."""
    shown = state.url(_SHOWN)
    record = next((record for record in records if record.document == shown), None)
    if shown and record is None:
        st.warning(
            "It was removed, or it never came here. Choose one of those listed, or add it above.",
            title=f"The document {md(shown)} is not indexed", icon=":material/search_off:",
        )  # fmt: skip
    if record is None:
        adding.draw_upload(candor, records)
        if records:
            draw_list(candor, records, most=620)
        else:
            components.empty_state("Nothing is indexed yet", "Drop files on the field above: they are added.")
        return
    beside, opened = st.columns([2, 3], gap="medium")
    with beside:
        draw_list(candor, records, most=320)
    with opened, st.container(border=True):
        draw_one(candor, record)
    adding.draw_upload(candor, records)


# --- the list ----------------------------------------------------------------------------------------------------


def draw_list(candor: "Candor", records: Sequence[DocumentRecord], *, most: int) -> None:
    """Draw what is indexed, at most so many pixels high; a click on a row opens the document."""
    wanted = st.text_input("Search", placeholder="name or title", key="find", bind="query-params", type="search")
    kept = library.collections(candor)
    within = library.pick(kept, "within") if kept else None
    found = [
        record for record in records
        if (wanted or "").casefold() in f"{record.document} {record.title or ''}".casefold()
        and (within is None or record.document in within.documents)
    ]  # fmt: skip
    st.caption(f"{len(found)} of {several(len(records), 'document')}. A click on one opens it.")
    listed = tuple(record.document for record in found)
    key = f"documents-{state.get(_CLOSED, 0)}-{hash(listed)}"
    if found:
        components.table(
            tables.documents_table(found, kept), columns=DOCUMENTS, alt="Indexed documents", key=key,
            height=min(most, 37 + 35 * len(found)),
            on_select=lambda: _open(key, listed), selection_mode="single-cell",
        )  # fmt: skip
    else:
        st.caption("No document has that in its name or title.")


def _open(key: str, listed: Sequence[str]) -> None:
    """Put the document into the URL whose row was clicked, as the list stood then."""
    for row, _ in state.get(key, {}).get("selection", {}).get("cells", []):
        state.put_url(_SHOWN, listed[row])


def _close() -> None:
    state.put_url(_SHOWN, None)
    state.put(_CLOSED, state.get(_CLOSED, 0) + 1)


# --- one document ------------------------------------------------------------------------------------------------


def draw_one(candor: "Candor", record: DocumentRecord) -> None:
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
    draw_text(candor, chunks, record.document)
    with st.expander("Details", icon=":material/info:"):
        st.caption(
            f"{several(len(chunks), 'passage')} · {record.characters:,} characters · {md(record.media_type)}  \n"
            f"SHA-256 `{record.hash}`"
        )
        if st.toggle("Show where its passages begin and end", key="passages"):
            _draw_passages(chunks)


def _draw_actions(candor: "Candor", record: DocumentRecord) -> None:
    kept = sources.original(candor, record.document)
    with st.container(horizontal=True, vertical_alignment="center"):
        components.page_link("pages/ask.py", "Ask this document", icon=":material/forum:",
                             params={"document": record.document})  # fmt: skip
        if kept is not None:
            st.download_button("Original", kept.read_bytes, Path(record.document).name, type="tertiary",
                               icon=":material/download:", help="As it was added.", on_click="ignore")  # fmt: skip
        if st.button("Read again", icon=":material/refresh:", type="tertiary",
                     help="Read the file again and replace the document."):  # fmt: skip
            path = (holder(Path(record.path)) if record.path else None) or kept
            adding.read_again(candor, record.document, path)
        with st.popover("Remove", icon=":material/delete:", type="tertiary"):
            st.markdown(f"It leaves the index with its {several(record.chunks, 'passage')} and answers nothing any "
                        "more. Recorded answers that cite it are kept.")  # fmt: skip
            st.button("Remove it", type="primary", on_click=_remove, args=(candor, record.document))


def draw_text(candor: "Candor", chunks: Sequence[Chunk], document: str) -> None:
    """Draw the text of a document, a few pages at a time, or what of it holds a word; above it its collections."""
    searched, collected = components.side_by_side()
    with collected:
        library.draw_collections_of(candor, document)
    wanted = (searched.text_input("Search in its text", key=f"in-{document}", type="search") or "").strip()
    found = [chunk for chunk in chunks if wanted.casefold() in chunk.content.casefold()]
    parts = readable.parts_of(found)
    if wanted:
        st.caption(f"{several(len(found), 'passage')} with “{md(wanted)}”")
    st.markdown(readable.markdown_of(_chosen(parts, f"part-{document}-{wanted}"), find=wanted), anchors=False)


def _chosen(parts: Sequence[list[Chunk]], key: str) -> list[Chunk]:
    """Draw the choice of a part of a text where there are several, and return it."""
    if len(parts) < 2:
        return parts[0] if parts else []
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = parts[st.pagination(len(parts), key=key) - 1]
        st.caption(md(readable.place_of(chosen)), width="content")
    return chosen


def _draw_passages(chunks: Sequence[Chunk]) -> None:
    """Draw the passages that a document was cut into, with what is indexed beside each: a few at a time."""
    for chunk in _chosen(readable.parts_of(chunks), "passages-part"):
        with st.container(border=True, gap="small"):
            place = md(readable.place_of([chunk]))
            st.caption(f"Passage {chunk.chunk_index + 1} · {place} · {chunk.pieces} of 256 word pieces")
            st.markdown(readable.markdown_of([chunk]), anchors=False)
            if chunk.context:
                st.caption(f"Indexed with it, never shown in an answer: {md(chunk.context)}")


def _remove(candor: "Candor", document: str) -> None:
    """Remove a document; what came of it is told when the page is drawn again."""
    try:
        candor.forget(document)
        _close()
        state.put(state.TOLD, f"Removed {document}.")
    except CandorError as error:
        state.put(state.TOLD, error)
