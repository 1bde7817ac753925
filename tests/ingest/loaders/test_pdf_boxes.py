"""Where excerpts stand on a page."""

from pathlib import Path

import pypdfium2 as pdfium
import pytest
from loader_checks import SAMPLES, Draw, Placed, check, lines, make_pdf, turned
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont

from rag.errors import InvalidDocument
from rag.ingest.loaders import load
from rag.ingest.loaders.pdf_boxes import excerpt_boxes, single_page
from rag.ingest.loaders.source import read_source


def saved(folder: Path, *pages: list[Placed] | Draw) -> Path:
    path = folder / "a.pdf"
    path.write_bytes(make_pdf(*pages))
    return path


def test_excerpt_across_a_divided_word_has_one_box_a_line_measured_from_the_top_left_corner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, lines("Read the safety infor-", "mation beside the door.", y=100, pitch=14))
    monkeypatch.setitem(read_source.__kwdefaults__, "max_bytes", 10)  # it was ingested under a larger limit
    first, second = excerpt_boxes(path, 1, "the  SAFETY information beside")
    words = {word: excerpt_boxes(path, 1, word)[0] for word in ("Read", "the", "infor-", "mation", "beside")}
    assert (first.x0, first.x1) == (words["the"].x0, words["infor-"].x1)
    assert (second.x0, second.x1) == (words["mation"].x0, words["beside"].x1)
    assert words["Read"].x0 == pytest.approx(70, abs=1)
    assert first.y0 < 100 < first.y1 < first.y0 + 16  # the baseline was set 100 points below the top
    assert len(excerpt_boxes(path, 1, "Something from the page before. mation beside the door.")) == 1
    assert excerpt_boxes(path, 1, "Nothing of this stands there.") == excerpt_boxes(path, 1, "  ") == []
    with pytest.raises(InvalidDocument, match="no page 99"):
        excerpt_boxes(path, 99, "Read")


def test_a_row_with_wrapped_cells_and_a_sentence_of_the_manual_are_found_on_their_page() -> None:
    row = "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, "
    for page, excerpt, count, height in ((8, row, 5, 60), (14, "It is valid for one night and one fume hood.", 2, 842)):
        boxes = excerpt_boxes(SAMPLES / "safety_manual.pdf", page, excerpt)
        assert len(boxes) == count
        assert all(0 <= box.x0 < box.x1 <= 596 and 0 <= box.y0 < box.y1 <= 842 for box in boxes)
        assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) < height


@pytest.mark.parametrize(
    ("angle", "x", "y", "edge", "place", "towards"),
    [(90, 300, 200, "y1", 641.89, "x1"), (180, 500, 300, "x1", 500, "-y0"), (270, 300, 700, "y0", 141.89, "-x0")],
    ids=["up the page, the second line on the right", "leftwards, the second above", "down, the second on the left"],
)
def test_an_excerpt_of_turned_text_is_marked_where_it_is_shown(
    tmp_path: Path, angle: int, x: float, y: float, edge: str, place: float, towards: str
) -> None:
    text = ("The blue valve of the cellar opens at nine bar and", "closes again at four bar, as its plate says.")
    first, second = excerpt_boxes(saved(tmp_path, turned(text, x, y, angle=angle)), 1, " ".join(text))
    assert getattr(first, edge) == pytest.approx(place, abs=1)  # the page is 841.89 points high
    apart = getattr(second, towards.strip("-")) - getattr(first, towards.strip("-"))
    assert 10 < (-apart if towards.startswith("-") else apart) < 18


def test_a_hebrew_line_is_read_from_the_right_and_its_excerpt_is_found(tmp_path: Path) -> None:
    line = "המשאבה פועלת בשעה שמונה בבוקר בכל יום של השבוע"
    try:
        pdfmetrics.registerFont(TTFont("Hebrew", "DejaVuSans.ttf"))
    except TTFError:
        pytest.skip("the font DejaVu Sans is not installed")
    path = saved(tmp_path, lambda page: (page.setFont("Hebrew", 12), page.drawRightString(530, 780, line[::-1])))
    assert check(load(path)).text == line
    [whole], [first] = excerpt_boxes(path, 1, line), excerpt_boxes(path, 1, "המשאבה פועלת בשעה")
    assert first.x0 > whole.x0 + 100
    assert first.x1 == whole.x1


def test_a_single_page_has_no_empty_sides_and_says_by_how_much_it_moved(tmp_path: Path) -> None:
    path = saved(tmp_path, [(100, 60, "Wear goggles.")], [(100, 60, "Second page.")])
    data, count, moved = single_page(path, 1)
    [box] = excerpt_boxes(path, 1, "Wear goggles.")
    with pdfium.PdfDocument(data) as alone:
        width, _ = alone[0].get_size()
        assert (len(alone), count) == (1, 2)
    assert moved == pytest.approx(100 - 12, abs=1)
    assert width == pytest.approx(box.x1 - box.x0 + 2 * 12, abs=3)
