"""Headings to chapters and sections."""

import pytest

from rag.ingest.loaders.blocks import Block, Placed
from rag.ingest.loaders.structure import make_sections
from rag.models import Section


def sections(*headings: tuple[int, str], chapter: int | None = None) -> list[Section]:
    """Sections of a text in which every heading takes 10 characters."""
    return list(
        make_sections([heading(10 * k, *one) for k, one in enumerate(headings)], 10 * len(headings), chapter=chapter)
    )


def heading(start: int, level: int, title: str) -> Placed:
    return Placed(Block("heading", title, level=level), start)


PLACES = {
    "a section stays the numbered one below deeper headings": (
        [(1, "Chapter 2: Hoods"), (2, "2.2 Working"), (3, "Before")],
        [(2, "Hoods", None), (2, "Hoods", "2.2 Working"), (2, "Hoods", "2.2 Working")],
    ),
    "a chapter's number comes from its sections where its title has none": (
        [(1, "Evolution"), (2, "19.1 Drift"), (2, "Summary")],
        [(19, "Evolution", None), (19, "Evolution", "19.1 Drift"), (19, "Evolution", "Summary")],
    ),
    "single numbers below a title are chapters": (
        [(1, "Guide"), (2, "1 Intro"), (3, "1.1 Aims"), (2, "2 Method")],
        [(None, None, None), (1, "Intro", None), (1, "Intro", "1.1 Aims"), (2, "Method", None)],
    ),
    "single numbers below named chapters are sections": (
        [(1, "Chapter 4"), (2, "1 Aims"), (2, "2 Method")],
        [(4, "Chapter 4", None), (4, "Chapter 4", "1 Aims"), (4, "Chapter 4", "2 Method")],
    ),
    "a number that nothing bears out is a word": (
        [(1, "7 habits of careful people"), (2, "Patience")],
        [(None, None, None), (None, None, "Patience")],
    ),
    "a year is no chapter": ([(1, "1973 oil crisis")], [(None, None, None)]),
    "several unnumbered top headings are chapters without number": (
        [(1, "Soil"), (2, "Clay"), (1, "Water")],
        [(None, "Soil", None), (None, "Soil", "Clay"), (None, "Water", None)],
    ),
}


@pytest.mark.parametrize(("headings", "places"), PLACES.values(), ids=PLACES)
def test_headings_give_chapters_and_sections(headings: list[tuple[int, str]], places: list[object]) -> None:
    assert [(one.chapter, one.chapter_title, one.section) for one in sections(*headings)] == places


def test_text_before_the_first_heading_is_a_section_and_the_files_chapter_holds_where_headings_give_none() -> None:
    assert [one.chapter for one in sections((1, "Soil"), (2, "Clay"), chapter=8)] == [8, 8]
    found = make_sections([heading(5, 1, "Title")], 20)
    assert [(one.start, one.end, one.path) for one in found] == [(0, 5, ()), (5, 20, ("Title",))]
    assert [(one.start, one.end) for one in make_sections([], 20)] == [(0, 20)]
