"""A question is answered from the edition that it means: the one that it names, else the latest; and it is told so."""

from types import SimpleNamespace

import pytest

from rag.models import Query, Retrieval
from rag.ranking.superseded import Editions, EditionsAsked, KnownEditions, edition_notes, editions_of

WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")
FOUND = {"fees 2022.md", "faq.md"}


def known_of(*names):
    return editions_of([(name, f"hash of {name}") for name in names])


KNOWN = known_of(*WORK, "faq.md", "rules v2.md")


def asked(question, **filters):
    return Query(question=question, filters=filters)


def narrowed(question, kind="plain", *, known=KNOWN, found=FOUND, **filters):
    return known.narrowed(asked(question, **filters), found, EditionsAsked(kind, question.replace("latest ", "")))


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
    ("question", "kind", "years", "searched_for", "by_default"),
    [
        ("What is the latest fee?", "latest", "2023", "What is the fee?", False),
        ("What is the fee?", "plain", "2023", "What is the fee?", True),
        ("What was the fee in 2022?", "plain", "2022", "What was the fee?", False),
        ("What is the fee since 1998?", "plain", "2023", "What is the fee since 1998?", True),
        ("What is the fee, according to the 2021 edition?", "plain", "2021", "What is the fee?", False),
        ("Was the fee of 2021 paid in 2023?", "plain", "2021 2023", "Was the fee paid?", False),
    ],
)
def test_the_edition_that_is_named_is_meant_else_the_latest_and_that_is_not_searched_for(
    question, kind, years, searched_for, by_default
):
    narrowing = narrowed(question, kind)

    assert set(narrowing.left_out) == set(WORK) - {f"fees {year}.md" for year in years.split()}
    assert (narrowing.question, narrowing.by_default) == (searched_for, by_default)


@pytest.mark.parametrize(
    ("question", "kind", "options"),
    [
        ("How did the fee in 2022 compare to 2021?", "several", {}),
        ("What was the previous fee?", "several", {}),
        ("What is the latest fee?", "latest", {"source": "fees 2021.md"}),
        ("What is the latest fee?", "latest", {"found": {"faq.md", "rules v2.md"}}),  # the work was not found
        ("What is the latest fee?", "latest", {"known": Editions()}),
    ],
)
def test_nothing_is_narrowed_where_several_are_asked_for_a_source_is_chosen_or_there_are_no_editions(
    question, kind, options
):
    assert narrowed(question, kind, **options) is None


@pytest.mark.parametrize(
    ("names", "question", "left_out"),
    [
        (("rota 2024-04.md", "rota 2024-05.md"), "Who is on duty on 2 April?", {"rota 2024-04.md"}),  # names no edition
        (
            ("fees 2022.md", "fees 2023.docx", "fees 2023.md"),
            "What is the fee?",
            {"fees 2022.md"},
        ),  # two are the latest
    ],
)
def test_a_day_names_no_edition_and_two_files_of_the_latest_date_are_both_the_latest(names, question, left_out):
    assert set(narrowed(question, known=known_of(*names), found={names[0]}).left_out) == left_out


def test_notes_say_what_was_searched_and_what_was_not():
    assert narrowed("What is the fee?").notes == {
        "fees 2023.md": "Of 3 editions by file name, the latest was searched: “fees 2023.md”, not “fees 2021.md”, "
        "“fees 2022.md”. To search another edition, name it; or ask what has changed."
    }
    assert narrowed("What was the fee in 2022?").notes == {
        "fees 2022.md": "Of 3 editions by file name, the one named was searched: “fees 2022.md”."
        " The latest edition is “fees 2023.md”."
    }


TWO_LATEST = ("fees 2022.md", "fees 2023.docx", "fees 2023.md")


@pytest.mark.parametrize(
    ("query", "work", "cited", "told"),
    [
        (asked("How has the fee changed?"), WORK, ["fees 2021.md", "fees 2023.md"], "edition is “fees 2023.md”"),
        (asked("What was the fee in 2022?"), WORK, ["fees 2022.md"], ""),
        (asked("What is the fee?"), WORK, ["fees 2023.md"], ""),
        (asked("What is the fee?", source="fees 2022.md"), WORK, ["fees 2022.md"], ""),
        (asked("What is the fee?"), WORK, ["faq.md"], ""),
        (asked("What is the fee?"), TWO_LATEST, ["fees 2023.docx"], ""),
        (asked("What is the fee?"), TWO_LATEST, ["fees 2022.md"], "edition is “fees 2023.md”"),
    ],
)
def test_an_answer_from_an_earlier_edition_names_the_latest_unless_that_edition_was_chosen(query, work, cited, told):
    notes = edition_notes(query, Retrieval(editions=(work,)), cited)

    assert (len(notes), told in " ".join(notes)) == (bool(told), True)


def test_an_index_is_read_once_in_each_of_its_states_and_a_work_is_listed_once_however_many_editions_it_has():
    names, read = [f"log {year}.md" for year in range(1950, 2050)], []
    index = SimpleNamespace(
        fingerprint=lambda: "\n".join(names),
        versions=lambda: read.append(1) or [(name, name) for name in names],
        terms=lambda document: frozenset(),
    )
    known = KnownEditions()

    found = known.of(index)
    assert known.of(index) is found
    assert len({id(work) for work in found.of.values()}) == len(read) == 1
    assert found.of["log 1950.md"].nearest == ("log 2048.md", "log 2049.md")
    names.append("log 2050.md")
    assert known.of(index).of["log 1950.md"].latest == ("log 2050.md",)
    assert len(read) == 2
