"""Twisted meaning, class by class: every pair by hand, both ways to be wrong counted."""

from collections import Counter

import pytest

from adversary.pairs import CARRIED, PAIRS, TWISTED, Pair
from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
KNOWN_DROPS = frozenset(("Orsk was founded in 1432, and Bergau was founded in 1518.",))
"""Carried by the text and dropped all the same: one verb that serves two subjects (`A in 1432 and B in 1518`)."""


@pytest.mark.parametrize("pair", TWISTED, ids=lambda pair: f"{pair.kind}: {pair.claim}")
def test_a_twisted_claim_is_not_supported(pair: Pair) -> None:
    assert CHECK.support(pair.claim, pair.evidence) < 0.5


@pytest.mark.parametrize(
    "pair", [pair for pair in CARRIED if pair.claim not in KNOWN_DROPS], ids=lambda pair: f"{pair.kind}: {pair.claim}"
)
def test_a_carried_claim_is_supported(pair: Pair) -> None:
    assert CHECK.support(pair.claim, pair.evidence) >= 0.5


def test_the_suite_covers_every_class_of_twist() -> None:
    kinds = Counter(pair.kind for pair in TWISTED)
    assert len(PAIRS) >= 180
    assert all(
        kinds[kind] >= 5
        for kind in (
            "number",
            "unit",
            "date",
            "name",
            "negation",
            "opposite",
            "roles",
            "quantifier",
            "modality",
            "invention",
        )
    )


@pytest.mark.parametrize("pair", [pair for pair in CARRIED if pair.kind == "verbatim"], ids=lambda pair: pair.claim)
def test_a_quotation_has_full_support(pair: Pair) -> None:
    assert CHECK.support(pair.claim, pair.evidence) == 1.0
