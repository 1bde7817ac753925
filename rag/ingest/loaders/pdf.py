"""PDF: text in reading order with its pages, headings and tables; running headers and page numbers removed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rag.ingest.loaders import pdf_headings
from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.identifiers import identify, is_placeholder
from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.pdf_bombs import check_bombs, decrypted
from rag.ingest.loaders.pdf_furniture import find_furniture
from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_layout import Line, make_lines
from rag.ingest.loaders.pdf_notes import notes_of
from rag.ingest.loaders.pdf_page import Page
from rag.ingest.loaders.pdf_runs import is_inside, runs_of
from rag.ingest.loaders.pdf_tables import Run, has_heads, mend, table_rows
from rag.ingest.loaders.pdf_words import Bookmark, open_pdf, read_bookmarks, read_page
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document, DocumentMetadata

_ITEM = re.compile(r"(?:[-*•‣◦▪●■–☒☐☑]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\((?:[ivx]+)\))\s+\S")
_LEADER = re.compile(r"(?:\.\s?|·\s?|_){5,}\s*(?:\d{1,4}|[ivxlc]{1,6})?$", re.I)
"""The dots of a table of contents, which repeats every heading and would answer for all of them."""
_DATED = re.compile(r"effective|issued|dated|revised|end(?:ed|ing)", re.I)
_SMALL, _FOOT = 0.9, 0.6
"""Notes are set in type of so much of the body's height or less, and begin below so much of the page's height."""
_NOTE = re.compile(r"(?:\[\d{1,3}\]|\(?\d{1,3}[.)]?|[¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|[a-z][.)])\s*[^\W\d_]")
_TERM = re.compile(r"\w*[^\W_]_\w+(?:\(\))?|--?[^\W\d_][\w-]*|[a-z_]\w*\(\)|[a-z]+[A-Z]\w*|[A-Z][A-Z\d]{2,}")
"""A line that is one name, as of a constant, an option or a function: lists of them explain it below."""
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
_END = re.compile(r"[.!?:;][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines of one block that belong together, with how they look, before levels are known."""

    kind: str
    lines: tuple[Line, ...]
    page: int
    text: str
    column: int = 0
    grid: Grid | None = None
    begins: bool = False
    heads: bool = False
    turn: int = 0


@dataclass(frozen=True, slots=True)
class _Body:
    """The lines of a page without its furniture, and those of its text in other directions."""

    page: Page
    lines: Sequence[Line]
    others: Sequence["_Body"] = ()

    @property
    def all_lines(self) -> Iterator[Line]:
        """The lines in whatever direction."""
        yield from self.lines
        for other in self.others:
            yield from other.lines


def load_pdf(source: Source) -> Document:
    """Return a PDF as a document.

    Raises:
        InvalidDocument: It is encrypted, broken, unpacks to far too much, or has no text (scanned pages).
    """
    check_bombs(source.name, source.data)
    with open_pdf(source) as document:
        if (plain := decrypted(document)) is not None:
            check_bombs(source.name, plain)
        pages = [read_page(document, number) for number in range(1, len(document) + 1)]
        bookmarks, properties = read_bookmarks(document), document.get_metadata_dict()
    _check_text(source, pages)
    lines = [make_lines(page.words) for page in pages]
    furniture, running = find_furniture(lines, [page.height for page in pages])
    furniture = _without_tables(furniture, pages, lines)
    bodies = [
        _Body(page, [line for k, line in enumerate(lines[n]) if (n, k) not in furniture], _sideways(page))
        for n, page in enumerate(pages)
    ]
    blocks = list(_blocks(bodies, bookmarks))
    metadata = _metadata(source, properties, bodies[0].lines if bodies else [], running)
    return build(source, blocks, metadata=metadata, page_count=len(pages), notes=_notes(bodies))


def _sideways(page: Page) -> list[_Body]:
    return [_Body(other, make_lines(other.words)) for other in page.others]


def _notes(bodies: Sequence[_Body]) -> list[str]:
    """Return notes of the pages that show something and have no text but running lines, and of text left out."""
    textless = [body.page.number for body in bodies if not body.page.is_empty and not any(body.all_lines)]
    slanted = {body.page.number: body.page.slanted for body in bodies if body.page.slanted}
    return notes_of(textless, slanted, len(bodies))


def _without_tables(
    furniture: set[tuple[int, int]], pages: Sequence[Page], lines: Sequence[Sequence[Line]]
) -> set[tuple[int, int]]:
    """Return the furniture without lines of drawn tables, whose heads recur too; a box that is nothing else stays."""
    kept = set(furniture)
    for number, page in enumerate(pages):
        for grid in page.grids:
            inside = {(number, index) for index, line in enumerate(lines[number]) if is_inside(line, grid)}
            if not inside <= furniture:
                kept -= inside
    return kept


def _check_text(source: Source, pages: Sequence[Page]) -> None:
    letters = sum(page.letters for page in pages)
    if not pages:
        raise refuse(source.name, "it has no pages", "Export it again")
    if letters < 10 and any(page.has_picture for page in pages):
        advice = "Run text recognition (OCR) on it and ingest the result"
        raise refuse(source.name, f"it holds no text: its {len(pages)} pages are scanned pictures", advice)
    if letters == 0:
        reason = "it holds no text" + (" but slanted words" if any(page.slanted for page in pages) else "")
        raise refuse(source.name, reason, "Export it again with its text, or run text recognition (OCR)")


def _blocks(bodies: Sequence[_Body], bookmarks: Sequence[Bookmark]) -> Iterator[Block]:
    look = pdf_headings.look_of((line for body in bodies for line in body.all_lines), bookmarks)
    pieces = [piece for body in bodies for piece in _page_pieces(body, look)]
    pieces = _demote_bare(_with_tables_joined(pieces))
    headings = [(pdf_headings.style_of(p.lines[0]), p.text) for p in pieces if p.kind == "heading"]
    levels = pdf_headings.style_levels(headings)
    place: tuple[int, int, int] | None = None
    pending: Block | None = None
    for piece in pieces:
        block, here = _block(piece, look, levels), (piece.turn, piece.page, piece.column)
        is_elsewhere = place is not None and place != here and place[0] == piece.turn
        if pending is not None and is_elsewhere and _runs_on(pending, block):
            pending, place = _joined(pending, block, look), here
            continue
        if pending is not None:
            yield pending
        pending, place = block, here
    if pending is not None:
        yield pending


def _block(piece: _Piece, look: pdf_headings.Look, levels: dict[pdf_headings.Style, int]) -> Block:
    if piece.kind == "heading":
        level = pdf_headings.outline_level(piece.text, piece.page, look) or pdf_headings.number_level(piece.text)
        return Block("heading", piece.text, level or levels[pdf_headings.style_of(piece.lines[0])], piece.page)
    if piece.kind == "row":
        return Block("row", piece.text, page=piece.page, begins=piece.begins, heads=piece.heads)
    return Block("item" if piece.kind == "item" else "paragraph", piece.text, page=piece.page)


def _runs_on(before: Block, block: Block) -> bool:
    """Whether a paragraph goes on in the next column or page: it ends in mid sentence, the next begins in one."""
    if before.kind not in ("paragraph", "item") or block.kind != "paragraph":
        return False
    return not _END.search(before.text) and (block.text[:1].islower() or before.text.endswith((",", "-")))


def _joined(before: Block, block: Block, look: pdf_headings.Look) -> Block:
    text = mend([before.text, block.text], look.compounds)
    last = before.turns[-1][1] if before.turns else before.page
    turn = ((len(text) - len(block.text), block.page or 1),) if block.page != last else ()
    return replace(before, text=text, turns=(*before.turns, *turn))


def _page_pieces(body: _Body, look: pdf_headings.Look) -> list[_Piece]:
    """Return the pieces of a page; what stands sideways comes before the last paragraph or table of the rest.

    So a paragraph, or a table, that goes on over the page stays in one.
    """
    pieces = _with_notes_before(list(_pieces(body.page, body.lines, look)), body.page.height)
    aside = [
        replace(piece, turn=other.page.turn)
        for other in body.others
        for piece in _pieces(other.page, other.lines, look)
    ]
    at = len(pieces) - 1
    while at > 0 and (pieces[at].kind == "row" == pieces[at - 1].kind or pieces[at - 1].kind == "heading"):
        at -= 1
    at = at if at > 0 else len(pieces)
    return [*pieces[:at], *aside, *pieces[at:]] if aside else pieces


def _with_notes_before(pieces: Sequence[_Piece], height: float) -> list[_Piece]:
    """Return the pieces; footnotes below a paragraph that goes on elsewhere stand before it.

    So the paragraph stays whole, and each of the two on its page.
    """
    kept: list[_Piece] = []
    index = 0
    while index < len(pieces):
        notes: list[_Piece] = []
        if kept and _is_footnote(pieces[index], kept[-1], height):
            notes = list(takewhile(lambda piece: _is_below(piece, kept[-1]), pieces[index:]))
        following = pieces[index + len(notes)] if index + len(notes) < len(pieces) else None
        if notes and (following is None or following.column != notes[0].column):
            kept[-1:] = [*notes, kept[-1]]
        else:
            notes = notes or [pieces[index]]
            kept.extend(notes)
        index += len(notes)
    return kept


def _is_footnote(piece: _Piece, above: _Piece, height: float) -> bool:
    """Whether a piece begins the notes at the foot of a page, below a paragraph that ends in mid sentence."""
    is_low = piece.lines[0].y0 > _FOOT * height
    goes_on = not _END.search(above.text) and len(above.lines) > 1
    return is_low and goes_on and _NOTE.match(piece.text) is not None and _is_below(piece, above)


def _is_below(piece: _Piece, above: _Piece) -> bool:
    """Whether a piece is text in smaller type than the paragraph above it."""
    kinds = ("paragraph", "item")
    small = max(line.size for line in piece.lines) <= _SMALL * above.lines[-1].size
    return piece.kind in kinds and above.kind in kinds and small


def _pieces(page: Page, body: Sequence[Line], look: pdf_headings.Look) -> Iterator[_Piece]:
    leaders = [line for line in body if _LEADER.search(line.text)]
    body = [line for line in body if line not in leaders] if len(leaders) >= 3 else body
    for column, run in runs_of(body, page.grids):
        if run.is_table:
            for index, text in enumerate(table_rows(run, page.rules)):
                begins = index == 0 and run.grid is not None
                yield _Piece("row", run.lines, page.number, text, column, run.grid, begins, begins and has_heads(run))
        else:
            yield from (replace(piece, column=column) for piece in _prose(run, page.number, look))


def _with_tables_joined(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Return the pieces; a drawn table that goes on over a page with the same columns is one, its heads said once."""
    kept: list[_Piece] = []
    heads, first = "", 0
    for piece in pieces:
        above = kept[-1] if kept else None
        goes_on = above is not None and above.page + 1 == piece.page and _same_columns(above, piece)
        if piece.begins and not goes_on:
            heads, first = piece.text, len(kept)
        if piece.begins and goes_on and piece.text == heads:
            kept[first] = replace(kept[first], heads=True)
        else:
            kept.append(replace(piece, begins=piece.begins and not goes_on))
    return kept


def _same_columns(above: _Piece, piece: _Piece) -> bool:
    return above.grid is not None and piece.grid is not None and above.grid.continues(piece.grid)


def _prose(run: Run, page: int, look: pdf_headings.Look) -> Iterator[_Piece]:
    """Yield headings, list items and paragraphs of a run of text lines."""
    right = max(line.x1 for line in run.lines)
    group: list[Line] = []
    for line in run.lines:
        if group and _begins_anew(group, line, right, page, look):
            yield _piece(group, page, look)
            group = []
        group.append(line)
    if group:
        yield _piece(group, page, look)


def _piece(lines: Sequence[Line], page: int, look: pdf_headings.Look) -> _Piece:
    text = mend([line.text for line in lines], look.compounds)
    kind = "heading" if _is_heading(lines[0], page, look) and len(lines) <= 4 else "paragraph"
    kind = "item" if kind == "paragraph" and _ITEM.match(text) else kind
    return _Piece(kind, tuple(lines), page, text)


def _is_heading(line: Line, page: int, look: pdf_headings.Look) -> bool:
    return pdf_headings.is_candidate(line, look) or pdf_headings.outline_level(line.text, page, look) is not None


def _begins_anew(group: Sequence[Line], line: Line, right: float, page: int, look: pdf_headings.Look) -> bool:
    """Whether a line begins a paragraph, a list item or a heading rather than going on."""
    above = group[-1]
    heading_above, heading = _is_heading(above, page, look), _is_heading(line, page, look)
    if heading_above or heading:
        same = pdf_headings.style_of(above)[:2] == pdf_headings.style_of(line)[:2]
        numbered = pdf_headings.number_level(line.text) is not None
        close = line.y0 - above.y1 < 0.7 * line.size
        return not (heading_above and same and close and not numbered and len(above.text) > 20)
    if _ITEM.match(line.text) and not _is_midline_number(above, line):
        return True
    if _is_torn(above, line):
        return False
    if line.y0 - above.y1 > 0.65 * line.size or line.y1 < above.y0 or abs(line.size - above.size) > 1.5:
        return True
    if _goes_on_in_entry(group, line):
        return False
    left = min(one.x0 for one in (group[1:] if len(group) > 1 and _is_term(group[0]) else group))
    indented = line.x0 - left > 0.8 * line.size and not _ITEM.match(group[0].text)
    outdented = group[0].x0 - line.x0 > 1.5 * line.size and _ITEM.match(group[0].text) is not None
    slack = right - above.x1 - (line.words[0].x1 - line.words[0].x0)
    wide = slack > 0.3 * (right - left)
    ended = _END.search(above.text) is not None
    spare = slack > 2 * line.size
    return (indented and ended) or outdented or (spare and (ended or wide or _is_term(line)))


def _is_torn(above: Line, line: Line) -> bool:
    """Whether a word is divided between two lines of like type: `... by the engi-` / `neer Sofie Brandt`."""
    is_divided = _DIVIDED.search(above.text) is not None and line.text[:1].islower()
    return is_divided and abs(line.size - above.size) <= 1.5


def _goes_on_in_entry(group: Sequence[Line], line: Line) -> bool:
    """Whether a line belongs to what a term on a line of its own means: it begins right of the term, in one block."""
    if not _is_term(group[0]) or line.x0 - group[0].x0 < 0.4 * line.size:
        return False
    return len(group) == 1 or (abs(line.x0 - group[-1].x0) < 1 and not _END.search(group[-1].text))


def _is_term(line: Line) -> bool:
    return _TERM.fullmatch(line.text) is not None


def _is_midline_number(above: Line, line: Line) -> bool:
    """Whether what looks like a list marker is the end of a sentence that wrapped: `... as of June` / `30. The`."""
    return (
        re.match(r"\(?[\da-zA-Z]", line.text) is not None
        and not _END.search(above.text)
        and abs(above.x0 - line.x0) < 1
    )


def _demote_bare(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Return the pieces; an unnumbered heading with nothing below it but another of its look is no heading.

    So the lines of a cover, or of an address set in bold, stay text.
    """
    kept: list[_Piece] = []
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if piece.kind == "heading" and pdf_headings.number_level(piece.text) is None and _is_idle(piece, following):
            piece = replace(piece, kind="paragraph")
        kept.append(piece)
    return kept


def _is_idle(piece: _Piece, following: _Piece | None) -> bool:
    if following is None:
        return True
    style, other = pdf_headings.style_of(piece.lines[0]), pdf_headings.style_of(following.lines[0])
    return following.kind == "heading" and pdf_headings.number_level(following.text) is None and other >= style


def _metadata(
    source: Source, properties: dict[str, str], first: Sequence[Line], running: Sequence[str]
) -> DocumentMetadata:
    """Return title, author and year from the properties where they tell something, else from the first page."""
    title = squeeze(properties.get("Title", ""))
    if not _tells(title):
        title = _largest(first) or ""
    head = "\n".join(line.text for line in first)
    author = squeeze(properties.get("Author", ""))
    extra = [*running[:2], squeeze(properties.get("Subject", ""))]
    return DocumentMetadata(
        title=title or None,
        authors=() if is_placeholder(author) else (author,),
        year=_year(head),
        identifiers=identify(source.name, title or None, head, extra),
    )


def _year(head: str) -> int | None:
    """Return the year of the date that the first page gives; the file may have been made in any other year."""
    dates = [text for text in identify("", None, head) if _DATED.search(text)]
    years = re.findall(r"\b(?:19|20)\d\d\b", " ".join(dates))
    return int(years[0]) if years else None


def _tells(title: str) -> bool:
    """Whether a title property is one, and not a file name, a number, or what a program wrote."""
    words = [word for word in re.findall(r"[^\W\d_]+", title) if len(word) > 2]
    program = re.match(r"(?:microsoft|untitled|document\d|slide|powerpoint|word -|\(anonymous\))", title, re.I)
    return len(words) >= 2 and not program and not re.search(r"\.(?:docx?|pdf|indd|tex|xlsx?|qxd)$", title, re.I)


def _largest(lines: Sequence[Line]) -> str | None:
    """Return the text set largest on the first page, where it is larger than the rest and short.

    A numbered line of that size with other lines above it is the heading of what follows, and ends the title.
    """
    if not lines:
        return None
    size = max(line.size for line in lines[:25])
    largest = [(index, line.text) for index, line in enumerate(lines[:25]) if line.size == size]
    headings = [index for index, text in largest[1:] if parse_title(text).kind != "plain"]
    text = " ".join(text for index, text in largest if not headings or index < headings[0])
    return text if len(text) <= 150 and size > min(line.size for line in lines) else None
