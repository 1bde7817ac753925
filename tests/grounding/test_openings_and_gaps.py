"""What is said under another opening, of another of two, or counted from another thing is not carried. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
WATER = "Below 7 the water attacks metal fittings, and above 8 the chlorine loses its effect."
HUT = "In summer the hut is open daily, and in winter it is closed on Mondays."
KEYS = "Use the red key for the gate, the blue key for the shed."
JERSEY = "The leader wears a white jersey, the best climber a green one."
READERS = "Most subscribers live in the city, some in the islands."
ARRIVALS = "Arrivals are possible between 14:00 and 21:00, departures before 11:00."
CAUTION = "A player who receives a second caution in the same match is sent off."
STARTS = "A crew that causes two false starts is disqualified."
REMINDER = "If a third reminder is ignored, the account is closed."
SAFE = "The deputy manager keeps the keys, but only the manager may open the safe."
ACIDS = "The enzyme turns malic acid into the softer lactic acid."
SCALE = "The relative minor of a major key begins on its sixth degree, so A minor is the relative minor of C major."
PUMP = "Turn the pump off before you move the handle; otherwise the seal may tear."
FARE = "Each passenger on a Classic fare may check in one bag."
COPY = "The manuscript was copied in 1310 and is kept at Lund; a second one burned in 1702."
BOOK = "The book was written by Ada and printed after the war by Ben."
FIRE = "In 1956 a fire destroyed the wardrobe, but the archive was saved."
STAGE = "The fourth stage was shortened by 40 km because snow blocked the pass."
TICKETS = "Tickets can be returned until noon on the day itself; after that they can only be exchanged."
HEIRS = "Heirs may renounce within three months after they have learned of the death."
INVOICE = "Pay within 14 days after receipt of the invoice."
WILL = "A will is valid if it is written and signed by the testator."
LAKE = "It moved to the lake, because traffic had made the river unsafe."
YEAST = "The must is cooled before the yeast is added."
RECALL = "The lender may recall a work with two months' notice, in urgent cases with one week's notice."
STORES = "It is stored mostly in the muscles and about a fifth in the liver."
RUNNERS = "It is more common in slow runners than in fast ones, since slow runners drink more and sweat less."
VOMIT = "Anyone who vomits repeatedly after a race must be seen by a doctor."
STAMPS = "It was printed by Corvin in sheets of 60; the second issue, of 1864, was printed in Trieste."
BLUE = "The blue of the first issue fades in sunlight, while the carmine of the second does not."
PENSION = "Employees who have completed two years of service are entitled to a pension."
DEATH = "On the death of a pensioner the surviving spouse receives 60 percent of the pension."
LAVA = "Basaltic lava is hot and runny, while rhyolitic lava is so viscous that it plugs the vent."
DOME = "The eruption was weaker but destroyed the observatory, which was rebuilt in 1951."
BOW = "Loosen the bow hair after playing, but leave the strings of the violin tuned."
ROSIN = "Rosin dust should be wiped off with a cloth every day, because it damages the varnish if it hardens."
LOAN = "Violins are lent free of charge for the first term, after which a fee of 15 euros is due."
WAIT = "The dough rests until the oven is heated."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Above 8 the water attacks metal fittings.", WATER),
        ("Below 7 the chlorine loses its effect.", WATER),
        ("In winter the hut is open daily.", HUT),
        (
            "In the Baltic the range can exceed 15 m.",
            "In Fundy the range can exceed 15 m, while in the Baltic it is small.",
        ),
        ("Use the blue key for the gate.", KEYS),
        ("Use the red key for the shed.", KEYS),
        ("Use the blue key for the gate.", "Use the red key for the gate, the blue one for the shed."),
        ("The leader wears a green jersey.", JERSEY),
        ("Most subscribers live in the islands.", READERS),
        ("Arrivals are possible before 11:00.", ARRIVALS),
        ("A player who receives a caution is sent off.", CAUTION),
        ("A crew that causes a false start is disqualified.", STARTS),
        ("If a reminder is ignored, the account is closed.", REMINDER),
        ("Only the deputy manager may open the safe.", SAFE),
        ("The enzyme turns lactic acid into malic acid.", ACIDS),
        ("C major is the relative minor of A minor.", SCALE),
        ("If the pump is turned off, the seal may tear.", PUMP),
        ("The seal may tear if the pump is turned off before the handle is moved.", PUMP),
        ("Every passenger may check in one bag.", FARE),
        ("The manuscript kept at Lund burned in 1702.", COPY),
        ("Ben wrote the book.", BOOK),
        ("The book was written by Ben.", BOOK),
        ("In 1956 a fire destroyed the archive.", FIRE),
        ("The fourth stage was shortened to 40 km.", STAGE),
        ("Tickets can be returned after noon on the day itself.", TICKETS),
        ("Heirs may renounce within three months after the death.", HEIRS),
        ("Pay within 14 days after the invoice.", INVOICE),
        ("A will is valid if it is signed.", WILL),
        ("Traffic made the lake unsafe.", LAKE),
        ("Before the must is cooled, the yeast is added.", YEAST),
        ("The oven is heated until the dough rests.", WAIT),
        ("Employees are entitled to a pension.", PENSION),
        ("On the death of the surviving spouse the pensioner receives 60 percent of the pension.", DEATH),
        ("Rhyolitic lava is hot and runny.", LAVA),
        ("The observatory was destroyed in 1951.", DOME),
        ("Loosen the strings of the violin after playing.", BOW),
        ("The varnish damages rosin dust if it hardens.", ROSIN),
        ("A fee of 15 euros is due for the first term.", LOAN),
        ("In urgent cases the lender may recall a work with two months' notice.", RECALL),
        ("The lender may recall a work with one week's notice.", RECALL),
        ("It is stored mostly in the liver.", STORES),
        ("It is more common in fast runners than in slow ones.", RUNNERS),
        ("Slow runners sweat more and drink less.", RUNNERS),
        ("Anyone who vomits after a race must be seen by a doctor.", VOMIT),
        ("The second issue was printed by Corvin.", STAMPS),
        ("The carmine of the second issue fades in sunlight.", BLUE),
    ],
)
def test_what_is_said_of_another_is_not_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Below 7 the water attacks metal.", WATER),
        ("Above 8 the chlorine loses its effect.", WATER),
        ("In winter the hut is closed on Mondays.", HUT),
        ("The hut is open daily in summer and closed on Mondays in winter.", HUT),
        ("The new wing was added in 1970.", "In 1956 the museum opened and in 1970 the new wing was added."),
        ("Use the red key for the gate and the blue key for the shed.", KEYS),
        ("Use the blue key for the shed.", KEYS),
        ("The best climber wears a green jersey.", JERSEY),
        ("Some subscribers live in the islands.", READERS),
        ("Departures are possible before 11:00.", ARRIVALS),
        ("He lives in Switzerland.", "He lives in Bern, a city in Switzerland."),
        ("The hut sells soup, bread and cakes on Sundays.", "The hut sells soup, bread, and cakes on Sundays."),
        ("A player who receives a second caution is sent off.", CAUTION),
        ("A crew is disqualified if it causes two false starts.", STARTS),
        ("Ada won a medal in 1990.", "Ada, who won a second medal in 1990, retired in 1994."),
        ("Only ward nurses may open the cabinet.", "On the ward, only nurses may open the cabinet."),
        ("The enzyme turns malic acid into lactic acid.", ACIDS),
        ("A minor is the relative minor of C major.", SCALE),
        ("All visitors must wear a helmet.", "All visitors must wear a helmet in the tower."),
        ("Every passenger on a Classic fare may check in one bag.", FARE),
        ("The manuscript is kept at Lund.", COPY),
        ("The book was written by Ada.", BOOK),
        ("The book was written by Ada and Ben.", "The book was written by Ada and Ben."),
        ("In 1956 a fire destroyed the wardrobe.", FIRE),
        ("The council approved the plan.", "The council approved the plan, and the plan was published."),
        ("The fourth stage was shortened by 40 km.", STAGE),
        ("Tickets can be returned until noon.", TICKETS),
        ("Meals are served from noon.", "Meals are served after noon."),
        ("Heirs may renounce within three months after they learned of the death.", HEIRS),
        ("The fee is due 10 days before the exam.", "The fee is due 10 days before the date of the exam."),
        ("A will is valid if it is written and signed.", WILL),
        ("Traffic had made the river unsafe.", LAKE),
        ("Before the yeast is added, the must is cooled.", YEAST),
        ("Employees are entitled to a pension if they have completed two years of service.", PENSION),
        ("A man was seen at the gate.", "A man who lived in Bern was seen at the gate."),
        ("Tools that cut must be cleaned.", "Tools that touch food must be rinsed, those that cut must be cleaned."),
        ("On the death of a pensioner the surviving spouse receives 60 percent.", DEATH),
        ("Basaltic lava is hot and runny.", LAVA),
        ("Rhyolitic lava is viscous.", LAVA),
        ("The observatory was rebuilt in 1951.", DOME),
        ("The hotel was sold in 1990.", "The hotel, which has 40 rooms, was sold in 1990."),
        ("Loosen the bow hair after playing.", BOW),
        ("Wash the plates.", "Rinse the cups and wash the plates."),
        ("Rosin dust damages the varnish if it hardens.", ROSIN),
        ("A fee of 15 euros is due after the first term.", LOAN),
        ("In urgent cases the lender may recall a work with a week's notice.", RECALL),
        ("The lender may recall a work with two months' notice.", RECALL),
        ("It is stored mostly in the muscles.", STORES),
        ("It is more common in slow runners than in fast ones.", RUNNERS),
        ("Slow runners drink more and sweat less.", RUNNERS),
        ("The seal was torn.", "The seal was badly torn."),
        ("If the alarm sounds, leave the hall.", "If the alarm sounds, leave the hall quickly."),
        ("The second issue was printed in Trieste.", STAMPS),
        ("The blue of the first issue fades in sunlight.", BLUE),
        ("The carmine of the second issue does not fade in sunlight.", BLUE),
        ("The dough rests until the oven is heated.", "Until the oven is heated, the dough rests."),
    ],
)
def test_what_is_said_of_it_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
