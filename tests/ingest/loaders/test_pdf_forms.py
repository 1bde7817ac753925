"""Forms and invoices in PDF files: which label belongs to which value, and what is a table or text after all."""

import pytest
from loader_checks import Draw, Placed, all_of, lines, read_pdf, write
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas


def placed(*texts: Placed) -> Draw:
    """Texts at their places."""
    return lambda canvas: write(list(texts), canvas)


def ruled(*rules: tuple[float, float, float, float]) -> Draw:
    """Lines between two points each, from the top left corner."""
    return lambda canvas: canvas.lines([(x0, A4[1] - y0, x1, A4[1] - y1) for x0, y0, x1, y1 in rules])


def framed(*boxes: tuple[float, float, float, float]) -> Draw:
    """Frames from their top left corner, with their width and height."""
    return lambda canvas: [canvas.rect(x, A4[1] - y - height, width, height) for x, y, width, height in boxes]


def table(*rows: tuple[str, ...], y: float = 100, pitch: float = 20) -> list[Placed]:
    """The cells of rows, 120 points apart."""
    return [(70 + 120 * at, y + pitch * k, cell) for k, row in enumerate(rows) for at, cell in enumerate(row) if cell]


def shaded(canvas: Canvas) -> None:
    """A grid of labels on grey with values beside them."""
    canvas.setFillGray(0.8)
    for x in (60, 300):
        canvas.rect(x, A4[1] - 126, 120, 40, stroke=0, fill=1)
    canvas.setFillGray(0)
    canvas.grid([60, 180, 300, 420, 540], [A4[1] - y for y in (86, 106, 126)])
    write(ASSETS, canvas)


def grey(canvas: Canvas) -> None:
    """Grey labels over black values."""
    for at, (x, y, text, *_) in enumerate(PARCEL):
        canvas.setFillGray(0 if at // 2 % 2 else 0.5)
        canvas.drawString(x, A4[1] - y, text)


ASSETS = table(("Asset", "EQ-1180", "Serial", "7TX-99"), ("Maker", "Halden", "Insured", "yes"))
PARCEL = [
    *table(("Weight", "Service"), ("2.4 kg", "Express"), pitch=14),
    *table(("Sent", "Due"), ("5 May", "6 May"), y=150, pitch=14),
]
SMALL = [
    *[(70, 100, "ORDER", 7.0), (220, 100, "TERMS", 7.0), (70, 114, "PO 8812"), (220, 114, "30 days")],
    *[(70, 140, "CONTACT", 7.0), (220, 140, "VIA", 7.0), (70, 154, "F. de Wit"), (220, 154, "Road")],
]
WRAPPED = [
    *[(70, 100, "**Guest"), (220, 100, "**Room"), (70, 113, "Leila Haddad")],
    *[(220, 113, "Sea view"), (220, 126, "double"), (70, 160, "**Arrival"), (220, 160, "**Nights")],
    *[(70, 173, "8 August"), (70, 186, "from 15:00"), (220, 173, "4")],
]
ADDRESSES = [
    *[(70, 100, "**Bill to"), *lines("Oakley School", "2 Church Road", y=113, pitch=13)],
    *[(270, 100, "**Ship to"), *lines("Caretaker", "3 Field Lane", x=270, y=113, pitch=13)],
]
MEMBER = table(("**Surname", "Albrecht", "**Town", "Bern"), ("**Born", "1991", "**Phone", "555"))
FLIGHT = [*lines("**Flight:", "**Date:"), *lines("LX 318", "3 May", x=112)]
SIGNED = [(70, 100, "Ida Vik"), (270, 100, "9 May 2025"), (70, 113, "Name", 7.0), (270, 113, "Date", 7.0)]
UNDERLINED = ruled((70, 104, 220, 104), (270, 104, 420, 104))
ITEMS = table(("**Item", "**Pieces", "**Each", "**Sum"), ("Hose", "2", "5.00", "10.00"), ("Reel", "1", "8.00", "8.00"))
SUMS = table(("", "", "Net", "18.00"), ("", "", "VAT", "3.60"), y=170)
ITEM_ROWS = "| Item | Pieces | Each | Sum |\n| Hose | 2 | 5.00 | 10.00 |\n| Reel | 1 | 8.00 | 8.00 |"
CHOICES = [*table(("Bus:", "[x] yes", "[ ] no")), *table(("[x] Helmet", "[ ] Gloves"), y=140)]
BESIDE = [
    *lines("Call us when a pipe", "bursts. We come at night."),
    *lines("The meter hangs in", "the cellar.", x=320),
]
COURSES = sorted(table(("**Course", "**Room"), ("Yoga", "Hall"), ("Chess", "Cellar")))
DAYS = table(("**Mon", "**Room"), ("Yoga", "1"), ("Chess", "2"), ("**Tue", "**Room"), ("Judo", "3"), ("Golf", "4"))
FORMS: dict[str, tuple[Draw, str]] = {
    "small labels": (placed(*SMALL), "ORDER: PO 8812\nTERMS: 30 days\nCONTACT: F. de Wit\nVIA: Road"),
    "grey labels": (grey, "Weight: 2.4 kg\nService: Express\nSent: 5 May\nDue: 6 May"),
    "values over two lines": (
        placed(*WRAPPED),
        "Guest: Leila Haddad\nRoom: Sea view double\nArrival: 8 August from 15:00\nNights: 4",
    ),
    "addresses": (placed(*ADDRESSES), "Bill to: Oakley School 2 Church Road\nShip to: Caretaker 3 Field Lane"),
    "bold labels beside values": (placed(*MEMBER), "Surname: Albrecht\nTown: Bern\nBorn: 1991\nPhone: 555"),
    "labels close to values": (placed(*FLIGHT), "Flight: LX 318\nDate: 3 May"),
    "shaded labels": (shaded, "Asset: EQ-1180\nSerial: 7TX-99\nMaker: Halden\nInsured: yes"),
    "framed values": (
        all_of(placed(*table(("Street", "Kuja 4"), ("Town", "Turku"))), framed((180, 86, 90, 18), (180, 106, 90, 18))),
        "Street: Kuja 4\nTown: Turku",
    ),
    "labels under a rule": (all_of(placed(*SIGNED), UNDERLINED), "Name: Ida Vik\nDate: 9 May 2025"),
    "sums below a table": (placed(*ITEMS, *SUMS), f"{ITEM_ROWS}\n\nNet: 18.00\nVAT: 3.60"),
    "boxes to tick": (placed(*CHOICES), "Bus: [x] yes [ ] no\n\n[x] Helmet\n\n[ ] Gloves"),
    "a frame beside text": (
        all_of(placed(*BESIDE), framed((62, 82, 200, 40))),
        "Call us when a pipe bursts. We come at night.\n\nThe meter hangs in the cellar.",
    ),
    "no form: bold heads and rows": (placed(*ITEMS), ITEM_ROWS),
    "no form: a table drawn column by column": (
        placed(*COURSES),
        "| Course | Room |\n| Yoga | Hall |\n| Chess | Cellar |",
    ),
    "no form: heads again in a table": (
        placed(*DAYS),
        "| Mon | Room |\n| Yoga | 1 |\n| Chess | 2 |\n| Tue | Room |\n| Judo | 3 |\n| Golf | 4 |",
    ),
}


@pytest.mark.parametrize(("page", "text"), FORMS.values(), ids=FORMS)
def test_each_label_of_a_form_stands_with_its_value_and_tables_keep_their_rows(page: Draw, text: str) -> None:
    assert read_pdf(page).text == text


def test_a_table_row_with_empty_cells_at_its_end_keeps_its_heads() -> None:
    heads, *rows = ("**Day", "**What", "**Out", "**In"), ("2 Jun", "Rent", "640"), ("9 Jun", "Card", "18")
    document = read_pdf(placed(*table(heads, *rows)))
    assert document.text.endswith("| 2 Jun | Rent | 640 | |\n| 9 Jun | Card | 18 | |")
    assert document.columns == (("Day", "What", "Out", "In"),)


def test_a_row_above_one_whose_label_reaches_over_the_gutter_is_not_torn() -> None:
    labels = lines("Assets:", "Cash", "Shares of other companies that can be sold at once", y=106, pitch=16)
    first = [(330, 90 + 16 * at, text) for at, text in enumerate(("June 2023", "", "28,408", "34,074")) if text]
    second = [(450, 90 + 16 * at, text) for at, text in enumerate(("June 2022", "", "23,646", "24,658")) if text]
    page = sorted([*first, *second, *labels], key=lambda text: (text[1], text[0]))
    assert "| Cash | 28,408 | 23,646 |" in read_pdf([*lines("The table shows what " * 5, y=60), *page]).text
