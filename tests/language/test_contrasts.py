"""A word of general English that shuts another out about the same thing is told; everything else is left alone."""

import pytest

from rag.language.contrasts import beyond_limits, contrast_notes, contrasts


@pytest.mark.parametrize(
    ("question", "text", "pairs"),
    [
        ("What is paid from the fifth hour?", "From the ninth hour the fee falls.", [("fifth", "ninth")]),
        ("Who opens private meetings?", "The chair opens public meetings.", [("private", "public")]),
        ("What is deducted when lunch is included?", "If breakfast is included, 20%.", [("lunch", "breakfast")]),
        ("When is the drill in May?", "The drill in April is announced.", [("May", "April")]),
        ("What does a weekly pass cost?", "A monthly pass costs 40.", [("weekly", "monthly")]),
        ("Why are hams hung for six months?", "Hams are hung for two weeks.", [("months", "weeks")]),  # not so long
        ("What does the annual pass cost?", "The daily pass costs 4.", [("annual", "daily")]),
        ("Which unsafe valves are there?", "All safe valves are painted.", [("unsafe", "safe")]),
        ("Who carries the heaviest load?", "Ants carry the lightest load.", [("heaviest", "lightest")]),
        ("What came after the flood?", "The harvest was before the flood.", [("after", "before")]),
    ],
)
def test_a_contrary_word_beside_the_same_word_is_found(question, text, pairs):
    assert contrasts(question, text) == tuple(pairs)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which valve has a stronger spring?", "The inlet has a stronger spring, the outlet a weaker spring."),
        ("Which valve is stronger?", "The harvest was weaker."),  # about something else
        ("May I use hot water?", "Use cold water."),  # answered by no
        ("Is a stronger or a weaker spring needed?", "A weaker spring is needed."),
        ("What may I wear?", "In March gloves are worn."),  # no month
        ("What do March reports contain?", "What Reports May Contain: figures."),
        ("Which stage follows the second stage?", "The third stage is firn."),
        ("Isn't the inlet spring stronger?", "The inlet spring is weaker."),
        ("How many months does a claim take?", "A claim takes six weeks."),  # amounts of time
        ("What happens within six months of a claim?", "Weeks after a claim a letter comes."),
        ("How many hours is the shop open a week?", "The shop is open half of each month."),
        ("What does the pass for a month cost?", "The weekly pass costs 9."),
        ("What does the yearly pass cost?", "The annual pass costs 90."),
        ("If the valve is hot, may I open the valve?", "Open a cold valve."),
        ("", "Cold water."),
        ("Which water is hot?", ""),
    ],
)
def test_nothing_is_found_where_the_text_says_the_word_too_or_speaks_of_something_else(question, text):
    assert contrasts(question, text) == ()


def test_hours_of_opening_say_when_it_closes():
    question = "When does the yard close in winter?"

    assert contrasts(question, "The yard is open from 8 a.m. to 5 p.m. in winter.") == ()
    assert contrasts(question, "In winter the yard is open until dusk.") == ()
    assert contrasts(question, "The yard opens at 8 a.m. in winter.") == (("close", "opens"),)


def test_a_note_names_both_words():
    (note,) = contrast_notes("What is paid from the fifth hour?", "From the ninth hour the fee falls.")

    assert note == "The question says “fifth” and the answer “ninth”: check that it answers what was asked."


@pytest.mark.parametrize(
    ("question", "text", "pairs"),
    [
        (
            "What if I cancel later than 48 hours before?",
            "It is free up to 48 hours before.",
            [("later than", "up to")],
        ),
        ("What is due above 30 kg?", "Parcels of at most 30 kg cost 5 euros.", [("above", "at most")]),
        ("What costs less than 20 euros?", "Parts over 20 euros are listed.", [("less than", "over")]),
        ("What is due above 30 kg?", "Parcels of no more than 30 kg are free.", [("above", "no more than")]),
    ],
)
def test_a_bound_from_the_other_side_of_the_same_figure_is_found(question, text, pairs):
    assert beyond_limits(question, text) == tuple(pairs)
    assert contrasts(question, text) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What if I cancel later than 48 hours before?", "It is free up to 48 hours before. Later, half is due."),
        ("What if I cancel later than 48 hours before?", "It is free up to 24 hours before."),  # another figure
        ("What if I cancel later than 48 hours before?", "Later than 48 hours before, half is due."),
        ("How late can I cancel?", "It is free up to 48 hours before."),
        ("May I cancel later than 48 hours before?", "You may cancel up to 48 hours before."),  # answered by no
        ("What is due above 30 kg?", "Up to 30 kg it is 5 euros, above 30 kg 9 euros."),
    ],
)
def test_no_bound_is_found_where_the_text_has_both_sides_or_another_figure(question, text):
    assert beyond_limits(question, text) == ()


def test_a_case_that_the_last_sentence_excepts_is_told():
    asked = "How long do cakes stay in a cooled counter?"
    said = "Cakes stay for four hours, unless the counter is cooled."

    assert contrast_notes(asked, said) == (
        "The question is about a case that the answer excepts (“unless the counter is cooled”): "
        "check that it answers what was asked.",
    )
    assert contrast_notes(asked, f"{said} Then they stay until evening.") == ()
    assert contrast_notes("How long do cakes stay?", said) == ()
