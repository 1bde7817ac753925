"""Sections that are versions of one another: known by form, quoted with their headings, the latest first."""

import pytest
from passages import hit

from rag.models import SectionStart
from rag.quote import quote
from rag.ranking.versions import version_of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2.3.0 (2025-11-10)", "2.4.0 (2026-03-01)"),
        ("v1.9", "v1.10"),
        ("Board meeting, 12 January 2025", "Board meeting, 3 March 2025"),
        ("Fees in 2023", "Fees in 2024"),
        ("Season 2023/24", "Season 2024/25"),
        ("Q1 2025", "Q2 2025"),
        ("41st meeting, Thursday, 6 March 2025", "42nd meeting, Monday, 7 April 2025"),
    ],
)
def test_headings_that_differ_by_date_or_number_alone_are_versions_in_their_order(older: str, newer: str) -> None:
    one, other = version_of(older), version_of(newer)
    assert (one.series, one.order < other.order) == (other.series, True)


@pytest.mark.parametrize("heading", ["2.2 Working with hoods", "5.1", "Chapter 2", "1. Leave", "Hoods", "", None])
def test_a_number_of_a_section_is_no_version(heading: str | None) -> None:
    assert version_of(heading) is None


NOTES = "- The limit was raised to 5,000 rows.\n\n- The limit was raised to 2,000 rows.\n\n- The limit is 500 rows."


HEADINGS = ("2.4.0 (2026-03-01)", "2.3.0 (2025-11-10)", "2.2.0 (2025-06-02)")


def test_what_several_versions_say_is_quoted_with_their_headings_and_the_latest_first() -> None:
    passage = hit(NOTES, readings=(0.9,), marks=(0.6, 0.5, 0.9), section=HEADINGS[0])
    begun = zip(passage.sentences, HEADINGS, strict=True)
    starts = tuple(SectionStart(offset=start, section=heading) for (start, _), heading in begun)
    found = quote([passage.model_copy(update={"section_starts": starts})])
    said = [line.removeprefix("- ") for line in NOTES.split("\n\n")]
    assert [one.text for one in found.grounding.sentences] == [*map("{}: {}".format, HEADINGS, said)]
    assert found.notes == ("3 versions of this section match the question. The latest comes first.",)
