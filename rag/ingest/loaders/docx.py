"""Word documents: headings by style or outline level, automatic numbers, lists, tables and footnotes in order."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, row
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.docx_numbering import Numbering
from rag.ingest.loaders.docx_styles import Styles, W
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.table import Table
    from lxml.etree import _Element  # type: ignore[import-untyped]

_GENERATED = re.compile(r"toc \d|table of figures|header|footer", re.I)


def load_docx(source: Source) -> Document:
    """Return a Word document; it has no pages, since they are made when it is printed.

    Raises:
        InvalidDocument: The file is broken or has no text.
    """
    word = _open(source)
    styles = Styles(word)
    numbering = Numbering(word, styles)
    blocks = [*_blocks(word, styles, numbering), *_footnotes(source)]
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


def _blocks(word: "WordDocument", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    from docx.table import Table

    for item in word.iter_inner_content():
        if isinstance(item, Table):
            yield from _table(item, styles, numbering)
        else:
            yield from _paragraph(item._p, styles, numbering)


def _paragraph(paragraph: "_Element", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    text = squeeze(_text(paragraph))
    if not text or _GENERATED.match(styles.name(paragraph)):
        return
    label, is_bullet = numbering.label(paragraph)
    level = styles.heading_level(paragraph)
    if level:
        yield Block("heading", text if is_bullet else f"{label} {text}".strip(), level=level)
    else:
        yield Block("item" if label else "paragraph", f"{label} {text}".strip())


def _text(element: "_Element") -> str:
    """Return the words of a paragraph: runs, links and insertions; not what was deleted, nor field codes."""
    pieces: list[str] = []
    for node in element.iter():
        if node.tag == f"{W}t":
            pieces.append(node.text or "")
        elif node.tag in (f"{W}tab", f"{W}br", f"{W}cr"):
            pieces.append(" ")
        elif node.tag == f"{W}noBreakHyphen":
            pieces.append("-")
    return "".join(pieces)


def _table(table: "Table", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    """Yield a row a line; a table of one cell is a frame around paragraphs."""
    if len(table.rows) == 1 and len(table.columns) == 1:
        for paragraph in table.rows[0].cells[0].paragraphs:
            yield from _paragraph(paragraph._p, styles, numbering)
        return
    for line in table.rows:
        cells: list[str] = []
        previous = None
        for cell in line.cells:
            if cell._tc is not previous:  # A merged cell is listed once for each column that it spans.
                cells.append(squeeze(" ".join(_text(p) for p in cell._tc.iter(f"{W}p"))))
            previous = cell._tc
        yield Block("row", row(cells))


def _footnotes(source: Source) -> Iterator[Block]:
    """Yield the notes at the end of the text, where the file has any."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        for part in ("word/footnotes.xml", "word/endnotes.xml"):
            if part in archive.namelist():
                root = etree.fromstring(archive.read(part), parser)
                for note in root:
                    text = clean(" ".join(_text(note).split()))
                    if text and note.get(f"{W}type") in (None, "normal"):
                        yield Block("item", f"[{note.get(f'{W}id')}] {text}")
