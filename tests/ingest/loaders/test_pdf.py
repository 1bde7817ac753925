"""PDF files, written with reportlab: what is read of a page, and what only runs through the pages and is not."""

import pytest
from loader_checks import SAMPLES, Draw, Placed, all_of, check, lines, make_pdf, page_of, read_pdf, turned, write
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.pdf_prose import mend
from rag.ingest.loaders.source import listening
from rag.models import Document

PROSE = (
    "The sash of a fume hood protects the face from splashes and from",
    "vapours, and it is kept as low as the work at hand allows it to be.",
)
OTHERS = (
    "An upright line of text stands above the block on this page, and",
    "a second one below it ends the paragraph before the block begins.",
)
BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"
LEFT = ("The pump of the northern", "hall runs all night and", "is checked at six by the", "guard who has the key.")
RIGHT = ("A second pump stands in", "the cellar, which is dry", "in summer and needs no", "pump before the autumn.")
COLUMNS = f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"
PHRASES = ("The lamp of the south hall", "The bell of the north gate", "The key of the boat house")
VALUES = lines("2025-0871", "40118", x=470)
ROWS = (("Substance", "Boils at"), ("Acetone", "56 C"), ("Ethanol", "78 C"))
FIRST = ("The bridge over the canal was closed in the spring of that year, and", "the ferry was used until the")
SECOND = ("new one was opened by the mayor.", "It carries lorries of up to twelve tonnes.")
WHOLE, OTHER, BOTH = " ".join(PROSE), " ".join(OTHERS), " ".join(FIRST + SECOND)
ABOVE = turned(OTHERS, 60, 780)
CELLS = [(294 + 20 * y, 204 + 120 * x, cell) for y, row in enumerate(ROWS) for x, cell in enumerate(row)]
SIDEWAYS = all_of(ABOVE, *(turned((cell,), x, y, angle=90) for x, y, cell in CELLS))
DRAWN = all_of(SIDEWAYS, lambda canvas: canvas.grid([280, 300, 320, 340], [200, 320, 440]))
TABLE = f"{OTHER}\n\n| Substance | Boils at |\n| Acetone | 56 C |\n| Ethanol | 78 C |"


def figure(before: str, raised: str, size: float, rise: float, after: str) -> list[Placed]:
    """A line with a figure of another size, above or below it."""
    x = 70 + stringWidth(before, "Helvetica", 11)
    end = x + stringWidth(raised, "Helvetica", size)
    return [(70, 142, before), (x, 142 - rise, raised, size), (end, 142, after)]


def by_line(*columns: list[Placed]) -> list[Placed]:
    """Columns in the order in which some files draw them: the first line of each, then the second."""
    return sorted((placed for column in columns for placed in column), key=lambda placed: placed[1])


def boxes(canvas: Canvas) -> None:
    for x, label, value in ((70, "Holder", "Maren Tolstad"), (270, "Seats", "5")):
        canvas.rect(x, A4[1] - 140, 200, 40)
        write([(x + 4, 110, label, 7), (x + 4, 130, value)], canvas)


def running(*texts: Placed) -> list[list[Placed]]:
    """Two pages with running lines, in which {n} is the page."""
    return [
        [*lines(*said), *((x, y, text.format(n=n), 8.0) for x, y, text in texts)]
        for n, said in enumerate((FIRST, SECOND), start=1)
    ]


CONTENTS = [(70, 60, "++Contents"), *lines(*[f"{n} Section . . . . . . . . . . . {n}" for n in range(5)])]
MARGIN = [(50, 100 + 24 * k, str(k + 1)) for k in range(20)]
READ: dict[str, tuple[list[list[Placed] | Draw], str]] = {
    "space parts paragraphs": ([lines(*PROSE) + lines(*PROSE, y=160)], f"{WHOLE}\n\n{WHOLE}"),
    "a short line ends a paragraph": ([lines(*PROSE, "A short end.", *PROSE)], f"{WHOLE} A short end.\n\n{WHOLE}"),
    "a divided word": ([lines(BRIDGE, "was built by engi-", "neer Berg.")], f"{BRIDGE} was built by engineer Berg."),
    "lines of a table of contents are left out": ([CONTENTS, lines(*PROSE)], f"Contents\n\n{WHOLE}"),
    "columns": ([[*lines(*LEFT), *lines(*RIGHT, x=300)]], COLUMNS),
    "a narrow gutter": ([[*lines(*LEFT), *lines(*RIGHT, x=206)]], COLUMNS),
    "a narrower one, drawn line by line": ([by_line(lines(*LEFT), lines(*RIGHT, x=198))], COLUMNS),
    "no gutter: phrases side by side": (
        [by_line(lines(*PHRASES * 2), lines(*PHRASES[::-1] * 2, x=204))],
        " ".join(f"{a} {b}" for a, b in zip(PHRASES * 2, PHRASES[::-1] * 2, strict=True)),
    ),
    "numbers of lines in the margin are no text": ([[*MARGIN, *lines(*PROSE, x=80, pitch=24)]], WHOLE),
    "a value under its label in a drawn box": ([boxes], "Holder: Maren Tolstad\nSeats: 5"),
    "labels with values beside an address": (
        [[*lines("Brightwater Ltd", "12 Quay Road"), *by_line(lines("Invoice no.:", "Customer:", x=360), VALUES)]],
        "Brightwater Ltd 12 Quay Road\n\nInvoice no.: 2025-0871\nCustomer: 40118",
    ),
    "the same without colons": (
        [[*lines("Brightwater Ltd", "12 Quay Road"), *by_line(lines("Invoice no.", "Customer", x=360), VALUES)]],
        "Brightwater Ltd 12 Quay Road\n\n| Invoice no. | 2025-0871 |\n| Customer | 40118 |",
    ),
    "a running head of two pages": (running((70, 40, "Harbour Office, 5 Quay Road")), BOTH),
    "a running foot of two pages": (running((70, 820, "Registered under 4711, page {n} of 2")), BOTH),
    "several of them": (running((70, 40, "Harbour Office"), (70, 815, "Confidential"), (300, 815, "{n}")), BOTH),
    "a power": ([figure("At most 10", "6", 7, 4, " germs a litre")], "At most 10⁶ germs a litre"),
    "a note": ([figure("It was built in 1923", "3", 7, 4, " by the town")], "It was built in 1923 [3] by the town"),
    "a lowered figure": ([figure("Vent the CO", "2", 7, -3, " at night")], "Vent the CO2 at night"),
    "the base of a number": ([figure("The code is 1010", "2", 7, -3, " at night")], "The code is 1010_2 at night"),
    "the mark before a note": ([figure("", "3", 7, 4, "Smith gives the year")], "[3] Smith gives the year"),
    "a smaller figure on the line": ([figure("The seal is 10", "63", 8, 0, " on it")], "The seal is 1063 on it"),
    "a sideways table": ([SIDEWAYS], TABLE),
    "a sideways table with its lines": ([DRAWN], TABLE),
    **{
        f"a block turned by {angle}": ([all_of(ABOVE, turned(PROSE, x, y, angle=angle))], f"{OTHER}\n\n{WHOLE}")
        for angle, x, y in ((90, 300, 200), (180, 500, 300), (270, 300, 700))
    },
    **{f"a page turned by {turn}": ([turned(PROSE, 60, 400, rotation=turn)], WHOLE) for turn in (90, 180, 270)},
    **{
        f"a page turned by {turn}, its text upright": ([turned(PROSE, x, y, angle=turn, rotation=turn)], WHOLE)
        for turn, x, y in ((90, 300, 60), (180, 500, 500), (270, 300, 500))
    },
}


@pytest.mark.parametrize(("pages", "text"), READ.values(), ids=READ)
def test_pages_are_read_as_they_are_seen(pages: list[list[Placed] | Draw], text: str) -> None:
    assert read_pdf(*pages).text == text


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["state-of-the-", "art"], "state-of-the-art"),
        (["a well-", "known rule"], "a well-known rule"),
        (["the well-", "ness of"], "the wellness of"),
        (["九時に開", "きます。", "入館料"], "九時に開きます。入館料"),
        (["도서관은", "아홉 시에"], "도서관은 아홉 시에"),
    ],
)
def test_words_divided_at_line_ends_are_mended_and_compounds_keep_their_hyphen(parts: list[str], whole: str) -> None:
    assert mend(parts) == whole


def test_pages_count_from_one_empty_ones_too_and_each_is_told_of_before_it_is_read() -> None:
    begun: list[tuple[int, int]] = []
    with listening(lambda number, of: begun.append((number, of))):
        document = read_pdf(lines("First page text."), [], lines("Third page text."))
    assert begun == [(1, 3), (2, 3), (3, 3)]
    assert (page_of(document, "First"), page_of(document, "Third")) == (1, 3)
    assert document.pages[1].start == document.pages[1].end


def test_headings_are_found_by_size_weight_and_number_and_by_the_outline() -> None:
    def outlined(canvas: Canvas) -> None:
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Gloves", "a", level=0)
        write([(70, 80, "Gloves"), *lines(*PROSE)], canvas)

    document = read_pdf(
        [(70, 60, "++Chapter 2: Hoods"), (70, 100, "+2.1 How a hood protects"), *lines(*PROSE, y=125),
         (70, 175, "**Before you begin"), *lines(*PROSE, y=190)]
    )  # fmt: skip
    path = ("Chapter 2: Hoods", "2.1 How a hood protects", "Before you begin")
    assert [one.path for one in document.sections] == [path[:1], path[:2], path]
    assert [(one.chapter, one.section_number) for one in document.sections] == [(2, None), (2, "2.1"), (2, "2.1")]
    assert read_pdf(outlined).sections[0].path == ("Gloves",)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ([(70, 60, "++++Handbook of"), (70, 80, "++++Gloves"), *lines(*PROSE, y=120)], "Handbook of Gloves"),
        ([*lines("++++FORM 7", "a report", "++++LAB", y=60, pitch=30), *lines(*PROSE, y=160)], "FORM 7 LAB"),
        ([(70, 60, "++++1 Gloves"), *lines(*PROSE), (70, 160, "++++2 Aprons"), *lines(*PROSE, y=200)], "1 Gloves"),
    ],
)
def test_the_largest_lines_are_the_title_where_the_file_states_none(page: list[Placed], title: str) -> None:
    assert read_pdf(page).metadata.title == title


def test_properties_become_metadata() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle("Laboratory Safety Manual")
        canvas.setAuthor("Ida Berg")
        canvas.setSubject("Document LS-001")
        canvas.drawString(70, 700, "Effective 2 February 2026")

    metadata = load_bytes("ls.pdf", make_pdf(draw)).metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Laboratory Safety Manual", ("Ida Berg",), 2026)
    assert "Document LS-001" in metadata.identifiers


def three(first: str, last: str, size: float = 11) -> Document:
    """Three pages with a first and a last line each, in which {n}, {m} and {k} are numbers."""
    pages = []
    for n, word in enumerate(("apron", "bottle", "cabinet"), start=1):
        numbers = {"n": n, "m": (42, 38, 40)[n - 1], "k": n + 10}
        text = lines(f"The {word} hangs beside the door of the room in which it is", f"worn, and no {word} leaves it.")
        pages.append([(70, 60, first.format(**numbers), size), *text, (70, 790, last.format(**numbers), 11.0)])
    return read_pdf(*pages)


TELLING = ("Sample {n}: {m} mg", "Sample {n} holds {m} mg of salt.", "{n} This note says that it costs {m} euros.")
RUNNING = ("Page {n} of 3", "Section {m} | {n}", "Manual 7 - {n}", "Chapter 3 Page 3-{k}", "{n}")


@pytest.mark.parametrize("line", [*TELLING, *RUNNING])
def test_a_line_at_the_edge_of_pages_stays_only_where_it_says_more_than_where_it_is(line: str) -> None:
    for document in (three(line, "Harbour Office"), three("Harbour Office", line)):
        assert "Harbour" not in document.text
        assert any(map(str.isdigit, document.text)) is (line in TELLING)
        assert all(str(number) in document.text for number in (42, 38, 40)) is (line in TELLING)


@pytest.mark.parametrize(("line", "size"), [("Page {n}", 14), ("Harbour Office 7", 14), ("Rules of 24, {n}", 9)])
def test_a_large_running_line_and_a_small_one_that_counts_on_are_gone_and_a_title_that_does_so_stays(
    line: str, size: float
) -> None:
    assert not any(map(str.isdigit, three(line, "Harbour Office", size).text))
    document = three("Sample {n}", "Harbour Office", 14)
    assert [one.path for one in document.sections] == [("Sample 1",), ("Sample 2",), ("Sample 3",)]
    assert [page_of(document, text) for text in ("Sample 1", "Sample 2", "no cabinet")] == [1, 2, 3]


def test_a_note_does_not_cut_the_sentence_that_goes_on_over_the_page_or_in_the_next_column() -> None:
    document = read_pdf([*lines(*FIRST, y=600), (70, 780, "3 Smith gives the year before.", 8.0)], lines(*SECOND))
    assert document.text.startswith("3 Smith gives the year before.\n\nThe bridge over")
    assert "was used until the new one was opened by the mayor." in document.text
    assert [page_of(document, said) for said in ("3 Smith", "The bridge", "new one")] == [1, 1, 2]

    left = [f"The left column has line {word} of its own" for word in ("one", "two", "three", "four", "five")]
    right = ["right of it the line goes on and on", *[line.replace("left", "right") for line in left]]
    columns = read_pdf([*lines(*left, y=600), (70, 690, "* Measured at noon.", 8.0), *lines(*right, x=320, y=600)])
    assert "line five of its own right of it the line goes on" in columns.text
    assert columns.text.startswith("* Measured at noon.")

    margin = turned(("Accepted by the board in spring",), 30, 300, angle=90)
    beside = read_pdf(all_of(ABOVE, turned(FIRST), margin), turned(SECOND, 60, 780))
    assert beside.text == f"{OTHER}\n\nAccepted by the board in spring\n\n{BOTH}"
    assert (page_of(beside, "Accepted"), page_of(beside, "new one")) == (1, 2)


def test_the_manual_of_the_samples_which_has_every_difficulty_at_once_is_read_whole() -> None:
    manual = check(load(SAMPLES / "safety_manual.pdf"))
    assert len(manual.pages) == 14
    assert "Laboratory Safety Manual LS-001" not in manual.text  # its running lines
    assert "· Edition" not in manual.text
    row = (
        "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, flame-resistant "
        "laboratory coat | Yellow safety cabinet, at most 10 litres in each laboratory |\n"
    )
    assert page_of(manual, row) == 8  # its cells are wrapped
    terms = ["Assembly point.", "Face velocity.", "Green permit card.", "Near miss.", "Two-person key."]
    places = [manual.text.index(term) for term in terms]
    assert places == sorted(places)  # they stand in two columns
