"""What a question names by its size, where tables name others of its kind only: rope of 10 mm. Ground floor.

A table that has a row for "Rope, 6 mm" and one for "Rope, 8 mm" says nothing of a rope of 10 mm. In doubt it may.
"""

import re
from collections.abc import Sequence

from rag.language.rows import cells
from rag.language.text import stems

_SIZE = (
    r"(?P<number>\d+(?:[.,]\d+)?)[ -]?(?P<unit>mm²?|cm|dm|m|km|µm|g|kg|mg|t|ml|cl|l|bar|kW|W|V|A|inch|litres?|liters?)"
)
_ASKED = re.compile(
    rf"\b(?P<noun>[^\W\d_]{{3,}}),? (?:of |with |at )?{_SIZE}\b(?! (?:or|and|to)\b)|\b{_SIZE.replace('P<', 'P<first_')}"
    r"[ -](?P<first_noun>(?:[^\W\d_]{3,} )?[^\W\d_]{3,})"
)
_LABEL = re.compile(rf"(?P<noun>[^\W\d_]{{3,}}),? (?:of |with )?\(?{_SIZE}\)?$")
_SPAN = re.compile(
    r"\b(?:up to|to|from|between|over|above|below|under|less|more|most|least|other|others|all|any|every|each|larger"
    r"|smaller|thicker|thinner|heavier|lighter|longer|shorter)\b|[<>≤≥–-]",
    re.IGNORECASE,
)
_FEWEST = 2
"""Rows that must be told apart by a size alone."""
_NEAR = 40
"""Characters before the end of a named size in which a word as `above` may make it a span."""


def unsized(question: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return what a question names by its size and no text does, and the others that rows of tables name; else None.

    None, too, where a text names the size anywhere, or a row of the kind stands for a span of sizes.

    Args:
        question: The question.
        texts: Sentences, headings and titles, each for itself.

    >>> rows = ["| Rope, 6 mm | monthly | Ada |", "| Rope, 8 mm | yearly | Ben |"]
    >>> unsized("Who looks at the rope of 10 mm?", rows), unsized("Who looks at the rope of 8 mm?", rows)
    (('rope 10 mm', ('rope 6 mm', 'rope 8 mm')), None)
    """
    asked = _asked(question)
    if asked is None:
        return None
    nouns, number, unit = asked
    if any(re.search(rf"(?<![\d.,]){re.escape(number)}[ -]?{re.escape(unit)}\b", text) for text in texts):
        return None
    rows = [row[0] for row in map(cells, texts) if row]
    for noun in nouns:
        labels = [label for label in rows if set(stems(noun)) & set(stems(label))]
        sized = [match for label in labels if (match := _LABEL.search(label)) and stems(match["noun"]) == stems(noun)]
        others = dict.fromkeys(f"{noun} {one['number']} {one['unit']}" for one in sized if one["unit"] == unit)
        if len(others) >= _FEWEST and not any(map(_SPAN.search, labels)):
            return f"{noun} {number} {unit}", tuple(others)
    return None


def _asked(question: str) -> tuple[list[str], str, str] | None:
    """Return the nouns, the number and the unit by which a question may name one thing; None where it names none so."""
    found = [match for match in _ASKED.finditer(question) if not _SPAN.search(question[: match.end()][-_NEAR:])]
    if len(found) != 1:
        return None
    one = found[0]
    nouns = [noun.casefold() for noun in (one["noun"] or one["first_noun"]).split()]
    return nouns, one["number"] or one["first_number"], one["unit"] or one["first_unit"]
