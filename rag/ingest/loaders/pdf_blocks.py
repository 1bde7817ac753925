"""What stands on the pages of a PDF as blocks: pieces of each page in order, joined where they go on elsewhere."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag.ingest.loaders.blocks import END, Block
from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_order import Line, columns, make_lines
from rag.ingest.loaders.pdf_prose import Look, Piece, mend, number_level, prose, style_levels, style_of
from rag.ingest.loaders.pdf_tables import Run, drawn_runs, split_runs
from rag.ingest.loaders.pdf_words import BOXED, Page, Part, Word
from rag.text.words import fold

_LEADER = re.compile(  # the dots of a table of contents, which repeats every heading and would answer for all of them
    r"(?<![._·])(?<![.·]\s)(?:\.\s?|·\s?|_){5,}+\s*+(?:\d{1,4}|[ivxlc]{1,6})?$", re.I
)
_SMALL, _FOOT = 0.9, 0.6  # notes have type of so much of the body's height, and begin below so much of the page's
_UNSURE = -1  # Column of text of which it is not known what stands before and after it.
_NOTE = re.compile(r"(?:\[\d{1,3}\]|\(?\d{1,3}[.)]?|[¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|[a-z][.)])\s*[^\W\d_]")
_STAND_IN = "\0"  # text of a word that stands for a box while columns are found
_FEWEST_ROWS = 3  # of a grid of several columns whose labels may stand outside


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
    pieces = list(_demote_bare(_with_tables_joined(piece for body in bodies for piece in _pieces(body, look))))
    levels = style_levels([(style_of(piece.lines[0]), piece.text) for piece in pieces if piece.kind == "heading"])
    pending: Piece | None = None
    for piece in pieces:
        if piece.kind == "heading":
            outlined = look.outline.get((piece.page or 1, fold(piece.text)))
            piece = replace(piece, level=outlined or number_level(piece.text) or levels[style_of(piece.lines[0])])
        if pending is None:
            pending = piece
        elif _is_aside(piece, pending):
            yield piece  # before the paragraph that goes on below it
        elif _runs_on(pending, piece):
            pending = _joined(pending, piece, look)
        else:
            yield pending
            pending = piece
    if pending is not None:
        yield pending


def _is_aside(piece: Piece, above: Piece) -> bool:
    """Whether a piece is a note at the foot of its page, or text in another direction, below a text that is cut."""
    if above.kind not in ("paragraph", "item") or len(above.lines) < 2 or END.search(above.text):
        return False
    is_small = max(line.size for line in piece.lines) <= _SMALL * above.lines[-1].size
    is_note = piece.kind in ("paragraph", "item") and is_small and piece.is_low
    return piece.turn != above.turn or (is_note and _NOTE.match(piece.text) is not None)


def _pieces(body: Body, look: Look) -> Iterator[Piece]:
    leaders = [line for line in body.lines if _LEADER.search(line.text)]
    lines = [line for line in body.lines if line not in leaders] if len(leaders) >= 3 else body.lines
    number, turn = body.page.number, body.part.turn
    for place, (column, run) in enumerate(runs_of(body.part, [word for line in lines for word in line.words])):
        rest: dict[str, Any] = {"page": number, "lines": run.lines, "column": column, "grid": run.grid, "turn": turn}
        if run.kind == "text":
            for piece in prose(run.lines, number, look, column if run.is_sure else _UNSURE):
                yield replace(piece, turn=turn, is_low=piece.lines[0].y0 > _FOOT * body.part.height)
        elif run.kind == "fields":
            yield from (Piece("field", text, **rest) for text in run.fields)
        else:
            for at, text in enumerate(run.rows()):
                begins = at == 0 and (run.grid is not None or place > 0)
                yield Piece("row", text, begins=begins, heads=begins and run.has_heads(body.part.drawn), **rest)


def _with_tables_joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces; a drawn table that goes on over a page with the same columns is one, its heads said once."""
    kept: list[Piece] = []
    heads, first = "", 0
    for piece in pieces:
        above = kept[-1].grid if kept and kept[-1].page == (piece.page or 1) - 1 else None
        goes_on = above is not None and piece.grid is not None and above.continues(piece.grid)
        if piece.begins and not goes_on:
            heads, first = piece.text, len(kept)
        if piece.begins and goes_on and piece.text == heads:
            kept[first] = replace(kept[first], heads=True)
        else:
            kept.append(replace(piece, begins=piece.begins and not goes_on))
    return kept


def _demote_bare(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces; an unnumbered heading right above another of its look is none, as on a cover, nor the last."""
    for piece, below in zip(pieces, [*pieces[1:], None], strict=True):
        is_bare = piece.kind == "heading" and number_level(piece.text) is None
        if is_bare and below is not None:
            is_bare = below.kind == "heading" and number_level(below.text) is None
            is_bare = is_bare and style_of(below.lines[0]) >= style_of(piece.lines[0])
        yield replace(piece, kind="paragraph") if is_bare else piece


def _runs_on(above: Piece, piece: Piece) -> bool:
    """Whether a paragraph goes on in the next column or page: it ends in mid sentence, the next begins in one."""
    if above.kind not in ("paragraph", "item") or piece.kind != "paragraph" or above.turn != piece.turn:
        return False
    is_next = _last_page(above) != piece.page or above.column + 1 == piece.column
    if not is_next or _UNSURE in (above.column, piece.column):
        return False
    return not END.search(above.text) and (piece.text[:1].islower() or above.text.endswith((",", "-")))


def _last_page(piece: Piece) -> int | None:
    return piece.turns[-1][1] if piece.turns else piece.page


def _joined(above: Piece, piece: Piece, look: Look) -> Piece:
    text = mend([above.text, piece.text], look.compounds)
    turn = ((len(text) - len(piece.text), piece.page or 1),) if piece.page != _last_page(above) else ()
    return replace(above, text=text, turns=(*above.turns, *turn), lines=piece.lines, column=piece.column)


def runs_of(part: Part, words: Sequence[Word]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a page in reading order, each with the number of its column.

    A drawn table or form is taken whole, and so is a frame.

    Args:
        part: The page, for what is drawn on it.
        words: Those of its words that are text.
    """
    boxes: dict[int, Sequence[Run]] = {}
    rest = list(words)
    for grid in sorted(part.grids, key=lambda grid: grid.is_frame):
        inside = [word for word in rest if grid.holds(word[1:5])]
        if not inside:
            continue
        lines, is_labelled = make_lines(inside), _is_labelled(grid, rest)
        is_open = any(word.text == _STAND_IN for word in inside) or (is_labelled and len(grid.xs) > 2)
        runs = [] if is_open else drawn_runs(lines, grid, part.drawn)
        if not runs and len(grid.xs) == 2 and (is_labelled or len(lines) == 1):
            rest = [word._replace(ink=word.ink | BOXED) if grid.holds(word[1:5]) else word for word in rest]
        elif not runs and grid.is_frame:
            runs = [replace(run, is_sure=False) for _, run in _in_columns(inside, boxes, part)]
        if runs:
            rest = [word for word in rest if not grid.holds(word[1:5])]
            rest.append(Word(_STAND_IN, grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1], 10, order=inside[0].order))
            boxes[inside[0].order] = runs
    yield from _in_columns(rest, boxes, part)


def _is_labelled(grid: Grid, words: Sequence[Word]) -> bool:
    """Whether each row has one line of words left of it, as boxes with their labels outside have."""
    left: list[set[int]] = [set() for _ in grid.ys[1:]]
    for word in words:
        middle = (word.y0 + word.y1) / 2
        if word.x1 <= grid.xs[0] and grid.ys[0] < middle < grid.ys[-1] and word.text != _STAND_IN:
            left[grid.row(middle)].add(round(middle))
    return (len(grid.xs) == 2 or len(left) >= _FEWEST_ROWS) and all(len(places) == 1 for places in left)


def _in_columns(words: Sequence[Word], boxes: Mapping[int, Sequence[Run]], part: Part) -> Iterator[tuple[int, Run]]:
    """Yield the runs of words column by column, those of boxes in the places of the words that stand for these."""
    for number, group in enumerate(columns(words)):
        lines = make_lines(word for word in group if word.text != _STAND_IN)
        for stand_in in sorted((word for word in group if word.text == _STAND_IN), key=lambda word: word.y0):
            above = [line for line in lines if _comes_before(line, stand_in)]
            yield from ((number, run) for run in [*split_runs(above, part.drawn.strokes), *boxes[stand_in.order]])
            lines = [line for line in lines if not _comes_before(line, stand_in)]
        yield from ((number, run) for run in split_runs(lines, part.drawn.strokes))


def _comes_before(line: Line, box: Word) -> bool:
    """Whether a line is read before a box: it stands above it, or left of it."""
    is_beside = box.y0 < line.middle < box.y1 and (line.x1 <= box.x0 or line.x0 >= box.x1)
    return line.x1 <= box.x0 if is_beside else line.middle < (box.y0 + box.y1) / 2
