"""PDF files: values of forms, labels of pages, pages of which nothing can be read, text across the page."""

import re
from types import SimpleNamespace

import pytest
from loader_checks import Draw, all_of, check, lines, make_pdf, raw_pdf, read_pdf, turned
from reportlab.pdfgen.canvas import Canvas

from rag.errors import InvalidDocument
from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.ocr import OcrLine
from rag.ingest.loaders.pdf import load_pdf
from rag.ingest.loaders.source import Source

SAID = "The pump of the hall runs all night."
UNREADABLE = r"(A \001\002\003 B \004\005\006\007 C) Tj"
PROSE = turned((SAID, "The blue valve of the cellar opens at nine bar."))
OTHERS = turned(("The plate on its side tells whoever reads it", "that it closes again at four bar."))


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


def said(draw: Draw) -> str:
    """The words of a page, whatever they stand in."""
    return " ".join(read_pdf(draw).text.replace("|", " ").split())


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


def test_the_data_of_an_xfa_form_are_fields_under_their_captions_unless_the_page_says_something_itself() -> None:
    assert check(load_bytes("a.pdf", xfa(FILLED))).text == "First Name: Nadia\nAmount asked: 18500"
    assert check(load_bytes("a.pdf", xfa(FILLED, f"{SAID} " * 60))).text.startswith(SAID)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (xfa(""), r"XFA form without data.*print it to a new PDF"),
        (raw(UNREADABLE), r"page 1 of 1 cannot be read.*Unicode map.*OCR"),
        (
            make_pdf(lambda canvas: (canvas.rotate(45), canvas.drawString(300, 100, SAID))),
            "Slanted text was left out",
        ),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_refused_with_what_to_do(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidDocument, match=reason):
        load_pdf(Source("a.pdf", data))


def picture(canvas: Canvas) -> None:
    canvas.rect(100, 100, 300, 300, fill=1)


def framed(number: int, draw: Draw) -> Draw:
    """A page with running lines around what is drawn."""
    return all_of(turned(("Rules of the south laboratory",), 60, 800), turned((f"Page {number}",), 500, 40), draw)


NO_TEXT, SLANTED = "No text could be read on ", "Slanted text was left out on page 2 of 2: 6 words across the page"
NOTES = {
    "several": (make_pdf(picture, PROSE, PROSE, picture, picture), f"{NO_TEXT}3 of 5 pages (1, 4-5): "),
    "one": (make_pdf(PROSE, picture), f"{NO_TEXT}page 2 of 2: "),
    "running lines": (make_pdf(framed(1, PROSE), framed(2, picture), framed(3, OTHERS)), f"{NO_TEXT}page 2 of 3: "),
    "fonts": (raw(f"({SAID}) Tj", UNREADABLE), "The text of page 2 of 2 cannot be read: its fonts have no Unicode"),
    **{
        f"{at} degrees": (make_pdf(PROSE, all_of(PROSE, turned(("DRAFT D R A F T",), 300, 694, angle=at))), SLANTED)
        for at in (30, -45, 135)
    },
}


@pytest.mark.parametrize(("data", "note"), NOTES.values(), ids=NOTES)
def test_pages_without_text_that_can_be_read_and_text_across_the_page_are_left_out_and_named(
    data: bytes, note: str
) -> None:
    document = check(load_pdf(Source("a.pdf", data)))
    [told] = document.notes
    assert told.startswith(note)
    assert "OCR" in told or "Slanted" in note
    assert not re.search("DRAFT|Rules|Page|[ABC] ", document.text)


def test_blank_pages_and_pages_with_text_beside_pictures_are_not_named() -> None:
    assert read_pdf(all_of(PROSE, picture), all_of(), turned((SAID,), 300, 200, angle=90)).notes == ()


def test_pages_without_text_and_with_unreadable_fonts_are_given_to_the_reader_of_pictures() -> None:
    sizes = []

    def reader(picture: object) -> list[OcrLine]:
        sizes.append(picture.size)  # type: ignore[attr-defined]
        return [OcrLine(f"Read from picture {len(sizes)}.", (200, 300, 900, 340), 0.9)]

    document = check(load_pdf(Source("a.pdf", raw("ET 90 90 300 300 re f BT", f"({SAID}) Tj", UNREADABLE)), reader))
    assert document.text == f"Read from picture 1.\n\n{SAID}\n\nRead from picture 2."
    assert document.notes == ("Pages 1 and 3 were read by OCR (90% sure on average); letters may be wrong.",)
    assert sizes == [(1653, 2339), (1653, 2339)]  # the page at 200 dots to the inch
