"""Claims held against evidence, written by hand over many subjects: what is carried, and every way to twist it.

Each pair is (kind, claim, evidence, carried). Sources: none, all sentences are our own.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    """A claim, a text, and whether the text carries the claim."""

    kind: str
    claim: str
    evidence: str
    carried: bool


CHEMISTRY = (
    "Acetone must be kept in a flammables cabinet. The exposure limit for acetone is 15 minutes at 500 ppm, and "
    "for toluene it is 50 minutes at 100 ppm. Nitrile gloves are worn when handling solvents. Do not use latex "
    "gloves with toluene. Waste solvent is collected in red containers, which hold at most 10 litres. If the "
    "alarm sounds, leave the laboratory through the north exit. Only trained staff may open the cylinder valve."
)
LAW = (
    "The tenant shall pay the rent before the fifth day of each month. The landlord may enter the flat only "
    "after giving 24 hours' notice. Pets are not allowed in the building. The deposit of $1,500 is returned "
    "within 30 days after the lease ends. Some tenants are exempt from the cleaning fee. The landlord pays the "
    "tenant interest on the deposit. Subletting is prohibited without the written consent of the landlord."
)
FINANCE = (
    "Revenue rose from $1.2 billion in 2019 to $1.5 billion in 2020. Net income decreased by 4% over the same "
    "period. The Berlin office employs 320 people and the Madrid office 210. Analysts expect that the dividend "
    "may increase next year. Operating costs fell in the first quarter. The company acquired Norvik Shipping in "
    "March 2018 for €45 million."
)
MEDICINE = (
    "Patients took 20 mg of the drug twice a day for two weeks. The drug lowered systolic blood pressure more "
    "than the placebo did. It did not reduce the risk of stroke. Most patients reported mild headaches. Children "
    "under 12 years should not take the drug. The treatment group had fewer infections than the control group. "
    "It is unclear whether the drug prevents migraine."
)
GEOGRAPHY = (
    "The Arna is longer than the Velin. The Velin flows from Lake Toma into the North Sea. Mount Keld, 2,410 m "
    "high, lies in the province of Orsk. Orsk was founded in 1432 and Bergau in 1518. The bridge was closed on 3 "
    "May 2021 and reopened on 12 June 2022. Temperatures in January fall to -20 °C. About 1.5 million people "
    "live in Orsk."
)
IT = (
    "Backups run daily at 02:00 and are kept for 90 days. Passwords must have at least 12 characters. Users "
    "should change their passwords once a year. The API returns error 404 when a record is missing and error 409 "
    "when it is locked. Administrators can delete accounts; operators cannot. Version 3.2 encrypts all traffic. "
    "The primary server replicates to the secondary server every 5 minutes. Uploads larger than 200 MB are "
    "rejected."
)

TABLE = (
    "Limits are given in the table.\n| Substance | Limit | Boiling point | Colour |\n| --- | --- | --- | --- |\n"
    "| acetone | 15 ppm | 56 °C | clear |\n| toluene | 50 ppm | 111 °C | clear |\n| iodine | 3 ppm | 184 °C | violet |"
)
SCHEDULE = "| Room | Seats | Lamps |\n| A12 | 40 | 8 |\n| B7 | 25 | 12 |"

CARRIED = (
    Pair("table", "The limit for toluene is 50 ppm.", TABLE, True),
    Pair("table", "Acetone has a boiling point of 56 °C.", TABLE, True),
    Pair("table", "The boiling point of iodine is 184 °C.", TABLE, True),
    Pair("table", "Room B7 has 25 seats.", SCHEDULE, True),
    Pair("table", "Room A12 has 8 lamps.", SCHEDULE, True),
    Pair("verbatim", "Nitrile gloves are worn when handling solvents.", CHEMISTRY, True),
    Pair("verbatim", "Pets are not allowed in the building.", LAW, True),
    Pair("verbatim", "Net income decreased by 4% over the same period.", FINANCE, True),
    Pair("verbatim", "The Arna is longer than the Velin.", GEOGRAPHY, True),
    Pair("verbatim", "Passwords must have at least 12 characters.", IT, True),
    Pair("paraphrase", "Wear nitrile gloves when you handle solvents.", CHEMISTRY, True),
    Pair("paraphrase", "When handling solvents, nitrile gloves are worn.", CHEMISTRY, True),
    Pair("paraphrase", "Latex gloves must not be used with toluene.", CHEMISTRY, True),
    Pair("paraphrase", "The exposure limit for acetone is 15 minutes.", CHEMISTRY, True),
    Pair("paraphrase", "The exposure limit for toluene is 50 minutes.", CHEMISTRY, True),
    Pair("paraphrase", "Red containers hold at most 10 litres.", CHEMISTRY, True),
    Pair("paraphrase", "Waste solvent is collected in red containers.", CHEMISTRY, True),
    Pair("paraphrase", "Leave the laboratory through the north exit if the alarm sounds.", CHEMISTRY, True),
    Pair("paraphrase", "The cylinder valve may be opened only by trained staff.", CHEMISTRY, True),
    Pair("paraphrase", "The tenant must pay the rent before the fifth day of each month.", LAW, True),
    Pair("paraphrase", "The rent shall be paid by the tenant before the fifth day of each month.", LAW, True),
    Pair("paraphrase", "The landlord may enter the flat only after 24 hours' notice.", LAW, True),
    Pair("paraphrase", "The deposit is $1,500.", LAW, True),
    Pair("paraphrase", "The deposit is returned within 30 days after the lease ends.", LAW, True),
    Pair("paraphrase", "Some tenants are exempt from the cleaning fee.", LAW, True),
    Pair("paraphrase", "Subletting is not allowed without the written consent of the landlord.", LAW, True),
    Pair("paraphrase", "Revenue rose to $1.5 billion in 2020.", FINANCE, True),
    Pair("paraphrase", "Revenue was $1.2 billion in 2019.", FINANCE, True),
    Pair("paraphrase", "The Madrid office employs 210 people.", FINANCE, True),
    Pair("paraphrase", "The Berlin office employs 320 people.", FINANCE, True),
    Pair("paraphrase", "Norvik Shipping was acquired by the company in March 2018.", FINANCE, True),
    Pair("paraphrase", "In March 2018 the company acquired Norvik Shipping.", FINANCE, True),
    Pair("paraphrase", "In the first quarter, operating costs fell.", FINANCE, True),
    Pair("paraphrase", "Patients took 20 mg of the drug two times a day.", MEDICINE, True),
    Pair("paraphrase", "The risk of stroke was not reduced.", MEDICINE, True),
    Pair("paraphrase", "The drug did not reduce the risk of stroke.", MEDICINE, True),
    Pair("paraphrase", "Children under 12 years should not take the drug.", MEDICINE, True),
    Pair("paraphrase", "The drug should not be taken by children under 12 years.", MEDICINE, True),
    Pair("paraphrase", "Most patients reported mild headaches.", MEDICINE, True),
    Pair("paraphrase", "The Velin flows into the North Sea.", GEOGRAPHY, True),
    Pair("paraphrase", "Mount Keld is 2,410 m high.", GEOGRAPHY, True),
    Pair("paraphrase", "Mount Keld lies in the province of Orsk.", GEOGRAPHY, True),
    Pair("paraphrase", "Orsk was founded in 1432.", GEOGRAPHY, True),
    Pair("paraphrase", "Bergau was founded in 1518.", GEOGRAPHY, True),
    Pair("paraphrase", "The bridge reopened on 12 June 2022.", GEOGRAPHY, True),
    Pair("paraphrase", "The bridge was closed on 3 May 2021.", GEOGRAPHY, True),
    Pair("paraphrase", "About 1.5 million people live in Orsk.", GEOGRAPHY, True),
    Pair("paraphrase", "Backups are kept for 90 days.", IT, True),
    Pair("paraphrase", "Backups run daily at 02:00.", IT, True),
    Pair("paraphrase", "A password must have at least 12 characters.", IT, True),
    Pair("paraphrase", "The API returns error 409 when a record is locked.", IT, True),
    Pair("paraphrase", "The API returns error 404 when a record is missing.", IT, True),
    Pair("paraphrase", "Operators cannot delete accounts.", IT, True),
    Pair("paraphrase", "Administrators can delete accounts.", IT, True),
    Pair("paraphrase", "All traffic is encrypted by version 3.2.", IT, True),
    Pair("paraphrase", "Uploads larger than 200 MB are rejected.", IT, True),
    Pair("compound", "Backups run daily, and passwords must have at least 12 characters.", IT, True),
    Pair("compound", "Orsk was founded in 1432 and Bergau in 1518.", GEOGRAPHY, True),
    Pair("compound", "Orsk was founded in 1432, and Bergau was founded in 1518.", GEOGRAPHY, True),
    Pair(
        "table",
        "The limit for toluene is 50 ppm.",
        "Substance: acetone; Limit: 15 ppm\nSubstance: toluene; Limit: 50 ppm",
        True,
    ),
    Pair(
        "table",
        "The boiling point of ethanol is 78 °C.",
        "| Ethanol | Boiling point: 78 °C | Flash point: 13 °C |",
        True,
    ),
    Pair("respectively", "Bergau has 40 schools.", "Orsk and Bergau have 25 and 40 schools respectively.", True),
)

TWISTED = (
    Pair("degree", "Clubmosses are the least advanced plants.", "Clubmosses are the most advanced plants.", False),
    Pair(
        "degree",
        "In least piston engines the steam turns at each stroke.",
        "In most piston engines the steam turns at each stroke.",
        False,
    ),
    Pair(
        "degree",
        "Herds can become more or more alike, and their calls more alike.",
        "Herds can become more or less alike, and their calls more alike.",
        False,
    ),
    Pair(
        "degree",
        "The tubes divide into larger and smaller branches.",
        "The tubes divide into smaller and smaller branches.",
        False,
    ),
    Pair(
        "negation",
        "The salt cannot pass the wall, but the water can not.",
        "The salt cannot pass the wall, but the water can.",
        False,
    ),
    Pair(
        "negation",
        "No lock in the yard is not older than the gate.",
        "No lock in the yard is older than the gate.",
        False,
    ),
    Pair(
        "negation",
        "The stored heat is not then used later to dry one batch of grain.",
        "The stored heat is then used later to dry one batch of grain from six fields, none of them near.",
        False,
    ),
    Pair(
        "table",
        "The fire brigade is called on 4499.",
        "| Night guard | 4499 | weekends |\n| Fire brigade | 112 | always |\n| Facility office | 4410 | weekdays |",
        False,
    ),
    Pair("table", "The limit for toluene is 15 ppm.", TABLE, False),
    Pair("table", "The limit for acetone is 56 ppm.", TABLE, False),
    Pair("table", "The boiling point of acetone is 111 °C.", TABLE, False),
    Pair("table", "The limit for iodine is 184 °C.", TABLE, False),
    Pair("table", "Room B7 has 12 seats.", SCHEDULE, False),
    Pair("table", "Room A12 has 25 seats.", SCHEDULE, False),
    Pair("table", "Room B7 has 40 seats.", SCHEDULE, False),
    Pair("table", "Acetone is violet.", TABLE, False),
    Pair("number", "The exposure limit for acetone is 50 minutes.", CHEMISTRY, False),
    Pair("number", "The exposure limit for toluene is 15 minutes.", CHEMISTRY, False),
    Pair("number", "Red containers hold at most 100 litres.", CHEMISTRY, False),
    Pair("number", "The exposure limit for acetone is 15 minutes at 100 ppm.", CHEMISTRY, False),
    Pair("number", "The deposit of $15,000 is returned within 30 days.", LAW, False),
    Pair("number", "The deposit is returned within 24 days after the lease ends.", LAW, False),
    Pair("number", "Net income decreased by 40% over the same period.", FINANCE, False),
    Pair("number", "The Madrid office employs 320 people.", FINANCE, False),
    Pair("number", "The Berlin office employs 210 people.", FINANCE, False),
    Pair("number", "Revenue rose from $1.5 billion in 2019 to $1.2 billion in 2020.", FINANCE, False),
    Pair("number", "Revenue was $1.5 billion in 2019.", FINANCE, False),
    Pair("number", "Children under 18 years should not take the drug.", MEDICINE, False),
    Pair("number", "Patients took the drug three times a day.", MEDICINE, False),
    Pair("number", "Orsk was founded in 1518.", GEOGRAPHY, False),
    Pair("number", "Bergau was founded in 1432.", GEOGRAPHY, False),
    Pair("number", "Mount Keld is 2,140 m high.", GEOGRAPHY, False),
    Pair("number", "The API returns error 409 when a record is missing.", IT, False),
    Pair("number", "The API returns error 404 when a record is locked.", IT, False),
    Pair("number", "Version 2.3 encrypts all traffic.", IT, False),
    Pair("number", "Orsk has 40 schools.", "Orsk and Bergau have 25 and 40 schools respectively.", False),
    Pair(
        "number",
        "The limit for toluene is 15 ppm.",
        "Substance: acetone; Limit: 15 ppm\nSubstance: toluene; Limit: 50 ppm",
        False,
    ),
    Pair(
        "number",
        "The flash point of ethanol is 78 °C.",
        "| Ethanol | Boiling point: 78 °C | Flash point: 13 °C |",
        False,
    ),
    Pair("number", "The course takes two weeks.", "The course takes three weeks.", False),
    Pair("number", "The third floor is closed.", "The second floor is closed.", False),
    Pair("number", "Heat for 15 minutes.", "Heat for 10 to 15 minutes.", False),
    Pair("unit", "Patients took 20 g of the drug twice a day.", MEDICINE, False),
    Pair("unit", "About 1.5 billion people live in Orsk.", GEOGRAPHY, False),
    Pair("unit", "The company acquired Norvik Shipping for $45 million.", FINANCE, False),
    Pair("unit", "The company acquired Norvik Shipping for €45 billion.", FINANCE, False),
    Pair("unit", "Backups are kept for 90 hours.", IT, False),
    Pair("unit", "Uploads larger than 200 GB are rejected.", IT, False),
    Pair("unit", "The primary server replicates to the secondary server every 5 seconds.", IT, False),
    Pair("unit", "Temperatures in January fall to 20 °C.", GEOGRAPHY, False),
    Pair("unit", "Temperatures in January fall to -20 °F.", GEOGRAPHY, False),
    Pair("unit", "Costs rose by 5 dollars.", "Costs rose by 5%.", False),
    Pair("unit", "The exposure limit for acetone is 15 hours.", CHEMISTRY, False),
    Pair("date", "The bridge was closed on 12 June 2022.", GEOGRAPHY, False),
    Pair("date", "The bridge was closed on 3 May 2022.", GEOGRAPHY, False),
    Pair("date", "The bridge was closed on 12 May 2021.", GEOGRAPHY, False),
    Pair("date", "The company acquired Norvik Shipping in May 2018.", FINANCE, False),
    Pair("date", "The rent is due before the fourth day of each month.", LAW, False),
    Pair("date", "The meeting is on Tuesday.", "The meeting is on Thursday.", False),
    Pair("name", "Mount Keld lies in the province of Bergau.", GEOGRAPHY, False),
    Pair("name", "The company acquired Nordvik Shipping in March 2018.", FINANCE, False),
    Pair("name", "The Velin flows into the Baltic Sea.", GEOGRAPHY, False),
    Pair("name", "The Arna flows into the North Sea.", GEOGRAPHY, False),
    Pair("name", "The Lisbon office employs 210 people.", FINANCE, False),
    Pair("name", "Dr. Weber leads the unit.", "Dr. Huber leads the unit. Dr. Weber is on leave.", False),
    Pair("name", "Rutherford discovered radium.", "Curie discovered radium. Rutherford discovered the proton.", False),
    Pair(
        "name",
        "Rome is the capital of France.",
        "Paris is the capital of France and Rome is the capital of Italy.",
        False,
    ),
    Pair(
        "name",
        "The SMTP server listens on the internal network.",
        "The IMAP server listens on the internal network.",
        False,
    ),
    Pair("negation", "Pets are allowed in the building.", LAW, False),
    Pair("negation", "Use latex gloves with toluene.", CHEMISTRY, False),
    Pair("negation", "Nitrile gloves are not worn when handling solvents.", CHEMISTRY, False),
    Pair("negation", "The drug reduced the risk of stroke.", MEDICINE, False),
    Pair("negation", "Children under 12 years should take the drug.", MEDICINE, False),
    Pair("negation", "Operators can delete accounts.", IT, False),
    Pair("negation", "Administrators cannot delete accounts.", IT, False),
    Pair("negation", "Subletting is allowed without the written consent of the landlord.", LAW, False),
    Pair("negation", "Subletting is prohibited with the written consent of the landlord.", LAW, False),
    Pair("negation", "Subletting is allowed.", LAW, False),
    Pair("negation", "The valve is open.", "The valve isn't open.", False),
    Pair("negation", "Neither lamp is broken.", "One lamp is broken.", False),
    Pair("negation", "The gas is toxic.", "The gas is non-toxic.", False),
    Pair("negation", "The compound is stable in water.", "The compound is unstable in water.", False),
    Pair(
        "negation", "The guarantee covers water damage.", "The guarantee covers all damage except water damage.", False
    ),
    Pair("negation", "The test detected the virus.", "The test failed to detect the virus.", False),
    Pair("negation", "The room has windows.", "The room lacks windows.", False),
    Pair("negation", "Mix bleach with acid.", "Never mix bleach with acid.", False),
    Pair("negation", "Mix bleach with acid.", "Avoid mixing bleach with acid.", False),
    Pair("negation", "Vaccines cause the disorder.", "It is false that vaccines cause the disorder.", False),
    Pair("negation", "The shop sells batteries.", "The shop no longer sells batteries.", False),
    Pair("negation", "Smoking is not prohibited in the yard.", "Smoking is prohibited in the yard.", False),
    Pair("opposite", "Net income increased by 4% over the same period.", FINANCE, False),
    Pair("opposite", "Revenue fell from $1.2 billion in 2019 to $1.5 billion in 2020.", FINANCE, False),
    Pair("opposite", "Operating costs rose in the first quarter.", FINANCE, False),
    Pair("opposite", "The drug raised systolic blood pressure more than the placebo did.", MEDICINE, False),
    Pair("opposite", "The drug lowered diastolic blood pressure more than the placebo did.", MEDICINE, False),
    Pair("opposite", "The drug lowered systolic blood pressure less than the placebo did.", MEDICINE, False),
    Pair("opposite", "The treatment group had more infections than the control group.", MEDICINE, False),
    Pair("opposite", "Passwords must have at most 12 characters.", IT, False),
    Pair("opposite", "Red containers hold at least 10 litres.", CHEMISTRY, False),
    Pair("opposite", "Uploads smaller than 200 MB are rejected.", IT, False),
    Pair("opposite", "The tenant shall pay the rent after the fifth day of each month.", LAW, False),
    Pair("opposite", "Children over 12 years should not take the drug.", MEDICINE, False),
    Pair("opposite", "Leave the laboratory through the south exit if the alarm sounds.", CHEMISTRY, False),
    Pair("opposite", "Backups run weekly at 02:00.", IT, False),
    Pair(
        "opposite", "Acetone increases mucus and irritates eyes.", "Acetone decreases mucus and irritates eyes.", False
    ),
    Pair("opposite", "Coffee increases sleep.", "Coffee increases alertness and decreases sleep.", False),
    Pair("opposite", "The minimum speed is 30 km per hour.", "The maximum speed is 30 km per hour.", False),
    Pair("roles", "The Velin is longer than the Arna.", GEOGRAPHY, False),
    Pair("roles", "The tenant pays the landlord interest on the deposit.", LAW, False),
    Pair("roles", "The secondary server replicates to the primary server every 5 minutes.", IT, False),
    Pair("roles", "The control group had fewer infections than the treatment group.", MEDICINE, False),
    Pair("roles", "Norvik Shipping acquired the company in March 2018.", FINANCE, False),
    Pair("roles", "The company was acquired by Norvik Shipping in March 2018.", FINANCE, False),
    Pair("roles", "The placebo lowered systolic blood pressure more than the drug did.", MEDICINE, False),
    Pair("roles", "Zinc exceeds copper in hardness.", "Copper exceeds zinc in hardness.", False),
    Pair("roles", "The director reports to the manager.", "The manager reports to the director.", False),
    Pair("roles", "Dry the sample before rinsing it.", "Rinse the sample before drying it.", False),
    Pair("roles", "The nurse called the surgeon.", "The surgeon called the nurse.", False),
    Pair("roles", "The Velin flows from the North Sea into Lake Toma.", GEOGRAPHY, False),
    Pair("quantifier", "All tenants are exempt from the cleaning fee.", LAW, False),
    Pair("quantifier", "Tenants are exempt from the cleaning fee.", LAW, False),
    Pair("quantifier", "All patients reported mild headaches.", MEDICINE, False),
    Pair("quantifier", "Every bird can fly.", "Most birds can fly.", False),
    Pair("quantifier", "Most employees work at night.", "Some employees work at night.", False),
    Pair("quantifier", "Only acetone must be kept in a flammables cabinet.", CHEMISTRY, False),
    Pair("quantifier", "Guards always carry keys.", "Guards sometimes carry keys.", False),
    Pair("modality", "Users must change their passwords once a year.", IT, False),
    Pair("modality", "The dividend increases next year.", FINANCE, False),
    Pair("modality", "Acetone may be kept in a flammables cabinet.", CHEMISTRY, False),
    Pair("modality", "The drug prevents migraine.", MEDICINE, False),
    Pair("modality", "Visitors must wear a badge.", "Visitors may wear a badge.", False),
    Pair("modality", "The leak was caused by corrosion.", "The leak was possibly caused by corrosion.", False),
    Pair("condition", "The alarm sounds.", CHEMISTRY, False),
    Pair("invention", "Acetone boils at 111 °C.", CHEMISTRY, False),
    Pair("invention", "Nitrile gloves are worn when handling strong acids.", CHEMISTRY, False),
    Pair("invention", "The landlord must repair the heating.", LAW, False),
    Pair("invention", "Paris is the capital of France.", CHEMISTRY, False),
    Pair("invention", "The drug was developed in Switzerland by a university hospital.", MEDICINE, False),
    Pair("invention", "Passwords are stored in an encrypted vault on the primary server.", IT, False),
    Pair("invention", "", IT, False),
    Pair("mixture", "Latex gloves are worn when handling solvents.", CHEMISTRY, False),
    Pair("mixture", "Waste solvent must be kept in a flammables cabinet.", CHEMISTRY, False),
    Pair("mixture", "The tenant may enter the flat only after giving 24 hours' notice.", LAW, False),
    Pair("mixture", "Operators must have at least 12 characters.", IT, False),
    Pair("mixture", "The Berlin office was acquired in March 2018.", FINANCE, False),
    Pair("mixture", "The stroke lowered systolic blood pressure.", MEDICINE, False),
)

PAIRS = (*CARRIED, *TWISTED)
