"""Words of a PDF's pages in the file's own order, with their boxes, and what is drawn; read with PDFium (pypdfium2).

Coordinates are points, 72 to the inch, from the top left corner of the page as it is shown, y downwards; text that does
not stand upright has a `Part` of its own, with the page turned. PDFium is not thread-safe: every use holds `LOCK`.
"""

import ctypes
import logging
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple, TypeAlias
from zlib import crc32

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]

from rag.ingest.loaders.cleaning import clean
from rag.ingest.loaders.ocr import OcrLine
from rag.ingest.loaders.pdf_forms import field_values
from rag.ingest.loaders.pdf_grids import Corners, Drawn, Frame, Grid, drawing, find_grids, turned
from rag.ingest.loaders.raised import lowered, raised, settle
from rag.ingest.loaders.source import Source, refuse

LOCK = threading.RLock()
SLANTED = -1
BOXED = 1 << 6
_ASKEW = 15.0  # Degrees: text may run so much askew and still count as level or upright.
_IMPOSSIBLE = 0.1  # from this share of characters that stand for nothing a page cannot be read: no Unicode map
_RULE_TEXT = re.compile(r"[_=]{3,}|[-–—.·•*]{6,}")
_SAID = re.compile(r"PDFium: [^().]*[^().\s]")
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx")
_LEANING = re.compile(r"italic|oblique|cmti")
_FAMILY = re.compile(r"[-,].*|(?:ps)?mt$|bold|italic|oblique|regular")  # what is not the name of a font's family
_SMALLER = 0.85  # share of the height of the letters around it that a raised or lowered letter has at most
_SHIFT = 0.1  # by how much of that height its base line lies above or below theirs, or more
_COLOURS = tuple(ctypes.c_uint() for _ in range(4))  # filled anew for each word, by the thread that holds `LOCK`
_INTO = tuple(map(ctypes.pointer, _COLOURS))
_DESCENT = 0.2  # how far above the lower edge of a letter's box its base line lies, as a share of the height
_ABOVE = re.compile(r"[+−–-]?\d{1,4}(?:[.,]\d{1,4})*|\d?[+−–-]")
_BELOW = re.compile(r"\d{1,4}")
_A_NOTE = re.compile(r"[^\W\d_]{2}")
"""What follows the mark of a note; a word that begins with a raised figure may else be the power of the word before."""


class Word(NamedTuple):
    """A word, its box on the upright page, the height, face and colour of its letters, its direction, its box as shown.

    `turn` is clockwise in degrees: text at 90 runs down the page. `order` counts the words of the page in the file.
    `ink` stands for colour and typeface together: the same number for colours that are nearly the same; `BOXED` is
    added to it in a frame.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    italic: bool = False
    turn: int = 0
    order: int = 0
    shown: Corners = (0, 0, 0, 0)
    ink: int = 0


_Found: TypeAlias = tuple[Word, int]  # and whether its letters follow each other as its angle says: 1, -1, 0: unknown
_Letter: TypeAlias = tuple[int, str, Corners]  # The index of a character, itself, its box in PDF coordinates


@dataclass(frozen=True, slots=True)
class Part:
    """The text of a page in one direction, turned upright: words in the file's order, and what is drawn there."""

    height: float
    words: tuple[Word, ...]
    drawn: Drawn
    grids: tuple[Grid, ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """What is read of a page: upright text first; `label` is the number that the file prints for it, if it says so.

    `recognised` are the lines that were read on its picture, where it has no text of its own that can be read.
    """

    number: int
    parts: tuple[Part, ...]
    has_picture: bool = True
    is_empty: bool = False
    slanted: int = 0
    is_unreadable: bool = False
    label: str | None = None
    recognised: Sequence[OcrLine] = ()

    @property
    def letters(self) -> int:
        """Number of characters of all words, whatever their direction."""
        return sum(len(word.text) for part in self.parts for word in part.words)


@contextmanager
def open_pdf(source: Source) -> Iterator[pdfium.PdfDocument]:
    """Open a PDF, alone among all threads, and close it again.

    Raises:
        InvalidDocument: It is encrypted or broken.
    """
    logging.getLogger("pypdfium2").setLevel(logging.ERROR)  # It warns that it draws no XFA forms.
    with LOCK:
        try:
            document = pdfium.PdfDocument(source.data)
        except pdfium.PdfiumError as error:
            if re.search("assword|ecurity", str(error)):
                advice = "Save a copy without a password and ingest that"
                raise refuse(source.name, "it is encrypted with a password", advice) from error
            said = match[0] if (match := _SAID.search(str(error))) else str(error).rstrip(" .")
            advice = "Open it in a PDF reader and save or export it again"
            raise refuse(source.name, f"it is a broken PDF ({said})", advice) from error
        with document:
            if document.get_formtype() != raw.FORMTYPE_NONE:
                with suppress(pdfium.PdfiumError):  # A form that cannot be read has a page's text all the same.
                    document.init_forms()
            yield document


def read_page(document: pdfium.PdfDocument, number: int) -> Page:
    """Return a page by its number from 1; the caller holds `LOCK`."""
    with closing(document[number - 1]) as page:
        frame = Frame(page)
        with closing(page.get_textpage()) as text:
            found, share = _words(text, frame)
        votes: Counter[int] = Counter()
        for word, bears_out in found:
            votes[word.turn] += bears_out
        # A direction that letters do not bear out is none, as of fonts that are mirrored twice.
        words = [word if votes[word.turn] > 0 else word._replace(turn=0) for word, _ in found]
        for word in _typed(document, page, frame):
            words.insert(_place(word, words), word)
        drawn, kinds = drawing(page, frame)
    label = clean(document.get_page_label(number - 1)).strip() or None
    return Page(
        number,
        _parts(frame, words, drawn),
        has_picture=not kinds.isdisjoint((raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)),
        is_empty=kinds <= {raw.FPDF_PAGEOBJ_TEXT},
        slanted=sum(word.turn == SLANTED for word in words),
        is_unreadable=share > _IMPOSSIBLE,
        label=label,
    )


def _parts(frame: Frame, words: Sequence[Word], drawn: Drawn) -> tuple[Part, ...]:
    letters: Counter[int] = Counter()
    for word in words:
        letters[word.turn] += len(word.text)
    letters.pop(SLANTED, None)
    width, height = frame.size
    found = []
    for turn in sorted(letters, key=lambda turn: (turn != 0, -letters[turn])) or [0]:
        chosen = []
        for at, word in enumerate(words):
            if word.turn == turn:
                x0, y0, x1, y1 = turned(word[1:5], turn, width, height)
                size = y1 - y0 if turn else word.size
                chosen.append(word._replace(x0=x0, y0=y0, x1=x1, y1=y1, size=size, order=at, shown=word[1:5]))
        here = drawn.turned(turn, width, height)
        grids = find_grids(here.strokes)
        found.append(Part(width if turn in (90, 270) else height, tuple(chosen), here, grids, turn))
    return tuple(found)


def _typed(document: pdfium.PdfDocument, page: pdfium.PdfPage, frame: Frame) -> Iterator[Word]:
    """Yield the words that were typed into the fields of a form; they are turned with the page."""
    for text, corners in field_values(document, page):
        box = frame.box(*corners)
        size = box[2] - box[0] if frame.rotation in (90, 270) else box[3] - box[1]
        yield Word(text, *box, size, turn=frame.rotation)


def _place(typed: Word, words: Sequence[Word]) -> int:
    """Return where a word that was typed into a form belongs among the others: after the one left of it, or before."""
    level = [at for at, word in enumerate(words) if word.y0 < (typed.y0 + typed.y1) / 2 < word.y1]
    left = [at for at in level if words[at].x0 <= typed.x0]
    if left:
        return max(left, key=lambda at: words[at].x0) + 1
    return min(level, key=lambda at: words[at].x0, default=len(words))


def _words(text: pdfium.PdfTextPage, frame: Frame) -> tuple[list[_Found], float]:
    """Return the words, runs of characters without white space on one line, and the share of impossible characters."""
    handle, box = text.raw, raw.FS_RECTF()
    found: list[_Found] = []
    letters: list[_Letter] = []
    odd = count = 0

    def end() -> None:
        if letters and (word := _word(handle, letters, frame)):
            found.append(word)
        letters.clear()

    for index, letter in _characters(handle):
        count += letter > " "
        if not " " <= letter <= "~":
            odd += _is_impossible(letter)
            letter = "-" if letter in "\x02\ufffe" else letter  # How PDFium reports a hyphen at the end of a line.
        if letter.isspace() or letter == "\0":
            end()
            continue
        raw.FPDFText_GetLooseCharBox(handle, index, box)
        here = (box.left, box.bottom, box.right, box.top)
        if letters and _is_apart(letters[0][2], letters[-1][2], here):
            end()
        letters.append((index, letter, here))
    end()
    return found, odd / max(count + odd, 1)


def _characters(text: object) -> Iterator[tuple[int, str]]:
    """Yield the characters of a text page, each with its index, or that of the second half of a surrogate pair."""
    high = 0
    for index in range(raw.FPDFText_CountChars(text)):
        code = raw.FPDFText_GetUnicode(text, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if high and 0xDC00 <= code < 0xE000:
            code, high = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00, 0
        yield index, chr(code)


def _is_impossible(letter: str) -> bool:
    """Whether a character stands for nothing; bullets of symbol fonts are known in spite of their private numbers."""
    match unicodedata.category(letter):
        case "Cc":
            return letter not in "\t\n\r\x02"
        case "Co" | "Cn":
            return letter != "\ufffe" and clean(letter) != "•"
    return letter == "\ufffd"


def _is_apart(begin: Corners, last: Corners, letter: Corners) -> bool:
    """Whether a letter stands so far from the word before it that it cannot belong to it."""
    if last[1] == letter[1] and -1 < letter[0] - last[2] < 1:  # most stand plainly beside the last
        return False
    height = max(last[3] - last[1], letter[3] - letter[1], 1.0)
    across = max(letter[0] - max(last[2], begin[2]), min(last[0], begin[0]) - letter[2])
    down = max(letter[1] - max(last[3], begin[3]), min(last[1], begin[1]) - letter[3])
    return across > 0.8 * height or down > 0.2 * height


def _word(handle: object, letters: Sequence[_Letter], frame: Frame) -> _Found | None:
    indexes, signs, boxes = zip(*letters, strict=True)
    text = clean(_text(signs, boxes)).strip()
    if not text or _RULE_TEXT.fullmatch(text):
        return None
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    x0, y0, x1, y1 = frame.box(min(lefts), min(bottoms), max(rights), max(tops))
    angle = math.degrees(raw.FPDFText_GetCharAngle(handle, indexes[0])) + frame.rotation
    turn, bears_out = _direction(angle, frame.box(*boxes[0]), frame.box(*boxes[-1]))
    size = min(y1 - y0, x1 - x0) if frame.rotation and len(text) == 1 else y1 - y0
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, indexes[0], name, 128, flags)
    bold, italic, family = _face(name.value, flags.value)
    ink = family << 7 | _ink(handle, indexes[0])
    return Word(text, x0, y0, x1, y1, size, bold, italic, turn, ink=ink), bears_out


def _ink(handle: object, index: int) -> int:
    """Return the colour in which a character is filled; 0 where it cannot be told."""
    if not raw.FPDFText_GetFillColor(handle, index, *_INTO):
        return 0
    red, green, blue, _ = _COLOURS
    return red.value // 64 * 16 + green.value // 64 * 4 + blue.value // 64


def _text(letters: Sequence[str], boxes: Sequence[Corners]) -> str:
    """Return the text of a word; figures above or below its line are written by the rule for all formats."""
    text = "".join(letters)
    heights = [top - bottom for _, bottom, _, top in boxes]
    if min(heights) >= _SMALLER * max(heights) or any(b[0] < a[0] for a, b in pairwise(boxes)):
        return text
    plain = [index for index, letter in enumerate(letters) if letter.isascii() and letter.isalnum()]
    if not plain:
        return text
    base = boxes[max(plain, key=heights.__getitem__)]
    marked: list[str] = []
    for place, group in groupby(range(len(letters)), key=lambda index: _level(boxes[index], base)):
        part = "".join(letters[index] for index in group)
        is_power = place > 0 and _ABOVE.fullmatch(part) and (marked or _A_NOTE.match(text, len(part)))
        is_below = place < 0 and _BELOW.fullmatch(part)
        marked.append(raised(part) if is_power else lowered(part) if is_below else part)
    return settle("".join(marked))


def _level(box: Corners, base: Corners) -> int:
    """Return 1 for a smaller letter above the line of another, -1 for one below it, 0 for one on it."""
    height, whole = box[3] - box[1], base[3] - base[1]
    shift = box[1] + _DESCENT * height - base[1] - _DESCENT * whole
    if height >= _SMALLER * whole or abs(shift) <= _SHIFT * whole:
        return 0
    return 1 if shift > 0 else -1


def _direction(angle: float, begin: Corners, last: Corners) -> tuple[int, int]:
    """Return a word's direction on the page as shown, and whether its letters follow each other so: 1, -1 or 0."""
    turn = round(angle / 90) * 90
    is_slanted = _between(angle, turn) > _ASKEW
    if begin == last:
        return SLANTED if is_slanted else turn % 360, 0
    course = math.degrees(math.atan2(last[1] + last[3] - begin[1] - begin[3], last[0] + last[2] - begin[0] - begin[2]))
    if is_slanted and _between(course, turn) > _ASKEW:
        return SLANTED, 1 if _between(course, angle) <= _ASKEW else -1
    return turn % 360, 1 if _between(course, turn) < 45 else -1


def _between(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


@lru_cache(maxsize=512)
def _face(name: bytes, flags: int) -> tuple[bool, bool, int]:
    """Return whether a font is bold, whether it is italic, and a number for its family, by its name and flags."""
    text = name.decode("utf-8", "replace").casefold()
    family = _FAMILY.sub("", text.partition("+")[2] or text)
    is_bold, is_italic = bool(_BOLD.search(text) or flags & 1 << 18), bool(_LEANING.search(text) or flags & 1 << 6)
    return is_bold, is_italic, crc32(family.encode()) & 0xFFFF
