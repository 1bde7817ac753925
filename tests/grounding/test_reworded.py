"""A claim in other words that are true whenever it is, and what only looks like one. By hand, over many subjects."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
ROPES = "Ropes are inspected fortnightly and retired after five years."
WINE = "Red wine matures for 18 months, while white wine is bottled after six."
TRUE = [
    ("According to the manual, a wash at 40 °C takes 50 minutes.", "A wash at 40 °C takes 50 minutes."),
    ("The handbook states that Ropes are retired after five years.", ROPES),
    ("An inspection of the ropes takes place every two weeks.", ROPES),
    ("The cleaning of the filters is carried out by the night shift.", "The filters are cleaned by the night shift."),
    ("The bins are collected every Tuesday.", "Collection of the bins takes place every Tuesday."),
    ("The milking takes place twice a day.", "Cows are milked twice a day."),
    ("The fair takes place in May.", "The fair is held in May."),
    ("Pruning takes place in February.", "Pruning is done in February."),
    ("It is paid after an inspection of the boat.", "It is paid after the boat has been inspected."),
    ("The price of a locker is 3 euros a day.", "A locker costs 3 euros a day."),
    ("A locker costs 3 euros a day.", "The fee for a locker is 3 euros a day."),
    ("The length of the course is six weeks.", "The course lasts six weeks."),
    ("The deposit is 20 euros.", "A deposit of 20 euros is paid when a bike is borrowed."),
    ("Guests are not allowed to touch the animals.", "Guests must not touch the animals."),
    ("Guests must not touch the animals.", "Guests are not allowed to touch the animals."),
    ("It is mandatory for staff to wear a badge.", "Staff must wear a badge."),
    ("Badges are mandatory for all staff.", "Badges are compulsory for all staff."),
    ("Parcels weighing more than 30 kg go by van.", "Parcels heavier than 30 kg go by van."),
    ("Riders without a helmet can borrow one at the desk.", "Riders who have no helmet can borrow one at the desk."),
    ("If children cannot swim, they stay in the shallow pool.", "Children who cannot swim stay in the shallow pool."),
    ("Children unable to swim stay in the shallow pool.", "Children who cannot swim stay in the shallow pool."),
    ("Two boxes a week are given to members.", "Members receive two boxes a week."),
    ("While the kiln is hot, nobody may open it.", "Nobody may open the kiln while it is hot."),
    ("Once opened, jars are kept in the fridge.", "Opened jars are kept in the fridge."),
    ("Once opened, jars are kept in the fridge.", "Jars are kept in the fridge once they are opened."),
    ("At the desk, riders who have no helmet can borrow one.", "Riders who have no helmet can borrow one at the desk."),
    ("The guard may not enter the vault until the end of the shift.", "The guard may enter the vault only at the end "
     "of the shift."),
    ("The log is signed every evening by the foreman.", "The log is kept dry and signed by the foreman every evening."),
    ("Lunch must be ordered no later than 9:00.", "Lunch must be ordered by 9:00."),
    ("Lunch must be ordered by 9:00 at the latest.", "Lunch must be ordered no later than 9:00."),
    ("Cancel no later than two days before the visit.", "Cancel at least two days before the visit."),
    ("Cancel two days before the visit at the latest.", "Cancel at least two days before the visit."),
    ("The bill is paid no later than 14 days after delivery.", "The bill is paid within 14 days of delivery."),
    ("Buses run every hour on Sundays.", "Buses run hourly on Sundays."),
    ("The pump starts every half an hour.", "The pump starts every 30 minutes."),
    ("The doors open half an hour before the play.", "The doors open 30 minutes before the play."),
    ("Adult dogs are fed twice a day.", "Puppies are fed four times a day and adult dogs twice."),
    ("White wine is bottled after six months.", WINE),
    ("On Sundays the bus runs hourly.", "The bus runs every ten minutes; on Sundays it runs hourly."),
    ("Older trees do not need watering.", "Young trees are watered in the first summer; older trees need no watering."),
    ("The shelves are checked by Ada before the kiln is loaded.", "Before the kiln is loaded, Ada checks the shelves."),
    ("The club pays for the boat.", "The coach decides whether they go out, and the club pays for the boat."),
]  # fmt: skip
FALSE = [
    ("An inspection of the ropes takes place every five years.", ROPES),
    ("The cleaning of the filters is carried out by the day shift.", "The filters are cleaned by the night shift. The "
     "day shift rests."),
    ("The bins are collected every Thursday.", "Collection of the bins takes place every Tuesday."),
    ("The fair takes place in June.", "The fair is held in May."),
    ("The price of a locker is 5 euros.", "A locker costs 3 euros and a towel 5 euros."),
    ("The deposit is 20 euros.", "The fee is 20 euros, and a deposit is paid when a bike is borrowed."),
    ("The deposit is paid.", "A deposit of 20 euros is paid when a bike is borrowed."),
    ("Guests are not required to touch the animals.", "Guests must not touch the animals."),
    ("Guests must touch the animals.", "Guests are not allowed to touch the animals."),
    ("It is not mandatory for staff to wear a badge.", "Staff must wear a badge."),
    ("It is mandatory for guests to wear a badge.", "Staff must wear a badge, guests may wear one."),
    ("Parcels weighing less than 30 kg go by van.", "Parcels heavier than 30 kg go by van."),
    ("Riders with a helmet can borrow one.", "Riders who have no helmet can borrow one."),
    ("If children can swim, they stay in the shallow pool.", "Children who cannot swim stay in the shallow pool."),
    ("Members are given to two boxes a week.", "Members receive two boxes a week."),
    ("Once opened, jars are kept in the fridge.", "Unopened jars are kept in the fridge."),
    ("The guard may not enter the vault until noon.", "The guard may enter the vault until noon."),
    ("Lunch must be ordered no earlier than 9:00.", "Lunch must be ordered by 9:00."),
    ("Lunch must be ordered after 9:00.", "Lunch must be ordered no later than 9:00."),
    ("Cancel no earlier than two days before the visit.", "Cancel at least two days before the visit."),
    ("Cancel no later than two days after the visit.", "Cancel at least two days before the visit."),
    ("Buses run every two hours on Sundays.", "Buses run hourly on Sundays."),
    ("Adult dogs are fed twice a week.", "Puppies are fed four times a day and adult dogs twice."),
    ("White wine is bottled after 18 months.", WINE),
    ("The bus runs hourly.", "The bus runs every ten minutes; on Sundays it runs hourly."),
    ("In May the mill is shut, and in June the lock is shut.", "The mill is shut in June. The lock is shut in May."),
    ("The boat is safe.", "The coach decides whether the boat is safe, and the club pays for the boat."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence"), TRUE)
def test_what_follows_in_other_words_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(("claim", "evidence"), FALSE)
def test_what_only_looks_like_it_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5
