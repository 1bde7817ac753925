"""Rows of tables as answers, and the sentence above them. Ground floor."""

import re

from rag.models import RetrievedChunk

ABOVE_TABLE_FLAW = 0.3
"""What a sentence loses that says only on what the rows right below it depend."""
_SAYS_ON_WHAT = re.compile(
    r":$|\b(?:depends? (?:up)?on|decides?|determines?|is (?:determined|decided|set|given) by|goes by|according to"
    r"|(?:is|are) (?:given|listed|set out|shown|stated|found|as follows)|the (?:following )?table)\b",
    re.IGNORECASE,
)
_ASKS_ON_WHAT = re.compile(r"\b(?:depend\w*|decid\w+|determin\w+|according|table)\b|\bon what\b", re.IGNORECASE)
MEASURE_BONUS = 0.5
"""What a row earns that has a figure in a column of the measure which the question asks for: `Height: 90 cm`."""
_MEASURES = tuple(
    (
        re.compile(rf"\bhow (?:{asks})\b", re.IGNORECASE),
        re.compile(rf"(?:^|; )[^:;]{{0,30}}\b(?:{says})\b[^:;]{{0,20}}: [^\d;]{{0,12}}\d", re.IGNORECASE),
    )
    for asks, says in (
        ("high|tall", "heights?|high(?:est)?"),
        ("deep", "depths?|deep(?:est)?"),
        ("wide|broad", "widths?|breadths?|wide|widest"),
        ("thick", "thickness"),
        ("heavy", "weights?|mass"),
        ("old", "ages?"),
        ("warm|hot|cold", "temperatures?"),
        ("fast", "speeds?"),
    )
)
"""How a measure is asked for, and by which heads of columns a row names it."""


def has_measure(question: str, text: str) -> bool:
    """Return whether a row has a figure in a column of the measure that a question asks for: a height, an age."""
    return any(asks.search(question) and says.search(text) for asks, says in _MEASURES)


def only_heads_rows(question: str, hit: RetrievedChunk, index: int) -> bool:
    """Return whether a sentence stands right above a table and says on what its rows depend; not where that is asked.

    `The class decides what must be worn.` tells nobody what must be worn in class B.
    """
    texts = hit.sentence_texts
    is_above = index + 1 < len(texts) and texts[index + 1].startswith("|") and not texts[index].startswith("|")
    return is_above and bool(_SAYS_ON_WHAT.search(texts[index])) and not _ASKS_ON_WHAT.search(question)
