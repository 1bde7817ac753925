"""What limits a statement stays: `only`, a time, a condition, which ones, `up to`, the side of a thing. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
KAYAKS = "Only members may borrow kayaks; guests may borrow rowing boats."
BEACH = "Dogs may enter the beach only from October to March."
BEDS = "Tomatoes in the glasshouse yield twice as much as those in the open bed."
MEAT = "Hounds get 300 g, setters 450 g and mastiffs up to 900 g of meat a day."
SUNDAY = "Admission is free on the first Sunday of each month."
OVEN = "Bread is stored in the drawer under the oven."
BRIDGE = "Visitors may cross the footbridge one at a time."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Members may borrow only kayaks.", KAYAKS),
        ("Guests may borrow kayaks.", KAYAKS),
        ("Dogs may enter the beach.", BEACH),
        ("Only dogs may enter the beach from October to March.", BEACH),
        ("Only the shop sells cards.", "The shop sells only cards."),
        ("Only the sculptor carved the head.", "The sculptor carved only the head; his pupils carved the hands."),
        ("Season tickets are valid.", "Season tickets are valid only on working days."),
    ],
)
def test_only_is_neither_moved_nor_dropped_with_what_it_restricts(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Members may borrow kayaks.", KAYAKS),
        ("Dogs may enter the beach from October to March.", BEACH),
        ("The shop sells cards.", "The shop sells only cards."),
        ("Children may only swim with an adult.", "Children may swim only with an adult."),
    ],
)
def test_what_only_is_said_of_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Tomatoes in the open bed yield twice as much as those in the glasshouse.", BEDS),
        ("The slow train is twice as fast as the express.", "The express is twice as fast as the slow train."),
        ("The pond is not as deep as the lake.", "The lake is not as deep as the pond."),
    ],
)
def test_the_sides_of_twice_as_much_are_not_exchanged(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Setters get up to 900 g of meat a day.", MEAT),
        ("Mastiffs get 900 g of meat a day.", MEAT),
        ("Admission is free every Sunday.", SUNDAY),
        ("Admission is free on Sundays.", SUNDAY),
        ("The council meets every Tuesday.", "The council meets on the second Tuesday of every month."),
        ("Lessons are free of charge.", "Lessons are free of charge for the first term."),
        ("Puppies are fed four times a day.", "Puppies are fed four times a day during the first eight weeks."),
        ("The side gate is locked.", "Between 22:00 and 6:00 the side gate is locked."),
        ("The sauna is open to women.", "The sauna is open to women on Wednesdays."),
        ("The mill is owned by the abbey.", "The mill was owned by the abbey until 1803."),
        ("Visitors may cross the footbridge at the same time.", BRIDGE),
    ],
)
def test_a_limit_of_number_or_time_is_not_left_out(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Tomatoes in the glasshouse yield twice as much as those in the open bed.", BEDS),
        ("The train is as fast as the bus and the tram.", "The train is as fast as the bus and the tram."),
        ("Mastiffs get up to 900 g of meat a day.", MEAT),
        ("On the first Sunday of each month admission is free.", SUNDAY),
        ("For the first term lessons are free of charge.", "Lessons are free of charge for the first term."),
        ("The side gate is locked between 22:00 and 6:00.", "Between 22:00 and 6:00 the side gate is locked."),
        ("The museum was closed.", "The museum was closed from 1940 to 1946."),
        ("Birth weight is linked with height.", "Birth weight was linked with height in both studies."),
        ("The library is open from 9 to 17.", "The library is open on weekdays from 9 to 17."),
        ("The form must be returned.", "The form must be returned by 3 May."),
        ("Visitors may cross the footbridge one at a time.", BRIDGE),
        ("The seeds sprout after about three weeks.", "It takes about three weeks for the seeds to sprout."),
        (
            "The south tower is 12 m shorter than the north tower.",
            "The north tower is 12 m taller than the south tower.",
        ),
    ],
)
def test_a_limit_that_is_kept_or_past_or_of_a_duty_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The cable car stops.", "If the wind exceeds 60 km/h, the cable car stops."),
        ("Lost tickets are replaced.", "Lost tickets are replaced when the buyer shows the receipt."),
        ("Members get a discount.", "Members who have paid before March get a discount."),
        ("Parcels are returned to the sender.", "Damaged parcels are returned to the sender."),
        ("Parcels must be signed for.", "Parcels sent abroad must be signed for."),
        ("Boats must carry a radio.", "Boats longer than 12 m must carry a radio."),
        ("The doors unlock.", "In the event of a power cut the doors unlock."),
        ("Teachers pay half the fee.", "Retired teachers pay half the fee."),
        ("Beekeepers must open the hive on warm days.", "Beekeepers open the hive on warm days."),
        ("Hikers must carry a whistle.", "Most hikers carry a whistle and a map."),
    ],
)
def test_a_condition_is_not_dropped_and_a_habit_no_duty(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The cable car stops if the wind exceeds 60 km/h.", "If the wind exceeds 60 km/h, the cable car stops."),
        ("The guide leads the tour.", "The guide leads the tour, even if it rains."),
        ("The mayor opened the bridge in 1990.", "The mayor opened the bridge in 1990, when the king visited it."),
        ("Damaged parcels are returned.", "Damaged parcels are returned to the sender."),
        ("Farmers blocked the road.", "Angry farmers blocked the road."),
        ("You must carry a whistle.", "Carry a whistle."),
    ],
)
def test_what_no_condition_limits_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The key lies in the flower pot.", "The key lies under the flower pot beside the door."),
        ("The cellar has a hatch on the stairs.", "The cellar has a hatch below the stairs."),
        ("Bread is stored under the drawer.", OVEN),
        ("Bread is stored in the oven.", OVEN),
        ("The fuse box hangs on the coat rack.", "The fuse box hangs behind the coat rack."),
    ],
)
def test_the_side_of_a_thing_is_not_exchanged(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Bread is stored in the drawer.", OVEN),
        ("The key lies beneath the flower pot.", "The key lies beneath the flower pot."),
        ("The fuse box hangs behind the coat rack.", "The fuse box hangs behind the coat rack in the hall."),
    ],
)
def test_the_side_of_a_thing_as_stated_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Dogs are allowed.", "Dogs are allowed at any time of day."),
        ("Dogs are allowed.", "Dogs are allowed throughout the year."),
        ("Dogs are allowed.", "Dogs are allowed at all hours."),
        ("Dogs are allowed.", "Dogs are allowed day and night."),
        ("Dogs are allowed.", "Dogs are allowed at any hour of the day or night."),
        ("Dogs are allowed.", "Throughout the year, dogs are allowed."),
        ("Dogs are not allowed.", "Dogs are not allowed at any hour."),
    ],
)
def test_a_time_that_excludes_nothing_may_be_left_out(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Dogs are allowed.", "Dogs are allowed at any time of day in winter."),
        ("Dogs are allowed.", "Dogs are allowed at any hour of the night."),
        ("Dogs are allowed.", "Dogs are allowed at all hours of the weekend."),
        ("Dogs are allowed.", "Dogs are allowed on all days except Sundays."),
        ("Dogs are allowed.", "Dogs are allowed throughout the summer."),
        ("Dogs are allowed.", "Dogs are allowed throughout the first year."),
        ("Dogs are allowed.", "Dogs are allowed on any day booked in advance."),
        ("Dogs are not allowed.", "Dogs are not allowed at all hours."),
    ],
)
def test_a_time_that_only_looks_as_if_it_excluded_nothing_is_kept(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The law is named after Ohm.", "The law was named after Ohm in 1881."),
        ("Anna Lind is buried in Graz.", "Anna Lind was buried in Graz in 1950."),
        ("The tower is made of stone.", "The tower was made of stone in 1803."),
        ("The chapel is dedicated to St Anne.", "The chapel was dedicated to St Anne in 1803."),
        ("The bridge is closed.", "The bridge was closed since 1803."),
        ("The house is listed.", "The house was listed in 1970 and has been protected since then."),
    ],
)
def test_what_was_done_in_a_year_and_lasts_is_so_still(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The mill is owned by the abbey.", "The mill was owned by the abbey in 1803."),
        ("The mill is owned by the abbey.", "The mill was owned by the abbey and now belongs to the town."),
        ("The mill is owned by the abbey.", "The mill was owned by the abbey since 1700, until it burned."),
        ("The moor is protected.", "The moor was protected from 1970 to 1980."),
        ("The moor is protected.", "The moor was protected between 1970 and 1980."),
        ("Anna Lind is buried in Graz.", "Anna Lind was buried in Graz in 1950, until the church burned."),
    ],
)
def test_what_has_ended_or_is_told_of_one_year_is_not_so_still(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The price went up to 5 euros in 2020.", "The price went to 5 euros in 2020."),
        ("The price went to 5 euros in 2020.", "The price went up to 5 euros in 2020."),
        ("The price went down to 5 euros in 2020.", "The price went up to 5 euros in 2020."),
        ("He pulled the boat up to 900 m.", "He pulled the boat to 900 m."),
    ],
)
def test_the_direction_of_a_motion_up_to_a_number_is_kept(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The lorry carries at most 5 tonnes.", "The lorry carries up to 5 tonnes."),
        ("The price went up to 5 euros.", "The price went up to 5 euros in 2020."),
        ("Fines go to 500 euros at most.", "Fines go up to 500 euros."),
    ],
)
def test_up_to_a_number_without_a_motion_is_a_bound(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
