"""Numerals and spelled-out numbers: what each is worth, and which are compared as they are written. Ground floor."""

import re
from fractions import Fraction
from math import inf

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
VALUES = {word: float(number) for number, word in enumerate(_ONES.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
VALUES |= {word: 10.0 * number for number, word in enumerate(_TENS.split(), 2)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SCALES |= {"mn": 1e6, "mio": 1e6, "bn": 1e9, "tn": 1e12}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9}
SHARES = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}

NUMERAL = r"(?:\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?(?![.,]?\d)|\d+(?:[.,]\d+)*|\.\d+)"
"""A pattern that matches one number in digits, with its groups: `1,500`, `2.5`, `4.2.10`, `1,2,3`."""
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"\d+,\d{1,2}")
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_WORD = re.compile(r"[^\W\d_]+")
_EXACT = 15
"""So many significant digits a float keeps apart."""
_LONGEST = 300
"""Longer numerals are not reckoned with: they would be beyond what a float holds."""


class Written(float):
    """A number that is compared as it is written: a version, a list, or one of more digits than a float keeps apart.

    `text` is what it is written as, without marks between thousands and leading zeros. As a float it is about what it
    is worth, and infinite for what has no worth of its own (`4.2.10`). It equals only a `Written` of the same text.

    >>> Written("4.2.10") == Written("4.2.10"), Written("4.2.10") == Written("4.2.11")
    (True, False)
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> "Written":
        """Return the number that a text writes."""
        made = super().__new__(cls, float(text) if re.fullmatch(r"-?(?:\d+(?:\.\d+)?|\.\d+)", text) else inf)
        made.text = text
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Written({self.text!r})"

    def __reduce__(self) -> tuple[type["Written"], tuple[str]]:
        return Written, (self.text,)


def value_of(text: str) -> float:
    """Return the number that a text such as `-1.5 million`, `$3k` or `twenty-five` names.

    >>> value_of("1.5 million"), value_of("minus twenty-five"), value_of("192.168.1.1")
    (1500000.0, -25.0, Written('192.168.1.1'))
    """
    folded = text.casefold().replace("−", "-").replace("–", "-")
    negative = re.match(r"\s*(?:-|minus|negative)", folded) is not None
    numeral = re.search(NUMERAL, folded)
    if numeral is None:
        spelled = _spelled(_WORD.findall(folded))
        return -spelled if negative else spelled
    factor = Fraction(1)
    for word in _WORD.findall(folded[numeral.end() :]):
        factor *= Fraction(_LETTERS.get(word) or _SCALES.get(word) or _SCALES.get(word.rstrip("s"), 1.0))
    plain = _plain(numeral[0])
    if plain is None or len(plain) > _LONGEST:
        scaled = "" if factor == 1 else f" x {factor}"
        return Written(f"{'-' if negative else ''}{plain or numeral[0]}{scaled}")
    return _as_number(Fraction(plain) * (-factor if negative else factor), plain)


def share_of(count: str, share: str) -> float:
    """Return the part that `two`, `thirds` names: 2/3, as near as a float can be.

    >>> share_of("three", "tenth")
    0.3
    """
    return float(Fraction(VALUES.get(count, 1.0)) / SHARES[share])


def _plain(text: str) -> str | None:
    """Return a numeral in digits with a point at most; None for a version, a list, a section: `4.2.10`, `1,2,3`."""
    text = text.replace("\u00a0", "").replace("\u202f", "")
    if _GROUPED.fullmatch(text):
        return text.replace(",", "")
    if _COMMA.fullmatch(text):
        return text.replace(",", ".")
    return (text.lstrip("0") or "0") if _PLAIN.fullmatch(text) else None


def _as_number(exact: Fraction, plain: str) -> float:
    """Return a number as a float where one keeps it apart from its neighbours, else as it is written."""
    digits = str(exact.numerator).strip("-0") if exact.denominator == 1 else plain.replace(".", "").strip("0")
    if len(digits) <= _EXACT:
        return float(exact)
    whole = exact.denominator == 1
    return Written(str(exact.numerator) if whole else f"{'-' if exact < 0 else ''}{_decimal(exact)}")


def _decimal(exact: Fraction) -> str:
    """Return a number that has a finite decimal form, all its digits and no more, without its sign."""
    places = 0
    while (abs(exact) * 10**places).denominator != 1:
        places += 1
    digits = str(abs(exact) * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _spelled(parts: list[str]) -> float:
    total, current = 0.0, 0.0
    for part in parts:
        scale = _SCALES.get(part) or _SCALES.get(part.rstrip("s"))
        if part == "half":
            current += 0.5
        elif part in VALUES:
            current += VALUES[part]
        elif scale is not None and scale <= 100:
            current = (current or 1.0) * scale
        elif scale is not None:
            total, current = total + (current or 1.0) * scale, 0.0
    return total + current
