"""Word documents: headings by style or outline level, automatic numbers, lists, tables and footnotes in order."""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, only_title, table_blocks
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.docx_numbering import Numbering
from rag.ingest.loaders.docx_styles import Styles, W
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.source import Source, refuse
from rag.ingest.loaders.spans import MOST
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element  # type: ignore[import-untyped]

_CONTAINERS = tuple(f"{W}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_SPACES = tuple(f"{W}{tag}" for tag in ("tab", "ptab", "br", "cr"))
_UNSEEN = (
    *(f"{W}{tag}" for tag in ("pPr", "rPr", "del", "moveFrom", "instrText", "sdtPr")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",  # the same once more, for old programs
)
_GENERATED = re.compile(r"toc \d|table of figures|header|footer", re.I)


def load_docx(source: Source) -> Document:
    """Return a Word document; it has no pages, since they are made when it is printed.

    Raises:
        InvalidDocument: The file is broken or has no text.
    """
    word = _open(source)
    styles = Styles(word)
    numbering = Numbering(word, styles)
    blocks = [*_blocks(word.element.body, styles, numbering), *_footnotes(source)]
    core = word.core_properties
    title = _title(core.title or "", blocks)
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


def _title(title: str, blocks: Sequence[Block]) -> str | None:
    """Return the title property, unless it is a template's; else the heading that the document begins with."""
    known = squeeze(title)
    if known and not re.fullmatch(r"(word|microsoft word|document|untitled|template)\b.*", known, re.I):
        return known
    first = blocks[0] if blocks else None
    if first and first.kind == "heading" and first.level == 1 and parse_title(first.text).kind == "plain":
        return first.text
    return only_title(blocks)


def _blocks(parent: "_Element", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    """Yield paragraphs and tables in document order, those in content controls and tracked insertions too."""
    for child in parent:
        if child.tag == f"{W}p":
            yield from _paragraph(child, styles, numbering)
        elif child.tag == f"{W}tbl":
            yield from _table(child, styles, numbering)
        elif child.tag in _CONTAINERS:
            yield from _blocks(child, styles, numbering)


def _paragraph(paragraph: "_Element", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    text = squeeze("".join(_pieces(paragraph)))
    if not text or _GENERATED.match(styles.name(paragraph)):
        return
    label, is_bullet = numbering.label(paragraph)
    level = styles.heading_level(paragraph)
    if level:
        yield Block("heading", text if is_bullet else f"{label} {text}".strip(), level=level)
    else:
        yield Block("item" if label else "paragraph", f"{label} {text}".strip())


def _pieces(element: "_Element") -> Iterator[str]:
    """Yield the words of a paragraph: runs, links, insertions; not what was deleted or moved away, nor field codes."""
    for child in element:
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag in _SPACES:
            yield " "
        elif child.tag == f"{W}noBreakHyphen":
            yield "-"
        elif child.tag == f"{W}footnoteReference":
            yield f"[{child.get(f'{W}id')}]"
        elif child.tag not in _UNSEEN:
            yield from _pieces(child)


def _table(table: "_Element", styles: Styles, numbering: Numbering) -> Iterator[Block]:
    """Yield a row a line; a table of one cell is a frame around paragraphs.

    A cell that is merged downwards or sideways is repeated in each of its rows and columns, so that every row can be
    read by itself, under its heads; one that takes a whole row is a title and stands there once.
    """
    rows = [list(line.iter(f"{W}tc")) for line in table.findall(f".//{W}tr") if _table_of(line) is table]
    rows = [[cell for cell in cells if _table_of(cell) is table] for cells in rows]
    if len(rows) == 1 and len(rows[0]) == 1:
        yield from _blocks(rows[0][0], styles, numbering)
        return
    yield from table_blocks(_texts(rows))


def _texts(rows: "Sequence[Sequence[_Element]]") -> Iterator[list[str]]:
    """Yield the texts of each row's cells, those of merged cells repeated."""
    above: list[str] = []
    for cells in rows:
        texts: list[str] = []
        for cell in cells:
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            continued = merge is not None and merge.get(f"{W}val") != "restart"
            text = next(iter(above[len(texts) :]), "") if continued else _cell_text(cell)
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            width = int(span.get(f"{W}val", "1")) if span is not None else 1
            texts.extend([text] * min(max(width, 1), MOST))
        above = texts
        yield texts[:1] if len(cells) == 1 else texts


def _table_of(element: "_Element") -> "_Element":
    """Return the innermost table around a row or cell."""
    return next(element.iterancestors(f"{W}tbl"))


def _cell_text(cell: "_Element") -> str:
    return squeeze(" ".join("".join(_pieces(paragraph)) for paragraph in cell.iter(f"{W}p")))


def _footnotes(source: Source) -> Iterator[Block]:
    """Yield the notes at the end of the text, where the file has any."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        for part in ("word/footnotes.xml", "word/endnotes.xml"):
            if part in archive.namelist():
                root = etree.fromstring(archive.read(part), parser)
                for note in root:
                    text = squeeze(" ".join(_pieces(note)))
                    if text and note.get(f"{W}type") in (None, "normal"):
                        yield Block("item", f"[{note.get(f'{W}id')}] {text}")
