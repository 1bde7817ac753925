"""Tables of PDF files: drawn ones over several pages, and ones without any line."""

import io
from pathlib import Path

import pytest
from loader_checks import check, lines, make_pdf, page_of
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, SimpleDocTemplate, Table

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.models import Document

HEADS = ["Pump", "Pressure", "Owner", "Checked"]
PUMPS = [HEADS, *[[f"P-{k}", str(100 + k), f"Dorn {k}", "" if k == 7 else "2024"] for k in range(80)]]
ALL_LINES = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
NO_LINES_BETWEEN_ROWS = [
    ("BOX", (0, 0), (-1, -1), 1, colors.black),
    ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black),
    ("LINEAFTER", (0, 0), (-1, -1), 1, colors.black),
]


def tables(*drawn: Table) -> bytes:
    """A PDF of tables, each with a paragraph above it."""
    target = io.BytesIO()
    text = Paragraph("The pumps are checked by their owners.", getSampleStyleSheet()["Normal"])
    SimpleDocTemplate(target, invariant=1).build([part for table in drawn for part in (text, table)])
    return target.getvalue()


def read(*drawn: Table) -> Document:
    document: Document = check(load_bytes("a.pdf", tables(*drawn)))
    return document


@pytest.mark.parametrize(("style", "repeated"), [(ALL_LINES, 0), (ALL_LINES, 1), (NO_LINES_BETWEEN_ROWS, 1)])
def test_a_drawn_table_over_three_pages_is_one_table_with_its_heads_said_once(
    style: list[object], repeated: int
) -> None:
    document = read(Table(PUMPS, repeatRows=repeated, style=style))
    rows = document.text.split("\n\n")[1].split("\n")
    assert len(document.pages) == 3
    assert len(rows) == 81
    assert rows[0] == "| Pump | Pressure | Owner | Checked |"
    assert (rows[7], rows[8], rows[80]) == (
        "| P-6 | 106 | Dorn 6 | 2024 |", "| P-7 | 107 | Dorn 7 | |", "| P-79 | 179 | Dorn 79 | 2024 |"
    )  # fmt: skip


def marked(document: Document) -> list[int]:
    """Where rows begin that hold the heads of their columns."""
    return [block.start for block in document.blocks if block.kind == "heads"]


def test_a_row_on_the_last_page_has_the_heads_of_the_first() -> None:
    document = read(Table(PUMPS, repeatRows=1, style=ALL_LINES))
    assert page_of(document, "| P-79 |") == 3
    [row] = [block for block in document.blocks if document.text.startswith("| P-79 |", block.start)]
    assert document.columns[row.table] == tuple(HEADS)


def test_narrow_drawn_columns_are_cut_at_their_lines() -> None:
    rows = [["Pump", "Bar"], ["P-143", "166"], ["P-144", "170"]]
    document = read(Table(rows, colWidths=(37, 30), style=[*ALL_LINES, ("ALIGN", (0, 0), (0, -1), "RIGHT")]))
    assert document.text.endswith("| Pump | Bar |\n| P-143 | 166 |\n| P-144 | 170 |")


def test_a_drawn_table_in_one_of_two_columns_is_cut_at_its_lines() -> None:
    prose = "Every boat that lies at the northern quay pays the fee before it leaves the harbour again. " * 12
    text, target = getSampleStyleSheet()["Normal"], io.BytesIO()
    document = BaseDocTemplate(target, pagesize=A4, invariant=1)
    frames = [Frame(50, 50, 240, 740), Frame(305, 50, 240, 740)]
    document.addPageTemplates([PageTemplate(frames=frames)])
    fees = Table([["Length", "Day"], ["to 12 m", "20"], ["over 12 m", "31"]], style=ALL_LINES)
    document.build([Paragraph(prose, text), fees, Paragraph(prose, text), FrameBreak(), Paragraph(prose * 2, text)])
    read_text = check(load_bytes("a.pdf", target.getvalue())).text
    assert "| Length | Day |\n| to 12 m | 20 |\n| over 12 m | 31 |" in read_text
    assert read_text.count("Every boat that lies at the northern quay pays the fee") == 48


def test_lines_of_a_drawn_cell_are_one_cell() -> None:
    document = read(
        Table([["Item", "Rule"], ["Hood", "Keep the sash low\nand the fan on"], ["Lamp", "Off"]], style=ALL_LINES)
    )
    assert "| Hood | Keep the sash low and the fan on |\n| Lamp | Off |" in document.text


def test_a_grid_that_is_drawn_with_one_path_is_read() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.grid([70, 112, 150], [A4[1] - y for y in (190, 210, 230, 250)])
    for y, cells in ((204, ("Pump", "Bar")), (224, ("P-143", "166")), (244, ("P-144", "170"))):
        for x, text in zip((74, 114), cells, strict=True):
            canvas.drawString(x, A4[1] - y, text)
    canvas.save()
    document = check(load_bytes("a.pdf", target.getvalue()))
    assert document.text == "| Pump | Bar |\n| P-143 | 166 |\n| P-144 | 170 |"


def test_drawn_tables_with_other_columns_stay_apart() -> None:
    two = [Table([["Room", "Wing"], ["B7", "east"]], style=ALL_LINES), Table([["A", "B", "C"]] * 2, style=ALL_LINES)]
    assert "| Room | Wing |\n| B7 | east |\n\nThe pumps" in read(*two).text


def test_a_frame_around_text_is_no_table() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.rect(60, A4[1] - 160, 400, 80)
    canvas.drawString(70, A4[1] - 100, "Whoever hears the alarm leaves the room.")
    canvas.save()
    assert check(load_bytes("a.pdf", target.getvalue())).text == "Whoever hears the alarm leaves the room."


def test_a_row_of_a_drawn_table_is_found_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(tables(Table(PUMPS, repeatRows=1, style=ALL_LINES)))
    boxes = excerpt_boxes(path, 3, "| P-79 | 179 | Dorn 79 | 2024 |")
    assert len(boxes) == 4
    assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) < 16


def test_heads_without_a_corner_stand_over_their_columns() -> None:
    rows = [("", "2021", "2022", "2023"), ("Members", "120", "145", "160"), ("Staff", "3", "4", "5")]
    cells = [
        (x, 200 + 16 * k, t) for k, row in enumerate(rows) for x, t in zip((70, 200, 300, 400), row, strict=True) if t
    ]
    document = check(load_bytes("a.pdf", make_pdf([*lines("The members are counted on the last day."), *cells])))
    assert document.text.endswith("| | 2021 | 2022 | 2023 |\n| Members | 120 | 145 | 160 |\n| Staff | 3 | 4 | 5 |")


def grid(rows: list[tuple[str, ...]], xs: tuple[float, ...] = (70, 170, 270, 370)) -> str:
    """The text of rows without any line, each cell at its column's left edge."""
    cells = [(x, 200 + 16 * k, text) for k, row in enumerate(rows) for x, text in zip(xs, row, strict=True) if text]
    document = check(load_bytes("a.pdf", make_pdf([*lines("The rates are those of the year."), *cells])))
    return document.text.partition("\n\n")[2]


RATES = [("Room", "Summer", "Winter", "View"), ("Single", "80 EUR", "60 EUR", "sea"), ("Double", "95 EUR", "", "yard")]


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (("Suite", "", "180 EUR", "sea"), "| Suite | | 180 EUR | sea |"),
        (("Suite", "", "180 EUR", ""), "| Suite | | 180 EUR | |"),
        (("Suite", "99 EUR", "", ""), "| Suite | 99 EUR | | |"),
    ],
)
def test_a_row_with_empty_cells_keeps_its_values_in_their_columns(cells: tuple[str, ...], row: str) -> None:
    found = grid([*RATES, cells])
    assert found.split("\n")[2:] == ["| Double | 95 EUR | | yard |", row]


def test_a_lone_label_within_a_table_stays_alone() -> None:
    assert "| All rooms: |\n" in grid([*RATES[:2], ("All rooms:", "", "", ""), *RATES[2:], RATES[1]])


def test_a_cell_over_two_columns_is_not_put_into_one() -> None:
    rows = [("", "Rates of the year by season", "", ""), *RATES[:2], RATES[1]]
    assert grid(rows).startswith("Rates of the year by season\n\n") or grid(rows).startswith("| Rates of the year by")


def test_words_of_two_columns_with_a_narrow_gap_are_two_cells() -> None:
    rows = [("Month", "North", "South"), ("January", "11", "7"), ("September", "22", "14"), ("May", "33", "21")]
    assert grid(rows, (70, 132, 200)) == (
        "| Month | North | South |\n| January | 11 | 7 |\n| September | 22 | 14 |\n| May | 33 | 21 |"
    )


def test_words_of_one_cell_stay_one_though_they_reach_into_the_next_column() -> None:
    rows = [("Name", "North", "South"), ("New plant", "11", "7"), ("Old plant in town", "", ""), ("Hall", "33", "21")]
    assert "| Old plant in town |" in grid(rows, (70, 132, 200))


BOLD_HEADS = [*ALL_LINES, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
BOLD_ALL = [*ALL_LINES, ("FONTNAME", (0, 0), (-1, -1), "Helvetica-Bold")]


@pytest.mark.parametrize(("style", "heads"), [(BOLD_HEADS, 1), (BOLD_ALL, 0), (ALL_LINES, 0)])
def test_a_first_row_that_alone_is_bold_is_the_heads_of_a_drawn_table(style: list[object], heads: int) -> None:
    document = read(Table([["Drug", "Glove"], ["Zorvex", "latex"], ["Talin", "nitrile"]], style=style))
    assert marked(document) == [document.text.index("| Drug")] * heads


@pytest.mark.parametrize("repeated", [1, 0])
def test_a_first_row_that_every_page_repeats_is_the_heads_of_a_drawn_table(repeated: int) -> None:
    rows = [["P-0", "shut"], *[[f"P-{k}", "open"] for k in range(1, 80)]]  # by their form alone none is a head
    document = read(Table(rows, repeatRows=repeated, style=ALL_LINES))
    assert marked(document) == [document.text.index("| P-0 |")] * repeated
