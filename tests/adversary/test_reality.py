"""What was not so, or not yet, or only almost; and paraphrases that must stay carried beside it. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
ALMOST = [
    ("The dam collapsed.", "The dam almost collapsed."),
    ("The two species are identical.", "The two species are virtually identical."),
    ("All seedlings survived.", "Almost all seedlings survived."),
    ("The reactor nearly melted.", "The reactor melted."),
]
NOT_DONE = [
    ("The council rejected the bridge.", "The council was expected to reject the bridge."),
    ("The climbers reached the summit.", "The climbers tried to reach the summit."),
    ("The union accepted the offer.", "The mayor urged the union to accept the offer."),
    ("The vault closed.", "The vault was about to close."),
    ("The tower is rebuilt by the town.", "The tower would be rebuilt by the town if a donor came forward."),
    ("The seal was replaced.", "The seal should have been replaced."),
    ("The library was moved to Kalmar.", "The library will be moved to Kalmar."),
]
FORMER = [
    ("Residents are permitted to keep bees.", "Residents were formerly permitted to keep bees."),
    ("The mill is a museum.", "The mill used to be a museum."),
    ("Residents are permitted to keep bees.", "Residents are allegedly permitted to keep bees."),
]
QUANTIFIED = [
    ("Few birds returned.", "Most birds returned."),
    ("Most birds returned.", "Many birds returned."),
    ("The pump never jams.", "The pump rarely jams."),
    ("No bird returned.", "Not every bird returned."),
    ("No birds returned.", "Hardly any birds returned."),
]
CONDITIONS = [
    ("The deposit is kept if you arrive late.", "The deposit is kept unless you arrive late."),
    ("The gate opens unless the alarm rings.", "The gate opens if the alarm rings."),
    ("Visitors may enter the hall.", "Visitors may enter the hall only if a guide is present."),
]
REPORTED = [
    ("The mast is cracked.", "It is wrong to say that the mast is cracked."),
    ("The mast is cracked.", "It would be incorrect to claim that the mast is cracked."),
    ("The mast is cracked.", "The mast is said to be cracked."),
    ("The mast is cracked.", "The mast is widely thought to be cracked."),
    ("The mast is cracked.", "It is said that the mast is cracked."),
    ("The mast is cracked.", "Critics argue that the mast is cracked."),
    ("The mast is cracked.", "According to Hedda Lorn, the mast is cracked."),
    ("The mast is cracked.", "According to some witnesses, the mast is cracked."),
    ("The mast is cracked.", "Is the mast cracked?"),
    ("Lorn murdered.", "Lorn was accused of murder."),
    ("Lorn committed the murder of Dahl.", "Lorn was acquitted of the murder of Dahl."),
]
EXCEPTIONS = [
    ("All valves leaked.", "All valves except the red one leaked."),
    ("The ferry sails daily.", "The ferry sails daily except Monday."),
    ("The warden may not enter.", "No one except the warden may enter."),
    ("The warden may not enter.", "No one but the warden may enter."),
    ("No one may enter.", "No one but the warden may enter."),
]
COMPARED = [
    ("Neon is lighter than helium.", "Neon is lighter than argon but heavier than helium."),
    ("Neon is heavier than argon.", "Neon is lighter than argon and heavier than helium."),
]
ALIKE = [
    ("Both doors have the same code.", "Both doors have different codes."),
    ("The doors have different codes.", "The doors have the same code."),
]
CARRIED = [
    ("The dam almost collapsed in spring.", "In spring the dam nearly collapsed."),
    ("The tunnel is 300 metres long.", "The tunnel is nearly 300 metres long."),
    ("Almost all seedlings survived.", "Nearly all seedlings survived."),
    ("The council was expected to reject the bridge.", "It was expected that the council would reject the bridge."),
    ("Costs will rise.", "Costs are expected to rise."),
    ("The climbers attempted to reach the summit.", "The climbers tried to reach the summit."),
    ("Staff wear badges.", "Staff are asked to wear badges."),
    ("The mill was a museum.", "The mill was originally a museum."),
    ("The mill is in Odda.", "The mill, formerly a barn, is in Odda."),
    ("The mill is in Odda.", "The mill, nearly burnt in June, is in Odda."),
    ("A few birds returned.", "Some birds returned."),
    ("Hardly any birds returned.", "Scarcely any birds returned."),
    ("Not all birds returned.", "Not every bird returned."),
    ("The lock never jams.", "The lock does not ever jam."),
    ("Visitors may enter the hall only with a guide.", "Visitors may enter the hall only if a guide is present."),
    ("The tower would be rebuilt.", "The tower would be rebuilt if a donor came forward."),
    ("If it freezes, the ferry stops.", "The ferry stops if it freezes."),
    ("The codes are not the same.", "The codes are different."),
    ("The library will be moved to Kalmar.", "The library is to be moved to Kalmar."),
    ("The mast is cracked.", "According to the survey of 2010, the mast is cracked."),
    ("The mast is cracked.", "The manual says that the mast is cracked."),
    ("The mast is cracked.", "The tests show that the mast is cracked."),
    ("The mast is cracked.", "Is the mast cracked? The mast is cracked."),
    ("The inspector asked the captain.", 'The inspector asked the captain: "Is the mast cracked?"'),
    ("The mast is 30 m high.", "The mast, said to be cracked, is 30 m high."),
    ("A gear is locked if it cannot turn.", "A gear is said to be locked if it cannot turn."),
    ("Lorn led the guild.", "Lorn, who was accused of theft, led the guild."),
    ("Lorn was accused of theft.", "In May Lorn was accused of theft."),
    ("All staff wear badges.", "All staff wear badges, and no one may smoke except in the yard."),
    ("All valves leaked.", "All valves leaked, but three were mended."),
    ("The ferry sails daily except on Monday.", "The ferry sails daily except Monday."),
    ("Neon is heavier than helium.", "Neon is lighter than argon but heavier than helium."),
    ("Oslo is larger than Moss.", "Oslo is larger than Bergen and Moss."),
]

TWISTED = [*ALMOST, *NOT_DONE, *FORMER, *QUANTIFIED, *CONDITIONS, *REPORTED, *EXCEPTIONS, *COMPARED, *ALIKE]


@pytest.mark.parametrize(("claim", "evidence"), TWISTED, ids=lambda text: text)
def test_what_is_not_so_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), CARRIED, ids=lambda text: text)
def test_what_is_so_stays_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    "evidence",
    sorted({text for _, text in TWISTED}),
)
def test_the_sentence_itself_is_supported_word_for_word(evidence: str) -> None:
    assert CHECK.examine(evidence, evidence).support >= 0.5
