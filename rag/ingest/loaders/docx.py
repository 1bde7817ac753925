"""Word documents: headings by style or outline level, automatic numbers, lists, tables and footnotes in order."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, row
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.docx_numbering import Numbering
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.styles.style import BaseStyle
    from docx.table import Table
    from docx.text.paragraph import Paragraph
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_GENERATED = re.compile(r"toc \d|table of figures|header|footer", re.I)


def load_docx(source: Source) -> Document:
    """Return a Word document; it has no pages, since they are made when it is printed.

    Raises:
        InvalidDocument: The file is broken or has no text.
    """
    word = _open(source)
    numbering = Numbering(word)
    blocks = [*_blocks(word, numbering), *_footnotes(source)]
    core = word.core_properties
    headings = [block for block in blocks if block.kind == "heading"]
    title = _title(core.title, blocks, headings)
    head = "\n".join(block.text for block in blocks[:12])
    metadata = DocumentMetadata(
        title=title,
        authors=tuple(squeeze(name) for name in re.split(r"[;,]", core.author or "") if _is_person(name)),
        year=core.created.year if core.created and core.created.year > 2000 and _is_person(core.author or "") else None,
        identifiers=identify(source.name, title, head, [core.subject or "", core.version or ""]),
    )
    return build(source, blocks, metadata=metadata)


def _open(source: Source) -> "WordDocument":
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        return docx.Document(io.BytesIO(source.data))
    except (OpcError, XMLSyntaxError, KeyError, ValueError, zipfile.BadZipFile) as error:
        reason = f"it is a broken Word document ({type(error).__name__})"
        raise refuse(source.name, reason, "Open it in a word processor and save it again") from error


def _is_person(name: str) -> bool:
    """Whether an author property is one: python-docx and word processors write their own names there."""
    return bool(name.strip()) and name.strip().casefold() not in {"python-docx", "unknown", "user", "admin", "author"}


def _title(title: str | None, blocks: list[Block], headings: list[Block]) -> str | None:
    """Return the title property, unless it is a template's, or the first heading."""
    known = squeeze(title or "")
    if known and not re.fullmatch(r"(word|microsoft word|document|untitled|template)\b.*", known, re.I):
        return known
    return headings[0].text if headings and headings[0].level == 1 else None


def _blocks(word: "WordDocument", numbering: Numbering) -> Iterator[Block]:
    from docx.table import Table

    for item in word.iter_inner_content():
        if isinstance(item, Table):
            yield from _table(item, numbering)
        else:
            yield from _paragraph(item, numbering)


def _paragraph(paragraph: "Paragraph", numbering: Numbering) -> Iterator[Block]:
    style = paragraph.style
    if style is not None and _GENERATED.match(style.name or ""):
        return
    text = squeeze(_text(paragraph._p))
    label, is_bullet = numbering.label(paragraph) if text else ("", False)
    level = _heading_level(paragraph)
    if level and text:
        yield Block("heading", f"{label} {text}".strip() if not is_bullet else text, level=level)
    elif text:
        yield Block("item" if label else "paragraph", f"{label} {text}".strip())


def _text(element: "_Element") -> str:
    """Return the words of a paragraph: runs, links and insertions; not what was deleted, nor field codes."""
    pieces: list[str] = []
    for node in element.iter():
        if node.tag == f"{_W}t":
            pieces.append(node.text or "")
        elif node.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            pieces.append(" ")
        elif node.tag == f"{_W}noBreakHyphen":
            pieces.append("-")
    return "".join(pieces)


def _heading_level(paragraph: "Paragraph") -> int:
    """Return 1 to 9 for a heading, by its own outline level, or by its style and the styles that it is based on."""
    own = paragraph._p.find(f"{_W}pPr/{_W}outlineLvl")
    if own is not None:
        return _outline(own)
    style: BaseStyle | None = paragraph.style
    while style is not None:
        name = style.name or ""
        if match := re.fullmatch(r"(?:heading|überschrift|titre|título) ?(\d)", name, re.I):
            return int(match[1])
        if name.casefold() == "title":
            return 1
        level = style.element.find(f"{_W}pPr/{_W}outlineLvl")
        if level is not None:
            return _outline(level)
        style = getattr(style, "base_style", None)
    return 0


def _outline(element: "_Element") -> int:
    """Return the level from 1; outline level 9 means body text."""
    value = int(element.get(f"{_W}val", "9"))
    return value + 1 if value < 9 else 0


def _table(table: "Table", numbering: Numbering) -> Iterator[Block]:
    """Yield a row a line; a table of one cell is a frame around paragraphs."""
    if len(table.rows) == 1 and len(table.columns) == 1:
        for paragraph in table.rows[0].cells[0].paragraphs:
            yield from _paragraph(paragraph, numbering)
        return
    for line in table.rows:
        cells: list[str] = []
        previous = None
        for cell in line.cells:
            if cell._tc is not previous:  # A merged cell is listed once for each column that it spans.
                cells.append(squeeze(" ".join(_text(p) for p in cell._tc.iter(f"{_W}p"))))
            previous = cell._tc
        yield Block("row", row(cells))


def _footnotes(source: Source) -> Iterator[Block]:
    """Yield the notes at the end of the text, where the file has any."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        for part in ("word/footnotes.xml", "word/endnotes.xml"):
            if part in archive.namelist():
                root = etree.fromstring(archive.read(part), parser)
                for note in root:
                    text = clean(" ".join(_text(note).split()))
                    if text and note.get(f"{_W}type") in (None, "normal"):
                        yield Block("item", f"[{note.get(f'{_W}id')}] {text}")
