"""Which single-byte encoding a text of mostly Latin letters is in, told by its words: a guess that is said to be one.

Every byte is a character in most of these encodings, so that none can be refused. What tells them apart is that no sign
stands in the midst of a word (`ka¿dy`), and that the letters of a text belong to one language.
"""

import re
from itertools import pairwise
from typing import NamedTuple

WESTERN = "cp1252"
"""Windows' Western encoding, a superset of Latin-1 in all that is printable; taken where nothing speaks against it."""
_NAMES = {
    "cp1250": "Windows-1250",
    "iso8859_2": "ISO 8859-2",
    "cp1254": "Windows-1254",
    "cp1257": "Windows-1257",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "mac_roman": "Mac OS Roman",
    "cp850": "code page 850",
    WESTERN: "Windows-1252",
}
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž", "äöüß")
_OF_WEST = (
    *(
        "äöüß",
        "àâæçéèêëîïôœùûüÿ",
        "áéíñóúü",
        "àáâãçéêíóôõú",
        "àèéìíîòóùú",
        "åäöæøéü",
        "áðéíóúýþæö",
        "äöõüšž",
        "éëïöüáóú",
    ),
    "àçéèíïóòúü",
)
_LETTERS = {
    WESTERN: _OF_WEST,
    "mac_roman": _OF_WEST,
    "cp850": _OF_WEST,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": ("çğıöşüâîûi̇",),
    "cp1257": ("āčēģīķļņšūžō", "ąčęėįšųūž", "äöõüšž"),
    "cp1251": (
        "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
        "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "абвгдђежзијклљмнњопрстћуфхцчџш",
    ),
    "cp1253": ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰς",),
}
"""For each encoding the letters outside ASCII of each language that is written in it, in small letters."""
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_MOST_WORDS = 5_000
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[^\w\s'’‘´·–—…\xadªº•/™®©-](?=[^\W\d_])|[\x80-\x9f\ufffd]")
_TWO_SCRIPTS = re.compile(r"[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]")
_OTHER_SCRIPTS = frozenset(("cp1251", "cp1253"))
_FEWEST_LETTERS = 2
"""Letters that no one language of the West has, before letters alone speak for another encoding."""
_ENOUGH, _TOO_FEW, _LIKELY = 0.95, 0.9, 0.7
"""Shares of letters that one language has: another encoding needs the first, and that the Western one has less than the
second; the Western one is likely from the third on."""


class Guess(NamedTuple):
    """An encoding; whether that is a guess that a reader of the text should know of, and whether it reads well."""

    encoding: str
    is_doubtful: bool
    is_likely: bool

    @property
    def note(self) -> str:
        """What to say of it."""
        name = _NAMES[self.encoding]
        return f"Its encoding is not declared: it was read as {name} by its words. Save it as UTF-8 to be sure."


def guess(data: bytes) -> Guess:
    """Return the encoding of bytes that are no UTF-8, as far as their words tell."""
    words = b" ".join(match[0] for _, match in zip(range(_MOST_WORDS), _WORD.finditer(data), strict=False))
    western = _fit(words, WESTERN)
    best, fit = WESTERN, western
    for encoding in _LETTERS:
        other = _fit(words, encoding)
        if (other.signs, -other.letters) < (fit.signs, -fit.letters) and _is_better(other, western):
            best, fit = encoding, other
    is_other_script = best in _OTHER_SCRIPTS
    doubtful = fit.signs > 0 or not (best == WESTERN or is_other_script)
    return Guess(best, is_doubtful=doubtful, is_likely=fit.signs == 0 and fit.letters >= _LIKELY)


class _Fit(NamedTuple):
    """How a text reads in an encoding: signs within words, and the share of letters that one language has."""

    text: str
    signs: int
    letters: float
    foreign: int
    """Letters outside ASCII that this language has not."""


def _fit(words: bytes, encoding: str) -> _Fit:
    text = words.decode(encoding, errors="replace")
    turns = sum(a.islower() and b.isupper() and b > "\x7f" for a, b in pairwise(text))
    signs = turns + len(_SIGN_IN_WORD.findall(text)) + len(_TWO_SCRIPTS.findall(text))
    letters = [character for character in text.lower() if character > "\x7f" and _is_letter(character)]
    known = max(sum(letter in language for letter in letters) for language in _LETTERS[encoding])
    return _Fit(text, signs, known / len(letters) if letters else 1.0, len(letters) - known)


def _is_letter(character: str) -> bool:
    return character.isalpha() and character not in "µªº"


def _is_better(other: _Fit, western: _Fit) -> bool:
    """Return whether an encoding reads a text clearly better than the Western one does."""
    if other.letters < _ENOUGH:
        return False
    if other.signs < western.signs:
        return True
    return other.text != western.text and western.foreign >= _FEWEST_LETTERS and western.letters < _TOO_FEW
