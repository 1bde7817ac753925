"""Where excerpts stand on a page."""

from pathlib import Path

import pytest
from loader_checks import SAMPLES, lines, make_pdf

from rag.errors import InvalidDocument
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.source import read_source

MANUAL = SAMPLES / "safety_manual.pdf"


@pytest.fixture
def two_lines(tmp_path: Path) -> Path:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(lines("Read the safety infor-", "mation beside the door.", y=100, pitch=14)))
    return path


def test_a_word_has_a_box_from_the_top_left_corner(two_lines: Path) -> None:
    (first,) = excerpt_boxes(two_lines, 1, "Read")
    assert first.x0 == pytest.approx(70, abs=1)
    assert first.y0 < 100 < first.y1  # the baseline was set 100 points below the top
    assert first.y1 - first.y0 < 16


def test_excerpt_across_a_divided_word_has_one_box_a_line(two_lines: Path) -> None:
    boxes = excerpt_boxes(two_lines, 1, "the  SAFETY information beside")
    words = {word: excerpt_boxes(two_lines, 1, word)[0] for word in ("the", "infor-", "mation", "beside")}
    assert len(boxes) == 2
    assert (boxes[0].x0, boxes[0].x1) == (words["the"].x0, words["infor-"].x1)
    assert (boxes[1].x0, boxes[1].x1) == (words["mation"].x0, words["beside"].x1)


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
    ("page", "excerpt", "count"),
    [
        (12, "| Night security | 4499 | 17:00 to 07:00 and weekends |", 3),
        (8, "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, ", 5),
        (14, "It is valid for one night and one fume hood.", 2),
    ],
    ids=["a row", "a wrapped row", "a sentence"],
)
def test_excerpts_of_the_manual_are_found_on_their_page(page: int, excerpt: str, count: int) -> None:
    boxes = excerpt_boxes(MANUAL, page, excerpt)
    assert len(boxes) == count
    assert all(0 <= box.x0 < box.x1 <= 596 and 0 <= box.y0 < box.y1 <= 842 for box in boxes)
    if excerpt.startswith("|"):
        assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) < 60


def test_page_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no page 99"):
        excerpt_boxes(MANUAL, 99, "Read")
