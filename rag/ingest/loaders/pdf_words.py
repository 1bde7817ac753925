"""Words of a PDF with their boxes, read with PDFium (through pypdfium2).

Coordinates are points, 72 to the inch, from the top left corner of the page as it is shown, y downwards.
PDFium is not thread-safe: every use of it holds `LOCK`.
"""

import ctypes
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rag.ingest.loaders.cleaning import clean
from rag.ingest.loaders.pdf_forms import field_words
from rag.ingest.loaders.pdf_grids import Stroke
from rag.ingest.loaders.pdf_page import SLANTED, Corners, Drawing, Page, Word, make_page
from rag.ingest.loaders.pdf_raised import word_text
from rag.ingest.loaders.source import Source, refuse

if TYPE_CHECKING:
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

LOCK = threading.RLock()
_FORCE_BOLD = 1 << 18
_ITALIC = 1 << 6
_ASKEW = 15.0
"""Degrees: text may run so much askew and still count as level or upright."""
_RULE_TEXT = re.compile(r"[_=]{3,}|[-–—.·•*]{6,}")
_SAID = re.compile(r"PDFium: [^().]*[^().\s]")
"""What PDFium itself says of a file, within the sentence that pypdfium2 makes of it."""
_HYPHENS = {"\x02": "-", "\ufffe": "-"}  # How PDFium reports a hyphen at the end of a line.


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a PDF's outline."""

    level: int
    title: str
    page: int | None


@contextmanager
def open_pdf(source: Source) -> "Iterator[pdfium.PdfDocument]":
    """Open a PDF, alone among all threads, and close it again.

    Raises:
        InvalidDocument: It is encrypted or broken.
    """
    import pypdfium2 as pdfium

    with LOCK:
        try:
            document = pdfium.PdfDocument(source.data)
        except pdfium.PdfiumError as error:
            raise _refusal(source.name, str(error)) from error
        try:
            if document.get_formtype():
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


def read_bookmarks(document: "pdfium.PdfDocument") -> list[Bookmark]:
    """Return the outline in order; levels count from 1."""
    found = []
    for entry in document.get_toc():
        target = entry.get_dest()
        index = target.get_index() if target is not None else None
        found.append(Bookmark(entry.level + 1, clean(entry.get_title()).strip(), None if index is None else index + 1))
    return found


def read_page(document: "pdfium.PdfDocument", number: int) -> Page:
    """Return a page: its words, what is drawn, text that is not upright apart from the rest.

    Args:
        document: The open document; the caller holds `LOCK`.
        number: Page number from 1.
    """
    page = document[number - 1]
    try:
        frame = _Frame.of(page)
        text = page.get_textpage()
        try:
            words = _settled(list(_words(text, frame))) + _typed(document, page, frame)
        finally:
            text.close()
        return make_page(number, frame.shown_width, frame.shown_height, words, _drawing(page, frame))
    finally:
        page.close()


def _typed(document: "pdfium.PdfDocument", page: "pdfium.PdfPage", frame: "_Frame") -> tuple[Word, ...]:
    """Return the words that were typed into the fields of a form; they are turned with the page."""
    boxes = [(word.text, frame.box(*word.box)) for word in field_words(document, page)]
    turn = frame.rotation % 360
    return tuple(
        Word(text, *box, box[2] - box[0] if turn in (90, 270) else box[3] - box[1], turn=turn) for text, box in boxes
    )


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
    def shown_width(self) -> float:
        return self.top - self.bottom if self.rotation in (90, 270) else self.right - self.left

    @property
    def shown_height(self) -> float:
        return self.right - self.left if self.rotation in (90, 270) else self.top - self.bottom

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Corners:
        """Return left, top, right and bottom of a box given by its corners in PDF coordinates."""
        if self.rotation == 90:
            return y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left
        if self.rotation == 180:
            return self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom
        if self.rotation == 270:
            return self.top - y1, self.right - x1, self.top - y0, self.right - x0
        return x0 - self.left, self.top - y1, x1 - self.left, self.top - y0


class _Found(NamedTuple):
    """A word as it was read, and whether its letters follow each other as its angle says; 0 where none tell."""

    word: Word
    bears_out: int


def _words(text: "pdfium.PdfTextPage", frame: _Frame) -> Iterator[_Found]:
    """Yield the words: runs of characters without white space on one line."""
    import pypdfium2.raw as raw  # type: ignore[import-untyped]

    handle = text.raw
    box = raw.FS_RECTF()
    pointer = ctypes.byref(box)
    unicode, loose_box = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    letters: list[str] = []
    boxes: list[Corners] = []
    first, edges = 0, (0.0, 0.0, 0.0, 0.0)
    begin = last = edges
    high = ""
    for index in range(raw.FPDFText_CountChars(handle)):
        letter = chr(unicode(handle, index))
        if letter.isspace() or letter == "\x00":
            if letters:
                yield from _word(word_text(letters, boxes), edges, frame, _look(handle, first, begin, last, frame))
                letters, boxes = [], []
            continue
        if "\ud800" <= letter <= "\udbff":
            high = letter
            continue
        if high:
            letter, high = (high + letter).encode("utf-16", "surrogatepass").decode("utf-16", "replace"), ""
        loose_box(handle, index, pointer)
        here = (box.left, box.bottom, box.right, box.top)
        if letters and _is_apart(edges, here):
            yield from _word(word_text(letters, boxes), edges, frame, _look(handle, first, begin, last, frame))
            letters, boxes = [], []
        if letters:
            edges = (min(edges[0], here[0]), min(edges[1], here[1]), max(edges[2], here[2]), max(edges[3], here[3]))
        else:
            first, edges, begin = index, here, here
        last = here
        letters.append(_HYPHENS.get(letter, letter))
        boxes.append(here)
    if letters:
        yield from _word(word_text(letters, boxes), edges, frame, _look(handle, first, begin, last, frame))


def _is_apart(word: Corners, letter: Corners) -> bool:
    """Whether a letter stands so far from the word before it that it cannot belong to it."""
    height = max(word[3] - word[1], letter[3] - letter[1], 1.0)
    sideways = letter[0] - word[2] > 0.8 * height or word[0] - letter[2] > 0.8 * height
    updown = letter[1] - word[3] > 0.2 * height or word[1] - letter[3] > 0.2 * height
    return sideways or updown


class _Look(NamedTuple):
    """A word's face, its direction on the page as shown, and whether its letters bear that out: 1, -1, or 0."""

    bold: bool
    italic: bool
    turn: int
    bears_out: int


def _look(handle: object, first: int, begin: Corners, last: Corners, frame: _Frame) -> _Look:
    """Return how the word that begins with character `first` looks.

    Args:
        handle: PDFium's page of text.
        first: Index of its first character.
        begin: Box of its first character, in PDF coordinates.
        last: Box of its last character.
        frame: The page.
    """
    import pypdfium2.raw as raw

    angle = math.degrees(raw.FPDFText_GetCharAngle(handle, first)) + frame.rotation
    return _Look(*_face(handle, first), *_direction(angle, frame.box(*begin), frame.box(*last)))


def _direction(angle: float, begin: Corners, last: Corners) -> tuple[int, int]:
    """Return a word's direction on the page as shown, and whether its letters follow each other that way: 1, -1 or 0.

    Args:
        angle: By how much its first letter is turned, clockwise in degrees; letters that lean have one too.
        begin: Box of its first letter, on the page as shown.
        last: Box of its last letter; of a word of one letter nothing tells.
    """
    turn = round(angle / 90) * 90
    is_slanted = _between(angle, turn) > _ASKEW
    if begin == last:
        return SLANTED if is_slanted else turn % 360, 0
    course = math.degrees(math.atan2(last[1] + last[3] - begin[1] - begin[3], last[0] + last[2] - begin[0] - begin[2]))
    if is_slanted and _between(course, turn) > _ASKEW:
        return SLANTED, 1 if _between(course, angle) <= _ASKEW else -1
    return turn % 360, 1 if _between(course, turn) < 45 else -1


def _between(one: float, other: float) -> float:
    """Return the angle between two directions, 0 to 180 degrees."""
    return abs((one - other + 180) % 360 - 180)


def _settled(found: Sequence[_Found]) -> tuple[Word, ...]:
    """Return the words; a direction that letters do not bear out is none, as of fonts that are mirrored twice."""
    votes: Counter[int] = Counter()
    for each in found:
        votes[each.word.turn] += each.bears_out
    turns = {turn: turn if count > 0 else 0 for turn, count in votes.items()}
    words = (each.word for each in found)
    return tuple(word._replace(turn=turns[word.turn]) if word.turn else word for word in words)


def _word(letters: str, edges: Corners, frame: _Frame, look: _Look) -> Iterator[_Found]:
    text = clean(letters).strip()
    if text and not _RULE_TEXT.fullmatch(text):
        x0, y0, x1, y1 = frame.box(*edges)
        size = min(y1 - y0, x1 - x0) if frame.rotation and len(text) == 1 else y1 - y0
        yield _Found(Word(text, x0, y0, x1, y1, size, look.bold, look.italic, look.turn), look.bears_out)


_FACE_BUFFER = 128


def _face(handle: object, index: int) -> tuple[bool, bool]:
    """Return whether a character's font is bold, and whether it is italic, by its name and flags."""
    import pypdfium2.raw as raw

    buffer = ctypes.create_string_buffer(_FACE_BUFFER)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, index, buffer, _FACE_BUFFER, ctypes.byref(flags))
    name = buffer.value.decode("utf-8", "replace").casefold()
    bold = any(mark in name for mark in ("bold", "black", "heavy", "demi", "cmbx")) or bool(flags.value & _FORCE_BOLD)
    italic = any(mark in name for mark in ("italic", "oblique", "cmti")) or bool(flags.value & _ITALIC)
    return bold, italic


def _drawing(page: "pdfium.PdfPage", frame: _Frame) -> Drawing:
    """Return what is drawn on a page besides its text."""
    import pypdfium2.raw as raw

    thin: list[Stroke] = []
    sides: list[Stroke] = []
    has_picture, is_empty = False, True
    edges = [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(edge) for edge in edges]
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        item = raw.FPDFPage_GetObject(page.raw, index)
        kind = raw.FPDFPageObj_GetType(item)
        has_picture = has_picture or kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
        is_empty = is_empty and kind == raw.FPDF_PAGEOBJ_TEXT
        if kind == raw.FPDF_PAGEOBJ_PATH and raw.FPDFPageObj_GetBounds(item, *pointers):
            line = Stroke(*frame.box(*(edge.value for edge in edges)))
            if min(line.x1 - line.x0, line.y1 - line.y0) <= _THIN:
                thin.append(line)
            else:
                sides.extend(_sides(item, frame))
    return Drawing(tuple(thin), tuple(sides), has_picture, is_empty)


_THIN = 2.5
_MOST_SEGMENTS = 2000
"""Lines of one path that are read; a path with more is a drawing."""


def _sides(path: object, frame: _Frame) -> Iterator[Stroke]:
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
        if kind == raw.FPDF_SEGMENT_MOVETO:
            first = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield _stroke(last, here, frame)
        if raw.FPDFPathSegment_GetClose(segment):
            yield _stroke(here, first, frame)
        last = here


def _stroke(a: tuple[float, float], b: tuple[float, float], frame: _Frame) -> Stroke:
    return Stroke(*frame.box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
