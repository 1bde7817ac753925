"""Bytes to text, and text to its canonical characters: what every loader does before anything else."""

import codecs
import re
import unicodedata
from contextlib import suppress
from itertools import islice, pairwise
from typing import NamedTuple

from rag.text.invisible import without_invisible

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_SPACES = dict.fromkeys([0x09, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_LINE_ENDS = dict.fromkeys([0x0B, 0x0C, 0x85, 0x2028, 0x2029], "\n")
_DROPPED = dict.fromkeys([*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])
# Bullets of the Symbol and Wingdings fonts, which word processors write into the private use area.
_BULLETS = dict.fromkeys([0xF0B7, 0xF0A7, 0xF076, 0xF0D8, 0xF0FC], "•")
_TABLE = {**_DROPPED, **_LIGATURES, **_BULLETS, **_SPACES, **_LINE_ENDS}
_MIXED = re.compile("(?<=\\d)(?=[¼-¾⅐-⅞])")  # `1½`, which a reader of digits would take for one number
_PLAIN = re.compile(r"[\n\x20-\x7e]*")
_WESTERN_NAMES = ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii")
# Bytes of valid sequences for each byte outside ASCII that is in none: so much is UTF-8, damaged in a few places. Text
# in another encoding has at most one, as German in Windows-1252 with much after `ß` in quotation marks has.
_SOUND_A_DAMAGED = 3
_NEARLY_ASCII = 0.08  # most bytes outside ASCII, as a share, of a text whose words alone tell its encoding

WESTERN = "cp1252"  # a superset of Latin-1 in all that is printable; taken where nothing speaks against it
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž", "äöüß")
_OF_WEST = (
    *("äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúü", "àáâãçéêíóôõú", "àèéìíîòóùú", "åäöæøéü"),
    *("áðéíóúýþæö", "äöõüšž", "éëïöüáóú", "àçéèíïóòúü"),
)
_CYRILLIC = (
    *("абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
    "абвгдђежзијклљмнњопрстћуфхцчџш",
)
_ENCODINGS = {
    WESTERN: ("Windows-1252", _OF_WEST),
    "mac_roman": ("Mac OS Roman", _OF_WEST),
    "cp850": ("code page 850", _OF_WEST),
    "cp1250": ("Windows-1250", _CENTRAL),
    "iso8859_2": ("ISO 8859-2", _CENTRAL),
    "cp1254": ("Windows-1254", ("çğıöşüâîûi̇",)),
    "cp1257": ("Windows-1257", ("āčēģīķļņšūžō", "ąčęėįšųūž", "äöõüšž")),
    "cp1251": ("Windows-1251", _CYRILLIC),
    "cp1253": ("Windows-1253", ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰς",)),
}
"""For each encoding its name, and the letters outside ASCII of each language written in it, in small letters."""
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_MOST_WORDS = 5_000
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[^\w\s'’‘´·–—…\xadªº•/™®©-](?=[^\W\d_])|[\x80-\x9f\ufffd]")
_TWO_SCRIPTS = re.compile(r"[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]")
_SURE = (WESTERN, "cp1251", "cp1253")  # encodings that are no guess where nothing speaks against them
_FEWEST_LETTERS = 2  # letters that no one language of the West has, before letters alone speak for another encoding
# Shares of letters that one language has: another encoding needs the first, and that the Western one has less than the
# second; the Western one is likely from the third on.
_ENOUGH, _TOO_FEW, _LIKELY = 0.95, 0.9, 0.7


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
    """
    name = declared.casefold()
    is_marked = data.startswith(tuple(mark for mark, _ in _BOMS))
    if not (is_marked or name.startswith(("utf", "ucs", "unicode")) or _is_utf8(data)):
        with suppress(LookupError, UnicodeDecodeError):
            return Decoded(data.decode(WESTERN if name in _WESTERN_NAMES else name))
    return decode_noting(data)


def _is_utf8(data: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        return not data.isascii() and bool(data.decode("utf-8"))
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
    damaged, line = text.count("\ufffd") - own, data.count(b"\n", 0, first) + 1
    note = f"Places that are not valid UTF-8, replaced by U+FFFD: {damaged}, the first on line {line}."
    return Decoded(text, (f"{note} Save the file as UTF-8 again.",))


def _decode_unknown(data: bytes) -> Decoded:
    """Return bytes that are not UTF-8 as text: by their words where they are nearly ASCII, else by statistics too."""
    from charset_normalizer import from_bytes

    fit = _best_fit(data)
    is_likely = fit.signs == 0 and fit.letters >= _LIKELY
    is_plain = sum(byte > 0x7F for byte in data) <= _NEARLY_ASCII * len(data)
    if not (is_likely or is_plain) and (best := from_bytes(data).best()) is not None:
        return Decoded(str(best))
    text = data.decode(fit.encoding, errors="replace")
    if fit.signs == 0 and fit.encoding in _SURE:
        return Decoded(text)
    name, _ = _ENCODINGS[fit.encoding]
    note = f"Its encoding is not declared: it was read as {name}, judging by its words. Save it as UTF-8 to be sure."
    return Decoded(text, (note,))


class _Fit(NamedTuple):
    """How a text reads in an encoding: signs within words, and the share of letters that one language has."""

    encoding: str
    text: str
    signs: int
    letters: float
    foreign: int  # letters outside ASCII that this language has not


def _best_fit(data: bytes) -> _Fit:
    """Return how the words of bytes read in the encoding that speaks for itself most clearly, else in the Western."""
    words = b" ".join(match[0] for match in islice(_WORD.finditer(data), _MOST_WORDS))
    western, *others = (_fit(words, encoding) for encoding in _ENCODINGS)
    is_foreign = western.foreign >= _FEWEST_LETTERS and western.letters < _TOO_FEW
    likely = [other for other in others if other.letters >= _ENOUGH]
    better = [one for one in likely if one.signs < western.signs or (is_foreign and one.text != western.text)]
    return min([western, *better], key=lambda fit: (fit.signs, -fit.letters))


def _fit(words: bytes, encoding: str) -> _Fit:
    text = words.decode(encoding, errors="replace")
    turns = sum(a.islower() and b.isupper() and b > "\x7f" for a, b in pairwise(text))
    signs = turns + len(_SIGN_IN_WORD.findall(text)) + len(_TWO_SCRIPTS.findall(text))
    letters = [letter for letter in text.lower() if letter > "\x7f" and letter.isalpha() and letter not in "µªº"]
    known = max(sum(letter in language for letter in letters) for language in _ENCODINGS[encoding][1])
    return _Fit(encoding, text, signs, known / len(letters) if letters else 1.0, len(letters) - known)
