"""Rows of tables as answers, and the sentence above them. Ground floor."""

import re
from functools import lru_cache

from rag.language.text import stems
from rag.models import RetrievedChunk

ABOVE_TABLE_FLAW = 0.3
"""What a sentence loses that says only on what the rows right below it depend."""
_BY_WHAT = r"\b(?:is|are) (?:determined|decided|set|given) by\b"
_SAYS_ON_WHAT = re.compile(
    rf":$|{_BY_WHAT}|\b(?:depends? (?:up)?on|decides?|determines?|goes by|according to|(?:is|are) as follows)\b"
    r"|\b(?:is|are) (?:given|listed|set out|shown|stated|found)"
    r"(?: (?:below|here)\b| (?:in|by) (?:(?:the|this) )?(?:following |next )?(?:table|list|overview)\b|[.:]?$)"
    r"|\bin the (?:following )?table\b|\bthe (?:following )?table (?:below|gives|lists|says|sets|shows|tells)\b",
    re.IGNORECASE,
)
_SAYS_BY_WHOM = re.compile(_BY_WHAT, re.IGNORECASE)
_ASKS_WHO = re.compile(r"^\W*(?:by )?whom?\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_ASKS_ON_WHAT = re.compile(r"\b(?:depend\w*|decid\w+|determin\w+|according|table)\b|\bon what\b", re.IGNORECASE)
MEASURE_BONUS = 0.5
"""What a row earns that has a figure in a column of the measure which the question asks for: `Height: 90 cm`."""
LABEL_BONUS = 0.2
"""What a row earns that has all words of its label in a question for a figure."""
COLUMN_BONUS = 0.5
"""What a row earns that has all words of its label in the question, and all words of the head of another column."""
_CELL = re.compile(r"(?:^|; )(?P<head>[^:;|]{1,60}): ")
_ASKS_FIGURE = re.compile(
    r"\bhow (?:many|much|long|far|high|deep|old|often|large|big|tall|fast|soon|early|late|heavy|wide|thick|hot|warm"
    r"|cold|quickly|hard|loud)\b|\bwhat(?:['’]s| is| are| does| do)\b.*\b(?:price|costs?|fee|charge|weigh|limit"
    r"|max|maximum|minimum)\b|\bmax(?:imum)?\b|\bprice\b",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(r"\b(?:when|(?:at )?what time)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]\.?m\b")
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
_HIGH_OF_OTHERS = re.compile(
    r"\bhow high\b.*\b(?:fees?|fines?|prices?|costs?|charges?|deposits?|rents?|rates?|tax(?:es)?|interest|wages?"
    r"|salar\w+|pay|allowances?|grants?|discounts?|subscriptions?|fares?|tolls?|shares?|risks?|doses?|temperatures?|pressures?"
    r"|speeds?|voltages?)\b",
    re.IGNORECASE,
)
"""What may be high and has no height."""


def has_measure(question: str, text: str) -> bool:
    """Return whether a row has a figure in a column of the measure that a question asks for: a height, an age."""
    return any(says.search(text) for says in _measures_asked(question))


@lru_cache(maxsize=256)
def _measures_asked(question: str) -> tuple[re.Pattern[str], ...]:
    """Return what heads of columns are called by the measures that a question asks for."""
    if _HIGH_OF_OTHERS.search(question):
        return ()
    return tuple(says for asks, says in _MEASURES if asks.search(question))


def label_of(row: str) -> str:
    """Return the first cell of a row as it is read, without the head of its column.

    >>> label_of("Property: Gearbox oil; D3-30: 0.6 litres"), label_of("Gearbox oil | 0.6 litres")
    ('Gearbox oil', 'Gearbox oil')
    """
    return row.split(" | ")[0].split("; ")[0].rpartition(": ")[2]


def tells_figure_of(question: str, row: str) -> bool:
    """Return whether a question asks for a figure of the very thing that a row is about, by all words of its label.

    So does one that asks when, for a row with times of the day.

    >>> tells_figure_of("How many may stand in a Blue Wren?", "Type: Blue Wren; Seats: 40; Standing places: 60")
    True
    """
    label = set(stems(label_of(row)))
    asks = _ASKS_FIGURE.search(question) or (_ASKS_TIME.search(question) and _CLOCK.search(row))
    return bool(label) and bool(asks) and label <= set(stems(question))


def tells_column_of(question: str, row: str) -> bool:
    """Return whether a question names the very thing that a row is about, and one of its other columns.

    >>> row = "Boat: The Swan; Crew: 4; Who may steer: skippers only"
    >>> tells_column_of("Who may steer the Swan?", row), tells_column_of("Who may steer the Gull?", row)
    (True, False)
    """
    heads = [set(stems(match["head"])) for match in _CELL.finditer(row)][1:]
    label, asked = set(stems(label_of(row))), set(stems(question))
    return bool(label) and label <= asked and any(head and head <= asked - label for head in heads)


def only_heads_rows(question: str, hit: RetrievedChunk, index: int) -> bool:
    """Return whether a sentence stands right above a table and says on what its rows depend; not where that is asked.

    `The class decides what must be worn.` tells nobody what must be worn in class B. One with a figure tells more than
    that, and to who asks by whom something is set, `It is set by the board.` does.
    """
    texts = hit.sentence_texts
    text = texts[index]
    if index + 1 >= len(texts) or not texts[index + 1].startswith("|") or text.startswith("|"):
        return False
    is_told = _DIGIT.search(text) or (_ASKS_WHO.search(question) and _SAYS_BY_WHOM.search(text))
    return not is_told and bool(_SAYS_ON_WHAT.search(text)) and not _ASKS_ON_WHAT.search(question)
