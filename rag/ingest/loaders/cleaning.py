"""Bytes to text, and text to its canonical characters: what every loader does before anything else."""

import codecs
import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from rag.language.invisible import without_invisible

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_SPACES = dict.fromkeys([0x09, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_LINE_ENDS = dict.fromkeys([0x0B, 0x0C, 0x85, 0x2028, 0x2029], "\n")
_CONTROLS = dict.fromkeys([*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF], None)
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), None)
# Bullets of the Symbol and Wingdings fonts, which word processors write into the private use area.
_BULLETS = dict.fromkeys([0xF0B7, 0xF0A7, 0xF076, 0xF0D8, 0xF0FC], "•")
_TABLE = {**_CONTROLS, **_SURROGATES, **_LIGATURES, **_BULLETS, **_SPACES, **_LINE_ENDS}
_MIXED = re.compile("(?<=\\d)(?=[¼-¾⅐-⅞])")
"""Between a number and a fraction of one character, which a reader of digits would take for one number: `1½`."""
_PLAIN = re.compile(r"[\n\x20-\x7e]*")
_WESTERN_NAMES = ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii")
_SOUND_A_DAMAGED = 3
"""Bytes of valid sequences for each byte outside ASCII that is in none: so much is UTF-8, damaged in a few places.

Text in another encoding has at most one, as German in Windows-1252 with much after `ß` in quotation marks has.
"""

_NEARLY_ASCII = 0.08  # most bytes outside ASCII, as a share, of a text whose words alone tell its encoding

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
    *("äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúü", "àáâãçéêíóôõú", "àèéìíîòóùú", "åäöæøéü"),
    *("áðéíóúýþæö", "äöõüšž", "éëïöüáóú", "àçéèíïóòúü"),
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
_FEWEST_LETTERS = 2  # letters that no one language of the West has, before letters alone speak for another encoding
_ENOUGH, _TOO_FEW, _LIKELY = 0.95, 0.9, 0.7
"""Shares of letters that one language has: another encoding needs the first, and that the Western one has less than the
second; the Western one is likely from the third on."""


def clean(text: str) -> str:
    r"""Return `text` in canonical characters: NFC, line feeds, plain spaces; nothing invisible, no control character.

    A fraction of one character is set apart from the number before it: `1½` becomes `1 ½`.

    >>> clean("e\u0301 \ufb01rst\u00a0co\u00adop\r\n\x07")
    'é first coop\n'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _PLAIN.fullmatch(text):
        return text
    return _MIXED.sub(" ", unicodedata.normalize("NFC", without_invisible(text.translate(_TABLE))))


def squeeze(text: str) -> str:
    r"""Return `text` cleaned and on one line, with single spaces.

    >>> squeeze(" Apple\n  Inc.\t")
    'Apple Inc.'
    """
    return " ".join(clean(text).split())


class Decoded(NamedTuple):
    """The text of some bytes, and what of them could not be read, a sentence each."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> str:
    """Return the text of `data`, its encoding found by byte order mark, by trial of UTF-8, or by statistics.

    Bytes that stand for nothing in the encoding become U+FFFD; it never fails.
    """
    return decode_noting(data).text


def decode_declared(data: bytes, declared: str) -> Decoded:
    """Return the text of `data` in the encoding that it declares, unless its bytes show that it is in another.

    Bytes that are valid UTF-8 with characters outside ASCII are UTF-8 whatever they declare, and a declaration that can
    be read as ASCII is in no encoding of 16 or 32 bits.

    Args:
        data: The bytes.
        declared: The name of an encoding, as written.
    """
    name = declared.casefold()
    is_marked = any(data.startswith(mark) for mark, _ in _BOMS)
    if is_marked or name.startswith(("utf", "ucs", "unicode")) or _is_utf8(data):
        return decode_noting(data)
    try:
        return Decoded(data.decode(WESTERN if name in _WESTERN_NAMES else name))
    except (LookupError, UnicodeDecodeError):
        return decode_noting(data)


def _is_utf8(data: bytes) -> bool:
    try:
        return not data.isascii() and bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def decode_noting(data: bytes) -> Decoded:
    """Return the text of `data` as `decode` does, with a note where bytes were not valid or the encoding is a guess."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, errors="replace"))
    if b"\x00" in data[:4096]:
        is_big = data[0:4096:2].count(0) > data[1:4096:2].count(0)  # by where the NULs of ASCII characters stand
        return Decoded(data.decode("utf-16-be" if is_big else "utf-16-le", errors="replace"))
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _decode_damaged(data, error.start) or _decode_unknown(data)


def _decode_damaged(data: bytes, first: int) -> Decoded | None:
    """Return bytes that are UTF-8 but for a few, those replaced and noted; None where they are another encoding."""
    text = data.decode("utf-8", errors="replace")
    own = data.count("\ufffd".encode())
    sound = len("".join(re.findall(r"[^\x00-\x7f\ufffd]", text)).encode()) + 3 * own
    if sound < _SOUND_A_DAMAGED * (sum(byte > 0x7F for byte in data) - sound):
        return None
    damaged = text.count("\ufffd") - own
    line = data.count(b"\n", 0, first) + 1
    said = "1 place is" if damaged == 1 else f"{damaged} places are"
    where = f"on line {line}" if damaged == 1 else f"the first on line {line}"
    return Decoded(text, (f"{said} not valid UTF-8, {where}: replaced by U+FFFD. Save the file as UTF-8 again.",))


def _decode_unknown(data: bytes) -> Decoded:
    """Return bytes that are not UTF-8 as text: by their words where they are nearly ASCII, else by statistics too."""
    from charset_normalizer import from_bytes

    found = guess(data)
    best = None
    if not found.is_likely and sum(byte > 0x7F for byte in data) > _NEARLY_ASCII * len(data):
        best = from_bytes(data).best()
    if best is not None:
        return Decoded(str(best))
    return Decoded(data.decode(found.encoding, errors="replace"), (found.note,) if found.is_doubtful else ())


class Guess(NamedTuple):
    """An encoding; whether that is a guess that a reader of the text should know of, and whether it reads well."""

    encoding: str
    is_doubtful: bool
    is_likely: bool

    @property
    def note(self) -> str:
        """What to say of it."""
        name = _NAMES[self.encoding]
        return (
            f"Its encoding is not declared: it was read as {name}, judging by its words. Save it as UTF-8 to be sure."
        )


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
    letters = [
        character for character in text.lower() if character > "\x7f" and character.isalpha() and character not in "µªº"
    ]
    known = max(sum(letter in language for letter in letters) for language in _LETTERS[encoding])
    return _Fit(text, signs, known / len(letters) if letters else 1.0, len(letters) - known)


def _is_better(other: _Fit, western: _Fit) -> bool:
    """Return whether an encoding reads a text clearly better than the Western one does."""
    if other.letters < _ENOUGH:
        return False
    if other.signs < western.signs:
        return True
    return other.text != western.text and western.foreign >= _FEWEST_LETTERS and western.letters < _TOO_FEW
