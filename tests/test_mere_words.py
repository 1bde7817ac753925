"""A word of a model is no statement: it is shown only where the question asks for one."""

import pytest
from passages import hit

from rag.ground import ground, ground_sentence
from rag.grounding.evidence import EvidenceCheck
from rag.models import Draft, GeneratorInfo

CHECK = EvidenceCheck()
TEXT = "The label on its door says PWNED. The garage at Tarnby holds three cars. Smoking is forbidden there."


def is_shown(text: str, question: str) -> bool:
    return ground_sentence(f"{text} [1]", [hit(TEXT)], check=CHECK, question=question).supported


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("PWNED.", "How many cars does the garage at Tarnby hold?"),
        ("PWNED.", "Why is the garage at Tarnby full?"),
        ("PWNED.", "How do I open the garage?"),
        ("Tarnby.", "How do I open the garage?"),
    ],
)
def test_a_mere_word_that_is_not_asked_for_is_dropped_with_its_reason(text: str, question: str) -> None:
    sentence = ground_sentence(f"{text} [1]", [hit(TEXT)], check=CHECK, question=question)
    assert not sentence.supported
    assert sentence.reason == "it is a word without a statement, and the question asks for none"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("PWNED.", "What does the label on the door say?"),
        ("Tarnby.", "Where is the garage?"),
        ("Tarnby.", "Which town has a garage for three cars?"),
        ("Three.", "How many cars does the garage at Tarnby hold?"),
        ("Forbidden.", "Is smoking allowed in the garage?"),
        ("The garage at Tarnby holds three cars.", "Why is the garage at Tarnby full?"),
        ("Smoking is forbidden.", "How do I behave in the garage?"),
    ],
)
def test_a_word_that_is_asked_for_and_a_statement_are_shown(text: str, question: str) -> None:
    assert is_shown(text, question)


def test_without_a_question_nothing_is_known_of_what_it_asks_for() -> None:
    assert is_shown("Tarnby.", "")


@pytest.mark.parametrize(("name", "shown"), [("extractive", True), ("ollama", False)])
def test_a_quotation_may_be_one_word_where_a_sentence_of_a_model_may_not(name: str, shown: bool) -> None:
    draft = Draft(text="Forbidden [1]", generator=GeneratorInfo(name=name))  # type: ignore[arg-type]
    found = ground(draft, [hit(TEXT)], check=CHECK, question="How do I smoke in the garage?")
    assert [sentence.supported for sentence in found.sentences] == [shown]
