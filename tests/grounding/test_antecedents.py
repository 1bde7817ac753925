"""What a claim may take over from the sentence before the one that carries it."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
HOLT = "Ada Holt was born in Ghent in 1970. She won the cup in 1994."
ROME = "Ada Holt studied law. She moved to Rome in 1990 and won the cup in 1994."
KILN = "The kiln was bought in 1961. It was moved to Delft and rebuilt in 1988."
DOSES = "The dose for adults is 5 mg. It is 3 mg for children."
CHOIR = "Jonas Weber founded the choir in 1902. He led it for 30 years and died in 1951."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ada Holt won the cup in 1994.", HOLT),
        ("Ada Holt moved to Rome and won the cup.", ROME),
        ("Ada Holt moved to Rome in 1990 and won the cup in 1994.", ROME),
        ("Ada Holt won the cup in 1994.", ROME),
        ("The kiln was moved to Delft and rebuilt in 1988.", KILN),
        ("The kiln was rebuilt in 1988.", KILN),
        ("Jonas Weber died in 1951.", CHOIR),
    ],
)
def test_the_subject_of_a_pronoun_may_be_named(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ada Holt won the cup in 1970.", HOLT),
        ("Ada Holt was born in Ghent in 1994.", HOLT),
        ("Ada Holt moved to Rome in 1994 and won the cup in 1990.", ROME),
        ("The kiln was bought in 1988.", KILN),
        ("The kiln was bought and rebuilt in 1988.", KILN),
        ("The dose for adults is 3 mg.", DOSES),
        ("Jonas Weber founded the choir in 1951.", CHOIR),
        ("Sales in Spain began in 1994.", "Sales in Spain began in 1970. They began in Peru in 1994."),
        ("The north mill grinds 25 t.", "The north mill grinds 40 t. The south mill is older. It grinds 25 t."),
        ("Ada Holt won the cup.", "Ada Holt studied law. She wrote to Tom Reed and he won the cup."),
        ("Ada Holt won the cup.", "Ada Holt studied law. She married Tom Reed, who won the cup."),
        ("The ferry carried 300 t.", "The ferry is white. It stood by the mill and the crane carried 300 t."),
        ("The pump was cleaned and painted in June.", "The pump was cleaned in March. It was painted in June."),
    ],
)
def test_what_is_said_of_another_or_at_another_time_is_not_taken_over(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5
