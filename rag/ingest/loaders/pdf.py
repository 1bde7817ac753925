"""PDF: text in reading order with its pages, headings and tables; running headers and page numbers removed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rag.ingest.loaders import pdf_headings
from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.pdf_bombs import check_bombs, decrypted
from rag.ingest.loaders.pdf_furniture import find_furniture
from rag.ingest.loaders.pdf_layout import Line, make_lines
from rag.ingest.loaders.pdf_metadata import metadata_of
from rag.ingest.loaders.pdf_notes import notes_of
from rag.ingest.loaders.pdf_page import Page
from rag.ingest.loaders.pdf_pieces import END, Piece, prose
from rag.ingest.loaders.pdf_runs import is_inside, runs_of
from rag.ingest.loaders.pdf_tables import has_heads, mend, table_rows
from rag.ingest.loaders.pdf_words import Bookmark, open_pdf, read_bookmarks, read_page
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document

_LEADER = re.compile(r"(?<![._·])(?<![.·]\s)(?:\.\s?|·\s?|_){5,}+\s*+(?:\d{1,4}|[ivxlc]{1,6})?$", re.I)
"""The dots of a table of contents, which repeats every heading and would answer for all of them."""
_SMALL, _FOOT = 0.9, 0.6
"""Notes are set in type of so much of the body's height or less, and begin below so much of the page's height."""
_NOTE = re.compile(r"(?:\[\d{1,3}\]|\(?\d{1,3}[.)]?|[¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|[a-z][.)])\s*[^\W\d_]")


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
    metadata = metadata_of(source, properties, bodies[0].lines if bodies else [], running)
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


def _block(piece: Piece, look: pdf_headings.Look, levels: dict[pdf_headings.Style, int]) -> Block:
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
    return not END.search(before.text) and (block.text[:1].islower() or before.text.endswith((",", "-")))


def _joined(before: Block, block: Block, look: pdf_headings.Look) -> Block:
    text = mend([before.text, block.text], look.compounds)
    last = before.turns[-1][1] if before.turns else before.page
    turn = ((len(text) - len(block.text), block.page or 1),) if block.page != last else ()
    return replace(before, text=text, turns=(*before.turns, *turn))


def _page_pieces(body: _Body, look: pdf_headings.Look) -> list[Piece]:
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


def _with_notes_before(pieces: Sequence[Piece], height: float) -> list[Piece]:
    """Return the pieces; footnotes below a paragraph that goes on elsewhere stand before it.

    So the paragraph stays whole, and each of the two on its page.
    """
    kept: list[Piece] = []
    index = 0
    while index < len(pieces):
        notes: list[Piece] = []
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


def _is_footnote(piece: Piece, above: Piece, height: float) -> bool:
    """Whether a piece begins the notes at the foot of a page, below a paragraph that ends in mid sentence."""
    is_low = piece.lines[0].y0 > _FOOT * height
    goes_on = not END.search(above.text) and len(above.lines) > 1
    return is_low and goes_on and _NOTE.match(piece.text) is not None and _is_below(piece, above)


def _is_below(piece: Piece, above: Piece) -> bool:
    """Whether a piece is text in smaller type than the paragraph above it."""
    kinds = ("paragraph", "item")
    small = max(line.size for line in piece.lines) <= _SMALL * above.lines[-1].size
    return piece.kind in kinds and above.kind in kinds and small


def _pieces(page: Page, body: Sequence[Line], look: pdf_headings.Look) -> Iterator[Piece]:
    leaders = [line for line in body if _LEADER.search(line.text)]
    body = [line for line in body if line not in leaders] if len(leaders) >= 3 else body
    for column, run in runs_of(body, page.grids):
        if run.is_table:
            for index, text in enumerate(table_rows(run, page.rules)):
                begins = index == 0 and run.grid is not None
                yield Piece("row", run.lines, page.number, text, column, run.grid, begins, begins and has_heads(run))
        else:
            yield from (replace(piece, column=column) for piece in prose(run, page.number, look))


def _with_tables_joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces; a drawn table that goes on over a page with the same columns is one, its heads said once."""
    kept: list[Piece] = []
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


def _same_columns(above: Piece, piece: Piece) -> bool:
    return above.grid is not None and piece.grid is not None and above.grid.continues(piece.grid)


def _demote_bare(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces; an unnumbered heading with nothing below it but another of its look is no heading.

    So the lines of a cover, or of an address set in bold, stay text.
    """
    kept: list[Piece] = []
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if piece.kind == "heading" and pdf_headings.number_level(piece.text) is None and _is_idle(piece, following):
            piece = replace(piece, kind="paragraph")
        kept.append(piece)
    return kept


def _is_idle(piece: Piece, following: Piece | None) -> bool:
    if following is None:
        return True
    style, other = pdf_headings.style_of(piece.lines[0]), pdf_headings.style_of(following.lines[0])
    return following.kind == "heading" and pdf_headings.number_level(following.text) is None and other >= style
