"""What stands on the pages of a PDF as blocks: pieces of each page in order, joined where they go on elsewhere."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.ingest.loaders.blocks import END, Block
from rag.ingest.loaders.pdf_order import Line, columns, make_lines
from rag.ingest.loaders.pdf_prose import Look, Piece, mend, number_level, prose, style_levels, style_of
from rag.ingest.loaders.pdf_tables import Run, drawn_run, has_heads, split_fields, table_cells, table_rows
from rag.ingest.loaders.pdf_words import Page, Part, Word
from rag.models import BlockKind
from rag.text.words import fold

_LEADER = re.compile(r"(?<![._·])(?<![.·]\s)(?:\.\s?|·\s?|_){5,}+\s*+(?:\d{1,4}|[ivxlc]{1,6})?$", re.I)
"""The dots of a table of contents, which repeats every heading and would answer for all of them."""
_SMALL, _FOOT = 0.9, 0.6  # notes have type of so much of the body's height, and begin below so much of the page's
_UNSURE = -1  # Column of text of which it is not known what stands before and after it.
_NOTE = re.compile(r"(?:\[\d{1,3}\]|\(?\d{1,3}[.)]?|[¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|[a-z][.)])\s*[^\W\d_]")
_STAND_IN = "\0"  # text of a word that stands for a drawn table while columns are found


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a page in one direction, without its furniture; its text in other directions follows it."""

    page: Page
    part: Part
    lines: Sequence[Line]


def blocks_of(bodies: Sequence[Body], outline: Mapping[tuple[int, str], int]) -> Iterator[Block]:
    """Yield the blocks of pages; a paragraph that goes on in the next column or page is one.

    Args:
        bodies: The text of the pages in order.
        outline: Levels of headings, by page and folded title.
    """
    look = Look.of((line for body in bodies for line in body.lines), outline)
    pieces = _demote_bare(_with_tables_joined([piece for body in bodies for piece in _pieces(body, look)]))
    levels = style_levels([(style_of(piece.lines[0]), piece.text) for piece in pieces if piece.kind == "heading"])
    pending: tuple[Block, Piece] | None = None
    for piece in pieces:
        block = _block(piece, look, levels)
        if pending is None:
            pending = block, piece
        elif _is_aside(piece, pending[1]) and not END.search(pending[0].text):
            yield block  # before the paragraph that goes on below it
        elif _is_next(pending[1], piece) and _runs_on(pending[0], block):
            pending = _joined(pending[0], block, look), piece
        else:
            yield pending[0]
            pending = block, piece
    if pending is not None:
        yield pending[0]


def _is_aside(piece: Piece, above: Piece) -> bool:
    """Whether a piece is a note at the foot of its page, or text in another direction, below a text that is cut."""
    if above.kind not in ("paragraph", "item") or len(above.lines) < 2:
        return False
    is_small = max(line.size for line in piece.lines) <= _SMALL * above.lines[-1].size
    is_note = piece.kind in ("paragraph", "item") and is_small and piece.is_low
    return piece.turn != above.turn or (is_note and _NOTE.match(piece.text) is not None)


def _pieces(body: Body, look: Look) -> Iterator[Piece]:
    leaders = [line for line in body.lines if _LEADER.search(line.text)]
    lines = [line for line in body.lines if line not in leaders] if len(leaders) >= 3 else body.lines
    number, turn = body.page.number, body.part.turn
    for column, run in runs_of(body.part, [word for line in lines for word in line.words]):
        if run.kind == "text":
            for piece in prose(run.lines, number, look, column if run.is_sure else _UNSURE):
                yield replace(piece, turn=turn, is_low=piece.lines[0].y0 > _FOOT * body.part.height)
            continue
        kind: BlockKind = "field" if run.kind == "fields" else "row"
        for at, text in enumerate(run.fields or table_rows(run, body.part)):
            begins = at == 0 and run.grid is not None and kind == "row"
            heads = begins and has_heads(run)
            yield Piece(kind, run.lines, number, text, column, run.grid, begins, heads, turn)


def _with_tables_joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces; a drawn table that goes on over a page with the same columns is one, its heads said once."""
    kept: list[Piece] = []
    heads, first = "", 0
    for piece in pieces:
        above = kept[-1].grid if kept and kept[-1].page + 1 == piece.page else None
        goes_on = above is not None and piece.grid is not None and above.continues(piece.grid)
        if piece.begins and not goes_on:
            heads, first = piece.text, len(kept)
        if piece.begins and goes_on and piece.text == heads:
            kept[first] = replace(kept[first], heads=True)
        else:
            kept.append(replace(piece, begins=piece.begins and not goes_on))
    return kept


def _demote_bare(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces; an unnumbered heading right above another of its look is none, as on a cover."""
    pairs = zip(pieces, [*pieces[1:], None], strict=True)
    return [replace(piece, kind="paragraph") if _is_idle(piece, following) else piece for piece, following in pairs]


def _is_idle(piece: Piece, following: Piece | None) -> bool:
    if piece.kind != "heading" or number_level(piece.text) is not None:
        return False
    if following is None:
        return True
    is_bare = following.kind == "heading" and number_level(following.text) is None
    return is_bare and style_of(following.lines[0]) >= style_of(piece.lines[0])


def _block(piece: Piece, look: Look, levels: Mapping[tuple[float, bool, bool, bool], int]) -> Block:
    level = 0
    if piece.kind == "heading":
        outlined = look.outline.get((piece.page, fold(piece.text)))
        level = outlined or number_level(piece.text) or levels[style_of(piece.lines[0])]
    return Block(piece.kind, piece.text, level, piece.page, begins=piece.begins, heads=piece.heads, indent=piece.indent)


def _is_next(above: Piece, piece: Piece) -> bool:
    """Whether a column follows on another: text in one direction, on the next page or in the next column of this."""
    if _UNSURE in (above.column, piece.column):
        return False
    return above.turn == piece.turn and (above.page != piece.page or above.column + 1 == piece.column)


def _runs_on(before: Block, block: Block) -> bool:
    """Whether a paragraph goes on in the next column or page: it ends in mid sentence, the next begins in one."""
    if before.kind not in ("paragraph", "item") or block.kind != "paragraph":
        return False
    return not END.search(before.text) and (block.text[:1].islower() or before.text.endswith((",", "-")))


def _joined(before: Block, block: Block, look: Look) -> Block:
    text = mend([before.text, block.text], look.compounds)
    last = before.turns[-1][1] if before.turns else before.page
    turn = ((len(text) - len(block.text), block.page or 1),) if block.page != last else ()
    return replace(before, text=text, turns=(*before.turns, *turn))


def runs_of(part: Part, words: Sequence[Word]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a page in reading order, each with the number of its column; a drawn table is a run whole.

    Args:
        part: The page, for what is drawn on it.
        words: Those of its words that are text.
    """
    drawn: dict[int, Run] = {}
    rest = list(words)
    for grid in part.grids:
        inside = [word for word in rest if grid.holds(word[1:5])]
        if inside and (run := drawn_run(make_lines(inside), grid)):
            rest = [word for word in rest if not grid.holds(word[1:5])]
            rest.append(Word(_STAND_IN, grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1], 10, order=inside[0].order))
            drawn[inside[0].order] = run
    for number, group in enumerate(columns(rest)):
        lines = make_lines(word for word in group if word.text != _STAND_IN)
        for stand_in in sorted((word for word in group if word.text == _STAND_IN), key=lambda word: word.y0):
            middle = (stand_in.y0 + stand_in.y1) / 2
            yield from ((number, run) for run in split_fields([line for line in lines if line.middle < middle]))
            yield number, drawn[stand_in.order]
            lines = [line for line in lines if line.middle >= middle]
        yield from ((number, run) for run in split_fields(lines))


def visual_lines(run: Run, part: Part) -> Iterator[Line]:
    """Yield the lines of a run as they are read: those of a table cell by cell."""
    cells = table_cells(run, part) if run.kind == "table" else run.cells
    yield from (line for row in cells for parts in row for line in parts) if cells else run.lines
