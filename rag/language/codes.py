"""What a question names by a code or a version, where texts name others of its kind only: car park P4, version 4.3.

Texts that speak of P1, P2 and P3 say nothing of P4. In doubt they may. Ground floor.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

_CODE = re.compile(r"(?<![\w.-])(?P<letters>[A-Z]{1,4})(?P<joint>-?)(?P<number>\d{1,5})(?![\w-]|[.,]\d)")
_OF_TIME = frozenset(("Q", "H", "FY", "CY", "T", "W", "KW"))
"""Letters of quarters, halves, years and weeks, which texts write out: `Q3` is the third quarter."""
_VERSION = re.compile(
    r"\b(?P<noun>version|release|edition|build|update|revision|firmware|v\.?)s? ?"
    r"(?P<number>\d+(?:\.\d+){1,3})(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:all|any|each|every|other|others|later|newer|higher|above|earlier|older|lower|below|before|since|up to|from"
    r"|through|between|previous|following|next|onwards?)\b|\d\.x\b|[–<>≤≥]|\d to [A-Z]{0,4}\d|\d ?- ?[A-Z]{0,4}\d",
    re.IGNORECASE,
)
_FEWEST = 2
"""Other codes with the same letters that make them names of a kind."""
_TOLD = 4
"""How many of the others are told."""

Found = tuple[str, tuple[str, ...]]
Names = Callable[[str], Iterable[tuple[str, str, str]]]


def uncoded(question: str, texts: Sequence[str]) -> Found | None:
    """Return the code or version that a question names and no text does, and the others of its kind; else None.

    None, too, where the question names several, or a text may mean a span of them: `4.1 or later`, `P1 to P5`.

    Args:
        question: The question.
        texts: Sentences, headings and titles, each for itself.

    >>> uncoded("How much is P4?", ["P1 costs 2 euros.", "P2 and P3 cost 1 euro."])
    ('P4', ('P1', 'P2', 'P3'))
    >>> uncoded("How much is P4?", ["P1 to P5 cost 2 euros."]) is None
    True
    """
    return _without(question, texts, _codes, _FEWEST) or _without(question, texts, _versions, 1)


def _without(question: str, texts: Sequence[str], names: Names, fewest: int) -> Found | None:
    """Return what a question names and no text does, with at least `fewest` others; else None."""
    asked = list(dict.fromkeys(names(question)))
    if len(asked) != 1:
        return None
    kind, number, written = asked[0]
    digits = re.compile(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)")
    others: dict[str, None] = {}
    for text in texts:
        named = [one for one in names(text) if one[0] == kind]
        if (named and (_SPAN.search(text) or digits.search(text))) or written.casefold() in text.casefold():
            return None
        others.update((other, None) for _, _, other in named)
    return (written, tuple(sorted(others)[:_TOLD])) if len(others) >= fewest else None


def _codes(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the codes of a text: their letters, their number, and how they are written."""
    for match in _CODE.finditer(text):
        if match["letters"] not in _OF_TIME:
            yield match["letters"], match["number"], match.group()


def _versions(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the versions of a text, all of one kind, with their number and how they are told."""
    for match in _VERSION.finditer(text):
        yield "version", match["number"], f"version {match['number']}"
