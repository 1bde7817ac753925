"""A letter that stands alone is a name, an article, a pronoun or an abbreviation."""

import pytest

from rag.language.letters import is_letter_name, letter_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Building A is open.", {"a"}),
        ("Room A 214 is locked.", {"a"}),
        ("B 214 is locked.", {"b"}),
        ("Gates A, B and C are shut.", {"a", "b", "c"}),
        ("In class A the limit is lower.", {"a"}),
        ("Hepatitis b is a disease.", {"b"}),
        ("The store in building a is open.", {"a"}),
        ("Gate I is open.", {"i"}),
        ("BUILDING A IS OPEN.", {"a"}),
    ],
)
def test_a_letter_that_names_something_is_a_name(text: str, names: set[str]) -> None:
    assert letter_names(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "A building is open.",
        "Note: A guard opens the gate.",
        "THIS IS A TEST.",
        "A 5% solution is used.",
        "The day I left was cold, and I was late.",
        "Use tools, e.g. a saw.",
        "It boils at 25 °C, or 298 K, at 5 V.",
        "It's Anna's turn; don't wait.",
        "It runs on a by-product.",
    ],
)
def test_articles_pronouns_abbreviations_and_units_are_no_names(text: str) -> None:
    assert letter_names(text) == frozenset()


def test_a_letter_within_a_word_is_no_name() -> None:
    assert not is_letter_name("Basel", 0)
