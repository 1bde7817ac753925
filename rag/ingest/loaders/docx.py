"""Word documents: headings by style or outline level, automatic numbers, lists, tables and footnotes in order."""

import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

import docx
from docx.document import Document as WordDocument
from lxml.etree import _Element

from rag.ingest.loaders.blocks import Block, build, table_blocks
from rag.ingest.loaders.docx_styles import Numbering, Styles, W, is_on, value
from rag.ingest.loaders.docx_text import BOX, FALLBACK, Words, field_of, is_prompt
from rag.ingest.loaders.metadata import office_metadata
from rag.ingest.loaders.source import Source
from rag.ingest.loaders.structure import parse_title
from rag.ingest.loaders.tables import MOST
from rag.models import Document

_CONTAINERS = tuple(f"{W}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_GENERATED = re.compile(r"toc \d|table of figures|header|footer", re.I)

_LONGEST = 100  # characters of a heading by its looks
_PAGE = re.compile(r"(?<!\s)\s*+(?:NUM|SECTION)?PAGES?\b", re.I)
_FEWEST_LETTERS = 12  # letters beside the number of a page that say more than `Page 2 of 5`


def load_docx(source: Source) -> Document:
    """Return a Word document; it has no pages, since they are made when it is printed."""
    word = docx.Document(io.BytesIO(source.data))
    reader = _Reader(word, source)
    body = [*reader.blocks(word.element.body), *reader.words.notes_left()]
    frame = list(reader.frame(word))
    core = word.core_properties
    extra = [core.subject or "", core.version or "", *(block.text for block in frame)]
    metadata = office_metadata(source, body, title=core.title, author=core.author, created=core.created, extra=extra)
    return build(source, [*frame, *body], metadata=metadata, notes=reader.words.told())


class _Reader:
    def __init__(self, word: WordDocument, source: Source) -> None:
        self.styles = Styles(word)
        self.words = Words(self.styles, source.data)
        self._numbering, self._looks = Numbering(word, self.styles), _Looks(word, self.styles)

    def frame(self, word: WordDocument) -> Iterator[Block]:
        """Yield what the headers, then the footers, say, each once and as paragraphs: they belong to no section."""
        parts = {rel.target_part.partname: rel for rel in word.part.rels.values() if not rel.is_external}
        named = [rel for kind in ("/header", "/footer") for rel in parts.values() if rel.reltype.endswith(kind)]
        seen = {""}
        for paragraph in (one for rel in named for one in rel.target_part.element.iter(f"{W}p")):
            text = self.words.of(paragraph)
            if text not in seen and not _is_page_number(paragraph, text):
                seen.add(text)
                yield Block("paragraph", text)

    def blocks(self, parent: _Element) -> Iterator[Block]:
        """Yield paragraphs and tables in document order, those in content controls and tracked insertions too.

        What stands in a text box follows the paragraph that it hangs on, and so do the notes.
        """
        for child in parent:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
                yield from self._boxes(child)
            elif child.tag == f"{W}tbl":
                yield from self._table(child)
            elif child.tag in _CONTAINERS and not is_prompt(child):
                yield from self.blocks(child)
            yield from self.words.notes_due()

    def _paragraph(self, paragraph: _Element) -> Iterator[Block]:
        text = "" if _GENERATED.match(self.styles.name(paragraph)) else self.words.of(paragraph)
        if not text:
            return
        label, is_bullet = self._numbering.label(paragraph)
        indent = self._numbering.indent(paragraph, is_item=bool(label))
        level = self.styles.heading_level(paragraph) or self._looks.level(paragraph, text)
        if field := None if level or label else field_of(paragraph, text):
            yield Block("field", field)
        elif level:
            yield Block("heading", text if is_bullet else f"{label} {text}".strip(), level=level)
        else:
            yield Block("item" if label else "paragraph", f"{label} {text}".strip(), indent=indent)

    def _boxes(self, element: _Element) -> Iterator[Block]:
        for child in element:
            if child.tag == BOX:
                yield from self.blocks(child)
            elif child.tag != FALLBACK:
                yield from self._boxes(child)

    def _table(self, table: _Element) -> Iterator[Block]:
        """Yield a row a line; a table of one cell is a frame around paragraphs."""
        lines = [line for line in table.findall(f".//{W}tr") if _around(line, "tbl") is table]
        rows = [[cell for cell in line.iter(f"{W}tc") if _around(cell, "tbl") is table] for line in lines]
        if len(rows) == 1 and len(rows[0]) == 1:
            yield from self.blocks(rows[0][0])
            return
        heads = len(list(takewhile(lambda line: is_on(value(line, "trPr/tblHeader", "1")), lines)))
        yield from table_blocks(self._texts(rows), heads=heads)

    def _texts(self, rows: Sequence[Sequence[_Element]]) -> Iterator[list[str]]:
        """Yield the texts of each row's cells: of a merged cell in each row and column, but a whole row's once."""
        above: list[str] = []
        for cells in rows:
            texts: list[str] = []
            for cell in cells:
                continued = value(cell, "tcPr/vMerge") not in (None, "restart")
                text = next(iter(above[len(texts) :]), "") if continued else self._cell_text(cell)
                width = int(value(cell, "tcPr/gridSpan") or 1)
                texts.extend([text] * min(max(width, 1), MOST))
            above = texts
            yield texts[:1] if len(cells) == 1 else texts

    def _cell_text(self, cell: _Element) -> str:
        """Return the words of a cell on one line; commas part the rows of a table in it."""
        seen = (one for one in cell.iter(f"{W}p") if next(one.iterancestors(FALLBACK), None) is None)
        own, said, was_inner = _around(cell, "tr"), "", False
        for line, paragraphs in groupby(seen, key=lambda one: _around(one, "tr")):
            if text := " ".join(filter(None, map(self.words.of, paragraphs))):
                is_inner = line is not own
                said += (", " if is_inner and was_inner else " ") + text
                was_inner = is_inner
        return said.strip()


def _around(element: _Element, tag: str) -> _Element | None:
    return next(element.iterancestors(f"{W}{tag}"), None)


def _is_page_number(paragraph: _Element, text: str) -> bool:
    codes = (one.get(f"{W}instr") or one.text or "" for one in paragraph.iter(f"{W}instrText", f"{W}fldSimple"))
    return any(map(_PAGE.match, codes)) and sum(map(str.isalpha, text)) < _FEWEST_LETTERS


class _Looks:
    """Tells headings by bold type, in a document that marks none by style."""

    def __init__(self, word: WordDocument, styles: Styles) -> None:
        self._styles = styles
        paragraphs = [one for one in word.element.body.iter(f"{W}p") if _around(one, "tbl") is None]
        marked = any(styles.heading_level(one) and styles.name(one).casefold() != "title" for one in paragraphs)
        bold = set() if marked else {one for one in paragraphs if self._is_bold(one)}
        self._sizes = {one: self._size(one) for one in bold if not {one.getprevious(), one.getnext()} <= bold}
        self._ranks = sorted(set(self._sizes.values()), reverse=True)

    def level(self, paragraph: _Element, text: str) -> int:
        """Return the level of a paragraph that is a heading by its looks: by size of type, then by number; else 0."""
        if paragraph not in self._sizes or len(text) > _LONGEST or text.endswith((".", ",", ";", ":")):
            return 0
        title = parse_title(text)
        depth = title.depth if title.kind == "dotted" else 1
        return min(self._ranks.index(self._sizes[paragraph]) + depth, 6)

    def _is_bold(self, paragraph: _Element) -> bool:
        runs = [run for run in paragraph.iter(f"{W}r") if "".join(one.text or "" for one in run.iter(f"{W}t")).strip()]
        return bool(runs) and all(is_on(self._styles.of_run(run, "b")) for run in runs)

    def _size(self, paragraph: _Element) -> int:
        sizes = (self._styles.of_run(run, "sz") or "" for run in paragraph.iter(f"{W}r"))
        return max((int(size) for size in sizes if size.isdigit()), default=0)
