"""Shares keep to their own clause: `most`, `few` and the like, and what follows from them. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
CREW = "Most sailors stayed, while few deserted."
JARS = "Most jars held and some cracked."
MILLS = "Many mills closed, but few inns did."
GATES = "All of the gates were shut, and some of the hatches were open."
LIME = "Liming the soil in March prevents most rots, while pruning in June prevents few."
FLATS = "Several lakes froze and half of the rivers flooded."
BOATS = "No boats sank, but several drifted ashore."
LETTERS = "The jury read all letters and praised some of them."
ADULTS = "Most adults and some children attended."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Few sailors stayed.", CREW),
        ("Most sailors deserted.", CREW),
        ("Most jars cracked.", JARS),
        ("All jars held.", JARS),
        ("Few mills closed.", MILLS),
        ("Many inns closed.", MILLS),
        ("Few mills closed, but many inns did.", MILLS),
        ("All of the hatches were open.", GATES),
        ("Most of the hatches were open.", GATES),
        ("Some of the gates were open.", GATES),
        ("None of the gates were shut.", GATES),
        ("Liming the soil in March prevents few rots.", LIME),
        ("Pruning in June prevents most rots.", LIME),
        ("Several rivers flooded.", FLATS),
        ("Half of the lakes froze.", FLATS),
        ("Several boats sank.", BOATS),
        ("No boats drifted ashore.", BOATS),
        ("The jury praised all letters.", LETTERS),
        ("Most children attended.", ADULTS),
        ("All adults attended.", ADULTS),
        ("Most farms grow hops.", "Many farms grow hops."),
    ],
)
def test_a_share_is_not_carried_into_another_clause(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Most sailors stayed.", CREW),
        ("Some sailors stayed.", CREW),
        ("Few sailors deserted.", CREW),
        ("Some jars held.", JARS),
        ("Some jars cracked.", JARS),
        ("Some jars cracked and most held.", JARS),
        ("Many mills closed.", MILLS),
        ("Some mills closed.", MILLS),
        ("Few inns closed.", MILLS),
        ("All gates were shut.", GATES),
        ("Some gates were shut.", GATES),
        ("Most of the gates were shut.", GATES),
        ("Some of the hatches were open.", GATES),
        ("Liming the soil in March prevents most rots.", LIME),
        ("Pruning in June prevents few rots.", LIME),
        ("Several lakes froze.", FLATS),
        ("Some lakes froze.", FLATS),
        ("Half of the rivers flooded.", FLATS),
        ("No boats sank.", BOATS),
        ("The jury read all letters.", LETTERS),
        ("The jury praised some letters.", LETTERS),
        ("Most adults attended.", ADULTS),
        ("Some adults attended.", ADULTS),
        ("Some children attended.", ADULTS),
        ("None of the members left.", "Most members voted, a few abstained and none left."),
        ("A few members abstained.", "Most members voted, a few abstained and none left."),
        ("Nearly all trees survived.", "Nearly all trees survived and a few were felled."),
        ("The jar holds no more than 20 nails.", "The jar holds no more than 20 nails and most are bent."),
        ("Guests pay 5 euros each.", "Guests pay 5 euros each and all of them get a map."),
    ],
)
def test_a_share_and_what_follows_from_it_are_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
