"""Running headers, footers and page numbers: lines that stand on many pages at the same place and say nothing new."""

import re
from collections import defaultdict
from collections.abc import Sequence

from rag.ingest.loaders.pdf_layout import Line

_DEPTH = 3
"""How many lines from the top and from the bottom of a page may be furniture."""
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\[(]\s*)?(?:page|p\.|seite|s\.)?\s*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})"
    r"(?:\s*(?:of|/|von|sur)\s*\d{1,4})?\s*(?:[-–—|\])])?",
    re.I,
)


def find_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> tuple[set[tuple[int, int]], list[str]]:
    """Return which lines are furniture, as (page index, line index), and the texts that run through most pages.

    Args:
        pages: The lines of each page, top to bottom.
        heights: Height of each page in points.
    """
    seen: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        for index in _edge_indexes(len(lines)):
            place = round((lines[index].y0 + lines[index].y1) / 2 / max(heights[page], 1) * 100)
            seen[_pattern(lines[index].text), place].append((page, index))
    found = _outermost(pages)
    running = [_without_number(pages[page][index].text) for page, index in sorted(found)][: 2 if found else 0]
    for (pattern, place), uses in seen.items():
        near = sorted({use for shift in (-1, 0, 1) for use in seen.get((pattern, place + shift), [])})
        is_edge = place <= 12 or place >= 88
        if _runs_through({page for page, _ in near}, len(pages), is_edge=is_edge):
            found.update(uses)
            if len(uses) >= 0.5 * len(pages):
                running.append(_without_number(pages[uses[0][0]][uses[0][1]].text))
    return found | _page_numbers(pages, heights), [text for text in dict.fromkeys(running) if len(text) > 3]


def _outermost(pages: Sequence[Sequence[Line]]) -> set[tuple[int, int]]:
    """Return first and last lines that recur, wherever on the page they stand: some footers follow the text."""
    found: set[tuple[int, int]] = set()
    for is_last in (False, True):
        seen: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for page, lines in enumerate(pages):
            if lines:
                index = len(lines) - 1 if is_last else 0
                seen[_pattern(lines[index].text)].append((page, index))
        for uses in seen.values():
            texts = [pages[page][index].text for page, index in uses]
            if len(uses) >= max(3, 0.25 * len(pages)) and _says_nothing(texts, [page for page, _ in uses]):
                found.update(uses)
    return found


def _says_nothing(texts: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether lines that differ in their numbers only have no numbers, or ones that count on with the pages."""
    numbers = [re.findall(r"\d+", text) for text in texts]
    if not all(numbers):
        return any(character.isalpha() for character in texts[0])
    return len({int(found[-1]) - page for found, page in zip(numbers, pages, strict=True)}) <= 2


def _edge_indexes(count: int) -> set[int]:
    return set(range(min(_DEPTH, count))) | set(range(max(0, count - _DEPTH), count))


def _pattern(text: str) -> str:
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
            if not outer or not _PAGE_NUMBER.fullmatch(line.text):
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
