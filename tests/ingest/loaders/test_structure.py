"""Headings to chapters and sections."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders.structure import Heading, make_sections, parse_title
from rag.models import Section


def sections(*headings: tuple[int, str], chapter: int | None = None) -> list[Section]:
    """Sections of a text in which every heading takes 10 characters."""
    placed = [Heading(10 * k, level, title) for k, (level, title) in enumerate(headings)]
    return list(make_sections(placed, 10 * len(headings), chapter=chapter))


def places(*headings: tuple[int, str]) -> list[tuple[int | None, str | None, str | None]]:
    return [(one.chapter, one.chapter_title, one.section) for one in sections(*headings)]


@pytest.mark.parametrize(
    ("title", "kind", "number", "name"),
    [
        ("Chapter 3: Fume hoods", "chapter", "3", "Fume hoods"),
        ("CHAPTER 2 – Tests", "chapter", "2", "Tests"),
        ("Chapter XII. Ends", "chapter", "12", "Ends"),
        ("Chapter Three", "chapter", "3", "Chapter Three"),
        ("2.2 Working with hoods", "dotted", "2.2", "Working with hoods"),
        ("2.2.1. Before", "dotted", "2.2.1", "Before"),
        ("A.1 Tables", "dotted", "A.1", "Tables"),
        ("3. Storage", "bare", "3", "Storage"),
        ("3 Storage", "bare", "3", "Storage"),
        ("Appendix B: Forms", "part", "", "Appendix B: Forms"),
        ("Item 1A. Risk Factors", "part", "", "Item 1A. Risk Factors"),
        ("1973 oil crisis", "plain", "", "1973 oil crisis"),
        ("Chapter house", "plain", "", "Chapter house"),
        ("5.5 % more", "dotted", "5.5", "% more"),
    ],
)
def test_titles_are_taken_apart(title: str, kind: str, number: str, name: str) -> None:
    parsed = parse_title(title)
    assert (parsed.kind, parsed.number, parsed.name) == (kind, number, name)


def test_section_stays_the_numbered_one_below_deeper_headings() -> None:
    assert places((1, "Chapter 2: Hoods"), (2, "2.2 Working with hoods"), (3, "Before"), (4, "Monitor")) == [
        (2, "Hoods", None),
        (2, "Hoods", "2.2 Working with hoods"),
        (2, "Hoods", "2.2 Working with hoods"),
        (2, "Hoods", "2.2 Working with hoods"),
    ]


def test_path_holds_all_headings_outermost_first() -> None:
    found = sections((1, "Chapter 2: Hoods"), (2, "2.2 Working with hoods"), (3, "Before"))
    assert found[2].path == ("Chapter 2: Hoods", "2.2 Working with hoods", "Before")
    assert found[2].section_number == "2.2"


def test_chapter_number_comes_from_the_sections_where_the_title_has_none() -> None:
    assert places((1, "Evolution"), (2, "19.1 Drift"), (2, "Summary")) == [
        (19, "Evolution", None),
        (19, "Evolution", "19.1 Drift"),
        (19, "Evolution", "Summary"),
    ]


def test_single_numbers_below_a_title_are_chapters() -> None:
    assert places((1, "Guide"), (2, "1 Intro"), (3, "1.1 Aims"), (2, "2 Method")) == [
        (None, None, None),
        (1, "Intro", None),
        (1, "Intro", "1.1 Aims"),
        (2, "Method", None),
    ]


def test_a_number_that_nothing_bears_out_is_a_word() -> None:
    assert places((1, "7 habits of careful people"), (2, "Patience")) == [(None, None, None), (None, None, "Patience")]


def test_a_year_is_no_chapter() -> None:
    assert places((1, "1973 oil crisis")) == [(None, None, None)]


def test_numbered_headings_without_deeper_ones_are_chapter_and_section() -> None:
    assert places((1, "1. Purpose"), (1, "2. Scope")) == [(1, "Purpose", "1 Purpose"), (2, "Scope", "2 Scope")]


def test_unnumbered_document_has_sections_below_its_title() -> None:
    assert places((1, "Policy"), (2, "Booking"), (3, "Flights"), (2, "Claims")) == [
        (None, None, None),
        (None, None, "Booking"),
        (None, None, "Booking"),
        (None, None, "Claims"),
    ]


def test_several_unnumbered_top_headings_are_chapters_without_number() -> None:
    assert places((1, "Soil"), (2, "Clay"), (1, "Water")) == [
        (None, "Soil", None),
        (None, "Soil", "Clay"),
        (None, "Water", None),
    ]


def test_single_numbers_below_named_chapters_are_sections() -> None:
    assert places((1, "Chapter 4"), (2, "1 Aims"), (2, "2 Method"))[2] == (4, "Chapter 4", "2 Method")


def test_chapter_of_the_file_holds_where_headings_give_none() -> None:
    assert [one.chapter for one in sections((1, "Soil"), (2, "Clay"), chapter=8)] == [8, 8]


def test_text_before_the_first_heading_is_a_section_of_its_own() -> None:
    found = make_sections([Heading(5, 1, "Title")], 20)
    assert [(one.start, one.end, one.path) for one in found] == [(0, 5, ()), (5, 20, ("Title",))]


def test_document_without_headings_is_one_section() -> None:
    assert [(one.start, one.end) for one in make_sections([], 20)] == [(0, 20)]


TITLES = st.sampled_from(
    ["Chapter 1: A", "1 A", "2 B", "1.1 C", "1.2.3 D", "Part II", "Notes", "A.1 X", "2024 report", ""]
)


@given(st.lists(st.tuples(st.integers(1, 6), TITLES), max_size=12), st.integers(0, 3))
def test_sections_cover_the_text_whatever_the_headings(headings: list[tuple[int, str]], lead: int) -> None:
    length = lead + 10 * len(headings)
    found = make_sections([Heading(lead + 10 * k, *one) for k, one in enumerate(headings)], length)
    assert found[0].start == 0
    assert found[-1].end == length
    assert all(a.end == b.start for a, b in pairwise(found))
    assert all(one.section is None or one.path for one in found)
