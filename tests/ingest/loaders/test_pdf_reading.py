"""How pages are read on which text does not simply run down: columns, forms, margins, pages without text."""

from types import SimpleNamespace

import pytest
from loader_checks import check, lines, make_pdf, raw_pdf, read_pdf
from reportlab.pdfgen.canvas import Canvas

from rag.errors import InvalidDocument
from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.ocr_layout import OcrLine
from rag.ingest.loaders.pdf import load_pdf
from rag.ingest.loaders.source import Source

LEFT = ("The pump of the northern", "hall runs all night and", "is checked at six by the", "guard who has the key.")
RIGHT = ("A second pump stands in", "the cellar, which is dry", "in summer and needs no", "pump before the autumn.")


@pytest.mark.parametrize("x", [206, 300])
def test_columns_are_read_one_after_the_other_however_narrow_their_gutter(x: float) -> None:
    assert read_pdf([*lines(*LEFT), *lines(*RIGHT, x=x)]).text == f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_numbers_of_lines_in_the_margin_are_no_text_and_their_lines_are_one_paragraph() -> None:
    said = ["The engine failed after eleven days at sea, and the defendant refused", "to repair it on the fourth day."]
    numbers = [(50, 100 + 24 * k, str(k + 1)) for k in range(20)]
    assert read_pdf([*numbers, *lines(*said, x=80, pitch=24)]).text == " ".join(said)


@pytest.mark.parametrize(("first", "labels"), [(7, ["7", "8", "9"]), (1, [None, None, None])])
def test_a_page_has_the_number_that_it_prints_where_that_is_another(first: int, labels: list[str | None]) -> None:
    words = enumerate(("apron", "key", "lamp"), start=first)
    pages = [[*lines(f"The {word} hangs beside the door."), (290, 810, str(number))] for number, word in words]
    assert [page.label for page in read_pdf(*pages).pages] == labels


def test_a_chunk_knows_the_labels_of_its_own_pages_alone() -> None:
    def draw(canvas: Canvas) -> None:
        number = canvas.getPageNumber()
        if number == 1:
            canvas.addPageLabel(0, "ROMAN_LOWER", start=7)
            canvas.addPageLabel(2, "ARABIC", start=1)
        canvas.drawString(72, 700, f"The valve of room {number} is closed by the caretaker every evening at nine.")

    pieces = SimpleNamespace(spans=lambda text: [(place, place + 1) for place in range(0, len(text), 4)])
    chunks = chunk(read_pdf(*[draw] * 30), pieces=pieces)
    assert len(chunks) > 1
    assert chunks[0].printed_pages[:3] == ((1, "vii"), (2, "viii"), (3, "1"))
    for one in chunks:
        assert (one.printed_pages[0][0], one.printed_pages[-1][0]) == (one.page, one.last_page)


@pytest.mark.parametrize("rotation", [0, 90])
def test_values_of_fields_stand_beside_their_labels(rotation: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        for y, label in ((700, "Applicant:"), (660, "Approved amount:"), (620, "Paid by:")):
            canvas.drawString(60, y, label)
        canvas.drawString(60, 580, "The form is kept for ten years.")
        form = canvas.acroForm
        form.textfield(name="who", x=130, y=694, width=200, height=18, value="Erika Dorn")
        form.textfield(name="sum", x=160, y=654, width=200, height=18, value="7,300 EUR")
        form.choice(name="how", x=130, y=614, width=90, height=18, value="card", options=["card", "cash"])

    filled = "Applicant: Erika Dorn Approved amount: 7,300 EUR Paid by: card"
    assert said(draw) == f"{filled} The form is kept for ten years."


def test_boxes_show_whether_they_are_ticked_and_what_is_secret_is_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        for y, ticked, label in ((700, True, "Goggles were worn"), (670, False, "An alarm was heard")):
            canvas.acroForm.checkbox(name=label, x=60, y=y - 2, size=12, checked=ticked)
            canvas.drawString(78, y, label)
        canvas.drawString(60, 640, "Password:")
        canvas.acroForm.textfield(name="p", x=130, y=634, width=90, height=18, value="tulip", fieldFlags="password")

    assert said(draw) == "☒ Goggles were worn ☐ An alarm was heard Password:"


def said(draw: object) -> str:
    """The words of a page, whatever they stand in."""
    return " ".join(read_pdf(draw).text.replace("|", " ").split())


def test_a_value_under_its_label_in_a_drawn_box_is_a_field() -> None:
    def draw(canvas: Canvas) -> None:
        fields = (("Holder", "Maren Tolstad"), ("Seats", "5"), ("Make", "Volvo"), ("Town", "Lund"))
        for at, (label, value) in enumerate(fields):
            x, y = 70 + 200 * (at % 2), 700 - 40 * (at // 2)
            canvas.rect(x, y, 200, 40)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(x + 4, y + 30, label)
            canvas.setFont("Helvetica", 11)
            canvas.drawString(x + 4, y + 10, value)

    assert read_pdf(draw).text == "Holder: Maren Tolstad\nSeats: 5\nMake: Volvo\nTown: Lund"


def test_labels_with_values_beside_an_address_are_fields_and_the_address_is_apart() -> None:
    pairs = (("Invoice no.:", "2025-0871"), ("Due date:", "3 July 2025"), ("Customer:", "40118"))
    right = [one for k, (a, b) in enumerate(pairs) for one in ((360, 100 + 14 * k, a), (470, 100 + 14 * k, b))]
    text = read_pdf([*lines("Brightwater Ltd", "12 Quay Road"), *right]).text
    assert text == "Brightwater Ltd 12 Quay Road\n\nInvoice no.: 2025-0871\nDue date: 3 July 2025\nCustomer: 40118"


def raw(*contents: str, **options: bytes) -> bytes:
    return raw_pdf(*(f"BT /F 12 Tf 70 700 Td {text} ET".encode() for text in contents), **options)


def xfa(data: str, said: str = "Please wait...") -> bytes:
    """A PDF of one page whose form is drawn by XFA only."""
    packet = f'<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">{data}</xdp:xdp>'
    return raw(f"({said}) Tj", catalog=b"/AcroForm << /Fields [] /XFA 4 0 R >>", packet=packet.encode())


FILLED = (
    '<template><field name="Sum"><caption><value><text>Amount asked:</text></value></caption></field></template>'
    '<x:datasets xmlns:x="http://www.xfa.org/schema/xfa-data/1.0/"><x:data><form><FirstName>Nadia</FirstName>'
    "<Sum>18500</Sum><Empty/></form></x:data></x:datasets>"
)
SAID = "The pump of the hall runs all night."
UNREADABLE = r"(A \001\002\003 B \004\005\006\007 C) Tj"


def test_the_data_of_an_xfa_form_are_fields_under_their_captions_unless_the_page_says_something_itself() -> None:
    assert check(load_bytes("a.pdf", xfa(FILLED))).text == "First Name: Nadia\nAmount asked: 18500"
    said = " ".join(f"The pump number {at} of the hall runs all night." for at in range(60))
    assert check(load_bytes("a.pdf", xfa(FILLED, said))).text.startswith("The pump number 0 of the hall")


def test_a_page_whose_fonts_have_no_unicode_map_is_left_out_and_named() -> None:
    document = check(load_pdf(Source("a.pdf", raw(f"({SAID}) Tj", UNREADABLE))))
    assert document.text == SAID
    assert document.notes[0].startswith("The text of page 2 of 2 cannot be read: its fonts have no Unicode map.")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (xfa(""), r"XFA form without data.*print it to a new PDF"),
        (raw(UNREADABLE), r"page 1 of 1 cannot be read.*Unicode map.*OCR"),
        (make_pdf(lambda canvas: (canvas.rotate(45), canvas.drawString(300, 100, SAID))), "no text but slanted words"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_refused_with_what_to_do(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidDocument, match=reason):
        load_pdf(Source("a.pdf", data))


def test_pages_without_text_and_with_unreadable_fonts_are_given_to_the_reader_of_pictures() -> None:
    sizes = []

    def reader(picture: object) -> list[OcrLine]:
        sizes.append(picture.size)  # type: ignore[attr-defined]
        return [OcrLine(f"Read from picture {len(sizes)}.", (200, 300, 900, 340), 0.9)]

    document = check(load_pdf(Source("a.pdf", raw("ET 90 90 300 300 re f BT", f"({SAID}) Tj", UNREADABLE)), reader))
    assert document.text == f"Read from picture 1.\n\n{SAID}\n\nRead from picture 2."
    assert document.notes == ("Pages 1 and 3 were read by OCR (90% sure on average); letters may be wrong.",)
    assert sizes == [(1653, 2339), (1653, 2339)]  # the page at 200 dots to the inch
