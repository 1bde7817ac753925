"""Pages as a scanner sees them, and the text that stands on them: set with reportlab, drawn by PDFium, degraded."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, ImageFilter
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT, MARGIN, GUTTER = 595.0, 842.0, 60.0, 24.0
"""A4 in points."""
SAMPLE = Path(__file__).parents[1] / "samples" / "textbook.md"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, and where its left end stands on the base line, in points from the bottom left."""

    text: str
    x: float
    y: float
    font: str = "Times-Roman"
    size: float = 11.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its lines in reading order and the rules of its tables."""

    name: str
    lines: Sequence[Line]
    rules: Sequence[tuple[float, float, float, float]] = field(default=())

    @property
    def text(self) -> str:
        """The text in reading order, on one line."""
        return " ".join(line.text for line in self.lines)


def pages() -> list[Page]:
    """Return twelve pages: faces, small type, columns, tables, headings with lists, a form."""
    prose = re.findall(r"^[A-Z].{150,}$", SAMPLE.read_text(encoding="utf-8"), re.M)
    return [
        _prose("times 11", prose[:6]),
        _prose("helvetica 11", prose[6:12], font="Helvetica"),
        _prose("courier 10", prose[12:16], font="Courier", size=10),
        _prose("bold italic 10", prose[16:21], font="Times-BoldItalic", size=10),
        _prose("small type 8", prose[:10], size=8),
        _prose("two columns 10", prose[3:12], size=10, columns=2),
        _prose("two columns 8", prose[8:19], font="Helvetica", size=8, columns=2),
        _prose("three columns 8", prose[2:9], size=8, columns=3),
        _table("table with rules", ruled=True),
        _table("table without rules", ruled=False),
        _list("headings and list", prose[2:5]),
        _form("form"),
    ]


def scanned(page: Page, *, dpi: int = 150, skew: float = 1.0, noise: float = 12.0, seed: int = 0) -> Image.Image:
    """Return a page as a scanner would: grey, turned by `skew` degrees, a little blurred, with noise, as a JPEG.

    Args:
        page: What stands on it.
        dpi: Pixels an inch.
        skew: Degrees by which it lies askew.
        noise: Standard deviation of each pixel's noise, of 255.
        seed: Seed of the noise.
    """
    drawn = pdfium.PdfDocument(_pdf(page))[0].render(scale=dpi / 72).to_pil().convert("L")
    turned = drawn.rotate(skew, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    grey = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.5)), dtype=np.float32) * 0.8 + 40
    grey += np.random.default_rng(seed).normal(0, noise, grey.shape)
    file = io.BytesIO()
    Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=70)
    return Image.open(file)


def _pdf(page: Page) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, (WIDTH, HEIGHT))
    for line in page.lines:
        canvas.setFont(line.font, line.size)
        canvas.drawString(line.x, line.y, line.text)
    for rule in page.rules:
        canvas.line(*rule)
    canvas.save()
    return file.getvalue()


def _prose(name: str, texts: Sequence[str], *, font: str = "Times-Roman", size: float = 11, columns: int = 1) -> Page:
    width = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns
    title = Line("Glaciers and their budget", MARGIN, HEIGHT - MARGIN, "Helvetica-Bold", size * 1.7)
    top = HEIGHT - MARGIN - 3 * size
    rows = [row for text in texts for row in (*simpleSplit(text, font, size, width), "")]
    per_column = min(int((top - MARGIN) / (size * 1.25)), -(-len(rows) // columns))
    kept = rows[: per_column * columns]
    lines = [
        Line(row, MARGIN + n // per_column * (width + GUTTER), top - n % per_column * size * 1.25, font, size)
        for n, row in enumerate(kept)
        if row
    ]
    return Page(name, [title, *lines])


_ROWS = (
    ("Kind of waste", "Container", "Limit in litres", "Collected"),
    ("Halogenated solvents", "Red drum", "25.0", "Monday"),
    ("Acids, inorganic", "Glass bottle", "2.5", "1st of the month"),
    ("Mercury salts", "Sealed jar", "0.05", "On request"),
    ("Silica gel", "Paper sack", "120", "Friday"),
    ("Used pump oil", "Blue canister", "10.75", "15 March 2026"),
    ("Broken glass", "Steel bin", "60", "Wednesday"),
    ("Photographic fixer", "White canister", "18.4", "Every 14 days"),
    ("Batteries (lithium)", "Fireproof box", "7.2", "By hand only"),
)


def _table(name: str, *, ruled: bool) -> Page:
    places = (MARGIN, 190.0, 305.0, 400.0)
    tops = [HEIGHT - 140 - 22 * index for index in range(len(_ROWS))]
    placed = ((row, y, places) for row, y in zip(_ROWS, tops, strict=True))
    cells = [Line(text, x + 4, y, size=10) for row, y, xs in placed for text, x in zip(row, xs, strict=True)]
    head = Line("Table 4. Collection of laboratory waste in building B7", MARGIN, HEIGHT - 100, "Times-Bold", 11)
    after = Line("Amounts above the limit need a form WD-2210/b, signed by the safety officer.", MARGIN, tops[-1] - 40)
    level = [(MARGIN, y + 15, WIDTH - MARGIN, y + 15) for y in (*tops, tops[-1] - 22)]
    upright = [(x, tops[0] + 15, x, tops[-1] - 7) for x in (*places, WIDTH - MARGIN)]
    return Page(name, [head, *cells, after], [*level, *upright] if ruled else [])


def _list(name: str, texts: Sequence[str]) -> Page:
    steps = ("Drain the basin.", "Close valve V-12 and wait 45 seconds.", "Read the gauge: 3.2 bar is normal.")
    items = [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    parts: Iterator[tuple[str, str, float]] = chain.from_iterable(
        [(f"2.{n} Section of {len(text)} signs", "Helvetica-Bold", 13.0)]
        + [(row, "Times-Roman", 11.0) for row in simpleSplit(text, "Times-Roman", 11, WIDTH - 2 * MARGIN)]
        + [(item, "Times-Roman", 11.0) for item in items]
        for n, text in enumerate(texts, 1)
    )
    lines, y = [], HEIGHT - MARGIN
    for text, font, size in parts:
        y -= 30 if size > 12 else 15
        lines.append(Line(text, MARGIN + 14 * text[:1].isdigit() * (size < 12), y, font, size))
    return Page(name, lines)


_FIELDS = (
    ("Invoice number", "INV-2026-00417"),
    ("Date of issue", "09/11/2026"),
    ("Customer", "Hartmann & Söhne GmbH, Zürich"),
    ("IBAN", "CH93 0076 2011 6238 5295 7"),
    ("E-mail", "office@hartmann-soehne.example"),
    ("Net amount", "EUR 1,284.60"),
    ("VAT (8.1%)", "EUR 104.05"),
    ("Total", "EUR 1,388.65"),
    ("Payable within", "30 days, 2% discount in 10 days"),
    ("Serial", "0O1lI5S8B-X7"),
)


def _form(name: str) -> Page:
    rows = [(label, value, HEIGHT - 120 - 24 * index) for index, (label, value) in enumerate(_FIELDS)]
    lines = [
        line
        for label, value, y in rows
        for line in (Line(f"{label}:", MARGIN, y, "Helvetica-Bold", 10), Line(value, 200, y, "Helvetica", 10))
    ]
    return Page(name, [Line("INVOICE", MARGIN, HEIGHT - 80, "Helvetica-Bold", 20), *lines])
