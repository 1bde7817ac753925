"""What is written in several ways, written in one: signs, numbers, fractions, rates, phrases. Ground floor."""

import re
import unicodedata

from rag.language.phrases import in_one_word
from rag.language.text import apart

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
"""Characters without a shape: soft hyphen, zero-width space and joiners, marks of direction."""
_SIGNS = str.maketrans({"\u02bc": "'", "\u2018": "'", "\u00b4": "'", "\u2010": "-", "\u2011": "-"})
"""Apostrophes and hyphens that NFKC leaves apart or, the acute accent, turns into a space."""
_GROUPED = re.compile(r"(?<![\d.,\u00a0\u202f\u2009])\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?![\d\u00a0\u202f\u2009])")
"""A number with narrow or non-breaking spaces between its thousands."""
_RING = re.compile(r"(?<=[\d\s])[º˚](?=\s?[CF]\b)")
"""An ordinal mark or a ring that stands for the sign of a degree."""
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75", "⅛": ".125", "⅜": ".375", "⅝": ".625", "⅞": ".875"}
_FRACTION = re.compile(rf"(?:(?<![\d.,])(?P<whole>\d+) ?)?(?P<part>[{''.join(_FRACTIONS)}])(?!\d)")
_SUPERSCRIPT = re.compile(r"(?<![^\W\d_])[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
"""Powers of ten and of units; what is raised behind a letter alone, as in `m²`, is part of its name."""
_FROM_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_COUNTED = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "a", "an")
_COUNT = r"\d{1,2}|one|two|three|four|five|six|seven|eight|nine"
_AND_A_HALF = re.compile(
    rf"\b(?:(?P<before>{_COUNT}|an?) (?P<unit>[^\W\d_]+) and a half"
    rf"|(?P<after>{_COUNT}) and a half(?: (?P<name>[^\W\d_]+)|(?= ?[.,;:)]|$)))(?!\w)",
    re.IGNORECASE,
)
_HALF_OF_UNIT = re.compile(
    r"\bhalf an? (?=(?:second|minute|hour|year|gram|kilo|kilogram|tonne|litre|liter|millimet(?:re|er)|centimet(?:re|er)"
    r"|met(?:re|er)|kilomet(?:re|er)|mile)\b)",
    re.IGNORECASE,
)
_ONE_UNIT = re.compile(
    r"\ban? (?=(?:second|minute|hour|day|week|month|year)(?: (?:before|after|later|ago|earlier)|'s)\b)", re.IGNORECASE
)
_NEAR_UNIT = re.compile(r"'s| (?:before|after|later|ago|earlier)\b")
_FOR_EACH = re.compile(
    r"(?P<unit>\d ?(?:[^\W\d_]{1,12}|%|€|£|\$)|[$€£]\d[\d.,]{0,12}) (?:for|in) (?:each|every) "
    r"(?=(?:second|minute|hour|day|night|week|month|year|person|guest|head|kilo|kilogram|litre|liter|metre|meter"
    r"|kilometre|kilometer|mile)\b)",
    re.IGNORECASE,
)
"""A number with its unit before `for each night`, which is `per night`."""
_NUMBER = (
    r"(?:(?<![\d.,])\d[\d.,]*+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|half an?)"
)
_TIME_UNIT = r"(?:working )?(?:second|minute|hour|day|night|week|month|year)s?"
_EDGE = re.compile(
    rf"\b(?:no|not) (?P<word>later|earlier) than (?P<length>{_NUMBER} {_TIME_UNIT} (?P<side>before|after)\b)",
    re.IGNORECASE,
)
_MONTH_OR_DAY = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
)
_MOMENT = (
    rf"(?:\d{{1,2}}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\d{{1,2}} ?[ap]\.?m\b\.?|noon|midday|midnight"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH_OR_DAY}|{_MONTH_OR_DAY}(?: \d{{1,2}}\b)?|the end of [^\W\d_]+(?: [^\W\d_]+)?)"
)
_DEADLINE = re.compile(rf"\b(?:no|not) later than (?={_MOMENT})", re.IGNORECASE)
_AND_LATEST = r",? at the (?:very )?latest\b"
_AT_LATEST = re.compile(rf"\b(?:by|at|on) (?P<moment>{_MOMENT}(?: [^\W\d_]+){{0,2}}?){_AND_LATEST}", re.IGNORECASE)
_BEFORE_AT_LATEST = re.compile(
    rf"(?<!least )(?<!most )\b(?P<length>{_NUMBER} {_TIME_UNIT} (?P<side>before|after)\b[^,;.]{{0,80}}?){_AND_LATEST}",
    re.IGNORECASE,
)
_LATEST = re.compile(r"\blater than\b|\bearlier than\b|\bat the (?:very )?latest\b", re.IGNORECASE)


def normal_form(text: str) -> str:
    """Return `text` with compatibility forms folded and superscripts kept apart: `10⁵` becomes `10^5`.

    What is said in two ways is written in one: `two hours and a half` as `2.5 hours`, `takes place` as `occurs`.

    >>> normal_form("1½ cups, 1\u202f500 g and 20 ºC; the pump isn‘t on")
    "1.5 cups, 1500 g and 20 °C; the pump isn't on"
    """
    if not text.isascii():
        text = _signs_in_one(text)
    text = in_one_word(text.replace("’", "'"))
    if "and a half" in text.casefold():
        text = _AND_A_HALF.sub(_with_half, text)
    if "half a" in text.casefold():
        text = _HALF_OF_UNIT.sub("0.5 ", text)
    if _NEAR_UNIT.search(text):
        text = _ONE_UNIT.sub("1 ", text)
    if _LATEST.search(text):
        text = _with_plain_deadline(text)
    return _FOR_EACH.sub(r"\g<unit> per ", text) if " each " in text or " every " in text else text


def as_seen(text: str) -> str:
    """Return `text` without characters that no reader sees; they may stand within a word."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def _signs_in_one(text: str) -> str:
    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), as_seen(text).translate(_SIGNS))
    text = _FRACTION.sub(lambda match: (match["whole"] or "0") + _FRACTIONS[match["part"]], _RING.sub("°", text))
    text = _SUPERSCRIPT.sub(lambda match: "^" + match[0].translate(_FROM_SUPERSCRIPT), apart(text))
    return unicodedata.normalize("NFKC", text).translate(_SIGNS)


def _with_plain_deadline(text: str) -> str:
    """Return a text with `by` a moment and `at least` a time before one for all that says `not later`.

    >>> _with_plain_deadline("Pay no later than 9:00, and cancel no later than 24 hours before it.")
    'Pay by 9:00, and cancel at least 24 hours before it.'
    >>> _with_plain_deadline("Cancel two days before the visit at the latest.")
    'Cancel at least two days before the visit.'
    """
    text = _EDGE.sub(lambda match: f"at {_least_or_most(match['side'], match['word'])} {match['length']}", text)
    text = _AT_LATEST.sub(r"by \g<moment>", text)
    text = _BEFORE_AT_LATEST.sub(lambda match: f"at {_least_or_most(match['side'])} {match['length']}", text)
    return _DEADLINE.sub("by ", text)


def _least_or_most(side: str, word: str = "later") -> str:
    """Return which bound of a length of time a moment sets that may come no `later` or `earlier` than its end."""
    return "least" if (side.casefold() == "before") == (word.casefold() == "later") else "most"


def _with_half(match: re.Match[str]) -> str:
    count = match["before"] or match["after"]
    whole = count if count.isdigit() else str(_COUNTED.index(count.casefold()))
    return f"{'1' if count.casefold() in ('a', 'an') else whole}.5 {match['unit'] or match['name'] or ''}".rstrip()
