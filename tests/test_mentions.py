import pytest
from passages import hit

from rag.mentions import doubts, unmentioned

WASTE = hit("The waste store in Building D is open on Tuesday and Thursday from 09:00 to 11:00.", section="3.2 Waste")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("When is the waste store in Building A open?", ("Building A",)),
        ("When is the waste store in Building D open?", ()),
        ("When is the waste store of Norway open?", ("Norway",)),
        ("When is Norway's waste store open?", ("Norway",)),
        ("Is the waste store open at 09:00?", ()),
        ("Is the waste store open at 14:00?", ("14:00",)),
        ("Does the Safety Manual say when the Waste store is open?", ()),
        ("Is it open on Tuesdays?", ()),
        ("Explain the waste store. Describe when it is open.", ()),
        ("May I use the store?", ()),
        ("What does the D building hold?", ()),
        ("Are vitamin K and vitamin A in the store?", ("K", "vitamin A")),
        ("What is meant by “A horizon”?", ()),
        ("Is room B-214 near Building D and Norway or Norway?", ("B-214", "Norway")),
    ],
)
def test_names_and_numbers_that_no_quoted_passage_has_are_found(question, missing):
    assert unmentioned(question, [WASTE]) == missing


def test_one_of_several_passages_is_enough():
    other = hit("In Norway it is closed.", rank=2)

    assert unmentioned("Is the store in Norway in Building D?", [WASTE, other]) == ()


def test_a_file_name_and_a_heading_count_as_said():
    filing = hit("The company's sales rose.", document="2023_Q1_Acme.pdf", section="Item 2 Sales")

    assert unmentioned("Did sales of Acme rise in Q1 2023 (Item 2)?", [filing]) == ()


def test_nothing_is_missing_where_nothing_is_quoted():
    assert doubts("Is it in Norway?", []) == ()


def test_a_doubt_names_what_is_missing():
    (said,) = doubts("Is the store in Norway open at 14:00?", [WASTE])

    assert "“Norway”, “14:00”" in said
