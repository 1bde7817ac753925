"""Which list each item belongs to, how deep, and what else stands within an item: known by form, in every format alike.

A loader says how far a block is indented. What is indented more than an item belongs to it, and so does what stands
between two items whose numbers follow each other. A list ends where another begins: with other markers, or at 1 again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rag.ingest.loaders.structure import numeral

if TYPE_CHECKING:
    from rag.ingest.loaders.blocks import Block

ITEM: Final = re.compile(r"(?:[-*•·‣◦▪●■–☒☐☑]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\([ivx]+\))\s+\S")
"""How a line begins that is an item, in formats that mark none."""
_MARKER: Final = re.compile(
    r"(\(?\[?)(?:(\d{1,3}(?:\.\d{1,3}){,9})|([a-zA-Z]|[ivxIVX]{1,5}))([.)\]]{,3})(?=\s)|[^\w\s]{1,9}(?=\s)"
)
_ROMAN: Final = {numeral(number, "i"): number for number in range(1, 40)}
_MOST_BETWEEN: Final = 6  # Blocks between two items whose numbers follow each other: more are text that has sections.
_LONGEST_BETWEEN: Final = 900  # characters of them


@dataclass(frozen=True, slots=True)
class _Marker:
    """What an item begins with: its look, as `1.` or `a)`, and the numbers that it may be."""

    look: str
    numbers: frozenset[tuple[str, int]] = frozenset()

    def follows(self, other: "_Marker") -> bool:
        return self.look == other.look and any((kind, number - 1) in other.numbers for kind, number in self.numbers)


@dataclass(frozen=True, slots=True)
class _Open:
    """An item that what follows may belong to, or be the next of; `falls` says that its list counts down."""

    indent: int
    marker: _Marker
    falls: bool


def settled(blocks: "Sequence[Block]") -> "list[Block]":
    """Return blocks with their depth in a list, and with the first item of each list marked as its beginning."""
    found: list[Block] = []
    stack: list[_Open] = []
    for block in _with_numbers_continued(blocks):
        if block.kind == "item":
            marker = _marker_of(block.text)
            before, begins = _place(stack, block, marker)
            falls = before is not None and not begins and before.marker.follows(marker)
            stack.append(_Open(block.indent, marker, falls))
            found.append(replace(block, depth=len(stack), begins=begins))
            continue
        while stack and (block.kind == "heading" or stack[-1].indent >= block.indent):
            stack.pop()
        found.append(replace(block, depth=len(stack)) if stack else block)
    return found


def places_of(blocks: "Sequence[Block]") -> list[dict[str, int] | None]:
    """Return for each settled block its list and depth, of an item its place among its siblings; None outside lists.

    The keys are those of `BlockSpan`: `list`, `depth`, `number` and `count`.
    """
    found: list[dict[str, int] | None] = []
    siblings: list[list[dict[str, int]]] = []
    groups: list[list[dict[str, int]]] = []
    number = -1
    for block in blocks:
        is_item, begins = block.kind == "item", block.kind == "item" and block.begins
        number += begins
        del siblings[0 if begins else block.depth :]
        place = {"list": number, "depth": block.depth} if block.depth else None
        if place and is_item:
            while len(siblings) < block.depth:
                siblings.append([])
                groups.append(siblings[-1])
            siblings[-1].append(place)
            place["number"] = len(siblings[-1])
        found.append(place)
    for group in groups:
        for one in group:
            one["count"] = len(group)
    return found


def _place(stack: list[_Open], block: "Block", marker: _Marker) -> tuple[_Open | None, bool]:
    """Take from the stack what an item is not within; return the item before it, and whether it begins a new list."""
    following = [depth for depth, one in enumerate(stack) if marker.follows(one.marker)]
    if following:
        before = stack[following[-1]]
        del stack[following[-1] :]
        return before, False
    while stack and stack[-1].indent > block.indent:
        stack.pop()
    if not stack or stack[-1].indent < block.indent:
        return None, not stack
    before = stack.pop()
    is_first = any(number == 1 for _, number in marker.numbers)
    is_next = before.marker.look == marker.look and not block.begins and (before.falls or not is_first)
    return before, not stack and not is_next


def _with_numbers_continued(blocks: "Sequence[Block]") -> "list[Block]":
    """Return the blocks, those between an item and the next of its list indented more than the items."""
    found = list(blocks)
    last: dict[tuple[str, int], tuple[int, _Marker]] = {}
    for place, block in enumerate(found):
        if block.kind == "heading":
            last.clear()
        if block.kind != "item":
            continue
        marker = _marker_of(block.text)
        before, above = last.get((marker.look, block.indent), (place, marker))
        between = found[before + 1 : place]
        if between and _goes_on(above, marker, between):
            inward = max(block.indent + 1 - min(one.indent for one in between), 0)
            found[before + 1 : place] = [replace(one, indent=one.indent + inward) for one in between]
        last[marker.look, block.indent] = place, marker
    return found


def _goes_on(above: _Marker, marker: _Marker, between: "Sequence[Block]") -> bool:
    """Return whether a list goes on after what stands between two items: little text, or items with another sign."""
    text = [len(one.text) for one in between if one.kind != "item"]
    if not marker.follows(above):
        signs = [_marker_of(one.text) for one in between if one.kind == "item"]
        return not (text or marker.numbers or above.numbers or any(one.numbers for one in signs))
    return len(text) <= _MOST_BETWEEN and sum(text) <= _LONGEST_BETWEEN


def _marker_of(text: str) -> _Marker:
    match = _MARKER.match(text)
    if match is None:
        return _Marker("")
    before, digits, letters, after = match.groups()
    if digits:
        *above, last = digits.split(".")
        return _Marker(f"{before}{'.'.join([*above, '1'])}{after}", frozenset({("1", int(last))}))
    if not letters:
        return _Marker(match[0])
    small = letters.casefold()
    numbers = {("a", ord(small) - ord("a") + 1)} if len(small) == 1 else set()
    numbers |= {("i", _ROMAN[small])} if small in _ROMAN else set()
    return _Marker(f"{before}{'A' if letters.isupper() else 'a'}{after}", frozenset(numbers))
