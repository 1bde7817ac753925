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
        ("Who is the porter?", "Role: Porter; Extension: 20; Mobile: 0664 800", "who"),
        ("How many pupils row?", "Pupils under 14 row on Mondays.", "how many"),  # an age
        ("How many members row?", "Members over 70 and guests are exempt.", "how many"),
        ("Who is the treasurer of the club?", "The treasurer may spend 500 pounds, the chair signs for more.", "who"),
        ("Who is the treasurer?", "The treasurer is elected for two years.", "who"),
        ("How much is the crane?", "The crane lifts up to 6 tonnes.", "a price"),
        ("How much is the crane?", "Crane days are the last two Saturdays of October.", "a price"),
        ("What does a rye loaf cost?", "Loaf: Rye; Weight: 1,700 g; Water: 80 %; Baking: 75 minutes", "a price"),
    ],
)
def test_a_text_without_what_is_asked_for_lacks_it(question, text, kind):
    assert lacking(question, text) == kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the test in year 12?", "| Mathematics | 150 minutes | 270 minutes |"),
        ("How long is the test?", "Tests in the years 9 to 12 take 90 minutes."),
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
    ],
)
def test_a_text_that_may_have_it_lacks_nothing(question, text):
    assert lacking(question, text) == ""
