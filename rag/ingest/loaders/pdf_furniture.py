"""What stands on pages and is no text: running heads and feet, page numbers, numbers of lines in the margin."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile
from statistics import median

from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.pdf_words import Word

_DEPTH = 3
"""How many lines from the top and from the bottom of a page may be furniture."""
_MOST = 0.4
"""Pages that share more of their letters than this are forms or slides: only page numbers are removed."""
_LARGER = 1.12
"""Titles are set in type of so much of the text's height or more."""
_START = 3
"""Largest number with which a count that begins anew is taken up: its first pages may have none."""
_FEWEST_NUMBERS = 5
"""Numbers of lines in the margin of a page, or more."""
_RUNNING = 0.08
"""Share of a page's height at its top and its bottom where running lines stand."""
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\[(]\s*)?(?:page|p\.|seite|s\.)?\s*(\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})"
    r"(?:\s*(?:of|/|von|sur)\s*\d{1,4})?\s*(?:[-–—|\])])?",
    re.I,
)
_PLACE = re.compile(
    r"(?:[\W\d_]|\b(?:page|p|chapter|section|part|sheet|slide|volume|vol|of|seite|kapitel|von|sur|[ivxlc]+|[a-z])\b)+",
    re.I,
)
"""A line with no words but those of places in a document: `Section 4.2 | Page 37`."""

Places = set[tuple[int, int]]
"""Lines, each by the index of its page and its own."""


def without_line_numbers(words: Sequence[Word], height: float) -> Sequence[Word]:
    """Return the words of a page without a column of rising numbers beside its text, as pleadings have.

    The numbers rise evenly down the margin, with nothing else left of their right edge, or right of their left edge.
    """
    for is_left in (True, False):
        inner, outer = ("x1", "x0") if is_left else ("x0", "x1")
        sign = 1 if is_left else -1
        edge = min((sign * getattr(word, outer) for word in words), default=0.0)
        found = [word for word in words if word.text.isdecimal() and sign * getattr(word, outer) - edge < 12]
        limit = max((sign * getattr(word, inner) for word in found), default=0.0)
        body = [word for word in words if _RUNNING * height < word.y0 < (1 - _RUNNING) * height or word in found]
        beside = sum(sign * getattr(word, outer) < limit for word in body)
        if beside == len(found) < len(words) and _count_lines(found):
            return [word for word in words if word not in found]
    return words


def _count_lines(words: Sequence[Word]) -> bool:
    """Whether numbers rise by one, or by five, down a page at even distances."""
    ordered = sorted(words, key=lambda word: word.y0)
    steps = {int(b.text) - int(a.text) for a, b in pairwise(ordered)}
    gaps = [b.y0 - a.y0 for a, b in pairwise(ordered)]
    return (
        len(words) >= _FEWEST_NUMBERS
        and len(steps) == 1
        and steps <= {1, 5}
        and max(gaps) - min(gaps) < 0.2 * median(gaps)
    )


def find_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> tuple[Places, list[str]]:
    """Return which lines are furniture, and the texts that run through most pages.

    Args:
        pages: The lines of each page, top to bottom.
        heights: Height of each page in points.
    """
    found = _outermost(pages) | _at_same_height(pages, heights) | _on_both(pages, heights)
    numbers = _page_numbers(pages, heights)
    found = _unbroken((found | numbers) - _counted_titles(pages, found), pages)
    letters = sum(len(line.text) for lines in pages for line in lines)
    if sum(len(pages[page][index].text) for page, index in found) > _MOST * letters:
        found = _unbroken(numbers, pages)
    return found, _running(pages, found)


def printed_number(lines: Sequence[Line]) -> str | None:
    """Return the number that a page prints for itself in its furniture; None where that says none, or several."""
    numbers = [match[1] for line in lines if (match := _PAGE_NUMBER.fullmatch(line.text))]
    return numbers[0] if len(numbers) == 1 else None


def _running(pages: Sequence[Sequence[Line]], found: Places) -> list[str]:
    """Return the furniture of at least half of the pages, without the page number in it."""
    common = [texts for texts in _by_pattern(pages, found).values() if len(texts) >= 0.5 * len(pages)]
    running = [texts[0] if len(set(texts)) == 1 else _without_number(texts[0]) for texts in common]
    return [text for text in running if len(text) > 3]


def _by_pattern(pages: Sequence[Sequence[Line]], found: Places) -> dict[str, list[str]]:
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for page, index in sorted(found):
        texts[pattern_of(pages[page][index].text)].append(pages[page][index].text)
    return texts


def _outermost(pages: Sequence[Sequence[Line]]) -> Places:
    """Return first and last lines that recur, wherever on the page they stand: some footers follow the text."""
    found: Places = set()
    for last in (False, True):
        seen: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for page, lines in enumerate(pages):
            if lines:
                index = len(lines) - 1 if last else 0
                seen[pattern_of(lines[index].text)].append((page, index))
        for uses in seen.values():
            if len(uses) >= max(3, 0.25 * len(pages)) and _says_nothing(pages, uses):
                found.update(uses)
    return found


def _at_same_height(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> Places:
    """Return lines near the top and the bottom that recur at the same height."""
    seen: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for page, index in _edges(pages):
        place = round(pages[page][index].middle / max(heights[page], 1) * 100)
        seen[pattern_of(pages[page][index].text), place].append((page, index))
    found: Places = set()
    for (pattern, place), uses in seen.items():
        near = sorted({use for shift in (-1, 0, 1) for use in seen.get((pattern, place + shift), [])})
        is_edge = place <= 12 or place >= 88
        if _runs_through({page for page, _ in near}, len(pages), is_edge=is_edge) and _says_nothing(pages, near):
            found.update(uses)
    return found


def _says_nothing(pages: Sequence[Sequence[Line]], uses: Sequence[tuple[int, int]]) -> bool:
    return says_nothing([pages[page][index].text for page, index in uses], [page for page, _ in uses])


def _on_both(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> Places:
    """Return the lines of a document of two pages that stand in the outer tenth of both, but for the page's number."""
    if len(pages) != 2:
        return set()
    placed = [(p, k, pages[p][k].middle / max(heights[p], 1), pages[p][k].text) for p, k in _edges(pages)]
    outer = [use for use in placed if use[2] <= 0.1 or use[2] >= 0.9]
    pairs = [(a, b) for a in outer for b in outer if a[0] < b[0] and abs(a[2] - b[2]) < 0.02]
    return {use[:2] for a, b in pairs if _is_same_but_number(a[3], b[3]) for use in (a, b)}


def _is_same_but_number(first: str, second: str) -> bool:
    """Whether two lines with words are alike but for one number, which is larger by one in the second.

    >>> _is_same_but_number("Page 1 of 2", "Page 2 of 2"), _is_same_but_number("1 Type G4", "2 Type G5")
    (True, False)
    """
    numbers = [re.findall(r"\d+", text) for text in (first, second)]
    apart = [(int(a), int(b)) for a, b in zip(*numbers, strict=False) if a != b]
    counted = not apart or (len(apart) == 1 and apart[0][1] == apart[0][0] + 1)
    return counted and pattern_of(first) == pattern_of(second) and any(character.isalpha() for character in first)


def _counted_titles(pages: Sequence[Sequence[Line]], found: Places) -> Places:
    """Return the lines in larger type than the text that count on with the pages: `Sample 1`, a page for each."""
    sizes: defaultdict[float, int] = defaultdict(int)
    for line in chain.from_iterable(pages):
        sizes[line.size] += len(line.text)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0.0)
    counted = {pattern for pattern, texts in _by_pattern(pages, found).items() if len(set(texts)) > 1}
    lines = {use: pages[use[0]][use[1]] for use in found}
    return {
        use
        for use, line in lines.items()
        if line.size >= _LARGER * usual and not _PLACE.fullmatch(line.text) and pattern_of(line.text) in counted
    }


def _unbroken(found: Places, pages: Sequence[Sequence[Line]]) -> Places:
    """Return the lines with nothing but furniture between them and the edge of their page."""
    kept: Places = set()
    for page, lines in enumerate(pages):
        for indexes in (range(len(lines)), range(len(lines) - 1, -1, -1)):
            kept.update(takewhile(found.__contains__, ((page, index) for index in indexes)))
    return kept


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


def _edges(pages: Sequence[Sequence[Line]]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last lines of each page."""
    for page, lines in enumerate(pages):
        count = len(lines)
        yield from ((page, at) for at in range(count) if at < _DEPTH or at >= count - _DEPTH)


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
    ordered = sorted(pages)
    return len(pages) >= max(3, 0.25 * count) or any(c - a <= 4 for a, c in zip(ordered, ordered[2:], strict=False))


def _page_numbers(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> Places:
    """Return lone numbers in the outer tenth of a page that count on with the pages, or say `Page 3`."""
    found: Places = set()
    offsets: defaultdict[int, Places] = defaultdict(set)
    for page, index in _edges(pages):
        line = pages[page][index]
        if (0.1 * heights[page] <= line.y1 and line.y0 <= 0.9 * heights[page]) or not is_page_number(line.text):
            continue
        digits = re.search(r"\d+", line.text)
        if digits and not re.search(r"[a-z]{4}|/|\bof\b|^[-–—]", line.text, re.I):
            offsets[int(digits[0]) - page].add((page, index))
        elif digits or len(pages) > 2:
            found.add((page, index))
    return found.union(*(uses for offset, uses in offsets.items() if len(uses) >= 2 or offset == 1))


def _without_number(text: str) -> str:
    """Return a running line without the page number at either of its ends."""
    text = re.sub(r"[\s|·•–—-]*\b(?:page\s+)?\d{1,4}(?:\s+of\s+\d+)?\s*$", "", text, flags=re.I)
    return re.sub(r"^\s*(?:page\s+)?\d{1,3}\s*[|·•–—-]\s*", "", text, flags=re.I).strip(" |·•–—-")
