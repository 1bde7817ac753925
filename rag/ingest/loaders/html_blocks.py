"""The elements of a web page as blocks: paragraphs, list items, rows of tables, formulas written on the line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, table_blocks
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.formulas import write_formulas
from rag.ingest.loaders.html_tree import AGAIN, FIELD, ancestors, pair_of, part_inline
from rag.ingest.loaders.raised import lowered, raised, settle
from rag.ingest.loaders.structure import numeral
from rag.ingest.loaders.tables import Spanning, spread, without_empty_columns

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


_BREAK = "\v"
"""Stands for `<br>` until lines are cut; a page cannot hold it otherwise, since it is white space to a parser."""
_SIGN = re.compile(r"\(?[$€£]|[%)]{1,2}")
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "table",
    "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "figure", "figcaption", "header", "footer", "aside",
    "address", "details", "summary", "fieldset", "form", "hr", "center", "html", "h1", "h2", "h3", "h4", "h5", "h6",
    FIELD,
}  # fmt: skip

_LONGEST = 400  # characters of a cell with a table in it beyond which it is a part of the page rather than a value


def mark_signs(tree: "LexborHTMLParser") -> None:
    """Put characters in the place of line breaks, of formulas, and of what stands above or below the line."""
    for node in tree.css("br"):
        node.replace_with(_BREAK)
    part_inline(tree)
    write_formulas(tree)
    for node in reversed(tree.css("sup, sub")):
        text = ("," if _follows_a_note(node) else "") + node.text()
        node.replace_with(raised(text) if node.tag == "sup" else lowered(text))


def _follows_a_note(node: "LexborNode") -> bool:
    """Return whether another raised figure stands right before this one: two notes, not one number."""
    before = node.prev
    figures = before is not None and before.tag == "sup" == node.tag and before.text(strip=True)[-1:].isdigit()
    return bool(figures) and node.text(strip=True)[:1].isdigit()


def blocks_of(node: "LexborNode") -> Iterator[Block]:
    """Yield the blocks below an element in order; a heading repeated after a panel only where text follows it."""
    blocks = [block for block in _walk(node, []) if block.text.strip()]
    for block, after in zip_longest(blocks, blocks[1:]):
        if not (block.kind == "heading" and block.begins):
            yield block
        elif after is not None and after.kind != "heading":
            yield replace(block, begins=False)


def _walk(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    """Yield the blocks below an element; text that stands between block elements is a paragraph of its own."""
    loose: list[str] = []
    for child in node.iter(include_text=True):
        if child.tag in _BLOCKS or (child.tag != "-text" and _holds_blocks(child)):
            yield from _flush(loose, prefix)
            yield from _element(child, prefix)
        else:
            loose.append(_inline(child))
    yield from _flush(loose, prefix)


def _element(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    tag = node.tag or ""
    if re.fullmatch(r"h[1-6]", tag):
        yield Block("heading", squeeze(settle(_inline(node))), level=int(tag[1]), begins=AGAIN in node.attributes)
    elif tag in ("ul", "ol"):
        yield from _list(node)
    elif tag == "table":
        yield from _table(node, prefix)
    elif tag == "pre":
        yield Block("code", clean(settle(node.text())).strip("\n"))
    elif tag == FIELD:
        yield Block("field", squeeze(settle(_inline(node))))
    elif tag in ("figcaption", "caption"):
        yield Block("caption", squeeze(settle(_inline(node))))
    elif tag in ("div", "p", "li") and not prefix and (field := pair_of(node)):
        yield Block("field", squeeze(settle(field)))
    else:
        yield from _walk(node, prefix)


def _flush(loose: list[str], prefix: list[str]) -> Iterator[Block]:
    """Yield the collected text as a paragraph, or as a list item where a marker waits for its words."""
    text = "\n".join(filter(None, (squeeze(line) for line in settle("".join(loose)).split(_BREAK))))
    loose.clear()
    if text:
        marker = prefix.pop() if prefix else ""
        yield Block("item" if marker else "paragraph", marker + text)


def _inline(node: "LexborNode") -> str:
    return (node.text_content if node.tag == "-text" else node.text()) or ""


def _holds_blocks(node: "LexborNode") -> bool:
    return any(inner.tag in _BLOCKS for inner in node.traverse(include_text=False))


def _list(node: "LexborNode") -> Iterator[Block]:
    """Yield the items of a list with their markers, what else is in them indented; an item with headings is none."""
    markers = markers_of(node)
    if "footnotes-list" in (node.attributes.get("class") or ""):
        markers = (f"[{marker.rstrip('. ')}] " for marker in markers)
    begins = True
    for item in node.iter():
        prefix = [next(markers)] if item.tag == "li" else []
        blocks = [block for block in _element(item, prefix) if block.text.strip()]
        own = (
            next((block for block in blocks if block.kind == "item"), None) if item.tag == "li" and not prefix else None
        )
        if item.tag == "li" and (own is None or any(block.kind == "heading" for block in blocks)):
            yield from blocks
            continue
        for block in blocks:
            yield replace(block, begins=begins) if block is own else replace(block, indent=block.indent + 1)
        begins = begins and own is None


def _table(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    """Yield a row a line; a table that only lays out the page is walked like any other element."""
    rows, cells = _cells(node)
    if max((len(line) for line in cells), default=0) < 2 or lays_out(node, cells):
        yield from _walk(node, prefix)
        return
    put_on_the_line(cells)
    rows, cells = _cells(node)
    if caption := node.css_first("caption"):
        yield Block("caption", squeeze(settle(_inline(caption))))
    heads = _heads(rows, cells)
    yield from table_blocks(_texts([[_spanning(cell) for cell in line] for line in cells]), heads=heads)


def _cells(node: "LexborNode") -> tuple[list["LexborNode"], list[list["LexborNode"]]]:
    """Return the rows of a table and the cells of each, without those of tables in it."""
    rows = [line for line in node.css("tr") if _owner(line) == node.mem_id]
    return rows, [[cell for cell in line.iter() if cell.tag in ("td", "th")] for line in rows]


def _heads(rows: list["LexborNode"], cells: list[list["LexborNode"]]) -> int:
    """Return how many rows at the top the page marks as heads of columns; 0 where that would be all of them."""
    count = 0
    for line, row in zip(rows, cells, strict=True):
        named = row[1:] if row and row[0].tag == "td" and not row[0].text(strip=True) else row
        in_head = line.parent is not None and line.parent.tag == "thead"
        if row and not in_head and not (named and all(map(_is_head, named))):
            break
        count += 1
    return count if count < len(rows) else 0


def _is_head(cell: "LexborNode") -> bool:
    """Return whether a cell is a head: marked as one, or all in bold type, as a page writes it that marks none."""
    if cell.tag == "th":
        return True
    bold = sum(len(one.text(strip=True)) for one in cell.css("b, strong") if not one.css_first("b b, strong strong"))
    return 0 < bold >= len(cell.text(strip=True))


def _texts(cells: list[list[Spanning]]) -> list[list[str]]:
    """Return the texts of a table's rows; where signs have cells of their own, columns only lay out the figures."""
    if any(_SIGN.fullmatch(cell.text) for line in cells for cell in line):
        narrow = [[cell._replace(columns=1) for cell in line] for line in cells]
        return [_merge_signs(texts) for texts in spread(narrow)]
    return without_empty_columns(spread(cells))


def _spanning(cell: "LexborNode") -> Spanning:
    """Return a cell's text and how many columns and rows it takes."""
    text = " ".join(block.text for block in _walk(cell, []))
    return Spanning(text, columns=_span(cell, "colspan"), rows=_span(cell, "rowspan"))


def _span(cell: "LexborNode", name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    return int(value) if value.isdecimal() else 1


def _owner(node: "LexborNode") -> int | None:
    """Return the table that a row belongs to."""
    return next((one.mem_id for one in ancestors(node) if one.tag == "table"), None)


def _merge_signs(cells: list[str]) -> list[str]:
    """Return cells without the empty ones that lay out figures, and with `$`, `%` and `)` beside their number."""
    merged: list[str] = []
    for cell in cells:
        if merged and (merged[-1] in ("$", "€", "£", "($") or re.fullmatch(r"[%)]{1,2}", cell)):
            merged[-1] += cell
        elif cell or not merged:
            merged.append(cell)
    return merged


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


def markers_of(node: "LexborNode") -> Iterator[str]:
    """Yield the marker of each item of a list, with a space after it: `- `, `5. `, `C. `, `iv. `."""
    if node.tag != "ol":
        while True:
            yield "- "
    items = [item for item in node.iter() if item.tag == "li"]
    backwards = "reversed" in node.attributes
    number = _integer(node.attributes.get("start"), len(items) if backwards else 1)
    kind = node.attributes.get("type") or "1"
    for item in items:
        number = _integer(item.attributes.get("value"), number)
        yield f"{numeral(number, item.attributes.get('type') or kind)}. "
        number += -1 if backwards else 1


def _integer(value: str | None, otherwise: int) -> int:
    text = (value or "").strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) <= 9 else otherwise
