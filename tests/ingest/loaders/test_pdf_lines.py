"""Lines of PDF files: divided words, names with what they mean, justified text, raised figures, direction."""

import io
from pathlib import Path

import pytest
from loader_checks import check, lines, make_pdf
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.pdf_order import in_reading_order
from rag.ingest.loaders.pdf_words import Word

BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"

WIDE = "This page lists what the valve reports back to the panel in the hall of pumps."

SIZE = 11
ABOVE = "The hood is kept closed while nobody works in it, and it is opened"
BELOW = "only by the person who has booked it for the hours of the morning."


FIRST = "המשאבה פועלת בשעה שמונה בבוקר בכל יום של השבוע"


def text_of_lines(*page: str) -> str:
    return check(load_bytes("a.pdf", make_pdf(lines(*page)))).text


@pytest.mark.parametrize("size_of_line", ["was designed by the engi-", "was designed in 1933 by the young engi-"])
def test_a_divided_word_on_a_short_line_goes_on_in_the_next(size_of_line: str) -> None:
    text = text_of_lines(BRIDGE, size_of_line, "neer Sofie Brandt.")
    assert text == f"{BRIDGE} {size_of_line.removesuffix('engi-')}engineer Sofie Brandt."


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("It was designed in two years -", "the plans are kept."),
        ("It is kept in room B-", "The plans are kept."),
        ("It was built in 1933-", "the plans are kept."),
    ],
)
def test_a_short_line_without_a_divided_word_ends_its_paragraph_as_before(above: str, below: str) -> None:
    assert text_of_lines(BRIDGE, above, below).count("\n\n") == 1


def text_of(*drawn: list[tuple[float, float, str]]) -> str:
    return check(load_bytes("a.pdf", make_pdf([one for part in drawn for one in part]))).text


@pytest.mark.parametrize(
    ("first", "second"),
    [("VALVE_STUCK", "VALVE_OPEN"), ("--stuck", "--open"), ("isStuck", "isOpen"), ("stuck()", "open()")],
)
def test_a_name_goes_with_the_condition_below_it(first: str, second: str) -> None:
    text = text_of(
        lines(WIDE),
        lines(first, y=140),
        lines("if the valve does not move", "or moves by less than a turn", x=80, y=154),
        lines(second, y=182),
        lines("otherwise", x=80, y=196),
    )
    assert text.split("\n\n")[1:] == [
        f"{first} if the valve does not move or moves by less than a turn", f"{second} otherwise",
    ]  # fmt: skip


def test_a_text_of_several_sentences_below_a_name_stays_one_paragraph() -> None:
    said = (
        "Returned when the valve did not move although it was told to do so. The",
        "reason is dirt in most cases, which the next service of the valve takes",
    )
    text = text_of(lines("VALVE_STUCK", y=140), lines(*said, "out.", x=90, y=154))
    assert text == f"VALVE_STUCK {said[0]} {said[1]} out."


def test_a_name_that_ends_a_paragraph_stays_in_it() -> None:
    assert text_of(lines(WIDE.replace(".", " as"), "VALVE_STUCK")) == f"{WIDE[:-1]} as VALVE_STUCK"


def test_names_below_each_other_are_apart() -> None:
    assert text_of(lines(WIDE), lines("valve_open", "valve_close", y=140)).endswith("\n\nvalve_open\n\nvalve_close")


def spread(text: str, gap: float, after_sentence: float, *, y: float) -> list[tuple[float, float, str]]:
    """Words of a line with these gaps between them, in font heights."""
    x, placed = 70.0, []
    for word in text.split():
        placed.append((x, y, word))
        x += stringWidth(word, "Helvetica", SIZE) + SIZE * (after_sentence if word.endswith(".") else gap)
    return placed


@pytest.mark.parametrize(
    ("line", "gap", "after"),
    [
        ("for as short a time as can be. Each time it is opened", 0.55, 1.7),
        ("for as short a time as they all can be", 1.5, 1.5),
    ],
)
def test_a_line_spread_to_its_width_is_no_row_and_does_not_cut_its_paragraph(
    line: str, gap: float, after: float
) -> None:
    text = text_of(lines(ABOVE, y=100), spread(line, gap, after, y=114), lines(BELOW, y=128))
    assert text == f"{ABOVE} {line} {BELOW}"


def test_two_lines_spread_to_their_width_are_text() -> None:
    first = "for as short a time as can be. Each time it is opened"
    second = "the alarm is off for ten seconds. Then it sounds again"
    text = text_of(
        lines(ABOVE, y=100), spread(first, 0.5, 1.5, y=114), spread(second, 0.5, 1.5, y=128), lines(BELOW, y=142)
    )
    assert text == f"{ABOVE} {first} {second} {BELOW}"


def test_a_label_far_from_the_words_before_it_keeps_the_lines_apart() -> None:
    text = text_of(
        lines("void hood_open (const struct hood *all, int count)", y=100),
        [(70, 114, "int hood_close (const struct hood *all)"), (450, 114, "[Function]")],
        lines("Closes every hood that is open.", x=90, y=128),
    )
    assert text.endswith("int hood_close (const struct hood *all) [Function]\n\nCloses every hood that is open.")


def test_rows_of_single_words_stay_a_table() -> None:
    rows = [("Pump", "Owner", "Room", "Floor", "Phone"), ("North", "Dorn", "West", "Ground", "None")]
    cells = [(70 + 80 * k, 100 + 16 * n, text) for n, row in enumerate(rows) for k, text in enumerate(row)]
    assert text_of(cells) == "| Pump | Owner | Room | Floor | Phone |\n| North | Dorn | West | Ground | None |"


def test_rows_of_several_words_stay_a_table() -> None:
    rows = [("The hood in the hall", "is kept closed at night"), ("The hood in the shed", "is kept open at night")]
    cells = [(70 + 130 * k, 100 + 16 * n, text) for n, row in enumerate(rows) for k, text in enumerate(row)]
    assert text_of(cells).count("|") == 6


def raised(*parts: tuple[str, float]) -> bytes:
    """A line of text; each part with its rise in points, those off the line in smaller type."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    text = canvas.beginText(70, 700)
    for part, rise in parts:
        text.setFont("Helvetica", 7 if rise else 11)
        text.setRise(rise)
        text.textOut(part)
    canvas.drawText(text)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([("At most 10", 0), ("6", 4), (" germs a litre", 0)], "At most 10⁶ germs a litre"),
        ([("At most 10", 0), ("-3", 4), (" mol", 0)], "At most 10⁻³ mol"),
        ([("A hall of 5 m", 0), ("2", 4), (" or more", 0)], "A hall of 5 m² or more"),
        ([("It was built in 1923", 0), ("3", 4), (" by the town", 0)], "It was built in 1923 [3] by the town"),
        ([("The upper limit", 0), ("2", 4), (" is kept", 0)], "The upper limit [2] is kept"),
        ([("Vent the CO", 0), ("2", -3), (" at night", 0)], "Vent the CO2 at night"),
        ([("The code is 1010", 0), ("2", -3), (" at night", 0)], "The code is 1010_2 at night"),
        ([("3", 4), ("Smith gives the year", 0)], "[3] Smith gives the year"),
        ([("On the 5", 0), ("th", 4), (" of May", 0)], "On the 5th of May"),
    ],
)
def test_figures_off_the_line_do_not_join_the_number_before_them(parts: list[tuple[str, float]], said: str) -> None:
    assert check(load_bytes("a.pdf", raised(*parts))).text == said


def test_smaller_figures_on_the_line_are_part_of_their_number() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    text = canvas.beginText(70, 700)
    for part, size in (("The seal has number 10", 11), ("63", 8), (" on it", 11)):
        text.setFont("Helvetica", size)
        text.textOut(part)
    canvas.drawText(text)
    canvas.save()
    assert check(load_bytes("a.pdf", target.getvalue())).text == "The seal has number 1063 on it"


def test_an_excerpt_with_a_power_is_found_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(raised(("At most 10", 0), ("6", 4), (" germs a litre", 0)))
    assert len(excerpt_boxes(path, 1, "At most 10⁶ germs")) == 1


def words(text: str) -> list[Word]:
    """Words beside each other, from left to right."""
    return [Word(part, 10.0 * at, 0, 10.0 * at + 9, 10, 10, False, False) for at, part in enumerate(text.split())]


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("The pump runs", "The pump runs"),
        ("בבוקר 8 בשעה", "בשעה 8 בבוקר"),
        ("בבוקר Pump Type A המשאבה", "המשאבה Pump Type A בבוקר"),
        ("The name משאבה means pump", "The name משאבה means pump"),
        ("ريالا خمسون السعر", "السعر خمسون ريالا"),
        ("8 30 12", "8 30 12"),
    ],
)
def test_words_are_read_from_the_side_from_which_most_of_their_letters_are_written(shown: str, read: str) -> None:
    assert " ".join(word.text for word in in_reading_order(words(shown))) == read


def test_a_hebrew_line_is_read_from_the_right_and_its_excerpt_is_found(tmp_path: Path) -> None:
    try:
        pdfmetrics.registerFont(TTFont("Hebrew", "DejaVuSans.ttf"))
    except TTFError:
        pytest.skip("the font DejaVu Sans is not installed")
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.setFont("Hebrew", 12)
    canvas.drawRightString(530, 780, FIRST[::-1])
    canvas.save()
    (tmp_path / "a.pdf").write_bytes(target.getvalue())

    assert check(load_bytes("a.pdf", target.getvalue())).text == FIRST
    (whole,) = excerpt_boxes(tmp_path / "a.pdf", 1, FIRST)
    (first,) = excerpt_boxes(tmp_path / "a.pdf", 1, "המשאבה פועלת בשעה")
    assert first.x0 > whole.x0 + 100
    assert first.x1 == whole.x1
