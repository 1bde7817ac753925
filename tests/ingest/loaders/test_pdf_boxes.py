"""Where excerpts stand on a page."""

from pathlib import Path

import pypdfium2 as pdfium
import pytest
from loader_checks import SAMPLES, lines, make_pdf

from rag.errors import InvalidDocument
from rag.ingest.loaders.pdf_boxes import excerpt_boxes, single_page
from rag.ingest.loaders.source import read_source

MANUAL = SAMPLES / "safety_manual.pdf"


@pytest.fixture
def two_lines(tmp_path: Path) -> Path:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(lines("Read the safety infor-", "mation beside the door.", y=100, pitch=14)))
    return path


def test_excerpt_across_a_divided_word_has_one_box_a_line_measured_from_the_top_left_corner(two_lines: Path) -> None:
    first, second = excerpt_boxes(two_lines, 1, "the  SAFETY information beside")
    words = {word: excerpt_boxes(two_lines, 1, word)[0] for word in ("Read", "the", "infor-", "mation", "beside")}
    assert (first.x0, first.x1) == (words["the"].x0, words["infor-"].x1)
    assert (second.x0, second.x1) == (words["mation"].x0, words["beside"].x1)
    assert words["Read"].x0 == pytest.approx(70, abs=1)
    assert first.y0 < 100 < first.y1 < first.y0 + 16  # the baseline was set 100 points below the top


def test_excerpt_that_begins_on_the_page_before_is_found_in_part_and_one_that_is_not_there_has_no_boxes(
    two_lines: Path,
) -> None:
    assert len(excerpt_boxes(two_lines, 1, "Something from before. mation beside the door.")) == 1
    assert excerpt_boxes(two_lines, 1, "Nothing of this stands there.") == []
    assert excerpt_boxes(two_lines, 1, "  ") == []


def test_a_file_above_the_usual_limit_that_was_ingested_under_a_larger_one_is_opened(
    two_lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(read_source.__kwdefaults__, "max_bytes", 10)
    assert len(excerpt_boxes(two_lines, 1, "Read")) == 1


@pytest.mark.parametrize(
    ("page", "excerpt", "count", "height"),
    [
        (12, "| Night security | 4499 | 17:00 to 07:00 and weekends |", 3, 60),
        (8, "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, ", 5, 60),
        (14, "It is valid for one night and one fume hood.", 2, 842),
    ],
    ids=["a row", "a wrapped row", "a sentence"],
)
def test_excerpts_of_the_manual_are_found_on_their_page(page: int, excerpt: str, count: int, height: float) -> None:
    boxes = excerpt_boxes(MANUAL, page, excerpt)
    assert len(boxes) == count
    assert all(0 <= box.x0 < box.x1 <= 596 and 0 <= box.y0 < box.y1 <= 842 for box in boxes)
    assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) < height


def test_page_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no page 99"):
        excerpt_boxes(MANUAL, 99, "Read")


def test_a_single_page_has_no_empty_sides_and_says_by_how_much_it_moved(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(make_pdf([(100, 60, "Wear goggles.")], [(100, 60, "Second page.")]))
    data, count, moved = single_page(path, 1)
    [box] = excerpt_boxes(path, 1, "Wear goggles.")
    with pdfium.PdfDocument(data) as alone:
        width, _ = alone[0].get_size()
        assert (len(alone), count) == (1, 2)
    assert moved == pytest.approx(100 - 12, abs=1)
    assert width == pytest.approx(box.x1 - box.x0 + 2 * 12, abs=3)
