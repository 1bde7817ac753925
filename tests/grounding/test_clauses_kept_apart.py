"""The subject, condition or time of one clause is not put to another. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
FISH = "Trout keeps for two days in the cellar and cheese for a month in the loft."
GUTTERS = "The pond is drained when the ice is thicker than 9 cm, and the gutters are swept twice a year."
SINGER = "The part was offered to Vera Moos, whose cousin painted the curtain."
HUTS = "The hut in the wood takes guests only in May, while the one at the lake is open all year."
FUSE = "If the bell stays silent, the fuse is blown, not the bulb."
CARDS = "Rowers were given a blue ticket, people with boats a white one."
GUARDS = "Guards with a black cap watch over the ships, those with a white cap over the quays."
CATS = "Cats travel free, and parrots at a reduced fare outside the summer months."
BAKER = "The baker, who had been trained in Lyon, opened two shops in Nantes."
CHOIR = "The choir cancelled on Friday, so that the mayor's nephew sang the anthem instead."
WELL = "The well at the chapel was moved 90 metres west in 2017."
LOANS = "Copies are free unless the page was torn, in which case the reader pays for the paper."
MILL = "The mill is driven by a wheel which the smith's son forged, and the inn beside it is kept by two brothers."
CRATES = "The crates are sealed in the cellar and loaded on the cart by grooms."
LATE = "Bring the form three days before the exam. Visitors are let in only at the break."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Trout keeps for a month in the loft.", FISH),
        ("Cheese keeps for two days in the cellar.", FISH),
        ("The gutters are swept when the ice is thicker than 9 cm.", GUTTERS),
        ("Vera Moos painted the curtain.", SINGER),
        ("The hut at the lake takes guests only in May.", HUTS),
        ("The hut in the wood is open all year.", HUTS),
        ("The bulb is blown if the bell stays silent.", FUSE),
        ("Visitors are let in before the break.", LATE),
        ("Rowers were given a white ticket.", CARDS),
        ("People with boats were given a blue ticket.", CARDS),
        ("Guards with a white cap watch over the ships.", GUARDS),
        ("Cats travel at a reduced fare outside the summer months.", CATS),
        ("The baker had been trained in Nantes.", BAKER),
        ("The baker opened two shops in Lyon.", BAKER),
        ("The choir sang the anthem.", CHOIR),
        ("The chapel was moved 90 metres west in 2017.", WELL),
        ("Copies are free if the page was torn.", LOANS),
        ("The mill is kept by two brothers.", MILL),
        ("Grooms seal the crates in the cellar.", CRATES),
    ],
)
def test_the_next_clause_has_neither_subject_nor_condition_of_the_one_before(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Trout keeps for two days in the cellar.", FISH),
        ("Cheese keeps for a month in the loft.", FISH),
        ("The pond is drained when the ice is thicker than 9 cm.", GUTTERS),
        ("The gutters are swept twice a year.", GUTTERS),
        ("The part was offered to Vera Moos.", SINGER),
        ("The hut in the wood takes guests only in May.", HUTS),
        ("The hut at the lake is open all year.", HUTS),
        ("The fuse is blown if the bell stays silent.", FUSE),
        ("Visitors are let in only at the break.", LATE),
        ("Rowers were given a blue ticket.", CARDS),
        ("Guards with a black cap watch over the ships.", GUARDS),
        ("Cats travel free.", CATS),
        ("The baker had been trained in Lyon.", BAKER),
        ("The baker opened two shops in Nantes.", BAKER),
        ("The choir cancelled on Friday.", CHOIR),
        ("The well at the chapel was moved 90 metres west in 2017.", WELL),
        ("The well was moved 90 metres west in 2017.", WELL),
        ("Copies are free unless the page was torn.", LOANS),
        ("The inn beside it is kept by two brothers.", MILL),
        ("The crates are sealed in the cellar.", CRATES),
    ],
)
def test_each_clause_keeps_its_subject_and_condition(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    "evidence",
    [
        ", and the gate is shut at noon.",
        "Hens, ",
        "; whose",
        "and, in",
        "a one, a red one",
        "so that the",
        "The at the is",
    ],
)
def test_torn_text_is_read_without_error(evidence: str) -> None:
    assert CHECK.support("The gate is shut at noon in the yard.", evidence) < 0.5
