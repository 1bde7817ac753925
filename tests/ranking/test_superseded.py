"""A question is answered from the edition that it means: the one that it names, else the latest; and it is told so."""

from dataclasses import dataclass, field

import pytest

from rag.models import Query, Retrieval
from rag.ranking.superseded import Editions, EditionsAsked, KnownEditions, edition_notes, editions_of

NAMES = ("fees 2021.md", "fees 2022.md", "fees 2023.md", "faq.md", "rules v2.md")
KNOWN = editions_of([(name, f"hash of {name}") for name in NAMES])
WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")
EVERY = Retrieval(editions=(WORK,))
FOUND = {"fees 2022.md", "faq.md"}


def asked(question, **filters):
    return Query(question=question, filters=filters)


def narrowed(question, kind="plain", *, known=KNOWN, found=FOUND, **filters):
    return known.narrowed(asked(question, **filters), found, EditionsAsked(kind, question.replace("latest ", "")))


def left_out(question, kind="plain", found=FOUND):
    narrowing = narrowed(question, kind, found=found)
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
    ("question", "kind", "years"),
    [
        ("What is the latest fee?", "latest", "2023"),
        ("What is the fee?", "plain", "2023"),
        ("What was the fee in 2022?", "plain", "2022"),
        ("What is the fee, according to the 2021 edition?", "plain", "2021"),
        ("Was the fee of 2021 paid in 2023?", "plain", "2021 2023"),
        ("How did the fee in 2022 compare to 2021?", "several", "2021 2022 2023"),
        ("What was the previous fee?", "several", "2021 2022 2023"),
    ],
)
def test_the_edition_that_is_named_is_meant_else_the_latest_and_all_where_several_are_asked_for(question, kind, years):
    assert left_out(question, kind) == set(WORK) - {f"fees {year}.md" for year in years.split()}


def test_a_chosen_source_is_searched_whatever_the_question_says():
    assert narrowed("What is the latest fee?", "latest", source="fees 2021.md") is None


def test_works_that_were_not_found_are_left_alone():
    assert left_out("What is the latest fee?", "latest", {"faq.md", "rules v2.md"}) == set()


def test_a_day_or_month_of_the_question_names_no_edition():
    known = editions_of([("rota 2024-04.md", "a"), ("rota 2024-05.md", "b")])

    narrowing = narrowed("Who is on duty on 2 April?", known=known, found={"rota 2024-04.md"})
    assert set(narrowing.left_out) == {"rota 2024-04.md"}


def test_two_files_of_the_latest_date_are_both_the_latest():
    known = editions_of([("fees 2022.md", "a"), ("fees 2023.docx", "b"), ("fees 2023.md", "c")])

    assert set(narrowed("What is the fee?", known=known, found={"fees 2023.md"}).left_out) == {"fees 2022.md"}


def test_what_says_which_edition_is_meant_is_not_searched_for():
    assert narrowed("What is the latest fee?", "latest").question == "What is the fee?"
    assert narrowed("What was the fee in 2022?").question == "What was the fee?"
    assert narrowed("What is the fee since 1998?").question == "What is the fee since 1998?"


def test_whether_the_question_itself_chose_is_known():
    assert narrowed("What is the fee?").by_default
    assert not narrowed("What is the latest fee?", "latest").by_default
    assert not narrowed("What was the fee in 2022?").by_default


def test_notes_say_what_was_searched_and_what_was_not():
    assert narrowed("What is the fee?").notes == {
        "fees 2023.md": "Of 3 editions by file name, the latest was searched: “fees 2023.md”, not “fees 2021.md”, "
        "“fees 2022.md”. To search another edition, name it; or ask what has changed."
    }
    assert narrowed("What was the fee in 2022?").notes == {
        "fees 2022.md": "Of 3 editions by file name, the one named was searched: “fees 2022.md”."
        " The latest edition is “fees 2023.md”."
    }


@pytest.mark.parametrize(
    ("query", "cited", "told"),
    [
        (asked("How has the fee changed?"), ["fees 2021.md", "fees 2023.md"], "latest edition is “fees 2023.md”"),
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


def test_the_editions_of_a_work_are_listed_once_however_many_they_are():
    known = editions_of([(f"log {year}.md", "h") for year in range(1950, 2050)])

    assert len({id(work) for work in known.of.values()}) == 1
    assert known.of["log 1950.md"].nearest == ("log 2048.md", "log 2049.md")


def test_an_answer_from_one_of_two_files_of_the_latest_date_is_from_the_latest():
    works = Retrieval(editions=(("fees 2022.md", "fees 2023.docx", "fees 2023.md"),))

    assert edition_notes(asked("What is the fee?"), works, ["fees 2023.docx"]) == ()
    assert edition_notes(asked("What is the fee?"), works, ["fees 2022.md"]) != ()


def test_without_editions_nothing_is_narrowed():
    assert narrowed("What is the latest fee?", "latest", known=Editions()) is None
