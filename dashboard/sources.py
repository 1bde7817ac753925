"""Opening a source, and whether it still stands in the index as an answer of before quotes it.

What is opened is a citation, or one of the closest passages of a refusal. On Ask a panel shows it, on other pages
`draw_opened` in its place.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import streamlit as st

from dashboard import components, queries, state
from dashboard.readable import Passage, marked, readable
from dashboard.words import md, passage, where
from rag.candor import Candor
from rag.evaluation.lines import LineCitation
from rag.ingest.originals import Originals
from rag.models import Answer, AnswerSentence, Citation, Mode, NearMiss

_BOX = "rgba(240, 160, 75, 0.95)"
_OPENED = "opened_source"  # session: on other pages than Ask, the name of what cites it, and the source's number
_PLAIN = str.maketrans(dict.fromkeys('"\\<>&`\n'))
"""Takes what means something in Markdown out of a link's title, in which nothing can be escaped."""
_MISSED = "One of the closest passages: together they were not good enough to answer from."


Excerpt = Citation | LineCitation | NearMiss  # a verbatim part of a passage, and where it stands


class Cited(NamedTuple):
    """What was cited together, and what is needed to show it also when the document is gone."""

    name: str  # tells it from whatever else is cited on the page: the request's id
    sources: Sequence[Excerpt] = ()
    passages: Sequence[Passage] = ()
    is_pasted: bool = False  # whether the passages are of a pasted text, which stands in no document


def cited_by(answer: Answer) -> Cited:
    """Return what an answer cites; of a question without an answer the passages that come closest."""
    is_pasted = answer.query.mode is Mode.SELECTED_TEXT_ONLY
    misses = answer.gate.nearest_misses if answer.gate else ()
    return Cited(answer.request_id, answer.citations or misses, answer.retrieved, is_pasted)


def chip(cited: Cited, number: int) -> str:
    """Return the link that opens one of the sources, and tells place and words when pointed at; `number` from 1."""
    source = cited.sources[number - 1]
    told = f"{where(source)}: “{passage(source.excerpt)}”".translate(_PLAIN)
    return link(cited.name, number, f"Open source {number}: {told}")


def with_chips(sentence: AnswerSentence, cited: Cited) -> str:
    """Return a sentence as Markdown, dots between the cells of a row, with a link to each source that it cites."""
    text = sentence.text.replace(" | ", " · ")
    return f"{md(text)} " + " ".join(chip(cited, index + 1) for index in sentence.citations)


def link(name: str, number: int, title: str) -> str:
    """Return a link to a source by what cites it and its number; the browser never goes there."""
    return f'[:blue-badge[{number}]](#source-{name}-{number} "{title}")'


def opened(*among: Cited) -> Cited | None:
    """Return which of what a page cites has the source that was chosen last; once on a page, before it is drawn."""
    if chosen := components.chosen_source():
        state.put(_OPENED, chosen)
    name, number = state.get(_OPENED) or ("", 0)
    return next((one for one in among if one.name == name and 1 <= number <= len(one.sources)), None)


@st.fragment
def draw_opened(candor: Candor, cited: Cited) -> None:
    """Draw in place, or as a drawer where that is narrow, the source of this that is open, until somebody closes it."""
    with st.container(border=True, key="source-panel"):
        number = state.get(_OPENED)[1]
        with st.container(key="source-head", horizontal=True, horizontal_alignment="distribute",
                          vertical_alignment="center"):  # fmt: skip
            st.markdown(f"**Source {number}**", width="content")
            if st.button("Close", key="close-source", icon=":material/close:", type="tertiary", shortcut="Esc"):
                state.put(_OPENED, None)
                st.rerun()
        draw_source(candor, cited.sources[number - 1], cited)


def draw_source(candor: Candor, source: Excerpt, cited: Cited) -> None:
    """Draw where an excerpt comes from: the page of its PDF with the excerpt framed, or the section as it is read."""
    st.markdown(f"**{md(where(source))}**")
    if told := _MISSED if isinstance(source, NearMiss) else getattr(source, "ieee", ""):
        st.markdown(f":small[{md(told)}]")  # not a caption: the link of an online source would be too faint in it
    with components.guarded():
        path = None if cited.is_pasted else original(candor, source.document)
        if path is not None and path.suffix.lower() == ".pdf" and source.page is not None:
            _draw_page(path, source)
        else:
            _draw_section(candor, source, cited)
        if path is not None:
            components.download("Open the original", path.read_bytes, path.name, type="tertiary",
                                key=f"original-{cited.name}-{source.document}")  # fmt: skip


def original(candor: Candor, document: str) -> Path | None:
    """Return a file that holds the indexed version of a document, or None."""
    record = candor.wiring.catalogue.get(document)
    return Originals(candor.settings.data_dir / "files").source(record) if record else None


@st.cache_data(show_spinner=False, max_entries=16)
def _page_of(path: str, changed_ns: int, page: int, excerpt: str) -> tuple[bytes, int, list[Any]]:
    from rag.ingest.loaders.pdf_boxes import excerpt_boxes, single_page

    alone, count, moved = single_page(Path(path), page)
    boxes = excerpt_boxes(Path(path), page, excerpt)
    return alone, count, [(box.x0 - moved, box.y0, box.x1 - moved, box.y1) for box in boxes]


def _draw_page(path: Path, source: Excerpt) -> None:
    from streamlit_pdf_viewer import pdf_viewer

    key, first, place = f"page-{source.chunk_id}-{source.excerpt[:40]}", source.page or 1, st.empty()
    page = int(state.get(key) or first)
    alone, count, boxes = _page_of(str(path), path.stat().st_mtime_ns, page, source.excerpt)
    if page == first:
        with st.container(
            key="source-quote-framed" if boxes else "source-quote"
        ):  # a frame beside the answer is enough
            st.markdown("> " + passage(source.excerpt).replace("\n", "\n> "))
        told = "the excerpt is framed" if boxes else "the excerpt could not be framed"
        st.caption(f"Page {page} of {count}: {told}.")
    # It renders no text and does not scroll to the frame: that would scroll the page, and the answer out of sight.
    # Twice as many pixels: on a narrow screen what is framed is drawn larger.
    framed = [{"page": 1, "x": x0 - 1, "y": y0 - 1, "width": x1 - x0 + 2, "height": y1 - y0 + 2, "color": _BOX}
              for x0, y0, x1, y1 in boxes]  # fmt: skip
    pdf_viewer(alone, annotations=framed, pages_to_render=[1], height=560, annotation_outline_size=2, render_text=False,
               resolution_boost=2)  # fmt: skip
    components.show_framed()
    if count > 1:
        place.pagination(count, default=first, max_visible_pages=5, key=key)


def _draw_section(candor: Candor, source: Excerpt, cited: Cited) -> None:
    is_indexed = not cited.is_pasted and candor.wiring.catalogue.get(source.document) is not None
    found: Sequence[Any] = queries.chunks(candor, source.document) if is_indexed else []
    at = next((place for place, one in enumerate(found) if one.chunk_id == source.chunk_id), None)
    if at is None:
        gone = "The document was changed or removed since then. This is the passage that was read for this answer."
        st.caption("The passage of the text that was pasted with the question." if cited.is_pasted else gone)
        found, at = [one for one in cited.passages if one.chunk_id == source.chunk_id], 0
    above: Sequence[str] = ()
    for place, one in enumerate(found[max(at - 1, 0) : at + 2], start=max(at - 1, 0)):
        is_before = place < at
        with st.expander("Text before", type="compact") if is_before else nullcontext():
            if (path := getattr(one, "section_path", ())) != above and path:
                st.markdown(f"**{md(path[-1])}**")
            above = () if is_before else path
            st.markdown(readable(one, source.excerpt if one.chunk_id == source.chunk_id else ""))


def marked_part(text: str, part: str) -> str:
    """Return a text as Markdown, a verbatim part of it marked where it stands; nothing where the part is not in it."""
    at = text.find(part)
    return marked(text, at, at + len(part)) if at >= 0 else passage(text)


Since = Literal["removed", "rewritten", "superseded", "replaced"]  # what became of a source, the worst first
BADGES: Final[dict[Since, str]] = {
    "removed": ":red-badge[:material/block: removed since]",
    "rewritten": ":red-badge[:material/history: changed since]",
    "superseded": ":gray-badge[:material/history: a later edition is indexed since]",
    "replaced": ":gray-badge[:material/history: changed since, these words are unchanged]",
}
_TOLD: Final[dict[Since, str]] = {
    "removed": "{} is not indexed any more.",
    "rewritten": "{} was replaced by another version that does not contain all words quoted here.",
    "superseded": "A later edition of {} was indexed since.",
    "replaced": "{} was replaced by another version; the words quoted here are still in it.",
}


def since(candor: Candor, answer: Answer) -> dict[int, Since]:
    """Return what became of the sources of an answer, by the citation's index; nothing of those that are unchanged."""
    if answer.query.mode is Mode.SELECTED_TEXT_ONLY or not has_changed(candor, answer):
        return {}
    hashes = {hit.chunk_id: hit.document_hash for hit in answer.retrieved}
    found = ((index, _of(candor, answer, one, hashes)) for index, one in enumerate(answer.citations))
    return {index: became for index, became in found if became is not None}


def has_changed(candor: Candor, answer: Answer) -> bool:
    """Return whether anything was added to the index, changed or removed since an answer was given."""
    return bool(answer.fingerprints.index != candor.wiring.catalogue.fingerprint())


def _of(candor: Candor, answer: Answer, citation: Citation, hashes: Mapping[str, str]) -> Since | None:
    document, catalogue = citation.document, candor.wiring.catalogue
    record = catalogue.get(document)
    if record is None:
        return "removed"
    if record.hash != hashes.get(citation.chunk_id):
        return "replaced" if queries.holds(candor, document, citation.excerpt) else "rewritten"
    works = candor.pipeline.editions.of(catalogue).among([document])
    later = [catalogue.get(name) for work in works[:1] if document not in work.latest
             for name in work.editions[work.editions.index(document) + 1 :]]  # fmt: skip
    is_superseded = any(one is not None and one.ingested_at > answer.timestamp for one in later)
    return "superseded" if is_superseded else None


def notes(candor: Candor, answer: Answer) -> list[str]:
    """Return a sentence for each document that is not indexed as it was, those that are gone first; plain text."""
    worst: dict[str, Since] = {}
    for index, kind in sorted(since(candor, answer).items(), key=lambda pair: [*_TOLD].index(pair[1])):
        worst.setdefault(answer.citations[index].document, kind)
    return [_TOLD[kind].format(document) for document, kind in worst.items()]


def draw_of_answer(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that an answer that is drawn below rests on what is not indexed any more, and draw the way to ask again."""
    told = notes(candor, answer)
    if {"removed", "rewritten"} & {*since(candor, answer).values()}:
        st.warning(f"{md(' '.join(told))} This answer uses the earlier text. Ask again before you rely on it.",
                   title="This answer is out of date", icon=":material/history:")  # fmt: skip
        _draw_again(answer, key, is_inspected)
        return
    for note in told:
        st.caption(f":material/history: {md(note)}")


def draw_of_refusal(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that other documents are indexed than when a question was not answered, and draw the way to ask again."""
    is_of_index = answer.query.mode is not Mode.SELECTED_TEXT_ONLY and answer.fingerprints.index != ""
    if is_of_index and has_changed(candor, answer):
        st.caption(":material/history: Documents were added, changed or removed since this was asked. If you ask "
                   "again, Candor may answer.")  # fmt: skip
        _draw_again(answer, key, is_inspected)


def _draw_again(answer: Answer, key: str, is_inspected: bool) -> None:
    anew = None if is_inspected else partial(state.put, state.AGAIN)
    components.ask_again(answer.query.question, key=f"{key}-again", on_click=anew)
