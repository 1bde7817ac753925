"""Text of PDF files that is spread to the full width of its lines, beside tables whose gaps are as wide."""

import pytest
from loader_checks import check, lines, make_pdf
from reportlab.pdfbase.pdfmetrics import stringWidth

from rag.ingest.loaders import load_bytes

SIZE = 11
ABOVE = "The hood is kept closed while nobody works in it, and it is opened"
BELOW = "only by the person who has booked it for the hours of the morning."


def spread(text: str, gap: float, after_sentence: float, *, y: float) -> list[tuple[float, float, str]]:
    """Words of a line with these gaps between them, in font heights."""
    x, placed = 70.0, []
    for word in text.split():
        placed.append((x, y, word))
        x += stringWidth(word, "Helvetica", SIZE) + SIZE * (after_sentence if word.endswith(".") else gap)
    return placed


def text_of(*drawn: list[tuple[float, float, str]]) -> str:
    return check(load_bytes("a.pdf", make_pdf([one for part in drawn for one in part]))).text


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
