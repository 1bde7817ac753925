"""Lines that date what stands below them, made headings: `2.4.1 - 2025-03-02`, `Minutes of 3 March 2025`.

Nothing else marks them in a text file, or where an author set them in bold type. They are known by form: a short line
alone that names a date or a version, which recurs in the document with others, each time above other text.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rag.ranking.versions import Version, version_of

if TYPE_CHECKING:
    from rag.ingest.loaders.blocks import Block

_LONGEST: Final = 80
_MOST_WORDS: Final = 7
"""Words of such a line beside its date and version."""


def with_dated_headings(blocks: "Sequence[Block]") -> "list[Block]":
    """Return blocks in which the lines that date what stands below them are headings."""
    found = [part for block in blocks for part in _parted(block)]
    chosen = _chosen(found)
    if not chosen:
        return list(blocks)
    found[0] = _as_title(found[0], is_above=min(chosen) > 0)
    level = 1 + max((block.level for block in found[: min(chosen)] if block.kind == "heading"), default=0)
    below = _recurring(found, min(chosen), level)
    return [
        replace(block, kind="heading", text=block.text.rstrip(": "), level=level, indent=0)
        if place in chosen
        else replace(block, level=block.level + 1)
        if place in below
        else block
        for place, block in enumerate(found)
    ]


def _parted(block: "Block") -> "list[Block]":
    """Return a paragraph that begins with such a line as two blocks."""
    first, _, rest = block.text.partition("\n")
    if rest and block.turns == () and _version(replace(block, text=first)):
        return [replace(block, text=first), replace(block, text=rest)]
    return [block]


def _version(block: "Block") -> Version | None:
    text = block.text
    if block.kind != "paragraph" or block.indent or len(text) > _LONGEST or text.endswith((".", ",", ";", "?", "!")):
        return None
    version = version_of(text)
    return version if version and len(version.series[0].split()) <= _MOST_WORDS else None


def _as_title(block: "Block", *, is_above: bool) -> "Block":
    """Return the first block of a document, as its title where it is a short line above the first dated one."""
    is_line = block.kind == "paragraph" and len(block.text) <= _LONGEST and block.text[-1:].isalnum()
    return replace(block, kind="heading", level=1) if is_above and is_line and "\n" not in block.text else block


def _chosen(blocks: "Sequence[Block]") -> set[int]:
    """Return the places of the lines that name several versions of one series, most of them right above other text."""
    series: defaultdict[tuple[str, bool, bool], dict[int, Version]] = defaultdict(dict)
    for place, block in enumerate(blocks):
        if version := _version(block):
            series[version.series][place] = version
    candidates = {place for places in series.values() for place in places}
    chosen: set[int] = set()
    for places in series.values():
        above_text = sum(place + 1 < len(blocks) and place + 1 not in candidates for place in places)
        below_heading = sum(place > 0 and blocks[place - 1].kind == "heading" for place in places)
        are_several = len({version.order for version in places.values()}) > 1
        if are_several and 2 * above_text > len(places) and 2 * max(below_heading - 1, 0) < len(places):
            chosen.update(places)
    return chosen


def _recurring(blocks: "Sequence[Block]", first: int, level: int) -> set[int]:
    """Return the headings after the first version that recur: `Added`, `Fixed`. They stand within the versions."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, block in enumerate(blocks[first:], start=first):
        if block.kind == "heading" and block.level >= level:
            places[block.text].append(place)
    return {place for each in places.values() if len(each) > 1 for place in each}
