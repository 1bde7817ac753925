"""What happens, and what is to be done, is quoted with what goes on right after it; nothing else is."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.sequel import asks_outcome

NEGLECT = (
    "If a bed is neglected, the club writes to its holder. After a month it may be dug up. Sheds are painted green."
)


def answer(question: str, text: str) -> str:
    return extract(Query(question=question), [hit(text)], document_frequency=lambda _: {}, indexed=9).text


@pytest.mark.parametrize(
    "question",
    [
        "What happens if it leaks?",
        "And what do I do after a fall?",
        "What should a visitor do when it rings?",
        "what to do if it rains",
        "What is done with lost keys?",
        "What are the consequences of being late?",
    ],
)
def test_a_question_for_what_happens_or_is_to_be_done_is_known(question):
    assert asks_outcome(question)


@pytest.mark.parametrize(
    "question", ["Which glove is worn?", "What is a sluice?", "When does it happen?", "Who does it?"]
)
def test_another_question_is_none(question):
    assert not asks_outcome(question)


def test_what_goes_on_after_the_best_sentence_is_quoted():
    assert answer("What happens if a bed is neglected?", NEGLECT) == (
        "If a bed is neglected, the club writes to its holder. [1] After a month it may be dug up. [1]"
    )


def test_nothing_is_added_where_one_thing_was_asked():
    assert answer("Who writes if a bed is neglected?", NEGLECT) == (
        "If a bed is neglected, the club writes to its holder. [1]"
    )


def test_what_begins_another_matter_or_paragraph_is_not_added():
    told = "If a bed is neglected, the club writes to its holder."

    assert answer("What happens if a bed is neglected?", f"{told} Sheds are painted green.") == f"{told} [1]"
    assert answer("What happens if a bed is neglected?", f"{told}\n\nAfter rain it is closed.") == f"{told} [1]"
    assert answer("What happens if a bed is neglected?", f"{told} Watering it is fun.") == f"{told} [1]"


def test_after_what_shows_an_illness_what_to_do_about_it_is_quoted():
    told = "A calf that coughs and lies down may have lung fever. Keep the calf warm and ring the vet. Hay is dry."

    assert "ring the vet" in answer("What must be done with a calf that coughs?", told)
    assert "ring the vet" not in answer("Which calf may have lung fever?", told)


SPILL = "If oil is spilt, the pump is stopped. The foreman rings the harbour. Nobody smokes there. Ropes are blue."
ENTRIES = (
    "Flat tyre\n\nWalk the bicycle to the stand. A tyre flat for a day is patched. Tools hang there.\n\n"
    "Lost key\n\nAsk at the desk. A lost key costs 9 euros."
)


def test_what_else_is_done_in_the_case_is_quoted_up_to_another_matter():
    assert answer("What happens if oil is spilt?", SPILL) == (
        "If oil is spilt, the pump is stopped. [1] The foreman rings the harbour. [1] Nobody smokes there. [1]"
    )


def test_what_is_done_besides_is_quoted_only_after_a_sentence_that_names_a_case():
    always = "The pump is stopped where oil is spilt. The foreman rings the harbour."

    assert "foreman" not in answer("What happens where oil is spilt?", always)


def test_what_is_to_be_done_under_a_term_is_quoted_from_its_beginning():
    expected = "Walk the bicycle to the stand. [1] A tyre flat for a day is patched. [1]"

    assert answer("What should I do about a flat tyre?", ENTRIES) == expected
    assert answer("How do I treat a flat tyre?", ENTRIES) == expected


def test_of_a_term_only_the_sentence_is_quoted_where_one_thing_is_asked():
    assert answer("What does a lost key cost?", ENTRIES) == "A lost key costs 9 euros. [1]"


def test_what_is_done_in_either_case_goes_on():
    text = "If a mast breaks or a sail tears, the race ends. In either case the crew rows home."

    assert answer("What happens if a sail tears?", text).endswith("In either case the crew rows home. [1]")
