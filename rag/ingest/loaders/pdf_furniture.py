"""Running headers, footers and page numbers: lines that stand on many pages at the same place and say nothing new."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise, takewhile

from rag.ingest.loaders.pdf_layout import Line

_DEPTH = 3
"""How many lines from the top and from the bottom of a page may be furniture."""
_MOST = 0.4
"""Pages that share more of their letters than this are forms or slides: only page numbers are removed."""
_LARGER = 1.12
"""Titles are set in type of so much of the text's height or more."""
_START = 3
"""Largest number with which a count that begins anew is taken up: its first pages may have none."""
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\[(]\s*)?(?:page|p\.|seite|s\.)?\s*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})"
    r"(?:\s*(?:of|/|von|sur)\s*\d{1,4})?\s*(?:[-–—|\])])?",
    re.I,
)

_PLACE = re.compile(
    r"(?:[\W\d_]|\b(?:page|p|chapter|section|part|sheet|slide|volume|vol|of|seite|kapitel|von|sur|[ivxlc]+|[a-z])\b)+",
    re.I,
)
"""A line with no words but those of places in a document: `Section 4.2 | Page 37`."""


def find_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> tuple[set[tuple[int, int]], list[str]]:
    """Return which lines are furniture, as (page index, line index), and the texts that run through most pages.

    Args:
        pages: The lines of each page, top to bottom.
        heights: Height of each page in points.
    """
    found = _outermost(pages) | _at_same_height(pages, heights) | _on_both(pages, heights)
    found = _unbroken((found | _page_numbers(pages, heights)) - _counted_titles(pages, found), pages)
    if _letters(pages, found) > _MOST * _letters(
        pages, {(p, k) for p, page in enumerate(pages) for k in range(len(page))}
    ):
        found = _unbroken(_page_numbers(pages, heights), pages)
    return found, _running(pages, found)


def _at_same_height(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> set[tuple[int, int]]:
    """Return lines near the top and the bottom that recur at the same height."""
    seen: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        for index in _edge_indexes(len(lines)):
            place = round((lines[index].y0 + lines[index].y1) / 2 / max(heights[page], 1) * 100)
            seen[pattern_of(lines[index].text), place].append((page, index))
    found: set[tuple[int, int]] = set()
    for (pattern, place), uses in seen.items():
        near = sorted({use for shift in (-1, 0, 1) for use in seen.get((pattern, place + shift), [])})
        numbers = [page for page, _ in near]
        is_empty = says_nothing([pages[page][index].text for page, index in near], numbers)
        if is_empty and _runs_through(set(numbers), len(pages), is_edge=place <= 12 or place >= 88):
            found.update(uses)
    return found


def _on_both(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> set[tuple[int, int]]:
    """Return the lines of a document of two pages that stand in the outer tenth of both, but for the page's number."""
    if len(pages) != 2:
        return set()
    edges = [
        {index: _place(lines[index], height) for index in _edge_indexes(len(lines))}
        for lines, height in zip(pages, heights, strict=True)
    ]
    return {
        use
        for first, place in edges[0].items()
        for second, other in edges[1].items()
        if (min(place, other) >= 0.9 or max(place, other) <= 0.1) and abs(place - other) < 0.02
        if _is_same_but_number(pages[0][first].text, pages[1][second].text)
        for use in ((0, first), (1, second))
    }


def _place(line: Line, height: float) -> float:
    """Return where a line's middle stands on its page, from 0 at the top to 1."""
    return (line.y0 + line.y1) / 2 / max(height, 1)


def _is_same_but_number(first: str, second: str) -> bool:
    """Whether two lines with words are alike but for one number, which is larger by one in the second.

    >>> _is_same_but_number("Page 1 of 2", "Page 2 of 2"), _is_same_but_number("1 Type G4", "2 Type G5")
    (True, False)
    """
    numbers = [re.findall(r"\d+", text) for text in (first, second)]
    apart = [(int(a), int(b)) for a, b in zip(*numbers, strict=False) if a != b]
    counted = not apart or (len(apart) == 1 and apart[0][1] == apart[0][0] + 1)
    return counted and pattern_of(first) == pattern_of(second) and any(character.isalpha() for character in first)


def _counted_titles(pages: Sequence[Sequence[Line]], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the lines in larger type than the text that count on with the pages: `Sample 1`, a page for each.

    What says no more than where it stands, and what is the same on all its pages, is none.
    """
    sizes: defaultdict[float, int] = defaultdict(int)
    for line in (line for lines in pages for line in lines):
        sizes[line.size] += len(line.text)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0.0)
    counted: defaultdict[str, set[str]] = defaultdict(set)
    for page, index in found:
        counted[pattern_of(pages[page][index].text)].add(pages[page][index].text)
    return {
        (page, index)
        for page, index in found
        for line in [pages[page][index]]
        if line.size >= _LARGER * usual and not _PLACE.fullmatch(line.text) and len(counted[pattern_of(line.text)]) > 1
    }


def _unbroken(found: set[tuple[int, int]], pages: Sequence[Sequence[Line]]) -> set[tuple[int, int]]:
    """Return the lines with nothing but furniture between them and the edge of their page."""
    kept: set[tuple[int, int]] = set()
    for page, lines in enumerate(pages):
        for indexes in (range(len(lines)), range(len(lines) - 1, -1, -1)):
            kept.update(takewhile(found.__contains__, ((page, index) for index in indexes)))
    return kept


def _letters(pages: Sequence[Sequence[Line]], places: set[tuple[int, int]]) -> int:
    return sum(len(pages[page][index].text) for page, index in places)


def _running(pages: Sequence[Sequence[Line]], found: set[tuple[int, int]]) -> list[str]:
    """Return the texts of furniture that stands on half of the pages, without the page number in them."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for page, index in sorted(found):
        texts[pattern_of(pages[page][index].text)].append(pages[page][index].text)
    common = [uses for uses in texts.values() if len(uses) >= 0.5 * len(pages)]
    running = [uses[0] if len(set(uses)) == 1 else _without_number(uses[0]) for uses in common]
    return [text for text in running if len(text) > 3]


def _outermost(pages: Sequence[Sequence[Line]]) -> set[tuple[int, int]]:
    """Return first and last lines that recur, wherever on the page they stand: some footers follow the text."""
    found: set[tuple[int, int]] = set()
    for is_last in (False, True):
        seen: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for page, lines in enumerate(pages):
            if lines:
                index = len(lines) - 1 if is_last else 0
                seen[pattern_of(lines[index].text)].append((page, index))
        for uses in seen.values():
            texts = [pages[page][index].text for page, index in uses]
            if len(uses) >= max(3, 0.25 * len(pages)) and says_nothing(texts, [page for page, _ in uses]):
                found.update(uses)
    return found


def says_nothing(texts: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether lines that differ in their numbers only have the same numbers, or one that counts on with the pages.

    Where further numbers differ, each line tells something of its own (`Sample 3: 41.5 mg`), unless its words are no
    more than those of places in a document.
    """
    numbers = [re.findall(r"\d+", text) for text in texts]
    if all(found == numbers[0] for found in numbers):
        return any(character.isalpha() for character in texts[0])
    if not all(numbers):
        return False
    differ = [found for found in zip(*numbers, strict=False) if len(set(found)) > 1]
    if not any(_counts_on([found[at] for found in numbers], pages) for at in (0, -1)):
        return False
    return all(_counts_on(found, pages) for found in differ) or _PLACE.fullmatch(texts[0]) is not None


def _counts_on(numbers: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether numbers grow with the pages that they stand on, but for one jump; they become smaller at a start only."""
    found = [int(number) for number in numbers]
    grows = all(a <= b or b <= _START for a, b in pairwise(found))
    return grows and len({number - page for number, page in zip(found, pages, strict=True)}) <= 2


def _edge_indexes(count: int) -> set[int]:
    return set(range(min(_DEPTH, count))) | set(range(max(0, count - _DEPTH), count))


def is_page_number(text: str) -> bool:
    """Whether a line is no more than the number of its page.

    >>> is_page_number("- 12 -"), is_page_number("Page 3 of 9"), is_page_number("12 lamps")
    (True, True, False)
    """
    return _PAGE_NUMBER.fullmatch(text) is not None


def pattern_of(text: str) -> str:
    """Return the text with every number folded, so that `Page 3` and `Page 4` are one."""
    return re.sub(r"\b[ivxlc]+\b|\d+", "#", text.casefold())


def _runs_through(pages: set[int], count: int, *, is_edge: bool) -> bool:
    """Whether a line is on enough pages: a quarter of them, or three nearly in a row."""
    if len(pages) < 3 or not is_edge:
        return len(pages) >= max(3, 0.6 * count)
    if len(pages) >= max(3, 0.25 * count):
        return True
    ordered = sorted(pages)
    return any(c - a <= 4 for a, c in zip(ordered, ordered[2:], strict=False))


def _page_numbers(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> set[tuple[int, int]]:
    """Return lone numbers in the outer tenth of a page that count on with the pages, or say `Page 3`."""
    found: set[tuple[int, int]] = set()
    offsets: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        for index in _edge_indexes(len(lines)):
            line = lines[index]
            outer = line.y1 < 0.1 * heights[page] or line.y0 > 0.9 * heights[page]
            if not outer or not is_page_number(line.text):
                continue
            if re.search(r"[a-z]{4}|/|\bof\b|^[-–—]", line.text, re.I) and any(c.isdigit() for c in line.text):
                found.add((page, index))
            elif digits := re.search(r"\d+", line.text):
                offsets[int(digits[0]) - page].append((page, index))
            elif len(pages) > 2:
                found.add((page, index))
    for offset, uses in offsets.items():
        if len(uses) >= 2 or offset == 1:
            found.update(uses)
    return found


def _without_number(text: str) -> str:
    """Return a running line without the page number at either of its ends."""
    text = re.sub(r"[\s|·•–—-]*\b(?:page\s+)?\d{1,4}(?:\s+of\s+\d+)?\s*$", "", text, flags=re.I)
    return re.sub(r"^\s*(?:page\s+)?\d{1,3}\s*[|·•–—-]\s*", "", text, flags=re.I).strip(" |·•–—-")
