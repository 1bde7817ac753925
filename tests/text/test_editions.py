"""File names and questions say by dates and versions which edition of a work is meant."""

import pytest

from rag.text.editions import edition_of, parts_named


@pytest.mark.parametrize(
    ("older", "newer", "is_one_work"),
    [
        ("rules v2.md", "rules v10.md", True),
        ("Rules Rev B.docx", "Rules Rev C.docx", True),
        ("rules, second edition.pdf", "rules, 3rd edition.pdf", True),
        ("rules 2021-22.pdf", "rules 2022-23.pdf", True),
        ("Q4 2022 results.pdf", "2023 Q1 results.pdf", True),
        ("minutes 2024-09.txt", "minutes 2024-10.txt", True),
        ("minutes 30 April 2024.txt", "minutes 2 May 2024.txt", True),
        ("safety manual v2.md", "travel policy v3.md", False),
        ("report 2023.md", "report 2023 Q2.md", False),  # a year and a quarter are not to be compared
        ("report v2.md", "report 2023.md", False),
        ("report 2023-11.md", "report 2011-12.md", False),  # a month, and a span of two years
        ("iso 9001 2015.md", "iso 9002 2008.md", False),
        ("invoice R-2026-0311.pdf", "invoice R-2026-0324.pdf", False),  # a date is written with two hyphens or none
    ],
)
def test_two_names_of_one_work_are_ordered_by_date_or_version_and_others_not_compared(older, newer, is_one_work):
    one, other = edition_of(older), edition_of(newer)

    assert (one.work == other.work) is is_one_work
    assert not is_one_work or one.order < other.order


def test_a_number_that_is_no_date_and_no_version_makes_no_edition():
    for name in ("faq.html", "chapter-12.md", "v-belt.md", "section 3.2.md", "march.md"):
        assert edition_of(name) is None


def test_a_question_names_an_edition_in_any_form():
    assert parts_named("the second quarter of 2023") == parts_named("Q2 2023?") == {"2023", "q2"}
    assert parts_named("minutes of 2 May 2024") == {"2024", "m5", "d2"}
    assert parts_named("third edition, revision B and v1.4") == {"v3", "v2", "v1.4"}
    assert parts_named("What is worn?") == frozenset()
