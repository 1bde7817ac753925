"""Tables of a plain text whose cells are parted by tabs, as a spreadsheet pastes them."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rag.ingest.loaders.blocks import row

_MARKER = re.compile(r"\s*(?:[-*•‣◦▪–]|\(?(?:\d{1,3}|[a-z])[.)])\s*")
_FEWEST_COLUMNS = 3
"""Columns: fewer are a table only where the last one holds figures."""
_CELL = 80
"""Characters: longer cells are text that tabs set apart."""


def with_rows(text: str) -> str:
    r"""Return a text in which lines of a table with tabs are rows `| cell | cell |`.

    >>> with_rows("Item\tPrice\tStock\nRope\t5\t12\n\nTo:\tAll staff")
    '| Item | Price | Stock |\n| Rope | 5 | 12 |\n\nTo:\tAll staff'
    """
    if "\t" not in text:
        return text
    lines = ((line, _cells(line)) for line in re.split(r"\r\n?|\n", text))
    return "\n".join(
        line for width, group in groupby(lines, key=lambda pair: len(pair[1])) for line in _shown([*group], width)
    )


def _cells(line: str) -> list[str]:
    """Return the cells of a line; none where it begins with a tab or a list's marker, or one is long."""
    cells = [cell.strip() for cell in line.split("\t")]
    is_row = any(cells[1:]) and cells[0] and not _MARKER.fullmatch(cells[0]) and max(map(len, cells)) <= _CELL
    return cells if is_row else []


def _shown(lines: Sequence[tuple[str, list[str]]], width: int) -> Iterator[str]:
    has_figures = all(re.search(r"\d", cells[-1]) for _, cells in lines[1:] if cells)
    is_table = len(lines) > 1 and (width >= _FEWEST_COLUMNS or (width > 1 and has_figures and _is_unlike_a_form(lines)))
    yield from (row(cells) if is_table else line for line, cells in lines)


def _is_unlike_a_form(lines: Sequence[tuple[str, list[str]]]) -> bool:
    """Whether the first cells are not all names of fields: `To:`."""
    return not all(cells[0].endswith(":") for _, cells in lines)
