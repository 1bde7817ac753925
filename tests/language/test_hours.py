"""Times of day, however they are written; what a claim may and may not make of them."""

import pytest

from rag.grounding.evidence import EvidenceCheck
from rag.language.hours import times
from rag.language.quantities import quantities
from rag.language.quantity_equality import same_quantity

CHECK = EvidenceCheck()
SURGERY = "The surgery opens at 7.30 a.m. and closes at 7 p.m.; on Saturdays it closes at noon."


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 8:15 a.m.", [(495,)]),
        ("at 8:15 p.m.", [(1215,)]),
        ("at 8.15 pm", [(1215,)]),
        ("at 8 PM", [(1200,)]),
        ("at 12 a.m. and 12 p.m.", [(0,), (720,)]),
        ("at noon and at midnight", [(720,), (0,)]),
        ("at 00:30 and 24:00", [(30,), (0,)]),
        ("from 4 to 6 p.m.", [(960, 1080)]),
        ("from 11 to 1 p.m.", [(660, 780)]),
        ("between 8 and 10 a.m.", [(480, 600)]),
        ("22:00–06:30", [(1320, 390)]),
        ("one at 9 a.m. and two at 9 p.m.", [(540,), (1260,)]),
    ],
)
def test_a_time_of_day_is_read_in_minutes_since_midnight(text: str, minutes: list[tuple[int, ...]]) -> None:
    assert [found.minutes for found in times(text)] == minutes


@pytest.mark.parametrize("text", ["I am 30.", "Mix it 50:1.", "It takes 2:30 min.", "In the afternoon.", "At 9."])
def test_what_is_no_time_of_day_is_none(text: str) -> None:
    assert list(times(text)) == []


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The boat sails at 8:15 p.m.", "The boat sails at 8:15 a.m."),
        ("The boat sails at 11 a.m.", "The boat sails at 11 p.m."),
        ("The boat sails at 8:15 p.m.", "The boat sails at 8:15."),
        ("The boat sails at 20:15.", "The boat sails at 8:15 a.m."),
        ("Boats sail at 8:15 p.m. and 7:40 a.m.", "Boats sail at 8:15 a.m. and 7:40 p.m."),
        ("The bar is open from 5 a.m. to 1 p.m.", "The bar is open from 5 p.m. to 1 a.m."),
        ("Curfew is from 10 a.m. to 6:30 p.m.", "Curfew is from 22:00 to 06:30."),
        ("Curfew is from 6:30 a.m. to 10 p.m.", "Curfew is from 10 p.m. to 6:30 a.m."),
        ("The gate shuts at midnight.", "The gate shuts at noon."),
        ("Take one tablet at 8 pm.", "Take one tablet at 8 am and two tablets at 8 pm."),
        ("The surgery opens at 7 p.m.", SURGERY),
        ("The store is open at 9:00.", "The store is open to 9 members."),
    ],
)
def test_another_time_of_day_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The boat sails at 23:00.", "The boat sails at 11 p.m."),
        ("The boat sails at 8:15.", "The boat sails at 8:15 p.m."),
        ("The museum is open from 10:00 to 18:00.", "The museum is open from 10 a.m. to 6 p.m."),
        ("The museum is open 10 a.m. to 6 p.m.", "The museum is open from 10 to 18:00."),
        ("The gate shuts between 16:00 and 18:00.", "The gate shuts between 4 and 6 p.m."),
        ("The gate shuts at 12:00.", "The gate shuts at noon."),
        ("The surgery opens at 07:30 and closes at 19:00.", SURGERY),
        ("Take two tablets at 20:00.", "Take one tablet at 8 am and two tablets at 8 pm."),
    ],
)
def test_the_same_time_of_day_in_another_form_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The kiosk opens at 8:30.", "The kiosk opens at 20:30."),
        ("The kiosk opens at 3:00.", "The kiosk opens at 15:00."),
        ("The kiosk opens at 8:30.", "The kiosk opens at 20:30 and closes at 23:00."),
        ("The kiosk opens at 12:30.", "The kiosk opens at 00:30."),
        ("The kiosk is open from 9 to 5.", "The kiosk is open from 21:00 to 05:00."),
        ("The kiosk is open from 9:00 to 5:00.", "The kiosk is open from 21:00 to 05:00."),
        ("The kiosk is open from 5 to 9.", "The kiosk is open from 09:00 to 17:00."),
    ],
)
def test_a_time_in_24_hour_notation_is_none_of_the_other_half_of_the_day(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The kiosk opens at 8:30.", "The kiosk opens at 08:30."),
        ("The kiosk opens at 8:30 p.m.", "The kiosk opens at 20:30."),
        ("The kiosk opens at 20:30.", "The kiosk opens at 8:30 p.m."),
        ("The kiosk opens at 8:30.", "The kiosk opens at 8:30 p.m."),
        ("The kiosk is open from 9 to 5.", "The kiosk is open from 09:00 to 17:00."),
        ("The kiosk is open from 9:00 to 5:00.", "The kiosk is open from 09:00 to 17:00."),
    ],
)
def test_a_time_without_its_half_of_the_day_is_one_that_leaves_no_doubt(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


def test_a_bare_number_that_counts_something_is_no_hour() -> None:
    [hour], [bare], [counted] = quantities("9:00"), quantities("at 9 on Monday"), quantities("9 members")
    assert same_quantity(bare, hour)
    assert same_quantity(hour, bare)
    assert not same_quantity(counted, hour)
    assert not same_quantity(hour, counted)
