"""The warmer one stays the warmer one. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
WOOL = "Wool is warmer than cotton, whereas cotton is cheaper."
RIVERS = "The Arna is longer than the Velin, though the Velin is wider and deeper."
HALLS = "The north hall is larger, although the south hall is brighter."
STEEL = "Steel is stronger than iron. It is also cheaper than bronze."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Cotton is warmer.", WOOL),
        ("The Arna is wider.", RIVERS),
        ("The Arna is deeper than the Velin.", RIVERS),
        ("The Velin is longer.", RIVERS),
        ("The south hall is larger.", HALLS),
        ("Buses are dearer than trams.", "Buses are slower than trams; trams are dearer."),
        ("Planes are cheaper.", "Trains are faster, cheaper and cleaner than planes."),
        ("Bronze is cheaper than steel.", STEEL),
    ],
)
def test_a_comparative_keeps_its_subject(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Wool is warmer than cotton.", WOOL),
        ("Cotton is cheaper.", WOOL),
        ("Cotton is cheaper than wool.", WOOL),
        ("The Velin is wider and deeper than the Arna.", RIVERS),
        ("The south hall is brighter.", HALLS),
        ("Steel is cheaper than bronze.", STEEL),
        ("Bronze was used for tools.", "Bronze, which is harder than copper, was used for tools."),
        ("The river is wider in summer than in winter.", "In summer the river is wider than in winter."),
        ("Mercury is the smallest planet.", "Mercury is the smallest planet, but Venus is the hottest."),
    ],
)
def test_a_comparison_that_stands_there_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
