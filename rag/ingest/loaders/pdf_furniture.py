"""What stands on pages and is no text: running heads and feet, page numbers, numbers of lines in the margin."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import TypeAlias

from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.pdf_words import Word
from rag.ingest.loaders.plain_lines import PAGE_NUMBER, PLACE, is_page_number, pattern_of, says_nothing

Places: TypeAlias = set[tuple[int, int]]  # Lines, each by the index of its page and its own
Edges: TypeAlias = dict[tuple[int, int], Line]  # The first and last lines of each page by their places
_DEPTH = 3  # how many lines from the top and from the bottom of a page may be furniture
_MOST = 0.4  # Pages that share more of their letters than this are forms or slides: only page numbers are removed.
_LARGER = 1.12  # titles are set in type of so much of the text's height or more
_AT_ENDS = r"[\s|·•–—-]"  # what parts a page number from the rest of its line


def without_line_numbers(words: Sequence[Word], height: float) -> Sequence[Word]:
    """Return the words of a page without a column of evenly rising numbers beside its text, as pleadings have."""
    for side in (1, -1):  # the left margin, the right margin
        spans = {word: (side * word.x0, side * word.x1)[::side] for word in words if 0.08 < word.y0 / height < 0.92}
        edge = min((span[0] for span in spans.values()), default=0.0)
        found = sorted((w for w, s in spans.items() if w.text.isdecimal() and s[0] < edge + 12), key=lambda w: w.y0)
        inner = max((spans[word][1] for word in found), default=0.0)
        beside = sum(span[0] < inner for span in spans.values())
        gaps = [b.y0 - a.y0 for a, b in pairwise(found)]
        rises = {int(b.text) - int(a.text) for a, b in pairwise(found)} in ({1}, {5})
        if 5 <= len(found) == beside < len(words) and rises and max(gaps) < 1.2 * min(gaps):
            near = (min(word.x0 for word in found) - 1, max(word.x1 for word in found) + 1)
            return [w for w in words if not (w.text.isdecimal() and near[0] <= w.x0 and w.x1 <= near[1])]
    return words


def find_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> tuple[Places, list[str]]:
    """Return which lines are furniture, and the texts that run through most pages.

    Args:
        pages: The lines of each page, top to bottom.
        heights: Height of each page in points.
    """
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines):
        sizes[line.size] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    groups: defaultdict[str, Places] = defaultdict(set)
    places = ((page, lines, at) for page, lines in enumerate(pages) for at in range(len(lines)))
    edges = {(page, at): lines[at] for page, lines, at in places if at < _DEPTH or at >= len(lines) - _DEPTH}
    for (page, index), line in edges.items():
        is_foot = 2 * index >= len(pages[page])  # wherever on the page: some footers follow the text
        groups[f"{is_foot} {pattern_of(line.text)}"].add((page, index))
    numbers = _page_numbers(edges, heights)
    running = [uses for uses in groups.values() if _is_running(sorted(uses), edges, heights, usual)]
    found = _unbroken(numbers.union(*running), pages)
    if sum(len(edges[use].text) for use in found) > _MOST * sizes.total():
        found = _unbroken(numbers, pages)
    texts = [[edges[use].text for use in sorted(uses & found)] for uses in groups.values()]
    most = [said for said in texts if len(said) * 2 >= len(pages)]
    said = [same[0] if len(set(same)) == 1 else _without_number(same[0]) for same in most]
    return found, [text for text in said if len(text) > 3]


def _is_running(uses: Sequence[tuple[int, int]], edges: Edges, heights: Sequence[float], usual: float) -> bool:
    """Whether lines that differ in numbers only run through the pages, and say no more than where they stand."""
    lines = [edges[use] for use in uses]
    texts, numbers = [line.text for line in lines], [page for page, _ in uses]
    places = [line.middle / max(heights[page], 1) for line, page in zip(lines, numbers, strict=True)]
    if len(heights) == 2:
        is_outer = max(places) <= 0.1 or min(places) >= 0.9
        return numbers == [0, 1] and is_outer and max(places) - min(places) < 0.02 and _are_same_but_number(*texts)
    is_close = any(c - a <= 4 for a, c in zip(numbers, numbers[2:], strict=False))
    is_outer = not 0.12 < sum(places) / len(places) < 0.88
    is_title = lines[0].size >= _LARGER * usual and len(set(texts)) > 1 and not PLACE.fullmatch(texts[0])
    enough = (is_close and is_outer) or len(set(numbers)) >= max(3, 0.25 * len(heights))
    return enough and not is_title and says_nothing(texts, numbers)


def _are_same_but_number(first: str, second: str) -> bool:
    """Whether two lines with words are alike but for one number, which is larger by one in the second."""
    pairs = zip(re.findall(r"\d+", first), re.findall(r"\d+", second), strict=False)
    return [int(b) - int(a) for a, b in pairs if a != b] in ([], [1]) and any(map(str.isalpha, first))


def printed_number(lines: Sequence[Line]) -> str | None:
    """Return the number that a page prints for itself in its furniture; None where that says none, or several."""
    numbers = [match[1] for line in lines if (match := PAGE_NUMBER.fullmatch(line.text))]
    return numbers[0] if len(numbers) == 1 else None


def _page_numbers(edges: Edges, heights: Sequence[float]) -> Places:
    """Return lone numbers in the outer tenth of a page that count on with the pages, or say `Page 3`."""
    found: Places = set()
    offsets: defaultdict[int, Places] = defaultdict(set)
    for (page, index), line in edges.items():
        if (0.1 * heights[page] <= line.y1 and line.y0 <= 0.9 * heights[page]) or not is_page_number(line.text):
            continue
        digits = re.search(r"\d+", line.text)
        if digits and not re.search(r"[a-z]{4}|/|\bof\b|^[-–—]", line.text, re.I):
            offsets[int(digits[0]) - page].add((page, index))
        elif digits or len(heights) > 2:
            found.add((page, index))
    return found.union(*(uses for offset, uses in offsets.items() if len(uses) >= 2 or offset == 1))


def _unbroken(found: Places, pages: Sequence[Sequence[Line]]) -> Places:
    """Return the lines with nothing but furniture between them and the edge of their page."""
    both = [range(len(lines))[::step] for lines in pages for step in (1, -1)]
    uses = (takewhile(found.__contains__, ((at // 2, index) for index in indexes)) for at, indexes in enumerate(both))
    return {use for group in uses for use in group}


def _without_number(text: str) -> str:
    """Return a running line without the page number at either of its ends."""
    text = re.sub(rf"(?<!{_AT_ENDS}){_AT_ENDS}*\b(?:page\s+)?\d{{1,4}}(?:\s+of\s+\d+)?$", "", text.rstrip(), flags=re.I)
    return re.sub(r"^\s*(?:page\s+)?\d{1,3}\s*[|·•–—-]\s*", "", text, flags=re.I).strip(" |·•–—-")
