"""OpenDocument texts: headings by outline level, numbered lists, tables and notes, from the XML itself."""

import io
import zipfile
from collections.abc import Iterator
from datetime import date

from lxml.etree import _Element

from rag.ingest.loaders.blocks import Block, build, table_blocks
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.metadata import office_metadata, year_of
from rag.ingest.loaders.source import Source, refuse, xml_part
from rag.ingest.loaders.tables import MOST, Spanning, spread
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
    blocks = list(_Reader([root for root in (content, styles) if root is not None]).blocks(body))
    said = {child.tag: child.text or "" for child in meta.iter()} if meta is not None else {}
    year = year_of(said.get(f"{_NAMES['meta']}creation-date", ""))
    metadata = office_metadata(
        source, blocks, title=said.get(f"{_DC}title"), extra=[said.get(f"{_DC}subject", "")],
        author=said.get(f"{_NAMES['meta']}initial-creator") or said.get(f"{_DC}creator"),
        created=date(year, 1, 1) if year else None,
    )  # fmt: skip
    return build(source, blocks, metadata=metadata)


class _Reader:
    """Turns the body of one text into blocks, with what its styles say of titles and lists."""

    def __init__(self, roots: list[_Element]) -> None:
        named = [style for root in roots for style in root.iter(f"{_STYLE}style")]
        based = [style for style in named if style.get(f"{_STYLE}parent-style-name") == "Title"]
        lists = [style for root in roots for style in root.iter(f"{_TEXT}list-style") if len(style)]
        numbered = [style for style in lists if style[0].tag == f"{_TEXT}list-level-style-number"]
        self._titles = {"Title", *(style.get(f"{_STYLE}name") for style in based)}
        self._numbered = {style.get(f"{_STYLE}name") for style in numbered}

    def blocks(self, parent: _Element) -> Iterator[Block]:
        """Yield paragraphs, lists and tables in order; notes and boxes follow the paragraph that they hang on."""
        for child in parent:
            if child.tag == f"{_TEXT}h":
                level = int(child.get(f"{_TEXT}outline-level", "1"))
                yield Block("heading", _words_of(child), level=level + 1)
                yield from self._hanging(child)
            elif child.tag == f"{_TEXT}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_TEXT}list":
                yield from self._list(child, child.get(f"{_TEXT}style-name"))
            elif child.tag == f"{_TABLE}table":
                yield from self._table(child)
            elif child.tag not in _UNSEEN:
                yield from self.blocks(child)

    def _paragraph(self, paragraph: _Element, marker: str = "", indent: int = 0) -> Iterator[Block]:
        text = _words_of(paragraph)
        if text and paragraph.get(f"{_TEXT}style-name") in self._titles:
            yield Block("heading", text, level=1)
        elif text:
            yield Block("item" if marker else "paragraph", f"{marker} {text}".strip(), indent=indent)
        yield from self._hanging(paragraph)

    def _hanging(self, element: _Element) -> Iterator[Block]:
        """Yield what hangs on a paragraph or heading: its notes, and what stands in its boxes and shapes."""
        for child in element:
            if child.tag == _NOTE:
                body = child.find(f"{_TEXT}note-body")
                yield Block("footnote", squeeze("".join(body.itertext())) if body is not None else "")
            elif _is_drawn(child):
                yield from self.blocks(child)
            elif child.tag not in _UNSEEN:
                yield from self._hanging(child)

    def _list(self, items: _Element, style: str | None, indent: int = 0) -> Iterator[Block]:
        """Yield the items with their numbers; a list within a list takes the outer one's style."""
        number = 0
        for item in items:
            number += item.tag == f"{_TEXT}list-item"
            marker = f"{number}." if style in self._numbered else "•"
            for child in item:
                if child.tag == f"{_TEXT}list":
                    yield from self._list(child, child.get(f"{_TEXT}style-name") or style, indent + 1)
                elif child.tag == f"{_TEXT}p":
                    yield from self._paragraph(child, marker, indent if marker else indent + 1)
                    marker = ""
                else:
                    yield from self.blocks([child])

    def _table(self, table: _Element) -> Iterator[Block]:
        """Yield a row a line; a table of one cell is a frame around paragraphs."""
        rows = table.iter(f"{_TABLE}table-row")
        lines = [line for line in rows if next(line.iterancestors(f"{_TABLE}table")) is table]
        if sum(map(len, lines)) == 1:
            yield from self.blocks(next(cell for line in lines for cell in line))
            return
        heads = sum(line.getparent().tag == f"{_TABLE}table-header-rows" for line in lines)
        yield from table_blocks(spread([_cells(line) for line in lines]), heads=heads if heads < len(lines) else 0)


def _cells(line: _Element) -> list[Spanning]:
    """Return the cells of a row; those that a merged cell covers are left to it."""
    cells: list[Spanning] = []
    for cell in line.iterchildren(f"{_TABLE}table-cell"):
        text = squeeze(" ".join(_words_of(each) for each in cell.iter(f"{_TEXT}p", f"{_TEXT}h")))
        span = Spanning(text, _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned"))
        cells += [span] * min(_count(cell, "number-columns-repeated"), MOST)
    return cells


def _count(cell: _Element, name: str) -> int:
    value = cell.get(f"{_TABLE}{name}", "1")
    return max(int(value), 1) if value.isdecimal() else 1


def _words_of(element: _Element) -> str:
    return squeeze("".join(_pieces(element)))


def _pieces(element: _Element) -> Iterator[str]:
    """Yield the words of a paragraph, without its notes, comments, boxes and shapes."""
    yield element.text or ""
    for child in element:
        if child.tag in _SPACES:
            yield " "
        elif child.tag not in _UNSEEN and not _is_drawn(child) and isinstance(child.tag, str):
            yield from _pieces(child)
        yield child.tail or ""


def _is_drawn(element: _Element) -> bool:
    return isinstance(element.tag, str) and element.tag.startswith(_DRAWING)
