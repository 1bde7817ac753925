"""What a question names lies within the limits that a text sets, or does not."""

import pytest

from rag.language.limits import is_limited, meeting, meets_limit, nearly_meets


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What do we do when it is 31 degrees?", "Above 29 °C the show is moved to the evening."),
        ("Who decides on 200,000 crowns?", "Between 50,000 and 500,000 crowns the treasurer decides."),
        ("What is due if I withdraw 20 days before?", "Less than 30 days before, half of it is due."),
        ("Is a dog of 45 cm muzzled?", "A dog that is larger than 40 cm wears a muzzle."),
        ("Can I come on Thursday?", "We are open from Wednesday to Sunday."),
        ("Is it open in January?", "Season: 1 October - 31 March; Hours: 8:30-16:30"),
        ("Is it open in January?", "It is open from November to March."),
        ("Can I come on a Sunday?", "Nobody is let in on Sundays."),
        ("Can I come on a Sunday?", "Every Sunday the gate is shut."),
        ("Can I come at 9:30?", "Come from 9:00 to 11:00."),
        ("May 300 books be lent?", "Up to 500 books are lent."),
        ("What does 900 g cost?", "Weight: up to 1 kg; Price: 4 euros"),
        ("What if more than 20 cm fall?", "If more than 10 cm fall, it is swept."),
        ("What does a parcel of over 10 kg cost?", "Weight: over 10 kg; Price: 9 euros"),
        ("I called off ten hours before. What is due?", "Between 24 and 6 hours half of it is due."),
        ("May a boat of 4 m come in?", "Boats over 2 m up to 5 m moor at pier 1."),
        ("My daughter is 9. May she come?", "Children under 12 stay at home."),
        ("I turned 18. May I drive?", "Drivers over 17 may drive."),
        ("May my nine-year-old come?", "Children under 12 stay at home."),
        ("It is minus 20. May we row?", "In frost below minus 15 °C nobody rows."),
        ("My son is 6. May he come?", "It is suitable from age 5."),
        ("His sister is four. May she come?", "They may, from the age of three."),
        ("I came 25 minutes late. Is it lost?", "After 20 minutes the seat goes to another."),
        ("I am 68. May I join?", "You may join if you are between 17 and 70 years old."),
    ],
)
def test_a_value_within_the_limits_of_a_text_meets_them(question, text):
    assert meets_limit(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does a parcel of 12 kg cost?", "Weight: 5 to 10 kg; Price: 7 euros"),
        ("Can I come on Thursday?", "We are open on Wednesday and Sunday."),
        ("Can I come on a Sunday?", "A fair is held on the first Sunday of March."),
        ("Who comes on a Sunday?", "On Sundays the door is locked."),  # its words are enough
        ("May I go in June?", "It is open from July to May."),
        ("May I go at night?", "It is open from April to October."),  # this May is a verb
        ("Is a job of ten hours noted?", "It is booked up to ten weeks ahead."),  # units far apart
        ("May 300 books be lent?", "Up to 500 films are lent."),
        ("What if more than 10 cm fall?", "If more than 20 cm fall, it is swept."),
        ("What if less than 10 cm fall?", "If more than 5 cm fall, it is swept."),
        ("What if more than 20 cm fall?", "From 10 to 30 cm it is swept."),
        ("May a boat of 6 m come in?", "Boats over 2 m up to 5 m moor at pier 1."),
        ("My daughter is 14. May she come?", "Children under 12 stay at home."),
        ("I have 9. May I bring them?", "Children under 12 stay at home."),  # nobody's age
        ("My daughter is 9. May she come?", "Up to 12 guests may come."),
        ("My daughter is 9. May she come?", "Lockers under 12 are for members."),  # no persons
        ("Can I come on a Sunday?", "The fair is held on Sunday 4 May."),
    ],
)
def test_another_value_or_thing_does_not_meet_the_limits(question, text):
    assert not meets_limit(question, text)


def test_a_time_between_evening_and_morning_lies_within_limits_across_midnight() -> None:
    assert meets_limit("May I swim at 23:00?", "Quiet hours are from 22:00 to 6:00.")
    assert not meets_limit("May I swim at 12:00?", "Quiet hours are from 22:00 to 6:00.")


def test_what_lies_between_two_limits_or_near_one_is_told_from_what_lies_beyond_one() -> None:
    assert meeting("What if it is 9 °C?", "From 8 to 10 °C it keeps.") == "closely"
    assert meeting("What if it is 9 °C?", "Above 7 °C it spoils.") == "loosely"
    assert meeting("I weigh 98 kg. May I ride?", "Riders over 95 kg are not mounted.") == "closely"
    assert meeting("I weigh 98 kg. May I ride?", "Those who weigh at least 50 kg may ride.") == "loosely"
    assert meeting("What if it is 9 °C?", "Above 12 °C it spoils.") == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("The photo is eight months old. Will it do?", "It must not be older than six months."),
        ("My son is 3. May he come?", "It is suitable from age 5."),
        ("Can I come at 17:30?", "Visiting hours are from 14:30 to 16:30."),
        ("Is 25 kg too much?", "Up to 20 kg may be carried."),
    ],
)
def test_a_value_beyond_a_limit_of_its_kind_is_judged_by_it(question, text):
    assert is_limited(question, text)
    assert not meets_limit(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is 25 kg too much?", "Up to 20 cm may be carried."),
        ("Is 25 kg too much?", "It weighs 20 kg."),
        ("Is 25 kg too much?", "Up to 900 kg may be carried."),
        ("Is it too much?", "Up to 20 kg may be carried."),
    ],
)
def test_a_value_of_another_kind_or_order_is_not_judged_by_a_limit(question, text):
    assert not is_limited(question, text)


def test_the_greatest_length_allowed_is_a_limit_and_just_beyond_it_decides() -> None:
    rule = "The greatest length accepted is 18 metres."
    assert meets_limit("Is a boat of 17 metres taken?", rule)
    assert not meets_limit("Is a boat of 19 metres taken?", rule)
    assert nearly_meets("Is a boat of 19 metres taken?", rule)
    assert not nearly_meets("Is a boat of 40 metres taken?", rule)
    assert not nearly_meets("Is a boat of 19 tonnes taken?", rule)
    assert not meets_limit("Is a bridge of 17 metres near?", "The longest bridge is 18 metres.")
