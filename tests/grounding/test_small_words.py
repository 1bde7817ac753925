"""Small words and cells that turn a statement: other, from, than, no. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck
from rag.language.quantities import quantities

CHECK = EvidenceCheck()
REPAIRS = "Broken panes are mended by the tenant, and all other damage is mended by the owner."
PERMIT = "The permit is valid from 4 October."
SLATE = "South of the ford lies chalk, north of it much older slate."
LOSS = "Who loses a tool must find it or buy another."
HEATING = "Heating is switched off in May and on again in September."
GALE = "A gale is wind of force 8 or higher."
STAY = "The stay must not exceed four months' time and is to be paid within five weeks of the first day."
WORKERS = "A hen lives five to eight years, a mayfly only about two days."
GROUPS = "Swimmers aged 12 and over may dive; only swimmers aged 15 and over may use the tower."
LOANS = "Maps are lent for 14 days and globes for 5."
TOURS = "A tour lasts two hours and costs 40 crowns, the short tour one hour and 25 crowns."
ROOMS = "\n".join(
    (
        "Rooms of the inn:",
        "",
        "| Room | Beds | Faces the sea | Heated |",
        "| --- | --- | --- | --- |",
        "| Anchor | 2 | no | yes |",
        "| Compass | 3 | yes | no |",
    )
)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("All damage is mended by the owner.", REPAIRS),
        ("All keys are kept in the safe.", "The red key hangs in the hall; other keys are kept in the safe."),
        ("The permit is valid until 4 October.", PERMIT),
        ("A note is needed until the third day.", "A note is needed from the third day."),
        ("The chalk is older than the slate.", SLATE),
        ("Who loses a tool must find it and buy another.", LOSS),
        ("Heating is switched off in September and on again in May.", HEATING),
        ("A gale is wind of less than force 8.", GALE),
        ("The stay is to be paid within four months of the first day.", STAY),
        ("A mayfly lives five to eight years.", WORKERS),
        ("Swimmers aged 15 and over may dive.", GROUPS),
        ("Globes are lent for 14 days.", LOANS),
        ("Globes are lent for 5 weeks.", LOANS),
        ("The short tour costs 40 crowns.", TOURS),
    ],
)
def test_a_small_word_that_turns_a_statement_is_seen(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("All other damage is mended by the owner.", REPAIRS),
        ("All damage is mended by the owner.", "All damage is mended by the owner; all other costs are the tenant's."),
        ("Other keys are kept in the safe.", "The red key hangs in the hall; other keys are kept in the safe."),
        ("The permit is valid until 9 October.", "The permit is valid from 4 October to 9 October."),
        ("The permit is valid from 4 October.", PERMIT),
        ("The shop is open until 4 October.", "The shop is open from 2 March until 4 October."),
        ("North of the ford lies slate.", "South of the ford lies chalk, north of the ford much older slate."),
        ("Who loses a tool must find it or buy another.", LOSS),
        ("Heating is switched off in May.", HEATING),
        ("In Brno in 1902 the mill burned.", "The mill burned in 1902 in Brno."),
        ("The stay is to be paid within five weeks of the first day.", STAY),
        ("A hen lives five to eight years.", WORKERS),
        ("Swimmers aged 12 and over may dive.", GROUPS),
        ("Globes are lent for 5 days.", LOANS),
        ("A tour lasts two hours.", TOURS),
        (
            "Guests who pass the two-hour test get a key.",
            "Guests who pass the two-hour test and the oral test get a key, which expires after nine months.",
        ),
        ("Sheds may cover 30 square metres.", "Sheds may cover 30 m²."),
    ],
)
def test_its_near_neighbours_are_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize("claim", ["Anchor faces the sea.", "Compass is heated.", "Compass does not face the sea."])
def test_a_cell_that_says_no_denies_the_head_of_its_column(claim: str) -> None:
    assert CHECK.support(claim, ROOMS) < 0.5


@pytest.mark.parametrize("claim", ["Anchor does not face the sea.", "Anchor is heated.", "Compass is not heated."])
def test_what_cells_of_yes_and_no_say_is_carried(claim: str) -> None:
    assert CHECK.support(claim, ROOMS) >= 0.5


def test_a_unit_is_not_lent_to_a_number_that_counts_something_else() -> None:
    assert [(found.values, found.unit) for found in quantities("one hour and 25 crowns")] == [((1,), "h"), ((25,), "")]
    assert [(found.values, found.unit) for found in quantities("after 5 hours and 25")] == [((5,), "h"), ((25,), "h")]
