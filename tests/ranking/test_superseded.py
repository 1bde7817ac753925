"""A question for the latest is answered from the latest edition of a work; other answers say which one they quote."""

from dataclasses import dataclass, field

import pytest

from rag.models import Query
from rag.ranking.superseded import KnownEditions, edition_notes, editions_of, latest_note

NAMES = ("fees 2021.md", "fees 2022.md", "fees 2023.md", "faq.md", "rules v2.md")
KNOWN = editions_of([(name, f"hash of {name}") for name in NAMES])
WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")


def asked(question, **filters):
    return Query(question=question, filters=filters)


def test_only_a_work_with_two_editions_counts_and_they_are_ordered():
    assert dict(KNOWN.of) == dict.fromkeys(WORK, WORK)
    assert KNOWN.among(["faq.md", "fees 2022.md", "fees 2021.md"]) == (WORK,)


def test_numbers_of_a_series_that_look_like_years_are_none():
    assert editions_of([(f"ticket {number}.md", str(number)) for number in (812, 1998, 2011)]).of == {}


def test_the_latest_leaves_every_earlier_one_out():
    assert KNOWN.superseded(asked("What is the latest fee?")) == WORK[:2]


@pytest.mark.parametrize(
    "query",
    [
        asked("What is the fee?"),
        asked("What is the latest fee?", source="fees 2021.md"),
    ],
)
def test_nothing_is_left_out_where_no_latest_is_asked_for_or_a_source_is_chosen(query):
    assert KNOWN.superseded(query) == ()


def test_an_edition_that_the_question_names_stays():
    assert KNOWN.superseded(asked("How does the latest fee compare with that of 2021?")) == ("fees 2022.md",)


def test_two_files_of_the_latest_date_are_both_the_latest():
    known = editions_of([("fees 2022.md", "a"), ("fees 2023.docx", "b"), ("fees 2023.md", "c")])

    assert known.superseded(asked("What is the latest fee?")) == ("fees 2022.md",)


def test_what_was_left_out_is_said_with_an_example():
    query = asked("What is the latest fee?")

    assert latest_note(query, KNOWN.superseded(query), KNOWN) == (
        "“latest”: 2 documents were left out, of which the library has a later edition by file name,"
        " as “fees 2021.md” before “fees 2023.md”."
        " Name one to search it, too.",
    )
    assert latest_note(query, (), KNOWN) == ()


def test_an_answer_from_one_of_several_editions_says_which_is_the_latest():
    assert edition_notes(asked("What is the fee?"), ["fees 2022.md"], (WORK,)) == (
        "“fees 2022.md” is, by file name, 1 of 3 editions in the library. The latest is “fees 2023.md”."
        " Name the one that you mean, or ask for the latest.",
    )
    assert edition_notes(asked("What is the fee?"), ["fees 2023.md", "fees 2021.md"], (WORK,)) == (
        "“fees 2021.md”, “fees 2023.md” are, by file name, 2 of 3 editions in the library."
        " Name the one that you mean, or ask for the latest.",
    )


@pytest.mark.parametrize(
    ("query", "cited"),
    [
        (asked("What was the fee in 2022?"), ["fees 2022.md"]),
        (asked("What is the latest fee?"), ["fees 2023.md"]),
        (asked("What is the fee?", source="fees 2022.md"), ["fees 2022.md"]),
        (asked("What is the fee?"), ["faq.md"]),
        (asked("What is the fee?"), []),
    ],
)
def test_nothing_is_said_where_the_edition_was_chosen_or_there_is_one_only(query, cited):
    assert edition_notes(query, cited, (WORK,)) == ()


def test_a_name_that_fits_another_edition_does_not_silence_the_note():
    assert edition_notes(asked("What was the fee in 2021?"), ["fees 2022.md"], (WORK,)) != ()


@dataclass
class Index:
    """A catalogue that counts how often it is read."""

    names: list[str]
    read: int = field(default=0)

    def fingerprint(self):
        return "\n".join(self.names)

    def versions(self):
        self.read += 1
        return [(name, name) for name in self.names]


def test_an_index_is_read_once_in_each_of_its_states():
    index, known = Index(["fees 2021.md", "fees 2022.md"]), KnownEditions()

    assert known.of(index) is known.of(index)
    assert index.read == 1
    index.names.append("fees 2023.md")
    assert known.of(index).of["fees 2021.md"][-1] == "fees 2023.md"
    assert index.read == 2
