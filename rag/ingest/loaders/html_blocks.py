"""The elements of a web page as blocks: paragraphs, list items, rows of tables, formulas written on the line."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, repeat, zip_longest

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.ingest.loaders.blocks import Block, table_blocks
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.html_tree import AGAIN, FIELD, ancestors, pair_of, part_inline
from rag.ingest.loaders.raised import lowered, raised, settle, write_formulas
from rag.ingest.loaders.structure import numeral
from rag.ingest.loaders.tables import Spanning, spread, without_empty_columns
from rag.models import BlockKind

_BREAK = "\v"  # stands for `<br>` until lines are cut; a page cannot hold it: it is white space to a parser
_SIGN = re.compile(r"\(?[$€£]|[%)]{1,2}")
NOTE = "candor-note"  # the element of a note, in pages that loaders of other formats write
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "table",
    "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "figure", "figcaption", "header", "footer", "aside",
    "address", "details", "summary", "fieldset", "form", "hr", "center", "html", "h1", "h2", "h3", "h4", "h5", "h6",
    FIELD, NOTE,
}  # fmt: skip
_ON_A_LINE: dict[str, BlockKind] = {"figcaption": "caption", "caption": "caption", FIELD: "field", NOTE: "footnote"}
_LOOKS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
_LONGEST = 400  # characters of a cell with a table in it beyond which it is a part of the page rather than a value


def mark_signs(tree: LexborHTMLParser) -> None:
    """Put characters in the place of line breaks, of formulas, and of what stands above or below the line."""
    for node in tree.css("br"):
        node.replace_with(_BREAK)
    part_inline(tree)
    write_formulas(tree)
    for node in reversed(tree.css("sup, sub")):
        text = ("," if _follows_a_note(node) else "") + node.text()
        node.replace_with(raised(text) if node.tag == "sup" else lowered(text))


def _follows_a_note(node: LexborNode) -> bool:
    """Return whether another raised figure stands right before this one: two notes, not one number."""
    before = node.prev
    figures = before is not None and before.tag == "sup" == node.tag and before.text(strip=True)[-1:].isdigit()
    return bool(figures) and node.text(strip=True)[:1].isdigit()


def blocks_of(node: LexborNode) -> Iterator[Block]:
    """Yield the blocks below an element in order; a heading repeated after a panel only where text follows it."""
    blocks = [block for block in _walk(node, []) if block.text.strip()]
    for block, after in zip_longest(blocks, blocks[1:]):
        if not (block.kind == "heading" and block.begins):
            yield block
        elif after is not None and after.kind != "heading":
            yield replace(block, begins=False)


def _walk(node: LexborNode, prefix: list[str]) -> Iterator[Block]:
    """Yield the blocks below an element; text that stands between block elements is a paragraph of its own."""
    loose: list[str] = []
    for child in node.iter(include_text=True):
        if child.tag != "-text" and any(inner.tag in _BLOCKS for inner in child.traverse(include_text=False)):
            yield from _flush(loose, prefix)
            yield from _element(child, prefix)
        else:
            loose.append(child.text())
    yield from _flush(loose, prefix)


def _element(node: LexborNode, prefix: list[str]) -> Iterator[Block]:
    tag = node.tag or ""
    if re.fullmatch(r"h[1-6]", tag):
        yield Block("heading", _line(node.text()), level=int(tag[1]), begins=AGAIN in node.attributes)
    elif kind := _ON_A_LINE.get(tag):
        yield Block(kind, _line(node.text()))
    elif tag in ("ul", "ol"):
        yield from _list(node)
    elif tag == "table":
        yield from _table(node, prefix)
    elif tag == "pre":
        yield Block("code", clean(settle(node.text())).strip("\n"))
    elif tag in ("div", "p", "li") and not prefix and (field := pair_of(node)):
        yield Block("field", _line(field))
    else:
        yield from _walk(node, prefix)


def _flush(loose: list[str], prefix: list[str]) -> Iterator[Block]:
    """Yield the collected text as a paragraph, or as a list item where a marker waits for its words."""
    text = "\n".join(filter(None, (squeeze(line) for line in settle("".join(loose)).split(_BREAK))))
    loose.clear()
    if text:
        marker = prefix.pop() if prefix else ""
        yield Block("item" if marker else "paragraph", marker + text)


def _line(text: str) -> str:
    return squeeze(settle(text))


def _list(node: LexborNode) -> Iterator[Block]:
    """Yield the items of a list with their markers, what else is in them indented; an item with headings is none."""
    markers = _markers(node)
    if "footnotes-list" in (node.attributes.get("class") or ""):
        markers = (f"[{marker.rstrip('. ')}] " for marker in markers)
    begins = True
    for item in node.iter():
        is_item = item.tag == "li"
        prefix = [next(markers)] if is_item else []
        blocks = [block for block in _element(item, prefix) if block.text.strip()]
        own = next((one for one in blocks if one.kind == "item"), None) if is_item and not prefix else None
        if is_item and (own is None or any(block.kind == "heading" for block in blocks)):
            yield from blocks
            continue
        for block in blocks:
            yield replace(block, begins=begins) if block is own else replace(block, indent=block.indent + 1)
        begins = begins and own is None


def _markers(node: LexborNode) -> Iterator[str]:
    if node.tag != "ol":
        yield from repeat("- ")
    items = [item for item in node.iter() if item.tag == "li"]
    backwards = "reversed" in node.attributes
    number = _integer(node, "start", len(items) if backwards else 1)
    look = (node.attributes.get("class") or "").split()[:1]  # as docutils names it
    kind = node.attributes.get("type") or _LOOKS.get("".join(look), "1")
    for item in items:
        number = _integer(item, "value", number)
        yield f"{numeral(number, item.attributes.get('type') or kind)}. "
        number += -1 if backwards else 1


def _integer(node: LexborNode, name: str, otherwise: int = 1) -> int:
    text = (node.attributes.get(name) or "").strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) <= 9 else otherwise


def _table(node: LexborNode, prefix: list[str]) -> Iterator[Block]:
    """Yield a row a line; a table that only lays out the page is walked like any other element."""
    cells = list(_cells(node))
    if max((len(line) for line in cells), default=0) < 2 or _lays_out(node, cells):
        yield from _walk(node, prefix)
        return
    for inner in (table for line in cells for cell in line for table in cell.css("table")):
        lines = ([cell.text(separator=" ").strip() for cell in line.css("td, th")] for line in inner.css("tr"))
        said = ", ".join(filter(None, (" ".join(filter(None, line)) for line in lines)))
        inner.replace_with(f" {said} ")  # weekday 9 euros, weekend 12 euros
    cells = list(_cells(node))
    if caption := node.css_first("caption"):
        yield Block("caption", _line(caption.text()))
    yield from table_blocks(_texts(cells), heads=_heads(cells))


def _cells(node: LexborNode) -> Iterator[list[LexborNode]]:
    """Yield the cells of each row of a table, without those of tables in it."""
    for line in node.css("tr"):
        table = next((one for one in ancestors(line) if one.tag == "table"), None)
        if table is not None and table.mem_id == node.mem_id:
            yield [cell for cell in line.iter() if cell.tag in ("td", "th")]


def _heads(cells: list[list[LexborNode]]) -> int:
    count = 0
    for row in cells:
        named = row[1:] if row and row[0].tag == "td" and not row[0].text(strip=True) else row
        in_head = row and any(one.tag == "thead" for one in islice(ancestors(row[0]), 2))
        if row and not in_head and not (named and all(map(_is_head, named))):
            break
        count += 1
    return count


def _is_head(cell: LexborNode) -> bool:
    """Return whether a cell is a head: marked as one, or all in bold type, as a page writes it that marks none."""
    if cell.tag == "th":
        return True
    bold = sum(len(one.text(strip=True)) for one in cell.css("b, strong") if not one.css_first("b b, strong strong"))
    return 0 < bold >= len(cell.text(strip=True))


def _texts(cells: list[list[LexborNode]]) -> list[list[str]]:
    """Return the texts of a table's rows; where signs have cells of their own, columns only lay out the figures."""
    rows = [[_spanning(cell) for cell in line] for line in cells]
    if any(_SIGN.fullmatch(cell.text) for line in rows for cell in line):
        return [_merge_signs(texts) for texts in spread([[cell._replace(columns=1) for cell in line] for line in rows])]
    return without_empty_columns(spread(rows))


def _spanning(cell: LexborNode) -> Spanning:
    text = " ".join(one.text for one in _walk(cell, []))
    return Spanning(text, _integer(cell, "colspan"), _integer(cell, "rowspan"))


def _merge_signs(cells: list[str]) -> list[str]:
    """Return cells without the empty ones that lay out figures, and with `$`, `%` and `)` beside their number."""
    merged: list[str] = []
    for cell in cells:
        if merged and (merged[-1] in ("$", "€", "£", "($") or re.fullmatch(r"[%)]{1,2}", cell)):
            merged[-1] += cell
        elif cell or not merged:
            merged.append(cell)
    return merged


def _lays_out(table: LexborNode, cells: list[list[LexborNode]]) -> bool:
    """Return whether a table lays out the page, as far as its form tells; any other holds data."""
    if not _inside(table):
        filled = [cell for line in cells for cell in line if cell.text(strip=True)]
        return not table.css_first("th, thead, caption") and bool(filled) and all(map(_is_column, filled))
    holding = [[cell for cell in line if cell.css_first("table")] for line in cells]
    if any(_is_part_of_page(cell) for line in holding for cell in line):
        return True
    marked = len(cells) > 1 and len(cells[0]) > 1 and all(cell.tag == "th" for cell in cells[0])
    even = len(cells) > 2 and len({len(line) for line in cells}) == 1
    return not (marked or (even and 2 * sum(map(bool, holding)) < len(cells)))


def _is_column(cell: LexborNode) -> bool:
    """Return whether a cell holds a column of a page: a heading with more below it, or several paragraphs."""
    heading = cell.css_first("h1, h2, h3, h4, h5, h6")
    if heading is not None and len(heading.text(strip=True)) < len(cell.text(strip=True)):
        return True
    return sum(bool(one.text(strip=True)) for one in cell.css("p")) > 1


def _is_part_of_page(cell: LexborNode) -> bool:
    nested = any(_inside(inner) for inner in cell.css("table"))
    return nested or len(cell.text(strip=True)) > _LONGEST or cell.css_first("h1, h2, h3, h4, h5, h6") is not None


def _inside(table: LexborNode) -> list[LexborNode]:
    """Return the tables in a table; a search of an element finds the element itself too."""
    return [inner for inner in table.css("table") if inner.mem_id != table.mem_id]
