"""Tables in the cells of tables: which of them lay out the page, and what a small one in a cell says on one line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LONGEST = 400
"""Characters of a cell with a table in it beyond which it is a part of the page rather than a value."""


def lays_out(table: "LexborNode", cells: Sequence[Sequence["LexborNode"]]) -> bool:
    """Return whether a table that holds tables lays out the page; one that holds none never does, as far as this tells.

    It holds data where it marks heads, or where all rows have as many cells and most have no table in them; and where
    the tables in it are short and have neither headings nor tables.

    Args:
        table: The outer table.
        cells: The cells of its own rows.
    """
    if not _inside(table):
        return False
    holding = [[cell for cell in line if cell.css_first("table")] for line in cells]
    held = [cell for line in holding for cell in line]
    if any(_is_part_of_page(cell) for cell in held):
        return True
    marked = len(cells) > 1 and len(cells[0]) > 1 and all(cell.tag == "th" for cell in cells[0])
    even = len(cells) > 2 and len({len(line) for line in cells}) == 1
    return not (marked or (even and 2 * sum(map(bool, holding)) < len(cells)))


def _is_part_of_page(cell: "LexborNode") -> bool:
    """Return whether what a cell holds is a part of the page rather than a value."""
    nested = any(_inside(inner) for inner in cell.css("table"))
    return nested or len(cell.text(strip=True)) > _LONGEST or cell.css_first("h1, h2, h3, h4, h5, h6") is not None


def _inside(table: "LexborNode") -> list["LexborNode"]:
    """Return the tables in a table; a search of an element finds the element itself too."""
    return [inner for inner in table.css("table") if inner.mem_id != table.mem_id]


def put_on_the_line(cells: Sequence[Sequence["LexborNode"]]) -> None:
    """Put the words of each table in a cell in its place: `weekday 9 euros, weekend 12 euros`."""
    for line in cells:
        for cell in line:
            for inner in cell.css("table"):
                inner.replace_with(f" {_said(inner)} ")


def _said(table: "LexborNode") -> str:
    rows = [[cell.text(separator=" ").strip() for cell in line.css("td, th")] for line in table.css("tr")]
    return ", ".join(filter(None, (" ".join(filter(None, row)) for row in rows)))
