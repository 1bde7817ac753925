"""A claim of several sentences stands where each of them does, and `it` is the subject that it follows. By hand."""

import pytest

from rag.grounding.evidence import LONGEST, EvidenceCheck

CHECK = EvidenceCheck()
PARTS = "The valve is blue. The hose is long. The pump is red."
MASS = "The pump is red and heavy. It weighs 3 kg."
BENT = "The valve is old and bent. This makes it slow. The pump is red."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump is blue. The valve is red.", PARTS),
        ("The pump is red. The valve is not blue.", PARTS),
        ("The pump is red. It weighs 3 kg.", "The pump is red. The valve weighs 3 kg."),
        ("The pump is red. It weighs 3 kg.", "The pump is red, and the valve weighs 3 kg."),
        ("The pump is red. This makes it slow.", BENT),
    ],
)
def test_words_of_one_sentence_are_not_put_into_the_other(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump is red. The valve is blue.", PARTS),
        ("The pump is red. It weighs 3 kg.", MASS),
        ("The pump is red. It weighs 3 kg.", "The pump is red and heavy. The pump weighs 3 kg."),
        ("The valve is old. This makes it slow.", BENT),
    ],
)
def test_sentences_that_stand_apart_are_carried_each_by_its_own(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


def test_a_question_does_not_carry_what_it_asks() -> None:
    assert CHECK.support("The pool is open on Sunday.", "The pool is open on Sunday?") < 0.5
    assert CHECK.support("Is the pool open?", "Is the pool open? Yes, it is.") == 1.0


def test_a_word_of_many_parts_counts_as_many_words() -> None:
    claim = "mg/" * (LONGEST + 1)
    assert CHECK.examine(claim, "The " + claim).twists == ("it is too long for one statement",)


def test_denials_without_a_verb_are_read() -> None:
    assert CHECK.support("Wear gloves in the lab.", "n't n't " * 20) < 0.5


def test_signs_alone_are_no_statement() -> None:
    assert CHECK.support("\0", "\0") < 0.5
