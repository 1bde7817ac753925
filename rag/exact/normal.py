"""A text in the form that the check reads: without markup and citation marks, its numbers in plain digits."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_MARKUP: Final = re.compile(
    r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|(?<!\w)__(?=\w)|(?<=[\w.,)])__(?!\w)|`|\\(?=[^\w\s])|[\u00ad\u200b-\u200f\u2060\ufeff]"
)
_CITED: Final = re.compile(r"\[\^?\d+(?:\s?[,;–-]\s?\d+)*+\]|【[^】\n]{1,40}】|(?<=[.,;!?])[¹²³⁰⁴-⁹]++")
_GROUPED: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:[,'’\u00a0\u202f ]\d{3})++(?!\d|[.,]\d*,)")
_DECIMAL_COMMA: Final = re.compile(r"(?<![\w.,])(\d++),(\d{1,2})(?![\w,]|\.\d)")
_PRONOUN: Final = re.compile(
    r"(?<![\w-])(?<!past\s)(?P<word>ones?)(?![\w-])(?!\s(?:hundred|thousand|million|billion|trillion|half|quarter)\b)",
    re.IGNORECASE,
)
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_NUMBER: Final = r"(?<![\w.,])(?P<number>\d++(?:\.\d++)?)"
_SHORT: Final = re.compile(
    rf"{_NUMBER}(?P<scale>k|\s?(?:mn|mio|bn)|(?<=[$€£]\d)[mb]|(?<=[$€£]\d[\d.]..)[mb])(?!\w)", re.IGNORECASE
)
_SHORTS: Final = {"k": 1e3, "mn": 1e6, "mio": 1e6, "m": 1e6, "bn": 1e9, "b": 1e9}
_SIGNS: Final = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_SHARES: Final = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_AND_HALF: Final = re.compile(
    r"(?<![\w.,])(?P<number>\d++|one|an?)\s(?P<unit>[^\W\d_]++\s)?and\s(?:an?\s|1\s)?(?P<part>half|quarter)(?!\w)",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"(?<![\w.,])(?P<number>\d++|one|an?|(?=half[\s-](?:of|an?|the|past|dozen)\b|quarter\sof\s))[\s-]?(?P<part>half|halves|quarters?|\d+(?:rd|th)(?:s|(?=\sof\b)))(?!\w)"
    r"(?:\s(?:of\s)?an?(?=\s))?",
    re.IGNORECASE,
)
_SLASHED: Final = re.compile(r"(?<![\w.,/-])(?:(?P<number>\d++)\s)?(?P<over>[1-9])/(?P<under>[2-9]|1[0-6])(?![\w/])")
_DOZEN: Final = re.compile(r"(?<![\w.,])(?:(?P<number>\d++(?:\.\d++)?)\s|an?\s|)dozens?(?!\w)", re.IGNORECASE)
_SCALED: Final = re.compile(rf"{_NUMBER}\s(?P<scale>100|1000(?:000){{0,3}})(?!\w|[.,]\d)")
_YEARS: Final = re.compile(
    r"(?<![\w.,/-])(?P<century>1[5-9]|20)(?P<first>\d\d)(?P<to>\s?[-–/]\s?)(?P<last>\d\d)(?![\w/-]|\.\d)"
)
_HOURS: Final = re.compile(r"(?<![\w.,])(\d\d?)h([0-5]\d)(?:min|m)?(?!\w)")
_TIMES: Final = re.compile(r"(?<!\w)(twice|thrice)(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=512)
def bare(text: str) -> str:
    """Return a text without marks of emphasis and code, and without citations such as `[1]`.

    >>> bare("Wait **two** hours [1, 2].")
    'Wait two hours .'
    """
    return _MARKUP.sub("", _CITED.sub("", unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=512)
def in_digits(text: str) -> str:
    """Return a bare text with its numbers as plain digits; `one`, which may be a pronoun, stays as it is.

    >>> in_digits("twenty-five of 1,250 wait two and a half hours for EUR 1.5 million")
    '25 of 1250 wait 2.5 hours for EUR 1500000'
    """
    from text_to_num import alpha2digit

    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    text = _YEARS.sub(r"\g<century>\g<first>\g<to>\g<century>\g<last>", text)
    text = _HOURS.sub(r"\1 h \2 min", text)
    text = _HYPHEN.sub(" ", _PRONOUN.sub("\ue000", text))
    text = alpha2digit(text, "en", threshold=0.0).replace("\ue000", "one")
    text = _TIMES.sub(lambda match: f"{3 - (match[1].casefold() == 'twice')} times", text)
    text = "".join(f" {_SIGNS[sign]}" if sign in _SIGNS else sign for sign in text)
    text = _SLASHED.sub(lambda match: plain(int(match["number"] or 0) + int(match["over"]) / int(match["under"])), text)
    text = _SHORT.sub(lambda match: plain(float(match["number"]) * _SHORTS[match["scale"].strip().casefold()]), text)
    text = _AND_HALF.sub(_with_part, text)
    text = _SHARE.sub(lambda match: plain(_count(match["number"]) / _share(match["part"])), text)
    text = _DOZEN.sub(lambda match: plain(12 * _count(match["number"])), text)
    return _SCALED.sub(lambda match: plain(float(match["number"]) * float(match["scale"])), text)


def plain(value: float) -> str:
    """Return a number in digits, without an exponent and without what reckoning in floats adds.

    >>> plain(1.1 * 3), plain(1500000.0)
    ('3.3', '1500000')
    """
    text = f"{value:.8f}"
    return text.rstrip("0").rstrip(".")


def folded(text: str) -> str:
    """Return a text without accents and capitals.

    >>> folded("Müller")
    'muller'
    """
    apart = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _count(number: str | None) -> float:
    return float(number) if number and number[0].isdigit() else 1.0


def _share(part: str) -> int:
    return _SHARES.get(part.casefold()) or int(part.casefold().rstrip("rdths"))


def _with_part(match: re.Match[str]) -> str:
    value = _count(match["number"]) + 1 / _share(match["part"])
    return f"{plain(value)} {match['unit'] or ''}".rstrip()
