"""Opening a source: the page of the PDF with the excerpt in boxes, or the section with the excerpt marked.

What is opened is a citation, one of a run's line, or one of the closest passages of a refusal. A link within a text
leads to it by what it belongs to and its number; `draw_chosen` opens what was clicked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import streamlit as st

from dashboard import browser, components, queries, resources
from dashboard.words import Place, is_row, md, passage, where
from rag.evaluation.lines import LineSentence
from rag.language.excerpts import page_at
from rag.models import Answer, AnswerSentence, Mode, NearMiss

if TYPE_CHECKING:
    from rag.candor import Candor

_BOX = "rgba(240, 160, 75, 0.95)"
_PLAIN = str.maketrans(dict.fromkeys('"\\<>&`\n'))
"""Takes what means something in Markdown out of a link's title, in which nothing can be escaped."""
_MISSED = "One of the closest passages: together they were not good enough to answer from."


class Excerpt(Place, Protocol):
    """A verbatim part of a passage, and where it stands."""

    @property
    def excerpt(self) -> str: ...  # noqa: D102
    @property
    def chunk_id(self) -> str: ...  # noqa: D102


class Passage(Protocol):
    """A passage as an answer or the line of a run holds it."""

    @property
    def chunk_id(self) -> str: ...  # noqa: D102
    @property
    def content(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Cited:
    """What was cited together, and what is needed to show it also when the document is gone."""

    name: str
    """Tells it from whatever else is cited on the page: the request's id."""
    sources: Sequence[Excerpt] = ()
    passages: Sequence[Passage] = ()
    is_pasted: bool = False
    """Whether the passages are of a pasted text, which stands in no document."""


NOTHING = Cited("nothing")
"""Where nothing is cited."""


def cited_by(answer: Answer) -> Cited:
    """Return what an answer cites."""
    is_pasted = answer.query.mode is Mode.SELECTED_TEXT_ONLY
    return Cited(answer.request_id, answer.citations, answer.retrieved, is_pasted)


def chip(cited: Cited, number: int) -> str:
    """Return the link, within a supported sentence, that opens one of the sources it cites; `number` from 1."""
    place = where(cited.sources[number - 1]).translate(_PLAIN)
    return link(cited.name, number, f"Supported. Open source {number}: {place}")


def with_chips(sentence: AnswerSentence | LineSentence, cited: Cited) -> str:
    """Return a sentence as Markdown, dots between the cells of a row, with a link to each source that it cites."""
    text = sentence.text.replace(" | ", " · ")
    return f"{md(text)} " + " ".join(chip(cited, index + 1) for index in sentence.citations)


def link(name: str, number: int, title: str) -> str:
    """Return a link to a source by what cites it and its number.

    >>> link("req_1", 2, "Open source 2")
    '[:blue-badge[2]](#source-req_1-2 "Open source 2")'
    """
    return f'[:blue-badge[{number}]]({browser.source_anchor(name, number)} "{title}")'


def draw_chosen(candor: "Candor", chosen: tuple[str, int] | None, among: Sequence[Cited]) -> None:
    """Open the source whose link was just chosen, where it belongs to one of these; once on a page.

    Args:
        candor: Where its document is.
        chosen: As `browser.chosen_source` told it.
        among: What is cited on the page.
    """
    name, number = chosen or ("", 0)
    for cited in among:
        if cited.name == name and 1 <= number <= len(cited.sources):
            open_source(candor, cited.sources[number - 1], cited)
            return


def draw_named(named: str, *, key: str, told: str) -> bool:
    """Draw where an excerpt stands, and beside it the button that opens it; return whether it was pressed."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(named, width="content")
        return st.button("Open source", key=key, icon=":material/open_in_full:", type="tertiary", help=told)


def placed(miss: NearMiss, answer: Answer) -> NearMiss:
    """Return one of the closest passages with a page on which its excerpt begins; older records have the passage's."""
    chunk = next((one for one in answer.retrieved if one.chunk_id == miss.chunk_id), None)
    if chunk is None:
        return miss
    pages = [page_at(chunk, match.start()) for match in re.finditer(re.escape(miss.excerpt), chunk.content)]
    return miss if not pages or miss.page in pages else miss.model_copy(update={"page": pages[0]})


@st.dialog("Source", width="large", icon=":material/menu_book:")
def open_source(candor: "Candor", source: Excerpt, cited: Cited) -> None:
    """Draw where an excerpt comes from."""
    st.markdown(f"**{md(where(source))}**")
    if told := _MISSED if isinstance(source, NearMiss) else getattr(source, "ieee", ""):
        st.markdown(f":small[{md(told)}]")  # not a caption: the link of an online source would be too faint in it
    with components.guarded():
        path = None if cited.is_pasted else original(candor, source.document)
        if path is not None and path.suffix.lower() == ".pdf" and source.page is not None:
            _draw_page(path, source.page, source.excerpt)
        else:
            _draw_section(candor, source, cited)


def original(candor: "Candor", document: str) -> Path | None:
    """Return a file that holds the indexed version of a document, or None."""
    record = candor.wiring.catalogue.get(document)
    return resources.get_originals().source(record) if record else None


def _draw_page(path: Path, page: int, excerpt: str) -> None:
    from streamlit_pdf_viewer import pdf_viewer

    from rag.ingest.loaders.pdf_boxes import excerpt_boxes

    boxes = excerpt_boxes(path, page, excerpt)
    st.markdown(set_off(excerpt))
    st.caption(f"Page {page}: the excerpt is framed." if boxes else f"Page {page}; the excerpt could not be framed.")
    pdf_viewer(
        path.read_bytes(),
        annotations=[_annotation(page, box) for box in boxes],
        pages_to_render=[page],
        height=560,
        annotation_outline_size=2,
        scroll_to_annotation=1 if boxes else None,
        render_text=False,
    )


def set_off(excerpt: str) -> str:
    """Return an excerpt as a block quotation, dots between the cells of its rows.

    >>> set_off("| Fire | 112 |\\n| Night | 4444 |").split("\\n")
    ['> Fire · 112  ', '> Night · 4444']
    """
    return "> " + passage(excerpt).replace("\n", "\n> ")


def _annotation(page: int, box: Any) -> dict[str, str | int | float | bool]:
    x0, y0, x1, y1 = box
    return {"page": page, "x": x0 - 1, "y": y0 - 1, "width": x1 - x0 + 2, "height": y1 - y0 + 2, "color": _BOX}


def _draw_section(candor: "Candor", source: Excerpt, cited: Cited) -> None:
    is_indexed = not cited.is_pasted and candor.wiring.catalogue.get(source.document) is not None
    found: Sequence[Passage] = queries.chunks(candor, source.document, section=source.section) if is_indexed else []
    if not any(one.chunk_id == source.chunk_id for one in found):
        st.caption(
            "The passage of the text that was pasted with the question."
            if cited.is_pasted
            else "The document is not indexed here as it was then; this is the passage as it was read for this answer."
        )
        found = [one for one in cited.passages if one.chunk_id == source.chunk_id]
    for one in found:
        st.markdown(marked(one, source))


def marked(found: Passage, source: Excerpt) -> str:
    """Return a passage as Markdown, the cited excerpt marked."""
    return marked_part(found.content, source.excerpt if found.chunk_id == source.chunk_id else "")


def marked_part(text: str, part: str) -> str:
    """Return a text as Markdown, a verbatim part of it marked where it stands; nothing where the part is not in it.

    >>> marked_part("It is cold. Gloves are worn.", "Gloves are worn.")
    'It is cold. :orange-background[Gloves are worn.]'
    """
    at = text.find(part) if part else -1
    if at < 0:
        return passage(text)
    mark = f":orange-background[{passage(part)}]"
    parts = (passage(text[:at]), mark, passage(text[at + len(part) :]))
    return ("  \n" if is_row(part) else " ").join(part for part in parts if part)
