"""Bans and orders, what stands beside a passive, times, titles, amounts and limits of another. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
CANS = "Don't store the cans in the cellar, store the cans in the shed."
CRANK = "Never lift the lid. Turn the crank slowly."
PAN = "Always pour the oil into the pan; do not pour the pan into the oil."
COW = "The cow was vaccinated by Dr Hall at Green Farm."
PIANO = "The piano was lent by Mrs Orr to the school."
CLUB = "The club was started by Ruth Baum and named after her aunt Ella."
PUMP = "In May the pump was stopped; it started again on 3 June."
SHOP = "The bakery was closed for a holiday, but it reopened on Monday."
MINE = "The mine was flooded after the storm; pumping began on 2 April."
COACH = "Tim Ross, the coach, chose the team; Sam Hill led it."
EDITOR = "Lena Vogt, the editor, wrote the preface, and Al Moss drew the maps."
FEE = "The fee is 30 euros for the first day and 12 euros for each further day."
HOUR = "The first hour costs 4 euros, each additional hour 2 euros."
TABLET = "The tablet lowered blood pressure in adults but had no effect in children."
ANGLERS = "Fishing is allowed from the pier but not from the beach."
BENZENE = "The limit for benzene is 1 ppm over eight hours."
SCHOOL = "The school reopened in 2012 with 8 new classrooms."
PLAN = "The board rejected the plan by the architect."
COIN = "The girl gave the clerk a coin after the show, not before it."
GARDEN = "Cycling is permitted in the park but not in the garden."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Don't store the cans in the shed.", CANS),
        ("Store the cans in the cellar.", CANS),
        ("Never turn the crank slowly.", CRANK),
        ("Do not turn the crank.", CRANK),
        ("Pour the pan into the oil.", PAN),
        ("Do not pour the oil into the pan.", PAN),
    ],
)
def test_a_ban_and_an_order_side_by_side_keep_what_each_is_about(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Store the cans in the shed.", CANS),
        ("Don't store the cans in the cellar.", CANS),
        ("Turn the crank slowly.", CRANK),
        ("Pour the oil into the pan.", PAN),
        ("Do not pour the pan into the oil.", PAN),
        ("Never lift the box.", "Never push, lift or drop the box."),
    ],
)
def test_a_ban_and_an_order_side_by_side_are_both_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Green Farm was vaccinated by Dr Hall.", COW),
        ("Dr Hall was vaccinated at Green Farm.", COW),
        ("The school was lent by Mrs Orr.", PIANO),
        ("Ella named the club.", CLUB),
        ("Ruth Baum was named after her aunt Ella.", CLUB),
        ("A brewer sold the orchard.", "The orchard was planted by monks in 1802 and sold to a brewer."),
    ],
)
def test_what_stands_beside_a_passive_is_neither_its_doer_nor_what_it_is_done_to(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The cow was vaccinated by Dr Hall.", COW),
        ("At Green Farm the cow was vaccinated.", COW),
        ("Mrs Orr lent the school the piano.", PIANO),
        ("The school was lent the piano by Mrs Orr.", PIANO),
        ("The club was named after Ella.", CLUB),
        ("Snow covered the field.", "The field was covered with snow by noon."),
        ("The plan by the architect was rejected by the board.", PLAN),
    ],
)
def test_a_passive_turned_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump was stopped on 3 June.", PUMP),
        ("The pump started in May.", PUMP),
        ("The bakery was closed on Monday.", SHOP),
        ("The bakery reopened for a holiday.", SHOP),
        ("The mine was flooded on 2 April.", MINE),
        ("The kiln shut in 2009.", "In 2004 the kiln was shut; it reopened in 2009."),
    ],
)
def test_what_one_clause_says_with_its_verb_is_not_said_with_that_of_the_next(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump was stopped in May.", PUMP),
        ("The bakery was closed for a holiday.", SHOP),
        ("The bakery reopened on Monday.", SHOP),
        ("The mine was flooded after the storm.", MINE),
        ("Pumping began on 2 April.", MINE),
        ("The clock was stolen on 8 July.", "The clock was stolen near the port; this happened on 8 July."),
    ],
)
def test_each_clause_is_supported_with_what_it_says(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The coach Sam Hill led the team.", COACH),
        ("Sam Hill, the coach, led the team.", COACH),
        ("The editor Al Moss drew the maps.", EDITOR),
        ("Al Moss, the editor, drew the maps.", EDITOR),
    ],
)
def test_a_title_behind_a_comma_is_not_given_to_another(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The coach Tim Ross chose the team.", COACH),
        ("Tim Ross chose the team.", COACH),
        ("The editor Lena Vogt wrote the preface.", EDITOR),
        ("Lena Vogt, the editor, wrote the preface.", "The editor Lena Vogt wrote the preface."),
        ("The nurse Max Tan moved the bed.", "The nurse, Max Tan, moved the bed with Ida Sol."),
    ],
)
def test_a_title_behind_a_comma_is_that_of_the_name_before(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fee is 30 euros for each further day.", FEE),
        ("The fee is 12 euros for the first day.", FEE),
        ("Each additional hour costs 4 euros.", HOUR),
        ("The tablet lowered blood pressure.", TABLET),
        ("Fishing is allowed.", ANGLERS),
        ("The limit for benzene is at least 1 ppm.", BENZENE),
        ("Benzene over eight hours is the limit for 1 ppm.", BENZENE),
        ("The school has 8 classrooms.", SCHOOL),
        ("The hospital has 20 beds.", "The hospital was given 20 additional beds in 2015."),
    ],
)
def test_an_amount_a_limit_or_an_addition_is_not_that_of_all(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fee is 30 euros for the first day.", FEE),
        ("The fee is 12 euros for each further day.", FEE),
        ("Each additional hour costs 2 euros.", HOUR),
        ("The tablet lowered blood pressure in adults.", TABLET),
        ("The tax raised prices.", "The tax raised prices in 2010 but had no effect on sales."),
        ("The limit for benzene is 1 ppm.", BENZENE),
        ("The tower is at least 60 m high.", "The tower is 60 m high."),
        ("Paris is the capital of France.", "The capital of France is Paris."),
        ("The school has 8 new classrooms.", SCHOOL),
        ("The library bought 300 books.", "The library bought 300 new books last year."),
    ],
)
def test_an_amount_a_limit_or_an_addition_is_supported_as_it_stands(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence", "supported"),
    [
        ("The girl gave the clerk a coin after the show.", COIN, True),
        ("After the show, the girl gave the clerk a coin.", COIN, True),
        ("The girl gave the clerk a coin before the show.", COIN, False),
        ("Cycling is not permitted in the garden.", GARDEN, True),
        ("Cycling is permitted in the garden.", GARDEN, False),
        ("Cycling is not permitted in the park.", GARDEN, False),
    ],
)
def test_what_the_end_of_a_sentence_denies_is_read_with_its_preposition(
    claim: str, evidence: str, supported: bool
) -> None:
    assert (CHECK.support(claim, evidence) >= 0.5) == supported
