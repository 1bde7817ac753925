"""Text on pictures of pages, found and read by the packaged engine: upright, straight, its lines in reading order."""

import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import radians, tan
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageOps, ImageSequence

from rag.errors import ConfigurationError
from rag.ingest.loaders.blocks import grouped
from rag.ingest.loaders.source import Source, page_begun, refuse

_SURE = 0.85  # mean confidence from which on a picture is taken for upright; below it the other three ways are tried
_LEGIBLE = 0.5  # A line that is read less surely is a smudge or a drawing.
_LEAST_SKEW, _MOST_SKEW = 0.15, 5.0  # Degrees: what is less askew stays sharp by staying as it is; more is no scan.
_PAPER = (255, 255, 255)
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_MOST_PIXELS = 120_000_000  # larger pictures are refused; A3 at 600 dpi has 70 million
_LONGEST = 4_000  # pixels; a picture with a longer side is made smaller
_GUTTER = 0.1  # of the height of a line: the least space between columns
_GOES_ON = 0.3  # in a column of running text this share of the lines begins in mid sentence; cells of a table seldom do


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text that was read on a picture; lines beside each other on the straightened page share a height."""

    text: str
    box: tuple[float, float, float, float]  # left, top, right, bottom in pixels
    confidence: float

    @property
    def height(self) -> float:
        """How high it is, in pixels."""
        return self.box[3] - self.box[1]

    @property
    def middle(self) -> float:
        """Where its middle lies, in pixels from the top."""
        return (self.box[1] + self.box[3]) / 2


Rows: TypeAlias = list[list[OcrLine]]  # lines from top to bottom, those beside each other from left to right


def read_picture(image: Image.Image) -> list[OcrLine]:
    """Return the lines of text on a picture in reading order; none where it shows no text.

    Args:
        image: A page at 150 dpi or more; 200 is plenty.

    Raises:
        ConfigurationError: The engine is not installed.
    """
    picture = _opaque(image)
    lines = _read(picture, turn=0)
    by_area = partial(mean_confidence, weight=lambda one: (one.box[2] - one.box[0]) * (one.box[3] - one.box[1]))
    if lines and by_area(lines) < _SURE:  # of a page on its side most boxes are tall and say little
        lines = max(lines, *(_read(picture, turn) for turn in (90, 180, 270)), key=by_area)
    return in_order([line for line in lines if line.text and line.confidence >= _LEGIBLE])


def page_reader() -> Callable[[Image.Image], list[OcrLine]] | None:
    """Return what reads pages that have no text; None where the engine is not installed."""
    from rag.adapters.ocr_engine import is_installed

    return read_picture if is_installed() else None


def mean_confidence(
    lines: Sequence[OcrLine], weight: Callable[[OcrLine], float] = lambda line: len(line.text)
) -> float:
    """Return how sure the engine is on average, by characters or another weight of a line; 0 without any.

    >>> mean_confidence([OcrLine("abc", (0, 0, 1, 1), 1.0), OcrLine("d", (0, 0, 1, 1), 0.6)])
    0.9
    """
    whole = sum(map(weight, lines))
    return sum(line.confidence * weight(line) for line in lines) / whole if whole else 0.0


def read_note(pages: Mapping[int, Sequence[OcrLine]]) -> str:
    """Return the sentence that says which pages were read from their pictures, and how surely.

    >>> read_note({n: [OcrLine("ab", (0, 0, 1, 1), 0.96)] for n in (2, 5, 6, 7)})
    'Pages 2 and 5-7 were read by OCR (96% sure on average); letters may be wrong.'

    Args:
        pages: The lines of each page, by its number; at least one.
    """
    sure = mean_confidence([line for lines in pages.values() for line in lines])
    *firsts, last = page_ranges(pages)
    listed = f"{', '.join(firsts)} and {last}" if firsts else last
    subject = f"Page {listed} was" if len(pages) == 1 else f"Pages {listed} were"
    return f"{subject} read by OCR ({sure:.0%} sure on average); letters may be wrong."


def page_ranges(numbers: Iterable[int]) -> dict[str, int]:
    """Return how pages are named, those in a row as one, each with how many they are.

    >>> page_ranges([7, 3, 8, 9])
    {'3': 1, '7-9': 3}
    """
    runs = grouped(sorted(numbers), lambda run, number: number == run[-1] + 1)
    return {f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}": len(run) for run in runs}


def _opaque(image: Image.Image) -> Image.Image:
    """Return a picture in colours; what is transparent becomes paper."""
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    layers = image.convert("RGBA")
    paper = Image.new("RGBA", layers.size, (*_PAPER, 255))
    return Image.alpha_composite(paper, layers).convert("RGB")


def _read(picture: Image.Image, turn: int) -> list[OcrLine]:
    """Return all that is found on a picture turned counter-clockwise by so many degrees and straightened."""
    from rag.adapters.ocr_engine import engine

    turned = picture.rotate(turn, expand=True)
    skew = skew_of(turned)
    level = turned.rotate(skew, Image.Resampling.BICUBIC, expand=True, fillcolor=_PAPER) if skew else turned
    pixels = np.asarray(level)[:, :, ::-1]
    boxes = engine().find(pixels)
    read = engine().read([pixels[top:bottom, left:right] for left, top, right, bottom in boxes])
    return [OcrLine(line.text.strip(), box, line.confidence) for box, line in zip(boxes, read, strict=True)]


def skew_of(picture: Image.Image) -> float:
    """Return the degrees by which to turn a picture counter-clockwise so that its lines lie level; 0 for hardly any.

    Of a level page the rows of pixels are dark and light by turns, most sharply of all angles.
    """
    share = max(1, max(picture.size) // 900)
    grey = np.asarray(picture.convert("L").reduce(share), np.float32)
    ink = grey < (np.median(grey) + np.percentile(grey, 0.05)) / 2  # half way from paper to the darkest
    y, x = np.nonzero(ink)
    if not len(y):
        return 0.0

    def sharpness(angle: float) -> float:
        profile = np.bincount((y + x * tan(radians(angle)) + grey.shape[1] / 2).astype(int))
        return float((np.diff(profile.astype(np.float64)) ** 2).sum())

    about = max(np.arange(-_MOST_SKEW, _MOST_SKEW + 0.1, 0.25), key=sharpness)
    exact = float(max(np.arange(about - 0.2, about + 0.21, 0.05), key=sharpness))
    return -exact if abs(exact) >= _LEAST_SKEW else 0.0


def frames_of(source: Source) -> tuple[list[tuple[Sequence[OcrLine], float]], str | None]:
    """Return the lines of each frame of a picture with its height in pixels, and the media type.

    Raises:
        InvalidDocument: It is far too large, or what reads pictures is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is looked at here
        picture = Image.open(io.BytesIO(source.data), formats=_FORMATS)
    return list(_read_frames(source, picture)), picture.get_format_mimetype()


def _read_frames(source: Source, picture: Image.Image) -> Iterator[tuple[Sequence[OcrLine], float]]:
    count = getattr(picture, "n_frames", 1)
    for number, frame in enumerate(ImageSequence.Iterator(picture), 1):
        page_begun(number, count)
        if frame.width * frame.height > _MOST_PIXELS:
            reason = f"it is too large ({frame.width} x {frame.height} pixels)"
            raise refuse(source.name, reason, "Save it smaller; 200 dpi is plenty")
        upright = ImageOps.exif_transpose(frame)
        upright.thumbnail((_LONGEST, _LONGEST))
        try:
            yield read_picture(upright), upright.height
        except ConfigurationError as error:
            raise refuse(source.name, "what reads pictures is not installed", "Install candor-rag[ocr]") from error


def in_order(lines: Sequence[OcrLine]) -> list[OcrLine]:
    """Return lines in reading order: a page is cut where a gutter begins and ends, then along it; a table is not."""
    found: list[OcrLine] = []
    for band in grouped(_rows(lines), lambda band, row: len(_columns([*band, row])) > 1):  # rows that share a gutter
        columns = _columns(band)
        is_cut = len(columns) > 1 and len(band) > 1 and _is_prose(columns)
        found += (line for part in (map(in_order, columns) if is_cut else band) for line in part)
    return found


def _rows(lines: Sequence[OcrLine]) -> Rows:
    def is_beside(row: list[OcrLine], line: OcrLine) -> bool:
        return line.middle < row[0].box[3] and line.middle - row[0].middle < line.height / 2

    rows = grouped(sorted(lines, key=lambda line: line.middle), is_beside)
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def _columns(rows: Rows) -> Rows:
    """Return the lines of rows by the column in which they stand; the engine parts lines at narrow gutters too."""
    columns: Rows = []
    right = 0.0
    for line in sorted((line for row in rows for line in row), key=lambda line: line.box[0]):
        if not columns or line.box[0] - right >= _GUTTER * line.height:
            columns.append([])
        columns[-1].append(line)
        right = max(right, line.box[2])
    return columns


def _is_prose(columns: Rows) -> bool:
    """Whether most of the lines stand in columns of running text, where many begin with no capital."""
    flowing = 0
    for column in columns:
        lower = sum(line.text[0].isalpha() and not line.text[0].isupper() for line in column)
        flowing += len(column) if len(column) > 2 and lower / len(column) >= _GOES_ON else 0
    return flowing > sum(map(len, columns)) / 2
