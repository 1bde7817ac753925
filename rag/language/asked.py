"""What a question asks for, read from its form alone: a number, a date, a name, a place, a reason, a definition."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

TYPE_BONUS = 0.15
"""What a sentence earns that has the kind of thing asked for."""
DEFINITION_BONUS = 0.5
"""What a sentence earns that defines the term asked for; half of it for one that only begins as definitions do."""


def _any_case(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern for any of the words, whole, in any case."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


_FRAME = _any_case(
    r"how (?:many|much|long|far|high|deep|old|often|large|big|tall|fast|soon|do|does|did|is|are|was|were|can)",
    r"(?:what|which) (?:year|date|day|month|century|decade|percentage|percent|number|values?|amounts?|kinds?|types?"
    r"|sorts?)(?: of)?",
    r"meant by|(?:the )?(?:definition|meaning) of|mean(?=\W*$)|define|called|name|explain|describe|tell me|please",
)
"""Words that only make a sentence a question."""

_ASKS_NUMBER = _any_case(
    r"how (?:many|much|long|far|high|deep|old|often|large|big|tall|fast|soon)",
    r"(?:what|which) (?:values?|amounts?)",
    r"(?:percentage|percent|number|value|temperature|amount|rate|limit|length|size|weight|price|cost|age)"
    r" (?:of|does|do|is|are|was|were|should|must|can)",
)
_ASKS_DATE = _any_case(r"when|(?:what|which) (?:year|date|day|month|century|decade)")
_NUMBER = _any_case(
    r"\d[\d.,]*",
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety",
    r"hundreds?|thousands?|millions?|billions?|dozens?|half|third|quarter|once|twice|daily|weekly|monthly|annually",
)
_DATE = _any_case(
    r"\d{3,4}s?|\d{1,2}(?:st|nd|rd|th)|century|centuries|before|after|during|until|since|once|within",
    r"january|february|march|april|may|june|july|august|september|october|november|december",
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday",
)
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][\w’'-]+")
_PLACE = _any_case(r"(?:in|at|near|on|from|to|under|inside|outside|behind|beside|across|along) (?:the )?\w+")
_REASON = _any_case(
    r"because|since|due to|so that|in order to|therefore|thus|as a result|to avoid",
    r"causes?|caused|reasons?|prevents?|leads? to",
)
_WANTED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (_ASKS_NUMBER, _NUMBER),
    (_ASKS_DATE, _DATE),
    (_any_case("who|whom|whose"), _NAME),
    (_any_case("where"), _PLACE),
    (_any_case("why"), _REASON),
)

_ASKS_YES_OR_NO = re.compile(
    r"(?:^\W*|,\s*)(?:is|are|was|were|am|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)"
    r"(?:n['’]t)?\b|\bwhether\b",
    re.IGNORECASE,
)
_ASKS_DEFINITION = re.compile(
    r"\W*(?:what (?:is|are|was|were)|what do(?:es)?|how (?:is|are)|define|explain)"
    r"(?: meant by)?(?: the (?:meaning|definition) of)?(?: the term)?"
    r" (?P<term>\S+(?: \S+){0,3}?)(?: mean| defined| stand for| refer to)?\W*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the|some|any)\s+", re.IGNORECASE)
_PREPOSITION = _any_case("of|for|in|on|at|by|to|from|with|between")
_TERM = "\0"
_MARKED = rf"[\"'“‘*_]*{_TERM}(?:e?s)?[\"'”’*_]*(?!\w)"
_CLAUSE = r"(?:\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s\W*|\([a-z]{1,3}\)\s\W*)?"
"""The number or letter of a clause, as it stands before what the clause says: `2.5 "Home club" means ...`."""
_OPENING = rf"^\W*{_CLAUSE}(?:(?:an?|each|every|the(?: term| word)?) )?{_MARKED} ?(?:\([^)]*\) ?)?(?:,[^,]{{1,60}}, ?)?"
_DEFINES = re.compile(
    rf"{_OPENING}(?:(?:is|was|are|were) (?:an?|the|any|one|those)\b|[:–—=]"
    r"|(?:means?|refers?|denotes?|describes?|consists?|can be defined|may be defined|is defined|are defined)\b)"
    rf"|\b(?:called|termed|named|known as|referred to as|defined as) (?:(?:an?|the) )?{_MARKED}"
    rf"|(?<!\w){_MARKED}(?: ?\(|,? (?:which|that|or) (?:is|are|means?)\b|, (?:an?|the|or)\b)"
)
_BEGINS_AS_DEFINITIONS_DO = re.compile(rf"{_OPENING}(?:is|are|was|were)\b")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, understood as far as its form allows."""

    subject: str
    """The question without the words that only make it a question."""
    yes_or_no: bool
    """Whether it is answered by yes or no, as far as its form tells; in doubt, it is."""
    fit: Callable[[str], float] = field(repr=False)
    """How much more a sentence is worth for having what is asked for: 0 and up."""
    asks_for_a_kind: bool
    """Whether the form tells what must stand in an answer: a kind of thing, or a definition."""
    term: str = ""
    """The term whose definition is asked for, folded; empty where none is."""


@lru_cache(maxsize=256)
def understand(question: str) -> Asked:
    """Return what a question asks for. Remembered: four stages want it.

    >>> asked = understand("How many gloves are in a box?")
    >>> asked.fit("A box holds 100 gloves."), asked.fit("Gloves come in a box.")
    (0.15, 0.0)
    """
    given = frozenset(match.group().casefold() for match in _NUMBER.finditer(question))
    wanted = next((thing for asks, thing in _WANTED if asks.search(question)), None)
    term = _term_of(question)

    def fit(sentence: str) -> float:
        bonus = 0.0
        if wanted and any(match.group().casefold() not in given for match in wanted.finditer(sentence)):
            bonus += TYPE_BONUS
        return bonus + (_definition_bonus(sentence, term) if term else 0.0)

    return Asked(
        _FRAME.sub(" ", question),
        yes_or_no=bool(_ASKS_YES_OR_NO.search(question)),
        fit=fit,
        asks_for_a_kind=bool(wanted or term),
        term=term,
    )


def _term_of(question: str) -> str:
    """Return the term whose definition is asked for, folded; empty where none is."""
    match = _ASKS_DEFINITION.match(" ".join(question.split()))
    term = _ARTICLE.sub("", match["term"].strip("\"'“”‘’.,;:?*_"), count=1) if match else ""
    return "" if _PREPOSITION.search(term) else _plain(term)


def _definition_bonus(sentence: str, term: str) -> float:
    """Return what a sentence earns for defining a term."""
    said = _plain(sentence)
    if term not in said:
        return 0.0
    said = said.replace(term, _TERM)
    if _DEFINES.search(said):
        return DEFINITION_BONUS
    return DEFINITION_BONUS / 2 if _BEGINS_AS_DEFINITIONS_DO.match(said) else 0.0


def _plain(text: str) -> str:
    """Return `text` in one case, hyphens and line ends as spaces."""
    return " ".join(text.casefold().replace("-", " ").split())
