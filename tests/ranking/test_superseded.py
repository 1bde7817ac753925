"""A question is answered from the edition that it means: the one that it names, else the latest; and it is told so."""

from dataclasses import dataclass, field

import pytest

from rag.models import Query, Retrieval
from rag.ranking.superseded import KnownEditions, edition_notes, editions_of

NAMES = ("fees 2021.md", "fees 2022.md", "fees 2023.md", "faq.md", "rules v2.md")
KNOWN = editions_of([(name, f"hash of {name}") for name in NAMES])
WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")
EVERY = Retrieval(editions=(WORK,))
FOUND = {"fees 2022.md", "faq.md"}


def asked(question, **filters):
    return Query(question=question, filters=filters)


def left_out(question, found=FOUND):
    narrowing = KNOWN.narrowed(asked(question), found)
    return set(narrowing.left_out) if narrowing else set()


def test_documents_that_say_different_things_are_no_editions_whatever_their_names():
    words = {
        "log 2021.md": range(10),
        "log 2022.md": range(5, 15),
        "act 2021.md": range(9),
        "act 2022.md": range(6, 15),
    }
    known = editions_of([(name, name) for name in words], lambda name: frozenset(words[name]))

    agreeing = [work.editions for work in known.among(words)]
    assert agreeing == [("log 2021.md", "log 2022.md")]  # 5 of 15 words, a third; of the acts 3 of 15


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("What is the latest fee?", "2023"),
        ("What is the fee?", "2023"),
        ("What was the fee in 2022?", "2022"),
        ("What is the fee, according to the 2021 edition?", "2021"),
        ("Was the fee of 2021 paid in 2023?", "2021 2023"),
        ("In the latest list, how does the fee compare to the deposit?", "2023"),  # compared within one edition
        ("How has the fee changed?", "2021 2022 2023"),
        ("What was the previous fee?", "2021 2022 2023"),
        ("Compare the fee in the latest list with the one of 2021.", "2021 2022 2023"),
        ("How does the latest fee compare to last year's?", "2021 2022 2023"),
    ],
)
def test_the_edition_that_is_named_is_meant_else_the_latest_and_all_where_they_are_compared(question, years):
    assert left_out(question) == set(WORK) - {f"fees {year}.md" for year in years.split()}


@pytest.mark.parametrize(
    ("question", "searched", "by_default"),
    [
        ("What is the latest fee?", "What is the fee?", False),
        ("What was the fee in 2022?", "What was the fee?", False),
        ("What is the fee since 1998?", "What is the fee since 1998?", True),
    ],
)
def test_what_says_which_edition_is_meant_is_not_searched_for(question, searched, by_default):
    narrowing = KNOWN.narrowed(asked(question), FOUND)

    assert (narrowing.question, narrowing.by_default) == (searched, by_default)


def test_notes_say_what_was_searched_and_what_was_not():
    assert KNOWN.narrowed(asked("What is the fee?"), FOUND).notes == {
        "fees 2023.md": "Of 3 editions by file name, the latest was searched: “fees 2023.md”,"
        " not “fees 2021.md”, “fees 2022.md”."
        " Name another to ask that one, or ask what has changed."
    }
    assert KNOWN.narrowed(asked("What was the fee in 2022?"), FOUND).notes == {
        "fees 2022.md": "Of 3 editions by file name, the one named was searched: “fees 2022.md”."
        " The latest edition is “fees 2023.md”."
    }


@pytest.mark.parametrize(
    ("query", "cited", "told"),
    [
        (asked("How has the fee changed?"), ["fees 2021.md", "fees 2023.md"], "latest edition of it is “fees 2023.md”"),
        (asked("What was the fee in 2022?"), ["fees 2022.md"], ""),
        (asked("What is the fee?"), ["fees 2023.md"], ""),
        (asked("What is the fee?", source="fees 2022.md"), ["fees 2022.md"], ""),
        (asked("What is the fee?"), ["faq.md"], ""),
    ],
)
def test_an_answer_from_an_earlier_edition_names_the_latest_unless_that_edition_was_chosen(query, cited, told):
    notes = edition_notes(query, EVERY, cited)

    assert (len(notes), told in " ".join(notes)) == (bool(told), True)


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

    def terms(self, document):
        return frozenset()


def test_an_index_is_read_once_in_each_of_its_states():
    index, known = Index(["fees 2021.md", "fees 2022.md"]), KnownEditions()

    assert known.of(index) is known.of(index)
    assert index.read == 1
    index.names.append("fees 2023.md")
    assert known.of(index).of["fees 2021.md"].latest == ("fees 2023.md",)
    assert index.read == 2
