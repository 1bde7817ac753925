"""Tables of PDF files: drawn ones over several pages, and ones without any line."""

import io
from pathlib import Path

import pytest
from loader_checks import check, lines, page_of, read_pdf, write
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, SimpleDocTemplate, Table

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.tables import heads_of
from rag.models import Document

HEADS = ["Pump", "Pressure", "Owner", "Checked"]
PUMPS = [HEADS, *[[f"P-{k}", str(100 + k), f"Dorn {k}", "" if k == 7 else "2024"] for k in range(80)]]
NORMAL = getSampleStyleSheet()["Normal"]
ALL_LINES = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
NO_LINES_BETWEEN_ROWS = [
    *(("BOX", (0, 0), (-1, -1), 1, colors.black), ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)),
    ("LINEAFTER", (0, 0), (-1, -1), 1, colors.black),
]


def read(table: Table, path: Path | None = None) -> Document:
    """Return the document of a PDF of a table with a paragraph above it, saved there."""
    target = io.BytesIO()
    SimpleDocTemplate(target, invariant=1).build([Paragraph("The pumps are checked by their owners.", NORMAL), table])
    if path is not None:
        path.write_bytes(target.getvalue())
    return check(load_bytes("a.pdf", target.getvalue()))


@pytest.mark.parametrize(("style", "repeated"), [(ALL_LINES, 0), (ALL_LINES, 1), (NO_LINES_BETWEEN_ROWS, 1)])
def test_a_drawn_table_over_pages_is_one_table_with_its_heads_said_once(
    style: list[object], repeated: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    document = read(Table(PUMPS, repeatRows=repeated, style=style), path)
    rows = document.text.split("\n\n")[1].split("\n")
    assert (len(document.pages), len(rows)) == (3, 81)
    assert rows[0] == "| Pump | Pressure | Owner | Checked |"
    assert rows[7:9] == ["| P-6 | 106 | Dorn 6 | 2024 |", "| P-7 | 107 | Dorn 7 | |"]
    assert page_of(document, "| P-79 |") == 3
    [row] = [block for block in document.blocks if document.text.startswith("| P-79 |", block.start)]
    assert document.columns[row.table] == tuple(HEADS)
    boxes = excerpt_boxes(path, 3, "| P-79 | 179 | Dorn 79 | 2024 |")
    assert len(boxes) == 4
    assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) < 16


def test_narrow_drawn_columns_are_cut_at_their_lines_and_the_lines_of_a_cell_are_one() -> None:
    bars = [["Pump", "Bar"], ["P-143", "166"], ["P-144", "170"]]
    narrow = read(Table(bars, colWidths=(37, 30), style=[*ALL_LINES, ("ALIGN", (0, 0), (0, -1), "RIGHT")]))
    assert narrow.text.endswith("| Pump | Bar |\n| P-143 | 166 |\n| P-144 | 170 |")
    rules = [["Item", "Rule"], ["Hood", "Keep the sash low\nand the fan on"], ["Lamp", "Off"]]
    assert "| Hood | Keep the sash low and the fan on |\n| Lamp | Off |" in read(Table(rules, style=ALL_LINES)).text


def test_a_drawn_table_in_one_of_two_columns_is_cut_at_its_lines() -> None:
    prose = Paragraph("Every boat that lies at the quay pays the fee before it leaves the harbour again. " * 12, NORMAL)
    target = io.BytesIO()
    document = BaseDocTemplate(target, pagesize=A4, invariant=1)
    document.addPageTemplates([PageTemplate(frames=[Frame(50, 50, 240, 740), Frame(305, 50, 240, 740)])])
    fees = Table([["Length", "Day"], ["to 12 m", "20"], ["over 12 m", "31"]], style=ALL_LINES)
    document.build([prose, fees, prose, FrameBreak(), prose, prose])
    text = check(load_bytes("a.pdf", target.getvalue())).text
    assert "| Length | Day |\n| to 12 m | 20 |\n| over 12 m | 31 |" in text
    assert text.count("Every boat that lies at the quay pays the fee") == 48


def test_a_grid_that_is_drawn_with_one_path_is_a_table_and_a_frame_around_text_is_none() -> None:
    def ruled(canvas: Canvas) -> None:
        canvas.grid([70, 112, 150], [A4[1] - y for y in (190, 210, 230, 250)])
        write(lines("Pump", "P-143", "P-144", x=74, y=204, pitch=20), canvas)
        write(lines("Bar", "166", "170", x=114, y=204, pitch=20), canvas)

    def framed(canvas: Canvas) -> None:
        canvas.rect(60, A4[1] - 160, 400, 80)
        write(lines("Whoever hears the alarm leaves the room."), canvas)

    assert read_pdf(ruled).text == "| Pump | Bar |\n| P-143 | 166 |\n| P-144 | 170 |"
    assert read_pdf(framed).text == "Whoever hears the alarm leaves the room."


BOLD_HEADS = [*ALL_LINES, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
BOLD_ALL = [*ALL_LINES, ("FONTNAME", (0, 0), (-1, -1), "Helvetica-Bold")]
DRUGS = [["Drug", "Glove"], ["Zorvex", "latex"], ["Talin", "nitrile"]]
GATES = [["P-0", "shut"], *[[f"P-{k}", "open"] for k in range(1, 80)]]  # by their form alone none is a head


@pytest.mark.parametrize(
    ("rows", "style", "repeated", "heads"),
    [
        (DRUGS, BOLD_HEADS, 0, ["| Drug"]),
        (DRUGS, BOLD_ALL, 0, []),
        (GATES, ALL_LINES, 1, ["| P-0 |"]),
        (GATES, ALL_LINES, 0, []),
    ],
)
def test_a_first_row_that_alone_is_bold_or_that_every_page_repeats_is_the_heads(
    rows: list[list[str]], style: list[object], repeated: int, heads: list[str]
) -> None:
    document = read(Table(rows, repeatRows=repeated, style=style))
    marked = [block.start for block in document.blocks if block.kind == "heads"]
    assert marked == [document.text.index(head) for head in heads]


RATES = [("Room", "Summer", "Winter", "View"), ("Single", "80 EUR", "60 EUR", "sea"), ("Double", "95 EUR", "", "yard")]


@pytest.mark.parametrize("cells", [("Suite", "", "180 EUR", ""), ("Suite", "99 EUR", "", "")])
def test_a_row_with_empty_cells_keeps_its_values_in_their_columns(cells: tuple[str, ...]) -> None:
    rows = enumerate([*RATES, cells])
    placed = [(70 + 100 * at, 200 + 16 * k, text) for k, texts in rows for at, text in enumerate(texts) if text]
    text = read_pdf([*lines("The rates are those of the year."), *placed]).text
    said = " ".join(["|", *(f"{cell} |".lstrip() for cell in cells)])
    assert text.split("\n")[-2:] == ["| Double | 95 EUR | | yard |", said]


def test_wrapped_labels_of_a_table_are_mended() -> None:
    labels = lines("Assets", "Adjustment for gains that are", "included in income", "Total", y=200)
    values = [(300, 200, "10"), (300, 228, "20"), (300, 242, "30")]
    text = read_pdf([*lines("The rates are those of the year."), *labels, *values]).text
    assert "| Adjustment for gains that are included in income | 20 |" in text


def test_heads_may_stand_in_two_rows_and_labels_with_values_have_none() -> None:
    rows = ["| | Quarter | | Year |", "| | 2023 | 2022 | 2023 |", "| Sales | 7 | 9 | 40 |"]
    assert heads_of(rows) == (2, ("", "Quarter 2023", "2022", "Year 2023"))
    assert heads_of(["| Holder | Mr Mensah |", "| Born | 4 May 1980 |", "| Class | B |"]) == (0, ())
