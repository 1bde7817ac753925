"""The order in which words of a line are read: as they stand, or from right to left as Hebrew and Arabic are."""

import unicodedata
from collections.abc import Sequence

from rag.ingest.loaders.pdf_page import Word


def in_reading_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of a line, given from left to right, in the order in which they are read.

    Where most letters are of a script that is written from right to left, so are the words. Words of other scripts
    that stand beside each other keep their order among themselves; a number is a word of its own.
    """
    directions = [_direction(word.text) for word in words]
    letters = {side: sum(len(w.text) for w, d in zip(words, directions, strict=True) if d == side) for side in "LR"}
    if letters["R"] <= letters["L"]:
        return tuple(words)
    kept: list[Word] = []
    foreign: list[Word] = []
    for word, direction in zip(reversed(words), reversed(directions), strict=True):
        if direction == "L":
            foreign.insert(0, word)
            continue
        kept += [*foreign, word]
        foreign = []
    return (*kept, *foreign)


def _direction(text: str) -> str:
    """Return `R` for a word written from right to left, `L` for one from left to right, else an empty text."""
    kinds = {unicodedata.bidirectional(character) for character in text}
    if kinds & {"R", "AL"}:
        return "R"
    return "L" if "L" in kinds else ""
