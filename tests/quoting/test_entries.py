"""A definition is quoted with its term, and two entries are never put together as one."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query, RetrievedChunk
from rag.quoting.layout import layout_of

GROUPS = (
    "disk\n\nThis group can be used to give users access to a raw disk.\n\nroot\n\n"
    "Members of this group may run any command.\n\nmail\n\nIt owns the boxes of users."
)
MANUAL = (
    "-n, --dry-run\n       Print what would be moved.\n\n-k, --keep\n       Keep the dates of files.\n\n"
    "Nothing is written to the log."
)


def answer(question: str, *hits: RetrievedChunk, max_sentences: int = 3) -> str:
    query = Query(question=question)
    return extract(query, hits, document_frequency=lambda _: {}, indexed=9, max_sentences=max_sentences).text


def test_a_definition_comes_with_its_term_and_without_the_entry_beside_it():
    assert answer("What can members of the disk group do?", hit(GROUPS)) == (
        "disk. [1] This group can be used to give users access to a raw disk. [1]"
    )


def test_another_entry_is_quoted_under_its_own_term():
    found = answer("Who may run any command?", hit(GROUPS), max_sentences=1)

    assert found == "root. [1] Members of this group may run any command. [1]"


def test_a_sentence_that_names_its_term_comes_alone():
    text = "disk\n\nThe disk group reads raw disks.\n\nroot\n\nThe superuser of a system is root."

    assert answer("Who is the superuser?", hit(text)) == "The superuser of a system is root. [1]"


def test_a_later_sentence_of_a_manual_s_entry_brings_the_term_alone():
    assert answer("What is written to the log?", hit(MANUAL), max_sentences=1) == (
        "-k, --keep. [1] Nothing is written to the log. [1]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Opening hours\n\nThe shop opens at nine.",  # one line alone may be a heading
        "The shop opens.\n\nIt closes at six.\n\nIt is shut on Sundays.",
        "DESCRIPTION\n       Tidy moves files.\n\nOPTIONS\n       The following are known.",
        "See the\n    file of rules.\n\nAsk the\n    keeper for it.",
        "Ada Hall\n\nBo Ek\n\nCy Dahl",
    ],
)
def test_what_is_no_list_of_definitions_has_no_terms(text):
    assert set(layout_of(hit(text)).term_of) == {None}


def test_a_heading_that_the_document_knows_is_no_term():
    passage = hit("Prices\n\nA day costs 4 euros.\n\nReturn\n\nBicycles are returned by six.", section="Prices")

    assert set(layout_of(passage).term_of) == {None}


GLOSSARY = (
    "Assembly point. The place at which everyone meets after an evacuation.\n\n"
    "Bursting disc. A thin metal plate that breaks at a known pressure. It is a part that wears."
)


@pytest.mark.parametrize("question", ["What is a bursting disc?", "Define bursting disc."])
def test_a_term_that_begins_its_own_definition_is_not_quoted_in_place_of_it(question: str) -> None:
    beside = hit("The bursting disc of each autoclave is replaced every two years.")

    assert answer(question, hit(GLOSSARY), beside, max_sentences=1) == (
        "A thin metal plate that breaks at a known pressure. [1]"
    )


def test_a_name_that_the_question_lets_choose_from_is_still_an_answer() -> None:
    assert answer("Who signs, the head or the deputy?", hit("The deputy. He signs in red."), max_sentences=1)
