"""Words of general English that turn a question around: negation, exclusion, superlatives, opposites."""

import re
from typing import TypeAlias

Opposites: TypeAlias = tuple[frozenset[str], frozenset[str]]

QUESTION_WORDS = frozenset(["who", "whom", "whose", "when", "where", "how", "why", "which", "what"])
NEGATION = re.compile(r"\b(?:not|no|never|without|none|neither|nor|cannot|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
EXCLUSION = re.compile(
    r"\b(?:except|besides|other than|excluding|instead|rather than|unlike|least|lack\w*|refus\w+|fail\w+|unable"
    r"|stop\w*|prevent\w*|un[a-z]{4,}|in(?:capable|effective|adequate|sufficient)\w*|dis[a-z]{4,})\b",
    re.IGNORECASE,
)
SUPERLATIVE = re.compile(
    r"\b(?:first|last|only|most|largest|biggest|highest|smallest|lowest|oldest|earliest|latest|best|main|primary"
    r"|\w{3,}est)\b",
    re.IGNORECASE,
)
_PAIRS = """
first earliest oldest / last latest newest final
most largest biggest greatest highest more larger bigger greater higher / least smallest lowest fewest less smaller fewer lower
increase increased increases increasing rise rose grew grow gain gained / decrease decreased decreases decreasing decline declined fall fell drop dropped lost lose reduce reduced
north northern / south southern
east eastern / west western
before prior preceding / after following since
win won victory / lose lost defeat defeated
begin began begun start started founded established created opened / end ended stop stopped closed abolished destroyed dissolved
support supported favor agree agreed accept accepted allow allowed permit / oppose opposed against disagree reject rejected refuse refused prohibit banned forbid prevent
enter entered join joined arrive arrived / leave left withdrew exit depart departed
strong strongest stronger / weak weakest weaker
rich wealthy / poor
old older / new newer young younger modern
male men man father son king husband / female women woman mother daughter queen wife
inside internal within / outside external
always all every / never none rarely
positive / negative
easy simple easier / hard difficult complex harder
short shorter shortest / long longer longest tall
fast faster quick quickly / slow slower slowly
high upper top / low lower bottom
early / late
public / private
left / right
buy bought import imports / sell sold export exports
same similar equal / different unequal unlike
possible able / impossible unable
major majority / minor minority
legal / illegal
known famous / unknown
attack attacked / defend defended
rural / urban
hot warm / cold cool
"""  # noqa: E501
ANTONYMS: tuple[Opposites, ...] = tuple(
    (frozenset(left.split()), frozenset(right.split()))
    for left, right in (line.split("/") for line in _PAIRS.strip().splitlines())
)


def opposed(question: frozenset[str], sentence: frozenset[str], pair: Opposites) -> bool:
    """Return whether a question has a word of one side, and a sentence only words of the other.

    >>> opposed(frozenset({"first"}), frozenset({"last"}), ANTONYMS[0])
    True
    """
    return any(
        bool(question & one) and not sentence & one and bool(sentence & other) for one, other in (pair, pair[::-1])
    )
