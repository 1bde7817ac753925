"""Write the generated sample documents: `samples/safety_manual.pdf` and `samples/travel_policy.docx`.

Their texts stand in `scripts/sample_sources/`. The files come out the same, byte for byte, on every run.

    python scripts/make_samples.py [FOLDER]
"""

import io
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import docx
from docx.shared import Pt
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.platypus import (
    BalancedColumns,
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

SOURCES = Path(__file__).parent / "sample_sources"
INSTITUTE = "Larkfield Institute of Materials Chemistry"
RUNNING = f"{INSTITUTE} · Laboratory Safety Manual"
WRITTEN = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)

Part = tuple[str, Any]
"""A kind (`h1` to `h3`, `p`, `list`, `table`, `columns`) and its text, texts or rows."""


def _style(name: str, size: float, **options: Any) -> ParagraphStyle:
    return ParagraphStyle(name, fontSize=size, leading=size * 1.5, **options)


BODY = _style("body", 11.5, fontName="Times-Roman", spaceAfter=7, alignment=TA_JUSTIFY)
NARROW = _style("narrow", 10.5, fontName="Times-Roman", spaceAfter=6, alignment=TA_JUSTIFY)
CELL = _style("cell", 9, fontName="Times-Roman")
HEAD = _style("head", 9, fontName="Times-Bold")
HEADINGS = {
    "h1": _style("h1", 18, fontName="Helvetica-Bold", spaceAfter=14),
    "h2": _style("h2", 13, fontName="Helvetica-Bold", spaceBefore=12, spaceAfter=6),
    "h3": _style("h3", 11, fontName="Helvetica-BoldOblique", spaceBefore=6, spaceAfter=4),
}


def read_source(name: str) -> Iterator[Part]:
    """Yield the parts of a source text: headings, paragraphs, lists, tables, two-column stretches."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    paragraphs = [piece.strip() for piece in text.split("\n\n") if piece.strip()]
    columns: list[str] | None = None
    for piece in paragraphs:
        if piece.startswith(":::columns"):
            columns = []
        if columns is not None:
            columns.append(piece.removeprefix(":::columns").removesuffix(":::").strip())
            if piece.endswith(":::") and piece != ":::columns":
                yield "columns", columns
                columns = None
        else:
            yield _part(piece)


def _part(piece: str) -> Part:
    if piece.startswith("#"):
        marks, title = piece.split(" ", 1)
        return f"h{len(marks)}", title
    lines = piece.splitlines()
    if all(line.startswith("- ") for line in lines):
        return "list", [line[2:] for line in lines]
    if all(line.startswith("|") for line in lines):
        return "table", [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return "p", piece


class Manual(BaseDocTemplate):
    """The manual's pages: a running header, the page number below, outline and contents from its headings."""

    def __init__(self, target: io.BytesIO) -> None:
        super().__init__(
            target, pagesize=A4, title="Laboratory Safety Manual", author=INSTITUTE,
            subject="LS-001, edition 4.2", creator="scripts/make_samples.py", invariant=1,
            leftMargin=2.5 * cm, rightMargin=2.5 * cm, topMargin=2.6 * cm, bottomMargin=2.4 * cm,
        )  # fmt: skip
        frame = Frame(self.leftMargin, self.bottomMargin, self.width, self.height, id="text")
        self.addPageTemplates(PageTemplate("page", [frame], onPage=_furniture))

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802, the name that reportlab calls
        """Enter a heading into outline and contents."""
        name = getattr(getattr(flowable, "style", None), "name", "")
        if name in ("h1", "h2"):
            title = flowable.getPlainText()
            key = f"heading {title}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(title, key, level=int(name[1]) - 1)
            self.notify("TOCEntry", (int(name[1]) - 1, title, self.page))


def _furniture(canvas: Any, manual: Manual) -> None:
    if canvas.getPageNumber() > 1:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(2.5 * cm, A4[1] - 1.6 * cm, RUNNING)
        canvas.drawRightString(A4[0] - 2.5 * cm, A4[1] - 1.6 * cm, "LS-001 · Edition 4.2")
        canvas.drawCentredString(A4[0] / 2, 1.3 * cm, f"Page {canvas.getPageNumber()}")


def write_manual(path: Path) -> None:
    """Write the safety manual as a PDF."""
    contents = TableOfContents(dotsMinLevel=0)
    contents.levelStyles = [
        _style("toc1", 10.5, fontName="Times-Bold", spaceBefore=5),
        _style("toc2", 10, fontName="Times-Roman", leftIndent=14),
    ]
    story: list[Flowable] = [*_cover(), PageBreak(), Paragraph("Contents", _style("c", 18, fontName="Helvetica-Bold")),
                             Spacer(1, 14), contents]  # fmt: skip
    for kind, content in read_source("safety_manual.md"):
        if kind == "h1":
            story.append(PageBreak())
        story.append(_flowable(kind, content))
    target = io.BytesIO()
    Manual(target).multiBuild(story)
    path.write_bytes(target.getvalue())


def _cover() -> list[Flowable]:
    big, small = _style("cover", 28, fontName="Helvetica-Bold"), _style("line", 12, fontName="Helvetica")
    lines = [
        INSTITUTE,
        "Document LS-001, Edition 4.2",
        "Effective 2 February 2026",
        "Approved by the safety committee on 19 January 2026",
        "Responsible: Dr Henrik Vaas, safety officer",
    ]
    return [Spacer(1, 6 * cm), Paragraph("Laboratory Safety Manual", big), Spacer(1, 1 * cm),
            *(Paragraph(line, small) for line in lines)]  # fmt: skip


def _flowable(kind: str, content: Any) -> Flowable:
    if kind in HEADINGS:
        return Paragraph(content, HEADINGS[kind])
    if kind == "list":
        return ListFlowable([Paragraph(item, BODY) for item in content], bulletType="bullet")
    if kind == "columns":
        return BalancedColumns([Paragraph(text, NARROW) for text in content], nCols=2, innerPadding=18)
    if kind == "table":
        return _table(content)
    return Paragraph(content, BODY)


def _table(rows: list[list[str]]) -> Table:
    cells = [[Paragraph(text, CELL if number else HEAD) for text in row] for number, row in enumerate(rows)]
    widths = [16 * cm / len(rows[0])] * len(rows[0])
    style = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")])
    return Table(cells, colWidths=widths, style=style, spaceBefore=6, spaceAfter=10, repeatRows=1)


def write_policy(path: Path) -> None:
    """Write the travel policy as a Word document."""
    word = docx.Document()
    word.styles["Normal"].font.size = Pt(11)
    properties = word.core_properties
    properties.title, properties.author, properties.subject = "Travel Policy", INSTITUTE, "Policy TP-3, version 2.4"
    properties.created = properties.modified = WRITTEN.replace(tzinfo=None)
    properties.last_modified_by = INSTITUTE
    for index, (kind, content) in enumerate(read_source("travel_policy.md")):
        if kind == "h1" and index == 0:
            word.add_paragraph(content, style="Title")
        elif kind.startswith("h"):
            word.add_heading(content, level=int(kind[1]))
        elif kind == "list":
            for item in content:
                word.add_paragraph(item, style="List Bullet")
        elif kind == "table":
            _word_table(word, content)
        else:
            word.add_paragraph(content)
    target = io.BytesIO()
    word.save(target)
    path.write_bytes(_without_times(target.getvalue()))


def _word_table(word: Any, rows: list[list[str]]) -> None:
    table = word.add_table(rows=0, cols=len(rows[0]), style="Light Grid Accent 1")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    word.add_paragraph()


def _without_times(data: bytes) -> bytes:
    """Return a ZIP file whose entries carry one fixed time, so that the bytes do not change from run to run."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for _, entries in groupby(sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name))):
            name = next(entries)
            new.writestr(zipfile.ZipInfo(name, (2026, 2, 2, 9, 0, 0)), old.read(name), zipfile.ZIP_DEFLATED)
    return target.getvalue()


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES.parent.parent / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    write_manual(folder / "safety_manual.pdf")
    write_policy(folder / "travel_policy.docx")
