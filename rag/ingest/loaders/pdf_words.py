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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rag.ingest.loaders.cleaning import clean
from rag.ingest.loaders.pdf_forms import field_values
from rag.ingest.loaders.pdf_grids import Corners, Grid, find_grids
from rag.ingest.loaders.raised import word_text
from rag.ingest.loaders.source import Source, refuse

if TYPE_CHECKING:
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

LOCK = threading.RLock()
SLANTED = -1
_ASKEW = 15.0  # Degrees: text may run so much askew and still count as level or upright.
_THIN = 2.5
_MOST_SEGMENTS = 2000  # lines of one path that are read; a path with more is a drawing
_IMPOSSIBLE = 0.1
"""Share of characters that stand for nothing, from which on a page cannot be read: its fonts have no Unicode map."""
_RULE_TEXT = re.compile(r"[_=]{3,}|[-–—.·•*]{6,}")
_SAID = re.compile(r"PDFium: [^().]*[^().\s]")
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx")
_LEANING = re.compile(r"italic|oblique|cmti")


class Word(NamedTuple):
    """A word, its box on the upright page, the height and face of its font, its direction and its box as shown.

    `turn` is clockwise in degrees: text at 90 runs down the page. `order` counts the words of the page in the file.
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


_Found: TypeAlias = tuple[Word, int]
"""A word as it was read, and whether its letters follow each other as its angle says: 1, -1, or 0 for unknown."""


@dataclass(frozen=True, slots=True)
class Part:
    """The text of a page in one direction, turned upright: words in the file's order, and the lines drawn there."""

    width: float
    height: float
    words: tuple[Word, ...]
    strokes: tuple[Corners, ...] = ()
    grids: tuple[Grid, ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """What is read of a page: upright text first; `label` is the number that the file prints for it, if it says so."""

    number: int
    parts: tuple[Part, ...]
    has_picture: bool = False
    is_empty: bool = True
    slanted: int = 0
    is_unreadable: bool = False
    is_recognised: bool = False
    label: str | None = None

    @property
    def letters(self) -> int:
        """Number of characters of all words, whatever their direction."""
        return sum(len(word.text) for part in self.parts for word in part.words)


@contextmanager
def open_pdf(source: Source) -> "Iterator[pdfium.PdfDocument]":
    """Open a PDF, alone among all threads, and close it again.

    Raises:
        InvalidDocument: It is encrypted or broken.
    """
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw  # type: ignore[import-untyped]

    logging.getLogger("pypdfium2").setLevel(logging.ERROR)  # It warns that it draws no XFA forms.
    with LOCK:
        try:
            document = pdfium.PdfDocument(source.data)
        except pdfium.PdfiumError as error:
            raise _refusal(source.name, str(error)) from error
        try:
            if document.get_formtype() != raw.FORMTYPE_NONE:
                with suppress(pdfium.PdfiumError):  # A form that cannot be read has a page's text all the same.
                    document.init_forms()
            yield document
        finally:
            document.close()


def _refusal(name: str, reason: str) -> Exception:
    if "assword" in reason or "ecurity" in reason:
        return refuse(name, "it is encrypted with a password", "Save a copy without a password and ingest that")
    said = _SAID.search(reason)
    told = said[0] if said else reason.rstrip(" .")
    return refuse(name, f"it is a broken PDF ({told})", "Open it in a PDF reader and save or export it again")


def read_page(document: "pdfium.PdfDocument", number: int) -> Page:
    """Return a page by its number from 1; the caller holds `LOCK`."""
    page = document[number - 1]
    try:
        frame, text = _Frame.of(page), page.get_textpage()
        try:
            found, share = _words(text, frame)
        finally:
            text.close()
        words = list(_settled(found))
        for word in _typed(document, page, frame):
            words.insert(_place(word, words), word)
        strokes, has_picture, is_empty = _drawing(page, frame)
    finally:
        page.close()
    label = clean(document.get_page_label(number - 1)).strip() or None
    parts, slanted = _parts(frame, words, strokes), sum(word.turn == SLANTED for word in words)
    return Page(number, parts, has_picture, is_empty, slanted, share > _IMPOSSIBLE, label=label)


def _parts(frame: "_Frame", words: Sequence[Word], strokes: Sequence[Corners]) -> tuple[Part, ...]:
    """Return the text in each direction, upright text first, then by the number of letters, without slanted text."""
    letters: Counter[int] = Counter()
    for word in words:
        letters[word.turn] += len(word.text)
    letters.pop(SLANTED, None)
    width, height = frame.size
    found = []
    for turn in sorted(letters, key=lambda turn: (turn != 0, -letters[turn])) or [0]:
        chosen = tuple(_upright(word, width, height, at) for at, word in enumerate(words) if word.turn == turn)
        drawn = tuple(_turned(stroke, turn, width, height) for stroke in strokes) if turn else tuple(strokes)
        size = (height, width) if turn in (90, 270) else (width, height)
        found.append(Part(*size, chosen, drawn, tuple(find_grids(drawn)), turn))
    return tuple(found)


def _upright(word: Word, width: float, height: float, order: int) -> Word:
    if not word.turn:
        return word._replace(order=order, shown=word[1:5])
    x0, y0, x1, y1 = _turned(word[1:5], word.turn, width, height)
    return word._replace(x0=x0, y0=y0, x1=x1, y1=y1, size=y1 - y0, order=order, shown=word[1:5])


def _turned(box: Corners, turn: int, width: float, height: float) -> Corners:
    """Return a box after the page was turned back by `turn`, so that text of that direction is upright."""
    x0, y0, x1, y1 = box
    if turn == 90:
        return y0, width - x1, y1, width - x0
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    return (height - y1, x0, height - y0, x1) if turn == 270 else box


def _typed(document: "pdfium.PdfDocument", page: "pdfium.PdfPage", frame: "_Frame") -> Iterator[Word]:
    """Yield the words that were typed into the fields of a form; they are turned with the page."""
    turn = frame.rotation % 360
    for text, corners in field_values(document, page):
        box = frame.box(*corners)
        yield Word(text, *box, box[2] - box[0] if turn in (90, 270) else box[3] - box[1], turn=turn)


def _place(typed: Word, words: Sequence[Word]) -> int:
    """Return where a word that was typed into a form belongs among the others: after the one left of it, or before."""
    level = [at for at, word in enumerate(words) if word.y0 < (typed.y0 + typed.y1) / 2 < word.y1]
    left = [at for at in level if words[at].x0 <= typed.x0]
    if left:
        return max(left, key=lambda at: words[at].x0) + 1
    return min(level, key=lambda at: words[at].x0, default=len(words))


@dataclass(frozen=True, slots=True)
class _Frame:
    """The visible box of a page and its rotation: turns PDF coordinates into those of the page as shown."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @classmethod
    def of(cls, page: "pdfium.PdfPage") -> "_Frame":
        left, bottom, right, top = page.get_bbox()
        return cls(left, bottom, right, top, page.get_rotation())

    @property
    def size(self) -> tuple[float, float]:
        across, down = self.right - self.left, self.top - self.bottom
        return (down, across) if self.rotation in (90, 270) else (across, down)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Corners:
        flat = (x0 - self.left, self.top - y1, x1 - self.left, self.top - y0)
        if not self.rotation:
            return flat
        return _turned(flat, (360 - self.rotation) % 360, self.right - self.left, self.top - self.bottom)


def _words(text: "pdfium.PdfTextPage", frame: _Frame) -> tuple[list[_Found], float]:
    """Return the words, runs of characters without white space on one line, and the share of impossible characters."""
    import pypdfium2.raw as raw

    handle, box = text.raw, raw.FS_RECTF()
    pointer, unicode, loose_box = ctypes.byref(box), raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    found: list[_Found] = []
    letters: list[str] = []
    boxes: list[Corners] = []
    first = high = odd = count = 0
    here = (0.0, 0.0, 0.0, 0.0)

    def end() -> None:
        if letters and (word := _word(handle, first, letters, boxes, frame)):
            found.append(word)
        letters.clear()
        boxes.clear()

    for index in range(raw.FPDFText_CountChars(handle)):
        code = unicode(handle, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if high and 0xDC00 <= code < 0xE000:
            code, high = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00, 0
        letter = chr(code)
        count += code > 32
        if code < 32 or code > 126:
            odd += _is_impossible(letter)
            letter = "-" if letter in "\x02\ufffe" else letter  # How PDFium reports a hyphen at the end of a line.
        if letter.isspace() or code == 0:
            end()
            continue
        loose_box(handle, index, pointer)
        here = (box.left, box.bottom, box.right, box.top)
        if letters and not _follows(boxes[-1], here) and _is_apart(boxes, here):
            end()
        if not letters:
            first = index
        letters.append(letter)
        boxes.append(here)
    end()
    return found, odd / max(count + odd, 1)


def _is_impossible(letter: str) -> bool:
    """Whether a character stands for nothing; bullets of symbol fonts are known in spite of their private numbers."""
    kind = unicodedata.category(letter)
    return (
        (kind == "Cc" and letter not in "\t\n\r\x02")
        or letter == "\ufffd"
        or (kind in "CoCn" and letter != "\ufffe" and clean(letter) != "•")
    )


def _follows(last: Corners, letter: Corners) -> bool:
    """Whether a letter plainly stands right beside the last one: most do, and need no closer look."""
    return last[1] == letter[1] and -1 < letter[0] - last[2] < 1


def _is_apart(boxes: Sequence[Corners], letter: Corners) -> bool:
    """Whether a letter stands so far from the word before it that it cannot belong to it."""
    last, begin = boxes[-1], boxes[0]
    height = max(last[3] - last[1], letter[3] - letter[1], 1.0)
    sideways = letter[0] - max(last[2], begin[2]) > 0.8 * height or min(last[0], begin[0]) - letter[2] > 0.8 * height
    return (
        sideways
        or letter[1] - max(last[3], begin[3]) > 0.2 * height
        or min(last[1], begin[1]) - letter[3] > 0.2 * height
    )


def _word(handle: object, first: int, letters: list[str], boxes: list[Corners], frame: _Frame) -> _Found | None:
    """Return the word that begins with character `first`; None for rules made of signs."""
    import pypdfium2.raw as raw

    text = clean(word_text(letters, boxes)).strip()
    if not text or _RULE_TEXT.fullmatch(text):
        return None
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    x0, y0, x1, y1 = frame.box(min(lefts), min(bottoms), max(rights), max(tops))
    angle = math.degrees(raw.FPDFText_GetCharAngle(handle, first)) + frame.rotation
    turn, bears_out = _direction(angle, frame.box(*boxes[0]), frame.box(*boxes[-1]))
    size = min(y1 - y0, x1 - x0) if frame.rotation and len(text) == 1 else y1 - y0
    return Word(text, x0, y0, x1, y1, size, *_face(handle, first), turn), bears_out


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


def _settled(found: Sequence[_Found]) -> Iterator[Word]:
    """Yield the words; a direction that letters do not bear out is none, as of fonts that are mirrored twice."""
    votes: Counter[int] = Counter()
    for word, bears_out in found:
        votes[word.turn] += bears_out
    yield from (word if votes[word.turn] > 0 else word._replace(turn=0) for word, _ in found)


def _face(handle: object, index: int) -> tuple[bool, bool]:
    """Return whether a character's font is bold, and whether it is italic, by its name and flags."""
    import pypdfium2.raw as raw

    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, index, buffer, 128, ctypes.byref(flags))
    return _face_of(buffer.value, flags.value)


@lru_cache(maxsize=512)
def _face_of(name: bytes, flags: int) -> tuple[bool, bool]:
    text = name.decode("utf-8", "replace").casefold()
    return bool(_BOLD.search(text) or flags & 1 << 18), bool(_LEANING.search(text) or flags & 1 << 6)


def _drawing(page: "pdfium.PdfPage", frame: _Frame) -> tuple[list[Corners], bool, bool]:
    """Return the straight lines on a page, whether there are pictures, and whether nothing is drawn but text."""
    import pypdfium2.raw as raw

    strokes: list[Corners] = []
    has_picture, is_empty = False, True
    edges = [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(edge) for edge in edges]
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        item = raw.FPDFPage_GetObject(page.raw, index)
        kind = raw.FPDFPageObj_GetType(item)
        has_picture = has_picture or kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
        is_empty = is_empty and kind == raw.FPDF_PAGEOBJ_TEXT
        if kind == raw.FPDF_PAGEOBJ_PATH and raw.FPDFPageObj_GetBounds(item, *pointers):
            box = frame.box(*(edge.value for edge in edges))
            is_thin = min(box[2] - box[0], box[3] - box[1]) <= _THIN
            strokes.extend([box] if is_thin else _sides(item, frame))
    return strokes, has_picture, is_empty


def _sides(path: object, frame: _Frame) -> Iterator[Corners]:
    """Yield the straight lines of a path that is drawn with a pen, as a box around a cell or a whole grid is."""
    import pypdfium2.raw as raw

    fill, stroke, matrix = ctypes.c_int(), ctypes.c_int(), raw.FS_MATRIX()
    raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    count = raw.FPDFPath_CountSegments(path)
    if not stroke.value or count > _MOST_SEGMENTS or not raw.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix)):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    first = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        here = (matrix.a * x.value + matrix.c * y.value + matrix.e, matrix.b * x.value + matrix.d * y.value + matrix.f)
        first = here if kind == raw.FPDF_SEGMENT_MOVETO else first
        ends = [(last, here)] if kind == raw.FPDF_SEGMENT_LINETO else []
        ends += [(here, first)] if raw.FPDFPathSegment_GetClose(segment) else []
        yield from (frame.box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in ends)
        last = here
