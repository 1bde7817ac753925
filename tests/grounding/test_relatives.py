"""A sentence with `who` or `which` says two things, each of somebody of its own. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
MILLS = "Orla owns Brume, which owns Tessel."
FOUNDED = "Orla owns Brume, which founded Tessel."
HEAD = "Orla, which owns Brume, founded Tessel."
CHAIN = "Vera hired Milo, who hired Nadja."
RIVERS = "The Ilm flows into the Odra, which flows into the Wend."
FAMILY = "Vera is the mother of Milo, who is the uncle of Nadja."
WAR = "Ruritania defeated Italy, who defeated Borduria."
PASSIVE = "Orla owns Brume, which was founded by Tessel in 1990."
AGENT = "Brume is owned by Orla, which founded Tessel."
PERCH = "Pikes eat perch, which eat shrimps."
TUNNEL = "He dug a tunnel under the Ilm in 1900, which collapsed in 1920."
QUARRY = "The quarry workers in Brume, who struck in 1900, won."
INSULATION = "The coating lowers the heat loss, which reduces the cost of fuel."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Tessel owns Brume.", MILLS),
        ("Orla owns Tessel.", MILLS),
        ("Orla owns Brume and Tessel.", MILLS),
        ("Tessel is owned by Orla.", MILLS),
        ("Brume is owned by Tessel.", MILLS),
        ("Tessel owns Brume.", FOUNDED),
        ("Orla founded Tessel.", FOUNDED),
        ("Orla owns Tessel.", FOUNDED),
        ("Orla founded Brume.", FOUNDED),
        ("Brume owns Tessel.", FOUNDED),
        ("Brume founded Tessel.", HEAD),
        ("Orla founded Brume.", HEAD),
        ("Orla owns Tessel.", HEAD),
        ("Tessel owns Brume.", HEAD),
        ("Nadja hired Milo.", CHAIN),
        ("Vera hired Nadja.", CHAIN),
        ("Milo was hired by Nadja.", CHAIN),
        ("The Wend flows into the Odra.", RIVERS),
        ("The Ilm flows into the Wend.", RIVERS),
        ("Vera is the uncle of Nadja.", FAMILY),
        ("Nadja is the mother of Milo.", FAMILY),
        ("Borduria defeated Italy.", WAR),
        ("Ruritania defeated Borduria.", WAR),
        ("Italy defeated Ruritania.", WAR),
        ("Orla was founded in 1990.", PASSIVE),
        ("Orla was founded by Tessel.", PASSIVE),
        ("Orla founded Brume in 1990.", PASSIVE),
        ("Brume founded Tessel.", AGENT),
        ("Orla owns Tessel.", AGENT),
        ("Pikes eat shrimps.", PERCH),
        ("Shrimps eat perch.", PERCH),
        ("The garage checks the brakes.", "The garage employs mechanics who check the brakes."),
        ("Karl owns the kiln.", "The family owns the kiln, which Karl built."),
        ("Vera owns a barge.", "Vera knows a man who owns a barge."),
        ("Vera lies in Sweden.", "Vera moved to Lund, which lies in Sweden."),
        ("Orla is the largest bank.", "Orla owns Brume, which is the largest bank."),
    ],
)
def test_what_one_does_is_not_said_of_another_before_or_after_who_and_which(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        (MILLS, MILLS),
        ("Orla owns Brume.", MILLS),
        ("Brume owns Tessel.", MILLS),
        ("Tessel is owned by Brume.", MILLS),
        ("Brume, which owns Tessel, is owned by Orla.", MILLS),
        ("Brume founded Tessel.", FOUNDED),
        ("Tessel was founded by Brume.", FOUNDED),
        ("Orla founded Tessel.", HEAD),
        ("Orla owns Brume.", HEAD),
        ("Tessel was founded by Orla.", HEAD),
        ("Milo hired Nadja.", CHAIN),
        ("Milo, who was hired by Vera, hired Nadja.", CHAIN),
        ("The Odra flows into the Wend.", RIVERS),
        ("Milo is the uncle of Nadja.", FAMILY),
        ("Nadja's uncle is Milo.", FAMILY),
        ("Vera is the mother of Milo.", FAMILY),
        ("Italy defeated Borduria.", WAR),
        ("Brume was founded in 1990.", PASSIVE),
        ("Tessel founded Brume in 1990.", PASSIVE),
        ("Orla founded Tessel.", AGENT),
        ("Orla owns Brume.", AGENT),
        ("Perch eat shrimps.", PERCH),
        ("Pikes eat perch.", PERCH),
        ("The tunnel collapsed in 1920.", TUNNEL),
        ("The workers struck in 1900.", QUARRY),
        ("The workers won.", QUARRY),
        ("The coating reduces the cost of fuel.", INSULATION),
        ("Brume owns Tessel and Dorn.", "Orla owns Brume, which owns Tessel and Dorn."),
        ("Brume owns Dorn.", "Orla owns Brume, which owns Tessel, Dorn and Ulme."),
        ("Karl owns Dorn.", "Orla owns Brume, which owns Tessel, and Karl owns Dorn."),
        ("Orla hired Karl.", "Orla owns Brume, which owns Tessel, and hired Karl."),
        ("The tunnel dug by Karl collapsed in 1920.", "The tunnel dug by Karl, which collapsed in 1920, was rebuilt."),
        ("Milo sold the barge.", "Vera lent the barge to Milo, who sold it."),
        ("The rule is the strictest in Europe.", "A rule was passed in May, which is the strictest in Europe."),
        ("The siege ended with the treaty.", "The envoys signed the treaty, which ended the siege."),
        ("The farmer cleans the tank.", "The pump feeds the tank, which the farmer cleans."),
        ("The firm founded Tessel.", "The firm which owns Brume founded Tessel."),
        ("Orla owns the largest bank.", "Orla owns Brume, which is the largest bank."),
        ("The yard built the Aurelia.", "The yard built a ship, which was named Aurelia."),
        ("Nadja married Milo.", "Vera met Milo, who married Nadja."),
    ],
)
def test_each_of_the_two_statements_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
