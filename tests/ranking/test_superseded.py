"""A question is answered from the edition that it means: the one that it names, else the latest; and it is told so."""

from types import SimpleNamespace

import pytest

from rag.models import Query, Retrieval
from rag.ranking.superseded import Editions, EditionsAsked, KnownEditions, edition_notes, editions_of

WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")
TWO_LATEST = ("fees 2022.md", "fees 2023.docx", "fees 2023.md")
ROTA = ("rota 2024-04.md", "rota 2024-05.md")
FOUND = {"fees 2022.md", "faq.md"}


def known_of(*names):
    return editions_of([(name, f"hash of {name}") for name in names])


KNOWN = known_of(*WORK, "faq.md", "rules v2.md")


def narrowed(question, kind="plain", *, known=KNOWN, found=FOUND, **filters):
    asked = Query(question=question, filters=filters)
    return known.narrowed(asked, found, EditionsAsked(kind, question.replace("latest ", "")))


def test_documents_that_say_different_things_are_no_editions_whatever_their_names():
    words = {"log 2021.md": range(10), "log 2022.md": range(5, 15), "act 1.1.md": range(9), "act 1.2.md": range(6, 15)}
    known = editions_of([(name, name) for name in words], lambda name: frozenset(words[name]))

    agreeing = [work.editions for work in known.among(words)]
    assert agreeing == [("log 2021.md", "log 2022.md")]  # 5 of 15 words, a third; of the acts 3 of 15


@pytest.mark.parametrize(
    ("question", "kind", "years", "searched_for"),
    [
        ("What is the latest fee?", "latest", "2023", "What is the fee?"),
        ("What is the fee?", "plain", "2023", "What is the fee?"),
        ("What was the fee in 2022?", "plain", "2022", "What was the fee?"),
        ("What is the fee since 1998?", "plain", "2023", "What is the fee since 1998?"),
        ("What is the fee, according to the 2021 edition?", "plain", "2021", "What is the fee?"),
        ("Was the fee of 2021 paid in 2023?", "plain", "2021 2023", "Was the fee paid?"),
    ],
)
def test_the_edition_that_is_named_is_meant_else_the_latest_and_that_is_not_searched_for_but_told(
    question, kind, years, searched_for
):
    narrowing = narrowed(question, kind)

    assert set(narrowing.left_out) == set(WORK) - {f"fees {year}.md" for year in years.split()}
    assert (narrowing.question, narrowing.by_default) == (searched_for, (kind, years) == ("plain", "2023"))
    assert all("“fees 2023.md”" in note for note in narrowing.notes.values())


@pytest.mark.parametrize(
    ("question", "kind", "options"),
    [
        ("How did the fee in 2022 compare to 2021?", "several", {}),
        ("What is the latest fee?", "latest", {"source": "fees 2021.md"}),
        ("What is the latest fee?", "latest", {"found": {"faq.md", "rules v2.md"}}),  # the work was not found
        ("What is the latest fee?", "latest", {"known": Editions()}),
    ],
)
def test_nothing_is_narrowed_where_several_are_asked_for_a_source_is_chosen_or_there_are_no_editions(
    question, kind, options
):
    assert narrowed(question, kind, **options) is None


def test_a_day_names_no_edition_and_two_files_of_the_latest_date_are_both_the_latest():
    for names, question in ((ROTA, "Who is on duty on 2 April?"), (TWO_LATEST, "What is the fee?")):
        found = narrowed(question, known=known_of(*names), found={names[0]})
        assert set(found.left_out) == {names[0]}


@pytest.mark.parametrize(
    ("question", "source", "work", "cited", "is_told"),
    [
        ("How has the fee changed?", None, WORK, ["fees 2021.md", "fees 2023.md"], True),
        ("What was the fee in 2022?", None, WORK, ["fees 2022.md"], False),
        ("What is the fee?", None, WORK, ["fees 2023.md"], False),
        ("What is the fee?", "fees 2022.md", WORK, ["fees 2022.md"], False),
        ("What is the fee?", None, WORK, ["faq.md"], False),
        ("What is the fee?", None, TWO_LATEST, ["fees 2023.docx"], False),
        ("What is the fee?", None, TWO_LATEST, ["fees 2022.md"], True),
    ],
)
def test_an_answer_from_an_earlier_edition_names_the_latest_unless_that_edition_was_chosen(
    question, source, work, cited, is_told
):
    notes = edition_notes(Query(question=question, filters={"source": source}), Retrieval(editions=(work,)), cited)

    assert ["edition is “fees 2023.md”" in note for note in notes] == [True] * is_told


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
