"""Lines of scripts that are written from right to left are read so, and excerpts of them are found on their page."""

import io
from pathlib import Path

import pytest
from loader_checks import check
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.pdf_order import in_reading_order
from rag.ingest.loaders.pdf_words import Word

FIRST = "המשאבה פועלת בשעה שמונה בבוקר בכל יום של השבוע"


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
