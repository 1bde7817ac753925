"""Lines that recur from page to page with other numbers, and lines that are no more than the number of their page."""

import re
from collections.abc import Sequence
from itertools import pairwise

_START = 3  # Largest number with which a count that begins anew is taken up: its first pages may have none.
PAGE_NUMBER = re.compile(
    r"(?:[-–—|\[(]\s*)?(?:page|p\.|seite|s\.)?\s*(\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})"
    r"(?:\s*(?:of|/|von|sur)\s*\d{1,4})?\s*(?:[-–—|\])])?",
    re.I,
)
PLACE = re.compile(  # a line with no words but those of places in a document: `Section 4.2 | Page 37`
    r"(?i:[\W\d_]|\b(?:page|p|chapter|section|part|sheet|slide|volume|vol|of|seite|kapitel|von|sur|[ivxlc]+|[a-z])\b)+"
)


def says_nothing(texts: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether lines that differ in their numbers only have the same numbers, or one that counts on with the pages.

    Where further numbers differ, each line tells something of its own (`Sample 3: 41.5 mg`), unless its words are no
    more than those of places in a document.
    """
    numbers = [re.findall(r"\d+", text) for text in texts]
    if all(found == numbers[0] for found in numbers):
        return any(map(str.isalpha, texts[0]))
    if not all(numbers):
        return False
    differ = [found for found in zip(*numbers, strict=False) if len(set(found)) > 1]
    if not any(_counts_on([found[at] for found in numbers], pages) for at in (0, -1)):
        return False
    return all(_counts_on(found, pages) for found in differ) or PLACE.fullmatch(texts[0]) is not None


def _counts_on(numbers: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether numbers grow with the pages that they stand on, but for one jump; they become smaller at a start only."""
    found = [int(number) for number in numbers]
    grows = all(a <= b or b <= _START for a, b in pairwise(found))
    return grows and len({number - page for number, page in zip(found, pages, strict=True)}) <= 2


def is_page_number(text: str) -> bool:
    """Whether a line is no more than the number of its page.

    >>> is_page_number("- 12 -"), is_page_number("Page 3 of 9"), is_page_number("12 lamps")
    (True, True, False)
    """
    return PAGE_NUMBER.fullmatch(text) is not None


def pattern_of(text: str) -> str:
    """Return the text with every number folded, so that `Page 3` and `Page 4` are one."""
    return re.sub(r"\b[ivxlc]+\b|\d+", "#", text.casefold())
