"""How pages are read on which text does not simply run down: columns, forms, margins, pages without text."""

import io
from pathlib import Path
from typing import NamedTuple

import pytest
from loader_checks import check, lines, make_pdf
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf import load_pdf
from rag.ingest.loaders.source import Source
from rag.models import Document

LEFT = ("The pump of the northern", "hall runs all night and", "is checked at six by the", "guard who has the key.")
RIGHT = ("A second pump stands in", "the cellar, which is dry", "in summer and needs no", "pump before the autumn.")


def read(*pages: list[tuple[float, float, str]]) -> Document:
    document: Document = check(load_bytes("a.pdf", make_pdf(*pages)))
    return document


@pytest.mark.parametrize("x", [206, 215, 300])
def test_columns_are_read_one_after_the_other_however_narrow_their_gutter(x: float) -> None:
    assert read([*lines(*LEFT), *lines(*RIGHT, x=x)]).text == f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_columns_of_two_lines_under_a_heading_are_columns() -> None:
    left = ("The northern fields need 2.3 tonnes of", "lime per hectare in every fourth year.")
    right = ("The southern fields were drained in the", "spring by the parish of the lower town.")
    text = read([(70, 80, "++Results"), *lines(*left), *lines(*right, x=320)]).text
    assert text == f"Results\n\n{' '.join(left)}\n\n{' '.join(right)}"


def test_a_sentence_of_text_that_is_drawn_cell_by_cell_does_not_run_over_the_gutter() -> None:
    cells = [(70, 100, LEFT[:2]), (300, 100, RIGHT[:2]), (70, 160, LEFT[2:]), (300, 160, RIGHT[2:]),
             (70, 220, LEFT[:2]), (300, 220, RIGHT[:2])]  # fmt: skip
    text = read([line for x, y, said in cells for line in lines(*said, x=x, y=y)]).text
    spliced = [f"{a} {b}" for a in LEFT for b in RIGHT] + [f"{b} {a}" for a in LEFT for b in RIGHT]
    assert not any(one in text for one in spliced)
    assert " ".join(LEFT[:2]) in text


def test_a_value_under_its_label_in_a_drawn_box_is_a_field() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    for at, (label, value) in enumerate(
        (("Holder", "Maren Tolstad"), ("Seats", "5"), ("Make", "Volvo"), ("Town", "Lund"))
    ):
        x, y = 70 + 200 * (at % 2), 700 - 40 * (at // 2)
        canvas.rect(x, y, 200, 40)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(x + 4, y + 30, label)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(x + 4, y + 10, value)
    canvas.save()
    text = check(load_bytes("a.pdf", target.getvalue())).text
    assert text == "Holder: Maren Tolstad\nSeats: 5\nMake: Volvo\nTown: Lund"


def test_labels_with_values_beside_an_address_are_fields_and_the_address_is_apart() -> None:
    pairs = (("Invoice no.:", "2025-0871"), ("Due date:", "3 July 2025"), ("Customer:", "40118"))
    right = [one for k, (a, b) in enumerate(pairs) for one in ((360, 100 + 14 * k, a), (470, 100 + 14 * k, b))]
    text = read([*lines("Brightwater Ltd", "12 Quay Road"), *right]).text
    assert text == "Brightwater Ltd 12 Quay Road\n\nInvoice no.: 2025-0871\nDue date: 3 July 2025\nCustomer: 40118"


def test_numbers_of_lines_in_the_margin_are_no_text_and_their_lines_are_one_paragraph() -> None:
    said = ["The engine failed after eleven days at sea, and the defendant refused", "to repair it on the fourth day."]
    numbers = [(50, 100 + 24 * k, str(k + 1)) for k in range(20)]
    assert read([*numbers, *lines(*said, x=80, pitch=24)]).text == " ".join(said)


def test_numbers_before_the_rows_of_a_table_stay() -> None:
    rows = [one for k in range(8) for one in ((70, 130 + 14 * k, str(k + 1)), (110, 130 + 14 * k, f"Pump {k}"))]
    assert "3 Pump 2" in read([*lines("The pumps are numbered.", y=100), *rows]).text


def test_a_page_has_the_number_that_it_prints_where_that_is_another() -> None:
    pages = [
        [*lines(f"The {word} hangs beside the door."), (290, 810, str(at + 7))]
        for at, word in enumerate(("apron", "key", "lamp"))
    ]
    assert [page.label for page in read(*pages).pages] == ["7", "8", "9"]
    pages = [
        [*lines(f"The {word} hangs beside the door."), (290, 810, str(at + 1))]
        for at, word in enumerate(("apron", "key"))
    ]
    assert [page.label for page in read(*pages).pages] == [None, None]


def raw(*contents: str, catalog: str = "", packet: str = "") -> bytes:
    """A PDF of these contents of pages, with further entries of its catalog and a stream that they name as 4."""
    first = 6
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(contents)))
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R >> >> /Contents"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Count {len(contents)} /Kids [{kids}] >>",
        "null",
        stream(packet),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(contents):
        objects += [f"{page} {first + 2 * at + 1} 0 R >>", stream(f"BT /F 12 Tf 70 700 Td {text} ET")]
    body = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, start=1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n%%EOF".encode()


def stream(text: str) -> str:
    return f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"


def xfa(data: str, said: str = "Please wait...") -> bytes:
    """A PDF of one page whose form is drawn by XFA only."""
    packet = f'<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">{data}</xdp:xdp>'
    return raw(f"({said}) Tj", catalog="/AcroForm << /Fields [] /XFA 4 0 R >>", packet=packet)


FILLED = (
    '<template><field name="Sum"><caption><value><text>Amount asked:</text></value></caption></field></template>'
    '<x:datasets xmlns:x="http://www.xfa.org/schema/xfa-data/1.0/"><x:data><form><FirstName>Nadia</FirstName>'
    "<Sum>18500</Sum><Empty/></form></x:data></x:datasets>"
)


def test_the_data_of_an_xfa_form_are_fields_under_their_captions() -> None:
    assert check(load_bytes("a.pdf", xfa(FILLED))).text == "First Name: Nadia\nAmount asked: 18500"


def test_an_xfa_form_without_data_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidDocument, match=r"XFA form without data.*print it to a new PDF"):
        load_bytes("a.pdf", xfa(""))


def test_a_page_that_says_something_itself_is_read_although_an_xfa_form_is_beside_it() -> None:
    said = " ".join(f"The pump number {at} of the hall runs all night." for at in range(60))
    assert check(load_bytes("a.pdf", xfa(FILLED, said))).text.startswith("The pump number 0 of the hall")


SAID = "The pump of the hall runs all night."
UNREADABLE = r"(A \001\002\003 B \004\005\006\007 C) Tj"


def test_a_page_whose_fonts_have_no_unicode_map_is_left_out_and_named() -> None:
    document = check(load_pdf(Source("a.pdf", raw(f"({SAID}) Tj", UNREADABLE))))
    assert document.text == SAID
    assert document.notes[0].startswith("The text of page 2 of 2 cannot be read: its fonts have no Unicode map.")


def test_a_file_with_nothing_but_unreadable_fonts_is_refused() -> None:
    with pytest.raises(InvalidDocument, match=r"page 1 of 1 cannot be read.*Unicode map.*OCR"):
        load_pdf(Source("a.pdf", raw(UNREADABLE)))


class Recognised(NamedTuple):
    text: str
    box: tuple[float, float, float, float]
    confidence: float


def test_pages_without_text_and_with_unreadable_fonts_are_given_to_the_reader_of_pictures() -> None:
    sizes = []

    def reader(picture: object) -> list[Recognised]:
        sizes.append(picture.size)  # type: ignore[attr-defined]
        return [Recognised(f"Read from picture {len(sizes)}.", (200, 300, 900, 340), 0.9)]

    document = check(load_pdf(Source("a.pdf", raw("ET 90 90 300 300 re f BT", f"({SAID}) Tj", UNREADABLE)), reader))
    assert document.text == f"Read from picture 1.\n\n{SAID}\n\nRead from picture 2."
    assert document.notes == ("Pages 1 and 3 were read by OCR (90% sure on average); letters may be wrong.",)
    assert sizes == [(1653, 2339), (1653, 2339)]  # the page at 200 dots to the inch


def test_the_title_of_a_form_ends_before_its_fields(tmp_path: Path) -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.drawString(60, 760, "Application for leave")
    for y, label, value in ((700, "Name:", "Erika Dorn"), (660, "First day:", "2 May 2026")):
        canvas.drawString(60, y, label)
        canvas.acroForm.textfield(name=label, x=130, y=y - 6, width=200, height=18, value=value)
    canvas.save()
    document = check(load_bytes("a.pdf", target.getvalue()))
    assert document.metadata.title == "Application for leave"
    assert document.text == "Application for leave\n\nName: Erika Dorn\nFirst day: 2 May 2026"


def test_a_line_of_texts_beside_each_other_in_no_columns_is_not_one_sentence() -> None:
    beside = [(70, 130, "Lower revenue in all plants"), (260, 130, "Lower margin from the"), (70, 144, "and offices.")]
    text = read([*lines("The quarter of the pump works in short."), *beside]).text
    assert "plants Lower" not in text
    assert "from the and" not in text


def test_an_item_whose_first_line_alone_is_indented_goes_on_at_the_margin() -> None:
    page = [
        (106, 100, "4. The company reserves the right to impose other rules on the use of its"),
        *lines("pumps, to the extent that it is necessary.", y=114),
        *lines("The rules are kept in the hall.", y=160),
    ]
    assert "on the use of its pumps, to the extent" in read(page).text
