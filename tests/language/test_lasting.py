"""How long one deed lasts is told from how long another does, where the passages speak of the one asked about."""

from rag.language.lasting import duration_in, lasts_otherwise, without_frequencies

RESTS = "Rye loaves rest for two hours."
BAKED = "Rye loaves are baked dark."
QUESTION = "How long are rye loaves baked?"


def test_how_long_another_deed_lasts_is_known_where_the_passages_speak_of_the_deed_asked_about():
    assert lasts_otherwise(QUESTION, RESTS, [RESTS, BAKED])
    assert lasts_otherwise(QUESTION, RESTS, [RESTS, "They are then baked."])


def test_in_doubt_a_length_of_time_is_of_the_deed_asked_about():
    assert not lasts_otherwise(QUESTION, RESTS, [RESTS])  # the passages have no other word for it
    assert not lasts_otherwise(QUESTION, RESTS, [RESTS, "Bricks are baked dark."])  # of other things
    assert not lasts_otherwise(QUESTION, "Rye loaves are baked for two hours.", [BAKED])
    assert not lasts_otherwise("How long is the oven?", RESTS, [RESTS, BAKED])
    assert not lasts_otherwise(QUESTION, "Rye: rest for two hours", [BAKED])


def test_what_stays_somewhere_stays_as_long_as_any_deed():
    letters = "Letters remain there for six weeks."

    assert not lasts_otherwise("How long are letters stored?", letters, ["Letters are stored here.", letters])


def test_how_often_is_no_length_of_time_unless_the_time_between_is_asked_for():
    assert without_frequencies("It is done every four weeks, twice a day.").split() == ["It", "is", "done", ",", "."]
    assert "every four weeks" in duration_in("How long is it between two checks?", "It is made every four weeks.")


def test_what_takes_long_is_the_thing_asked_about_or_a_pronoun():
    assert duration_in("How long does the oven take?", "It takes 5 minutes.")
    assert duration_in("How long does the oven take?", "The old oven takes 5 minutes, the kettle takes 3 minutes.")
    assert not duration_in("How long does the oven take?", "The kettle takes 3 minutes.")
    assert duration_in("How long does it take to heat?", "The kettle takes 3 minutes.")


def test_how_old_something_may_be_is_no_length_of_time():
    assert not duration_in("How long may a crew work?", "older than two years").strip()
    assert "two years" in duration_in("How old may a pass be?", "It is not older than two years.")
