"""Where the tables of a document stand, and the heads of their columns: for the rows that a cut parts from them."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from rag.language.rows import cells, heads_of, together

_TABLE = re.compile(r"^[ \t]*\|[^\n]*(?:\n[ \t]*\|[^\n]*)+", re.MULTILINE)

_AMOUNT_CELL = re.compile(r"[($€£-]*\s*(?!(?:19|20)\d\d$)\d[\d,.]*\s*%?\)?$")
"""An amount: a row that has one is no row of heads. A year may be a head."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first row holds the heads of its columns; `body` is the offset after that row."""

    body: int
    end: int
    heads: tuple[str, ...]


def tables_of(text: str, known: Sequence[int] = ()) -> list[Table]:
    """Return the tables of a text that have heads, in order.

    >>> tables_of("Limits:\\n| Substance | Limit | Note |\\n| toluene | 50 ppm | toxic |\\n")
    [Table(body=36, end=65, heads=('Substance', 'Limit', 'Note'))]

    Args:
        text: The whole text of a document.
        known: Where rows of heads begin that the file marks as such, ascending. Of a table without one they are
            guessed.
    """
    marked = frozenset(known)
    found = []
    for match in _TABLE.finditer(text):
        lines = match[0].split("\n")
        last, heads = _known(lines, match.start(), marked) or _heads(lines)
        if heads:
            body = match.start() + len("\n".join(lines[: last + 1]))
            found.append(Table(body, match.end(), tuple(heads)))
    return found


def _known(lines: Sequence[str], start: int, marked: frozenset[int]) -> tuple[int, list[str]] | None:
    """Return the place of the last row of a table that is marked as heads, and the heads; None where none is."""
    heads: list[str] = []
    place = -1
    for index, line in enumerate(lines):
        if start not in marked:
            break
        place, heads = index, together(heads, cells(line))
        start += len(line) + 1
    return (place, heads) if place >= 0 else None


def _heads(lines: Sequence[str]) -> tuple[int, list[str]]:
    """Return the place of the row of heads, and the heads; a first row of one cell is a title and stands above it."""
    titled = len(lines) > 2 and sum(map(bool, cells(lines[0]))) == 1
    heads = heads_of(lines[titled:])
    is_row_of_values = sum(map(bool, heads)) < 2 or any(_AMOUNT_CELL.match(head) for head in heads)
    return int(titled), [] if is_row_of_values else heads


def heads_above(tables: Sequence[Table], offset: int) -> tuple[str, ...]:
    """Return the heads of the columns in whose table's body `offset` stands; none where it stands elsewhere."""
    index = bisect_right(tables, offset, key=attrgetter("body")) - 1
    return tables[index].heads if index >= 0 and offset < tables[index].end else ()


def as_row(heads: Sequence[str]) -> str:
    """Return heads as the row that they stand in.

    >>> as_row(["Substance", "Limit"])
    '| Substance | Limit |'
    """
    return f"| {' | '.join(heads)} |"
