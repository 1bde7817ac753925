"""Figures of a PDF that stand above or below the line, told by the boxes of their letters."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from rag.ingest.loaders.pdf_grids import Corners
from rag.ingest.loaders.raised import lowered, raised, settle

_SMALLER = 0.85
"""Share of the height of the letters around it that a raised or lowered letter has at most."""
_SHIFT = 0.1
"""By how much of that height its base line lies above or below theirs, or more."""
_DESCENT = 0.2
"""How far above the lower edge of a letter's box its base line lies, as a share of the height."""
_ABOVE = re.compile(r"[+−–-]?\d{1,4}(?:[.,]\d{1,4})*|\d?[+−–-]")
_BELOW = re.compile(r"\d{1,4}")
_A_NOTE = re.compile(r"[^\W\d_]{2}")
"""What follows the mark of a note; a word that begins with a raised figure may else be the power of the word before."""


def word_text(letters: Sequence[str], boxes: Sequence[Corners]) -> str:
    """Return the text of a word; figures above or below its line are written by the rule for all formats.

    >>> line, above = [(0.0, 0.0, 5.0, 11.0), (5.0, 0.0, 10.0, 11.0)], (10.0, 5.0, 14.0, 13.0)
    >>> word_text(["1", "0", "6"], [*line, above]), word_text(["1", "0", "6"], [*line, (10.0, 0.0, 15.0, 11.0)])
    ('10⁶', '106')

    Args:
        letters: Its characters in order.
        boxes: Left, bottom, right and top of each, y upwards.
    """
    text = "".join(letters)
    heights = [top - bottom for _, bottom, _, top in boxes]
    if min(heights) >= _SMALLER * max(heights) or any(b[0] < a[0] for a, b in pairwise(boxes)):
        return text
    plain = [index for index, letter in enumerate(letters) if letter.isascii() and letter.isalnum()]
    if not plain:
        return text
    base = boxes[max(plain, key=heights.__getitem__)]
    marked: list[str] = []
    for place, group in groupby(range(len(letters)), key=lambda index: _place(boxes[index], base)):
        part = "".join(letters[index] for index in group)
        is_above, is_below = place > 0 and _ABOVE.fullmatch(part), place < 0 and _BELOW.fullmatch(part)
        if not marked and not _A_NOTE.match(text, len(part)):
            is_above = None
        marked.append(raised(part) if is_above else lowered(part) if is_below else part)
    return settle("".join(marked))


def _place(box: Corners, base: Corners) -> int:
    """Return 1 for a smaller letter above the line of another, -1 for one below it, 0 for one on it."""
    height, whole = box[3] - box[1], base[3] - base[1]
    if height >= _SMALLER * whole:
        return 0
    shift = box[1] + _DESCENT * height - base[1] - _DESCENT * whole
    return 1 if shift > _SHIFT * whole else -1 if shift < -_SHIFT * whole else 0
