"""A text that cannot have the kind of thing asked for is told from one that may; in doubt it may."""

import pytest

from rag.language.kinds import lacking


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        ("How long is the test in year 12?", "The rules hold for the years 9 to 12.", "how long"),
        ("How long may a guest stay?", "Guests sign the book at the gate.", "how long"),
        ("How often is the filter changed?", "The filter is blue.", "how often"),
        ("How much is a locker?", "A locker holds two coats.", "a price"),
        ("How much does a berth cost on a Saturday?", "Berths are let on Saturdays from 9 a.m. to noon.", "a price"),
        ("What does a late ticket cost?", "Late tickets are sent by post.", "a price"),
        ("What is the phone number of the porter?", "The porter answers within 14 days.", "a number to call"),
        ("What is the porter's phone number?", "The porter signs for sums above 500 pounds.", "a number to call"),
        ("What is the porter's e-mail address?", "The porter is called Ada.", "an e-mail address"),
        ("How many urns go in a niche?", "A niche is 0.40 m high and 0.30 m wide.", "how many"),
        ("How many urns go in a niche?", "(2) A niche is 0.40 m high.", "how many"),
        ("How many beds has ward 5B?", "Ward 5B: Ada Lund, extension 5210, from 8:00 on 3 May 2024.", "how many"),
        ("How often is the oil changed?", "1. Change the oil.", "how often"),
        ("How long is a friend admitted?", "2.3 Friends give a gift.", "how long"),  # the number of the paragraph
        ("How long is a friend admitted?", "friends: at least 40 pounds", "how long"),
        ("How high is Mount Orr?", "Route: Mount Orr by the ridge; Time: 4 h 15 min; Open: 1 July", "a size"),
        ("How heavy is the bell?", "The bell is rung by Ada at 18:30.", "a size"),
        ("What is the depth of the lock?", "The lock is on platform 3A.", "a size"),
        ("At what temperature is the pad switched on?", "A pad with its own thermostat.", "a size"),
        ("Below which temperature is the slipway closed?", "The slipway is closed by the warden.", "a size"),
        ("How old must a mother be to donate?", "A mother can donate until her baby is six months old.", "how old"),
        (
            "What is the code of the key safe?",
            "The code of the key safe is changed on the first of each month.",
            "a code",
        ),
        ("What is the door code?", "The door code is changed each month.", "a code"),
        ("What is the guest password?", "Guests ask the porter for the password.", "a code"),
        ("Who is the porter?", "Role: Porter; Extension: 20; Mobile: 0664 800", "who"),
        ("How many pupils row?", "Pupils under 14 row on Mondays.", "how many"),  # an age
        ("How many members row?", "Members over 70 and guests are exempt.", "how many"),
        ("Who is the treasurer of the club?", "The treasurer may spend 500 pounds, the chair signs for more.", "who"),
        ("Who is the treasurer?", "The treasurer is elected for two years.", "who"),
        ("How much is the crane?", "The crane lifts up to 6 tonnes.", "a price"),
        ("What was the fee under the old rules?", "Holders pay the old fee until then.", "a price"),
        (
            "What was the fee under the old rules?",
            "They end on 31 January 2025. Holders pay the old fee until then.",
            "a price",
        ),
        ("Who is the mortgage lender?", "The Tenant sends the mortgage lender a copy.", "who"),
        ("Who is the landlord's mortgage lender?", "The Landlord may sell if the mortgage lender asks for it.", "who"),
        ("How much is the crane?", "Crane days are the last two Saturdays of October.", "a price"),
        ("What does a rye loaf cost?", "Loaf: Rye; Weight: 1,700 g; Water: 80 %; Baking: 75 minutes", "a price"),
        ("How many ferries has the line?", "The ferry calls twice a week.", "how many"),  # how often
        ("How many ferries has the line?", "The ferry calls every three hours.", "how many"),
        ("How many coats are there?", "Coats are returned at once; each new one is marked.", "how many"),
        ("How many members are there?", "Members give six hours of work.", "how many"),
        ("How many members are there?", "Members pay no fee.", "how many"),
        ("How many cooks are there?", "Cooks fill 40 bowls.", "how many"),  # it counts another thing
        ("How many cooks are there?", "Cooks rest for two to three hours.", "how many"),
        ("How many bridges are there?", "Section: Mill to Weir; Opened: 1780; Miles: 7; Locks: 14", "how many"),
        ("How many goals were there?", "Season: 1937/38; Captain: Ada Lund", "how many"),
        ("How many goals were there?", "The mean was 2.1 in all matches.", "how many"),
        ("How many pupils are there?", "See Article 4.", "how many"),
        ("How many people decide?", "People between twelve and twenty have a vote.", "how many"),
        ("How long does the ferry stay?", "The ferry calls twice a season.", "how long"),
        ("How long does the ferry stay?", "The ferry calls every four weeks.", "how long"),
        ("How long does the oven take to heat?", "The kettle takes 5 minutes to heat.", "how long"),
        ("How long does the climb take?", "Tea for climbers is from 6:00 to 8:00.", "how long"),
        (
            "How long is the bridge?",
            "The bridge is 41 metres high and is crossed at 70 kilometres an hour.",
            "how long",
        ),
        ("Who changes the lamp?", "The lamp is changed after 9,000 hours.", "who"),
        ("Who waxes the planks?", "Planks are waxed with beeswax and never with tar.", "who"),
        ("Who empties the bin?", "The bin stands in the yard until it is full.", "who"),
        ("Who teaches the course?", "The course is six evenings for at most five people.", "who"),
        ("Who locks the showers?", "When the tank falls below 2,000 litres, the showers are locked.", "who"),
        ("Who is the Club Treasurer?", "The Club Treasurer may spend 500 pounds.", "who"),
        ("Who is the club treasurer?", "The Club Treasurer may spend 500 pounds.", "who"),
        ("Who is the Club Treasurer?", "The Club Treasurer is responsible for fees.", "who"),
        ("Who is the Club Treasurer?", "The Club Treasurer reports to the Finance Board.", "who"),  # no person
        ("Who is the Club Treasurer?", "Club Treasurer: 500 pounds", "who"),
        ("Who is the Club Treasurer?", "Role: Club Treasurer; Limit: 500 a month", "who"),
        ("Who is the Club Treasurer?", "Boats are hauled out in May.", "who"),  # neither the role nor a name
        ("Who is the Head of Harbour Works?", "Owner: Head of Harbour Works", "who"),
        ("Who is the Head of Harbour Works?", "Owner: Head of Boat Repair", "who"),
        ("Who is the Head of Harbour Works?", "Plan: dredging; Owner: Head of Harbour Works; Review: yearly", "who"),
        ("Who is the health and fire officer?", "The Health and Fire Officer checks the exits.", "who"),
        ("Who is the Director General?", "The Director General signs on Mondays for the UK.", "who"),
        ("What is the porter's phone number?", "The house has 312 seats.", "a number to call"),
        (
            "What is the porter's phone number?",
            "The yard has 1,200 covered places, 450 m² of them new.",
            "a number to call",
        ),
        ("How many boats has Harbour 14?", "Harbour 14 lies behind the mole.", "how many"),
        ("How many boats are there?", "It is the oldest pier of Harbour 14.", "how many"),
        ("How many days of leave can be moved?", "Leave can be moved for 15 months.", "how many"),
        ("How many days of leave can be moved?", "Leave can be moved for 12 to 15 months.", "how many"),
        ("How many days of leave can be moved?", "Days of leave can be moved for no more than two years.", "how many"),
        ("How many hours may a helper be paid?", "A helper may be paid for two years.", "how many"),
        ("How many eggs may be taken?", "Of the cost, 5 percent is paid back.", "how many"),
        ("How long is a party?", "Parties begin at 13:30, for up to 12 children of 6 to 11 years.", "how long"),
        ("How long may a guest hold an owl?", "A guest may hold an owl if he is at least 8 years old.", "how long"),
        ("Where is the archive?", "Nothing of the archive is lent without consent in writing.", "where"),
        ("Where is the archive?", "Those who lent to us within ten years pay half.", "where"),
        ("Where is the archive?", "The archive may take it back at the borrower's cost.", "where"),
    ],
)
def test_a_text_without_what_is_asked_for_lacks_it(question, text, kind):
    assert lacking(question, text) == kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the test in year 12?", "| Mathematics | 150 minutes | 270 minutes |"),
        ("How long is the test?", "Tests in the years 9 to 12 take 90 minutes."),
        ("What is the price elasticity of demand?", "The elasticity is the change in the quantity."),  # no price
        ("What does a retry cost?", "You may try again without a further fee."),
        ("What does it cost?", "The account costs 5.90 euros a month."),
        ("What was the fee in 2011?", "In 2011 the fee was set by the council."),
        ("How long may a guest stay?", "Guests leave at midnight."),
        ("How long may a guest stay?", "Guests stay as long as they pay."),
        ("How long is the genome?", "It has 3 million base pairs."),
        ("How long is the trial?", "2.3 The trial takes eight weeks."),
        ("How long is the cable?", "The 20-metre cable is red."),
        ("How long did it last?", "It went on for centuries."),
        ("How long is Siachen?", "| Siachen | Karakoram | 76 |"),
        ("How often is the filter changed?", "The filter is changed when it is black."),
        ("How often is the filter changed?", "Filter: 200 hours"),
        ("How much is a locker?", "Lockers are free of charge."),
        ("How much is a locker?", "FEES Locker ........ 30"),
        ("How much is a locker?", "Item: Locker; Each: 30"),
        ("How much does it cost?", "Half of the fee."),
        ("How many urns go in a niche?", "A niche 0.40 m high holds two urns."),
        ("How many urns go in a niche?", "A niche holds 4."),
        ("How many beds has ward 5B?", "Ward 5B, extension 5210, has 24 beds."),
        ("How often is the oil changed?", "1. Change the oil after 200 hours."),
        ("How many urns go in a niche?", "None is put in a niche of 30 cm."),
        ("How many metres high is a niche?", "A niche is 0.40 m high."),
        ("porter phone number", "Porter: 555 0142"),
        ("What is the porter's telephone number?", "The porter: extension 441."),
        ("What is the porter's telephone number?", "Porter: 0170 455 0913, within 30 minutes."),
        ("What is the porter's e-mail address?", "Write to porter@club.example."),
        ("How long is it, and how much does it cost?", "It takes an hour."),  # one of two
        ("How much salt is in it?", "It is grey."),  # no form that is known
        ("Is it known how long it takes?", "It is not known."),  # answered by yes or no
        ("How long ago was it built?", "In the reign of Anna."),
        ("Which gloves protect?", "Butyl rubber."),
        ("How high is Mount Orr?", "Mount Orr rises to 2,460 m."),
        ("How high is the fence?", "The fence comes up to the waist."),
        ("How large a majority is needed?", "Three quarters of the votes."),
        ("How wide is the membrane?", "It is about a centimetre across."),
        ("How high is the fine?", "A fine of twenty euros."),
        ("Who is the porter?", "Role: Porter; Holder: Ada Lund; Extension: 20"),
        ("Who is the porter?", "Ask at the gate."),  # no row
        ("How many members row?", "The club has over 70 members."),
        ("How many guests sleep there?", "Rooms over 20 guests share are cold."),
        ("Who is the treasurer?", "The treasurer is Ada Lund."),
        ("Who is the skipper?", "“Skipper” means whoever steers."),
        ("Who is the skipper?", "The skipper is the one in charge."),
        ("Who is the skipper of a dinghy?", "The oldest on board is the skipper."),
        ("Who is the person on duty?", "The person on duty keeps the keys."),
        ("How much is the crane?", "A lift with the crane costs 45 pounds."),
        ("How much is the crane?", "Thing: Crane; Each: 45"),
        ("How much is the lean angle?", "The lean angle is 12°."),
        ("How much is the maximum load?", "It carries 750 kg."),
        ("What does a rye loaf cost?", "Loaf: Rye; Weight: 1,700 g; Shop: 5.20"),
        ("When is it open and how many beds has it?", "It is open in May."),  # of two questions one
        ("How many ferries has the line?", "The line has two ferries, which call twice a week."),
        ("How many beds has ward 5B?", "Ward: 5B; Beds: 24; Nurses: 6"),
        ("How many beds has ward 5B?", "Kind: Beds; 2023: 24; 2024: 30"),
        ("How many sheep are there?", "Kind: Ewes; Number: 24"),
        ("How many people sleep there?", "Hut: Orr; Mattresses: 24"),
        ("How many terabytes are stored?", "It stores 2.1 terabytes."),
        ("How many times does it call?", "It calls twice a week."),
        ("How many cooks are there?", "Cooks fill 40 bowls; there are three."),
        ("How many otters were released?", "Otters were released again, eleven animals in all."),
        ("How many pets may I keep?", "No pets are allowed."),
        ("How many days of leave are there?", "There are 30 days of leave."),
        ("How long between two checks?", "They are made every four weeks."),
        ("How long does the ferry stay?", "It calls twice a week and stays for an hour."),
        ("How long does the small oven take?", "The large oven takes 9 minutes, the small one 5 minutes."),
        ("How long does the oven take?", "It takes 5 minutes."),
        ("How long does the test by the chief take?", "The test comes first, which takes 5 minutes."),
        ("How long does cleaning a cart take?", "Washing takes 35 minutes."),
        ("How many of the last words are barred?", "The last eight words are barred."),
        ("How long does the fair last?", "From 9:00 to 17:00."),
        ("How long is the bridge?", "The bridge is 41 metres high and 90 metres long."),
        ("Who changes the lamp?", "The lamp on the stairs is changed once a year by the porter."),
        ("Who changes the lamp?", "The lamp is changed by helpers."),
        ("Who changes the lamp?", "The lamp is the porter's duty."),
        ("Who changes the lamp?", "The lamp is left to Ada Lund."),
        ("Who changes the lamp?", "The porter looks after it."),
        ("Who changes the lamp?", "Lamp: porter"),
        ("Who may use the boat?", "The boat is open to members."),
        ("Who must agree to a loan?", "A loan needs the director's consent."),
        ("Who gets a key?", "Keys are given after the lesson."),  # who gets something is another question
        ("Who is the Club Treasurer?", "The fees go to the Club Treasurer Ada Lund."),
        ("Who is the Club Treasurer?", "Club Treasurer: Ada Lund"),
        ("Who is the Club Treasurer?", "Role: Club Treasurer; Holder: the oldest member"),
        ("Who is the Club Treasurer?", "Role: Club Treasurer; Since: May; In office: Ada Lund"),
        ("Who is the Club Treasurer?", "The books are kept by the Finance Board. A. Lund signs them."),
        ("Who is the Club Treasurer?", "The oldest member is the Club Treasurer."),
        ("Who is the Head of Harbour Works?", "Owner: Ben Ek, Head of Harbour Works"),
        ("Who is the head of harbour works?", "Ask Ben in the office."),
        ("Who is Ada Lund?", "Boats are hauled out in May."),  # no office
        ("Who was the Duke of Orr?", "Boats are hauled out in May."),
        ("Who is the Old Pier Trust?", "The Old Pier Trust lets berths."),
        ("Who is the Club Treasurer answerable to?", "The Club Treasurer reports to the board."),
        ("Who is the owner?", "The owner, the Old Pier Trust, lets berths."),  # need be no person
        ("Who is the owner?", "It belongs to the town."),
        ("What is the porter's phone number?", "The porter: 441 rings at the gate, 442 answers at night."),
        ("What is the porter's phone number?", "The porter: 020 555 0142 weekdays."),
        ("What is the porter's phone number?", "Porter (312 seats): 441."),
        ("How many boats sail?", "In May 14 boats sail."),
        ("How many boats has Harbour 14?", "Harbour 14 has 30 boats."),
        ("How many berths are there?", "It was sold with Berths 14 and a crane."),
        ("How many days of leave can be moved?", "Up to five days can be moved for 15 months."),
        ("How many days of leave can be moved?", "At most a week can be moved."),
        ("How many days of leave can be moved?", "At most 8 can be moved for 15 months."),
        ("How many days of leave can be moved?", "Leave; days: 8; months: 15"),
        ("How many days of leave can be moved?", "Smiths: 8; cooks: 5"),
        ("How many months of rent are deposited?", "The deposit is three times the monthly rent."),
        ("How many days does a claim take?", "A claim takes two months."),  # how long, in any unit
        ("How many hours is it open?", "It is open from 9:00 to 17:00."),
        ("How many eggs may be taken?", "Of rare birds only 5 percent may be taken."),
        ("How long is a party?", "Parties begin at 13:30 and end at 16:00."),
        ("How long are eggs kept?", "Eggs are thrown away when they are 20 days old."),
        ("Where is the archive?", "The archive stands beside the mill."),
        ("Where is the archive?", "Archive: Mill Lane"),
    ],
)
def test_a_text_that_may_have_it_lacks_nothing(question, text):
    assert lacking(question, text) == ""


def test_when_something_was_is_not_told_by_how_often_it_is_held():
    assert lacking("When was the last drill?", "Drills are held twice a year.") == "when"
    assert not lacking("When was the last drill?", "The last one was held on 3 May 2025.")
    assert not lacking("When was the drill stopped?", "The drill was stopped when smoke came.")
    assert not lacking("When is the drill?", "Drills are held twice a year.")


def test_a_clause_with_who_asks_for_nobody():
    assert not lacking("When may a swimmer who was ill come back?", "After a week it is allowed again.")
    assert lacking("Who is the treasurer?", "The treasurer may spend 500 pounds.") == "who"


def test_from_which_age_on_something_is_allowed_is_nobody_s_age():
    assert lacking("How old is Bella?", "Pony: Bella; Rider: from 12 years") == "how old"
    assert not lacking("How old is Bella?", "Pony: Bella; Age: 12 years; Rider: from 9 years")
    assert not lacking("How old is Bella?", "Bella was born in 2012 and carries children from 9 years.")
    assert not lacking("How old must a rider be?", "Pony: Bella; Rider: from 12 years")
    assert not lacking("How old must a rider be?", "Riders are at least 12 years old.")
    assert not lacking("How old must you be to ride?", "A rider is at least 12 years old.")


def test_when_a_place_is_open_does_not_tell_when_it_was_opened():
    assert lacking("When was the park opened?", "The park is open to all from April to September.") == "when"
    assert not lacking("When was the park opened?", "The park, which is open to all, was opened in spring.")
    assert not lacking("When was the park opened?", "The park is open to all since 1911.")
    assert not lacking("When is the park opened?", "The park is open to all from April to September.")


def test_the_weight_of_a_rider_is_not_that_of_the_horse():
    row = "Class: D; Horses: Bella, Juno; Rider's weight: 76-95 kg"

    assert lacking("How heavy is Bella?", row) == "a size"
    assert not lacking("How heavy may a rider of Bella be?", row)
    assert not lacking("How heavy is a rider of Bella?", row)
    assert not lacking("How heavy is Bella?", "Horse: Bella; Weight: 410 kg")


def test_how_late_something_is_and_a_second_person_are_no_length_of_time():
    assert lacking("How long does a walk take?", "If a walk is 30 minutes late, a car is sent.") == "how long"
    assert lacking("How long does a walk take?", "On a walk a second member of staff goes last.") == "how long"
    assert not lacking("How long does a walk take?", "A walk takes 30 minutes.")
    assert not lacking("How long does a blink take?", "A blink is over in a second or less.")


def test_how_far_a_place_is_is_no_time_of_parking():
    question = "How far is the mill from the lake?"

    assert lacking(question, "Cars may stand at the mill and the lake for 30 minutes.") == "how far"
    assert not lacking(question, "The mill is 2 km from the lake.")
    assert not lacking(question, "From the mill to the lake it is ten minutes on foot.")
    assert not lacking(question, "The mill stands beside the lake.")
    assert not lacking("How far is the door opened?", "It is opened by a hand's width.")


def test_one_number_counts_either_of_two_things():
    assert not lacking("How many ducks may I keep?", "Up to eight grey hens or ducks may be kept.")
    assert not lacking("How many ducks may I keep?", "Up to eight hens or ducks may be kept.")
    assert lacking("How many ducks may I keep?", "Eight hens are kept, and ducks in the pond.")
    assert lacking("How many rooms are there?", "Breakfast costs 9 euros or rooms with kitchen.")


def test_what_tells_late_or_early_answers_a_question_that_asks_it():
    assert not lacking("How long may a book be overdue?", "Books may be 14 days overdue.")
    assert not lacking("How long before the start may I come?", "You may come 10 minutes early.")
    assert not lacking("How long is a heart beat?", "About a second long.")
    assert not lacking("How long is the lamp on?", "It is on for a second every minute.")


def test_how_far_may_be_told_without_a_length():
    assert not lacking("How far is the reef from the beach?", "You can swim to it in five minutes.")
    assert not lacking("How far is the hut from the pass?", "The hut lies just below the pass.")
    assert not lacking("How far is the next pharmacy from here?", "It is round the corner.")


def test_when_something_was_may_be_told_by_a_reign_a_last_time_or_a_date_in_letters():
    assert not lacking("When was the school founded?", "The monks founded it under King Edgar.")
    assert not lacking("When was the road closed?", "It has been shut for two winters.")
    assert not lacking("When was the last inspection?", "The inspection takes place once a year, last in March.")
    assert not lacking("When was the ban lifted?", "The ban is lifted, as of Monday.")
    assert not lacking("When were the walls painted?", "A plate over the door is dated MDCCXII.")
    assert lacking("When was the lamp lit?", "It gives a mild, vivid light.") == "when"


def test_an_age_that_was_reached_is_an_age():
    assert not lacking("How old is Ida?", "Ida turned 40 in May; sailors must be at least 18 years.")


def test_copies_of_a_thing_are_counted_as_the_thing():
    asked = "How many catalogues does the owner get?"

    assert not lacking(asked, "The owner gets three copies of the catalogue free of charge.")
    assert lacking(asked, "The owner of the catalogue gets three chairs free of charge.")


def test_who_holds_another_office_is_not_who_holds_the_one_asked_about():
    text = "Ring the duty manager, or write to Ada Lund, the managing director."

    assert lacking("Who is the duty manager?", text) == "who"
    assert not lacking("Who is the managing director?", text)


def test_a_temperature_is_told_by_a_number_or_in_words():
    for text in ("Switch it on below 18 °C.", "It is kept at room temperature.", "It is switched on when it freezes."):
        assert not lacking("At what temperature is the pad switched on?", text)


def test_a_code_is_told_by_figures_or_by_what_it_is():
    for text in ("The code of the key safe is 4711.", "The password is heron.", 'Type "heron".', "Password: heron"):
        assert not lacking("What is the password of the key safe?", text)
    for question in (
        "What is the code of conduct?",
        "What is the dress code?",
        "What is the combination of both called?",
        "What is the genetic code?",
    ):
        assert not lacking(question, "Members are polite to each other.")
