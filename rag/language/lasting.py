"""How long something lasts, told from how often it happens and from how long another thing takes. Ground floor."""

import re
from collections.abc import Iterable

from rag.language.numerals import NUMBER
from rag.language.text import stems

_PERIOD = (
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?|seasons?|terms?|shifts?)"
)
_FREQUENCY = re.compile(
    rf"\b(?:once|twice|thrice|{NUMBER} times|several times)(?: or (?:twice|{NUMBER} times|more))?"
    rf" (?:(?:an?|per|each|every|in|in an?|in the|in each|in every) )?(?:{NUMBER} )?{_PERIOD}\b"
    rf"|\bevery (?:(?:other|second|third|single|{NUMBER}) )?{_PERIOD}\b",
    re.IGNORECASE,
)
_LENGTH = r"(?:[a-z]*met(?:re|er)s?|m|cm|mm|km|feet|foot|ft|inch(?:es)?|yards?|miles?)"
_OTHER_MEASURE = re.compile(
    rf"\b{NUMBER}[ -]?{_LENGTH} (?:high|tall|deep|wide|thick|broad|across|above|below"
    r"|(?:in|of) (?:diameter|height|width))\b"
    rf"|\b{NUMBER}[ -]?{_LENGTH} (?:an?|per) (?:hour|minute|second)\b",
    re.IGNORECASE,
)
"""How high, wide or fast something is, which says nothing of its length."""
_NEXT_TO_FIRST = re.compile(
    r"\b(?:an?|the|his|her|its|their|your|this|that) second (?!(?:or|and|to|of|in|at|is|are|was|were|for|after|before"
    r"|later|long|longer|every|all|once|than|apart|past|until|when|while|with|by|on|each|per|if|as|has|had)\b)(?=[a-z])",
    re.IGNORECASE,
)
"""`A second member` is no time."""
_OFF_TIME = re.compile(
    rf"\b(?:more than |less than |at least |up to |over )?{NUMBER}[ -]{_PERIOD} (?:(?:too )?(?:late|early)|overdue)\b",
    re.IGNORECASE,
)
"""How late or early something is, which says nothing of how long it lasts."""
_ASKS_OFF_TIME = re.compile(
    r"\b(?:late|later|early|earlier|overdue|delay\w*|before|beforehand|ahead|advance)\b", re.IGNORECASE
)
_AGE = re.compile(
    rf"\b(?:at least |at most |over |under |only )?{NUMBER}[ -](?:years?|months?|weeks?|days?)"
    r"(?: of age\b|[ -]old\b(?! when))"
    rf"|\b(?:older|younger) than {NUMBER}[ -](?:years?|months?|weeks?|days?)\b"
    r"|\b(?:children|pupils|girls|boys|people|persons|adults|visitors|guests|members|those)"
    r" (?:of|from|between|under|over|aged)"
    rf" {NUMBER}(?: (?:to|and) {NUMBER})? years?\b",
    re.IGNORECASE,
)
"""How old somebody is, which says of nothing how long it lasts but of how long he has lived."""
_BEGINS_AT = re.compile(r"\bat \d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:until|till|to \d{1,2}[:.]\d\d|ends?|ended|clos\w+|finish\w*|from|lasts?|over|back|leav\w+|stop\w*"
    r"|between)\b",
    re.IGNORECASE,
)
"""Words of an end, with which a time of the day may tell how long something lasts."""
_ASKS_AGE = re.compile(r"\b(?:lives?|lived|old|age|keep|kept|stored?|fresh)\b", re.IGNORECASE)
_ASKS_BETWEEN = re.compile(r"\b(?:between|apart|intervals?|gaps?|wait)\b", re.IGNORECASE)
_ASKS_TAKES = re.compile(
    r"\bhow long (?:does|did|will|would) (?P<thing>(?!it\b|this\b|that\b)[^,;?]+?) (?:[a-z]+ly )?take\b", re.IGNORECASE
)
_ASKS_KEPT = re.compile(
    r"\bhow long\b.*\b(?:keep|keeps|kept|retain\w*|store[ds]?|hold|holds|held|preserve[ds]?|archive[ds]?)\b",
    re.IGNORECASE,
)
_AHEAD_OR_BY = re.compile(
    r"(?<!\bfor )(?<!\bfor at least )(?<!\bfor about )(?<!\bfor up to )"
    rf"\b{NUMBER} (?:[\w-]+ ){{0,2}}?{_PERIOD} (?:before|ahead|in advance|prior|earlier)\b"
    rf"|\b(?:by \d{{1,2}} [A-Z]\w+|(?:each|every|per) {_PERIOD})",
    re.IGNORECASE,
)
"""How long before something is done, or by which day: nothing is kept for so long, but `for 2 hours before`."""
_ASKS_IT_TAKES = re.compile(r"\bhow long (?:does|did|will|would) it take\b.*? to (?P<verb>[a-z]+)", re.IGNORECASE)
_AFTER_SO_LONG = re.compile(rf"\bafter (?:every |each )?{NUMBER} (?:[\w-]+ ){{0,2}}?{_PERIOD}\b", re.IGNORECASE)
_TAKES = re.compile(
    r"(?:^|[.;,:] )(?:(?:and|but) )?(?P<subject>[^.;,:]{1,80}?)"
    r" (?:(?:[a-z]+ly|often|only|may|can|will) )*(?:takes|took)\b(?! (?:place|part|care|over|up|off|out|effect|turns))"
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\b\d{1,2} ?[ap]\.?m\b\.?|\b(?:noon|midnight)\b", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"\W*(?:and |but )?(?:it|they|this|these|that|those|which|each|both|all|one|\w+ing)\b", re.IGNORECASE
)
_ASKS_DEED = re.compile(
    r"\bhow long (?:(?:is|are|was|were)|(?:must|should|may|can|could|will|shall|do|does|did|ha(?:s|ve) to)\b.*?\bbe)\b"
    r"[^,;?]*?\b(?P<deed>[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_LASTS_FOR = re.compile(
    rf"(?P<before>[^.;:!?]*?)\bfor (?:[a-z]+ ){{0,3}}?(?:{NUMBER}|an?|half an?)[ -](?:[a-z]+ )?{_PERIOD}\b"
)
_STAYING = frozenset("stay remain keep kept last take taken hold held left leav lie stand valid open good".split())  # noqa: SIM905
"""Stems of words for going on as it is, which stand for any deed: what is stored `stays` for a week."""


def without_frequencies(text: str) -> str:
    """Return a text without what only says how often: `twice a season`, `every four weeks`.

    >>> without_frequencies("It comes twice a season for an hour.")
    'It comes   for an hour.'
    """
    return _FREQUENCY.sub(" ", text)


def duration_in(question: str, text: str) -> str:
    """Return the part of a text in which the answer to "how long" may stand; empty where it is of another thing.

    How often something is done lasts no time, nor does how high, fast or old it is, nor, of what `takes` long, a time
    of the day at which another thing is; and of two things each takes its own time.

    >>> duration_in("How long does the oven take?", "The kettle takes 5 minutes.")
    ''
    """
    text = _NEXT_TO_FIRST.sub(" ", text if _ASKS_OFF_TIME.search(question) else _OFF_TIME.sub(" ", text))
    kept = _OTHER_MEASURE.sub(" ", text if _ASKS_BETWEEN.search(question) else without_frequencies(text))
    kept = kept if _ASKS_AGE.search(question) else _AGE.sub(" ", kept)
    kept = kept if _ENDS.search(kept) else _BEGINS_AT.sub(" ", kept)
    kept = _AHEAD_OR_BY.sub(" ", kept) if _ASKS_KEPT.search(question) else kept
    if (asked_of := _ASKS_IT_TAKES.search(question)) and stems(kept)[:1] == stems(asked_of["verb"]):
        kept = _AFTER_SO_LONG.sub(" ", kept)  # "Change the filter after 35 hours" tells when
    match = _ASKS_TAKES.search(question)
    if match is None or "|" in text:
        return kept
    asked = frozenset(stems(question))
    if _CLOCK.search(kept) and asked.isdisjoint(stems(text)[:1]) and not _POINTS_BACK.match(text):
        kept = _CLOCK.sub(" ", kept)
    takers = [one["subject"] for one in _TAKES.finditer(text)]
    others = [one for one in takers if not _POINTS_BACK.match(one) and asked.isdisjoint(stems(one))]
    return "" if others and len(others) == len(takers) else kept


def lasts_otherwise(question: str, text: str, sentences: Iterable[str]) -> bool:
    """Return whether a text says how long another deed lasts than the one asked about, which the passages speak of.

    Only where a sentence of the passages has that deed, of something that the text is about too: they have their own
    word for what was asked.

    >>> told = ["Rye loaves rest for an hour.", "Rye loaves are baked dark."]
    >>> lasts_otherwise("How long are rye loaves baked?", told[0], told)
    True
    """
    match = _ASKS_DEED.search(question)
    if match is None:
        return False
    deed, said = frozenset(stems(match["deed"])), frozenset(stems(text))
    if not deed or deed & said or ":" in text or "|" in text:
        return False
    asked = frozenset(stems(question)) - deed
    others = [frozenset(stems(one["before"])) - asked for one in _LASTS_FOR.finditer(text)]
    if not others or any(not other or other & _STAYING for other in others):
        return False
    told = ((one, frozenset(stems(one))) for one in sentences)
    return any(deed <= words and (words & asked & said or _POINTS_BACK.match(one)) for one, words in told)
