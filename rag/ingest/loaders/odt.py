"""OpenDocument texts, written as a web page that the loader of web pages reads: headings, lists, tables, notes."""

import io
import zipfile
from collections.abc import Iterator
from datetime import date
from html import escape

from lxml.etree import _Element

from rag.ingest.loaders.blocks import build
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.html_blocks import NOTE
from rag.ingest.loaders.metadata import office_metadata, year_of
from rag.ingest.loaders.source import Source, refuse, xml_part
from rag.ingest.loaders.tables import MOST
from rag.models import Document

_NAMES = {
    name: f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "text", "table", "style", "drawing", "meta", "manifest")
}
_TEXT, _TABLE, _STYLE, _OFFICE = (_NAMES[name] for name in ("text", "table", "style", "office"))
_DRAWING = _NAMES["drawing"]
_DC = "{http://purl.org/dc/elements/1.1/}"
_NOTE = f"{_TEXT}note"
_UNSEEN = frozenset(
    (f"{_OFFICE}annotation", f"{_TEXT}tracked-changes", f"{_TEXT}table-of-content", _NOTE, f"{_OFFICE}forms")
)
_SPACES = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break")
_TAGS = {f"{_TABLE}table-header-rows": "thead", f"{_TABLE}table-row": "tr", f"{_TABLE}table-cell": "td"}
_TAGS |= {f"{_TEXT}list-item": "li", f"{_TABLE}table": "table"}  # the elements that hold others


def load_odt(source: Source) -> Document:
    """Return an OpenDocument text; it has no pages, since they are made when it is printed."""
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        names = ("META-INF/manifest.xml", "content.xml", "styles.xml", "meta.xml")
        manifest, content, styles, meta = (xml_part(archive, name) for name in names)
    if manifest is not None and next(manifest.iter(f"{_NAMES['manifest']}encryption-data"), None) is not None:
        raise refuse(source.name, "it is encrypted with a password", "Save it without a password")
    body = content.find(f"{_OFFICE}body/{_OFFICE}text") if content is not None else None
    if body is None:
        raise refuse(source.name, "it is no OpenDocument text", "Save it as .odt from a word processor")
    writer = _Writer([root for root in (content, styles) if root is not None])
    blocks = fragment_blocks(source.name, "".join(writer.parts(body)))
    said = {child.tag: child.text or "" for child in meta.iter()} if meta is not None else {}
    year = year_of(said.get(f"{_NAMES['meta']}creation-date", ""))
    metadata = office_metadata(
        source, blocks, title=said.get(f"{_DC}title"), extra=[said.get(f"{_DC}subject", "")],
        author=said.get(f"{_NAMES['meta']}initial-creator") or said.get(f"{_DC}creator"),
        created=date(year, 1, 1) if year else None,
    )  # fmt: skip
    return build(source, blocks, metadata=metadata)


class _Writer:
    """Writes parts of one text as HTML, with what its styles say of titles and lists."""

    def __init__(self, roots: list[_Element]) -> None:
        named = [style for root in roots for style in root.iter(f"{_STYLE}style")]
        based = [style for style in named if style.get(f"{_STYLE}parent-style-name") == "Title"]
        lists = [style for root in roots for style in root.iter(f"{_TEXT}list-style") if len(style)]
        numbered = [style for style in lists if style[0].tag == f"{_TEXT}list-level-style-number"]
        self._titles = {"Title", *(style.get(f"{_STYLE}name") for style in based)}
        self._numbered = {style.get(f"{_STYLE}name") for style in numbered}

    def parts(self, parent: _Element, style: str | None = None) -> Iterator[str]:
        """Yield what stands in an element; a list in a list of this style has that style unless it names its own."""
        for child in parent.iterchildren("*"):
            if child.tag in (f"{_TEXT}h", f"{_TEXT}p"):
                yield _in(self._tag(child), escape(squeeze("".join(_pieces(child)))))
                yield from self._hanging(child)
            elif child.tag == f"{_TEXT}list":
                own = child.get(f"{_TEXT}style-name") or style
                yield _in("ol" if own in self._numbered else "ul", "".join(self.parts(child, own)))
            elif tag := _TAGS.get(child.tag):
                count = min(_count(child, "number-columns-repeated"), MOST) if tag == "td" else 1
                yield _in(tag, "".join(self.parts(child, style)), _spans(child) if tag == "td" else "") * count
            elif child.tag not in _UNSEEN:
                yield from self.parts(child, style)

    def _tag(self, paragraph: _Element) -> str:
        if paragraph.tag == f"{_TEXT}h":
            return f"h{min(int(paragraph.get(f'{_TEXT}outline-level', '1')) + 1, 6)}"
        return "h1" if paragraph.get(f"{_TEXT}style-name") in self._titles else "p"

    def _hanging(self, element: _Element) -> Iterator[str]:
        """Yield what hangs on a paragraph or heading: its notes, and what stands in its boxes and shapes."""
        for child in element.iterchildren("*"):
            if child.tag == _NOTE:
                body = child.find(f"{_TEXT}note-body")
                yield _in(NOTE, escape("".join(body.itertext()))) if body is not None else ""
            elif child.tag.startswith(_DRAWING):
                yield from self.parts(child)
            elif child.tag not in _UNSEEN:
                yield from self._hanging(child)


def _in(tag: str, inner: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _spans(cell: _Element) -> str:
    columns, rows = (_count(cell, f"number-{name}-spanned") for name in ("columns", "rows"))
    return f" colspan={columns} rowspan={rows}"


def _count(cell: _Element, name: str) -> int:
    value = cell.get(f"{_TABLE}{name}", "1")
    return max(int(value), 1) if value.isdecimal() else 1


def _pieces(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _SPACES:
            yield " "
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN and not child.tag.startswith(_DRAWING):
            yield from _pieces(child)
        yield child.tail or ""
