"""Opening a source: the page of the PDF with the excerpt in boxes, or the section with the excerpt marked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import components, queries, resources
from dashboard.words import is_row, md, passage, where
from rag.models import Answer, Chunk, Citation

if TYPE_CHECKING:
    from rag.candor import Candor

_BOX = "rgba(240, 160, 75, 0.95)"


@st.dialog("Source", width="large", icon=":material/menu_book:")
def open_source(candor: "Candor", citation: Citation, answer: Answer) -> None:
    """Draw where a citation comes from."""
    st.markdown(f"**{md(where(citation))}**")
    st.caption(md(citation.ieee))
    with components.guarded():
        path = original(candor, citation.document)
        if path is not None and path.suffix.lower() == ".pdf" and citation.page is not None:
            _draw_page(path, citation.page, citation.excerpt)
        else:
            _draw_section(candor, citation, answer)


def original(candor: "Candor", document: str) -> Path | None:
    """Return a file that holds the indexed version of a document, or None."""
    record = candor.wiring.catalogue.get(document)
    return resources.get_originals().source(record) if record else None


def _draw_page(path: Path, page: int, excerpt: str) -> None:
    from streamlit_pdf_viewer import pdf_viewer

    from rag.ingest.loaders.pdf_boxes import excerpt_boxes

    boxes = excerpt_boxes(path, page, excerpt)
    st.markdown(f"> {md(excerpt)}")
    st.caption(f"Page {page}: the excerpt is framed." if boxes else f"Page {page}; the excerpt could not be framed.")
    pdf_viewer(
        path.read_bytes(),
        annotations=[_annotation(page, box) for box in boxes],
        pages_to_render=[page],
        height=720,
        annotation_outline_size=2,
        render_text=False,
    )


def _annotation(page: int, box: Any) -> dict[str, str | int | float | bool]:
    x0, y0, x1, y1 = box
    return {"page": page, "x": x0 - 1, "y": y0 - 1, "width": x1 - x0 + 2, "height": y1 - y0 + 2, "color": _BOX}


def _draw_section(candor: "Candor", citation: Citation, answer: Answer) -> None:
    found = queries.chunks(candor, citation.document, section=citation.section) if _is_indexed(candor, citation) else []
    cited = [chunk for chunk in answer.retrieved if chunk.chunk_id == citation.chunk_id]
    if not any(chunk.chunk_id == citation.chunk_id for chunk in found):
        st.caption(
            "The document was changed or removed since; this is the passage as it was when the answer was given."
        )
        found = [*cited]
    for chunk in found:
        st.markdown(marked(chunk, citation))


def _is_indexed(candor: "Candor", citation: Citation) -> bool:
    return candor.wiring.catalogue.get(citation.document) is not None


def marked(chunk: Chunk, citation: Citation) -> str:
    """Return a chunk as Markdown, the cited excerpt marked."""
    at = chunk.content.find(citation.excerpt) if chunk.chunk_id == citation.chunk_id else -1
    if at < 0:
        return passage(chunk.content)
    end = at + len(citation.excerpt)
    mark = f":orange-background[{passage(citation.excerpt)}]"
    parts = (passage(chunk.content[:at]), mark, passage(chunk.content[end:]))
    return ("  \n" if is_row(citation.excerpt) else " ").join(part for part in parts if part)
