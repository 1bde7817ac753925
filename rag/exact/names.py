"""Names and identifiers in a text: what is compared letter for letter."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from rag.exact.normal import folded
from rag.exact.units import units_at

_ADDRESS: Final = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+|(?:https?://|www\.)[^\s<>\"')\]]++")
_PHONE: Final = re.compile(r"(?<![\w.,/-])(?:\+\d|\(0|0)[\d ()./-]{5,24}\d(?!\w)")
_LABEL: Final = re.compile(
    r"(?:§{1,2}\s?|\b(?:version|section|clause|article|v)[\s.]?)(?P<number>\d+(?:\.\d+)+)|(?<![\w.])(?!\d\d?\.\d\d?\.\d{4})\d+(?:\.\d+){2,}+(?!\w)",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"[^\s()\[\]{}<>\"“”„«»|,;:!?='’*/]+")
_WRITTEN: Final = re.compile(r"[\w.+#-]++")
_AMOUNT_WORD: Final = re.compile(
    r"[$€£]?\d[\d.,]*+(?:[-–]\d[\d.,]*+)?(?:st|nd|rd|th|s|k|x|bn|[ap]m|h\d*+|(?:-[a-z]++)++|(?P<unit>[^\W\d_]+[²³23]?))?"
    r"|(?<![a-z-])(?:[a-z]++-)++\d++(?:s|th|st|nd|rd)?"
)
_CODE: Final = re.compile(r"--?[a-z][\w-]+|\.?[a-zA-Z]{2,}(?:[._][a-z]\w*)+|\.[a-z]{2,}")
_PIECE: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")
_NAME: Final = re.compile(r"(?<![\w@./])(?:[^\W\d_]\.){2,}|(?<!\w)[^\W\d_]++(?:['’.&][^\W\d_]++)*")
_DERIVED: Final = re.compile(r"(?:i?an|n|ese|ish|ern|ic)s?")
_COUNTED: Final = re.compile(r"(?:\d|\bdegrees?)\s?$")
_WITHIN: Final = re.compile(r"[\s-]|\s(?:of|and|for|de|von|van)\s(?:the\s)?")
_BEFORE_FIRST: Final = frozenset(".!?:;\n•|”([—–…")
"""What stands before the first word of a sentence, an item or a quotation."""
_WEEKDAY: Final = re.compile(
    r"(?:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday)?s?", re.IGNORECASE
)


class Named(NamedTuple):
    """A name or an identifier: what it is, how it is written, and where."""

    kind: str
    text: str
    start: int
    end: int


def identifiers(text: str) -> tuple[Named, ...]:
    """Return addresses, telephone numbers, codes, versions and file names of a text.

    >>> [one.text for one in identifiers("Send the XR-200B with 5kg of H2SO4 to a@b.org, +49 30 1234567, see § 4.2.")]
    ['a@b.org', '+49 30 1234567', '4.2', 'XR-200B', 'H2SO4']
    """
    found: list[Named] = []
    for kind, pattern in (("address", _ADDRESS), ("phone", _PHONE), ("identifier", _LABEL), ("identifier", _TOKEN)):
        for match in pattern.finditer(text):
            if not any(one.start < match.end() and match.start() < one.end for one in found):
                found += list(_identifier(kind, pattern, match))
    return tuple(found)


def _identifier(kind: str, pattern: re.Pattern[str], match: re.Match[str]) -> Iterator[Named]:
    written = match[0].rstrip(".-/")
    if pattern is _LABEL and match["number"]:
        yield Named(kind, match["number"], match.start(), match.end())
    elif pattern is not _TOKEN:
        if kind != "phone" or len(re.sub(r"\D", "", written)) > 6:
            yield Named(kind, written, match.start(), match.start() + len(written))
    elif is_code(written):
        yield Named(kind, written, match.start(), match.start() + len(written))


def is_code(word: str) -> bool:
    """Return whether a word is a code: of letters and digits, unless it is an amount, or written as programs are.

    >>> is_code("XR-200B"), is_code("5kg"), is_code("12-year-old"), is_code("max_tokens")
    (True, False, False, True)
    """
    amount = _AMOUNT_WORD.fullmatch(word)
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and _WRITTEN.fullmatch(word)
    if not mixed or (amount and not amount["unit"]):
        return _CODE.fullmatch(word) is not None
    return not amount or units_at(word, amount.start("unit"))[1] < len(word)


def holds(text: str, one: Named) -> bool:
    """Return whether a text contains an identifier, apart from capitals, accents, and spaces and hyphens within."""
    if one.kind == "phone":
        digits = re.sub(r"\D", "", one.text.replace("(0)", "")).lstrip("0")
        return digits in re.sub(r"(?<=\d)[ ./-]+(?=\d)", "", re.sub(r"[()]", "", text))
    if one.kind == "address":
        bare = re.sub(r"^https?://(?:www\.)?", "", one.text.casefold()).rstrip("/")
        return re.search(rf"(?<![\w.+-]){re.escape(bare)}(?!\w)", text.casefold().replace("www.", "")) is not None
    return has(text, one.text)


def has(text: str, words: str) -> bool:
    """Return whether the pieces of some words stand in a text one after the other, however they are joined.

    >>> has("The XR 200-B", "xr-200b"), has("The XR-200BX", "XR-200B")
    (True, False)
    """
    needle = "".join(_pieces(words))
    run, starts, ends = _run(text)
    place = run.find(needle)
    while place >= 0 and not (place in starts and place + len(needle) in ends):
        place = run.find(needle, place + 1)
    return place >= 0


@lru_cache(maxsize=256)
def _run(text: str) -> tuple[str, frozenset[int], frozenset[int]]:
    """Return a text's pieces as one run of letters, and where pieces begin and end in it."""
    pieces = _pieces(text)
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return "".join(pieces), frozenset(ends[:-1]), frozenset(ends[1:])


def _pieces(text: str) -> list[str]:
    """Return the words of a text without accents and capitals; a possessive counts as its owner, `U.S.` as `us`."""
    plain = re.sub(r"(?<=\w)'s?(?!\w)", "", folded(text))
    found = _PIECE.findall(plain)
    return [re.sub(r"(?<!\w\w)\.", "", piece) if not any(map(str.isdigit, piece)) else piece for piece in found]


def names(text: str) -> Iterator[tuple[Named, ...]]:
    """Yield the names of a text, those in a row together: words with a capital inside a sentence.

    The first word of a sentence is one only with another capital within.

    >>> [[one.text for one in row] for row in names("The Treaty of Ghent ended it. Then JabRef and Ms Ek came.")]
    [['Treaty', 'Ghent'], ['JabRef', 'Ms', 'Ek']]
    """
    row: list[Named] = []
    for match in _NAME.finditer(text):
        if not _is_name(text, match):
            continue
        if row and not _WITHIN.fullmatch(text, row[-1].end, match.start()):
            yield tuple(row)
            row = []
        row.append(Named("name", match[0], match.start(), match.end()))
    if row:
        yield tuple(row)


def _is_name(text: str, match: re.Match[str]) -> bool:
    word, before = match[0], text[max(0, match.start() - 12) : match.start()]
    if len(word) < 2 or not word[0].isupper() or word.startswith(("I'", "I’")):
        return False
    counted = _COUNTED.search(before) or text[match.end() : match.end() + 2].strip(" $")[:1].isdigit()
    if counted and units_at(word, 0)[0]:
        return False  # EUR 20, 5 degrees Celsius
    ahead = before.rstrip(" \t\"'“‘*_-")
    begins = (not ahead and match.start() < 12) or ahead[-1:] in _BEFORE_FIRST
    return not begins or word[1:] != word[1:].lower()


def unnamed(text: str, row: tuple[Named, ...]) -> tuple[Named, ...]:
    """Return those of some names in a row that a text does not have, neither in full nor by their initials."""
    missing = tuple(one for one in row if not _is_named(text, one.text))
    initials = "".join(one.text[0] for one in row)
    if missing and len(row) > 1 and re.search(rf"\b{re.escape(initials)}s?\b", text):
        return ()
    return missing


def _is_named(text: str, name: str) -> bool:
    if has(text, name) or (name.endswith("s") and has(text, name[:-1])) or set(_stems(name)) <= set(_stems(text)):
        return True
    if any(_is_derived(*sorted((folded(name), piece), key=len)) for piece in set(_pieces(text))):
        return True
    if _WEEKDAY.fullmatch(name):
        return re.search(rf"\b{name[:3]}|\b[Ww]eek(?:day|end)|day\s?(?:-|–|to|through)\s", text) is not None
    letters = folded(name).replace(".", "").replace("&", "")
    return name.upper() == name and 3 <= len(letters) <= 6 and letters in _initials(text)


def _is_derived(short: str, long: str) -> bool:
    """Return whether one name is made of another: `Japanese` of `Japan`, `Hawaiians` of `Hawaii`."""
    root = short if long.startswith(short) else short[:-1]
    return len(root) > 3 and long.startswith(root) and _DERIVED.fullmatch(long[len(root) :]) is not None


@lru_cache(maxsize=256)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_stemmer().stemWords(_pieces(text)))


@lru_cache(maxsize=64)
def _initials(text: str) -> str:
    return "".join(piece[0] for piece in _pieces(text))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")
