"""A claim is held against the parts of a text that speak of it, and the part that carries it best counts."""

from collections.abc import Sequence

from rag.entail import LONGEST_WORDS, EntailmentCheck, stretches
from rag.protocols import Verdict

TIDES = " ".join(
    f"On day {number} the tide turned at noon and the boats lay dry until the evening." for number in range(30)
)
HOIST = "The hoist lifts 240 kg."


class Words:
    """Says that a text supports a claim by the share of the claim's words that stand in it."""

    name = "words"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [Verdict(sum(w in text for w in claim.split()) / len(claim.split()), 0.0) for claim, text in pairs]


def test_a_short_text_is_one_stretch():
    assert stretches("The hoist lifts 240 kg.", HOIST) == (HOIST,)


def test_without_a_text_nothing_is_held_against_the_claim():
    assert stretches("The hoist lifts 240 kg.", " \n") == ()
    assert EntailmentCheck(Words()).support(HOIST, "") == 0.0


def test_of_a_long_text_the_window_that_shares_most_words_is_held_against_the_claim_and_a_longer_stretch_around_it():
    narrow, wide = stretches("The hoist lifts 240 kg.", f"{TIDES} {HOIST} {TIDES}")

    assert HOIST in narrow
    assert narrow in wide
    assert len(narrow.split()) < len(wide.split()) <= LONGEST_WORDS


def test_the_best_of_the_stretches_counts():
    assert EntailmentCheck(Words()).support(HOIST, f"{TIDES} {HOIST} {TIDES}") == 1.0
    assert EntailmentCheck(Words()).support("The hoist lifts 950 kg.", HOIST) == 4 / 5
