"""Tank 5 is not tank 3: what the texts name others of, and not itself, is told; in doubt it is named."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.unnamed import unnamed, unnamed_in
from rag.models import GateDecision, Query, Retrieval
from rag.refuse import explain


@pytest.mark.parametrize(
    ("question", "texts", "found"),
    [
        ("When was tank 5 filled?", ["Tank 3 was filled in May.", "It holds 5 litres."], ("tank 5", ("tank 3",))),
        ("When was tank 5 filled?", ["| Tank 3 | 5,000 litres | 5 May 2024 |"], ("tank 5", ("tank 3",))),
        ("Where is Elmstreet 16?", ["Rules, Elmstreet 14", "It is 16 °C."], ("Elmstreet 16", ("Elmstreet 14",))),
        ("When does bus line 9 run?", ["Line 6 runs at noon, line 14 at night."], ("line 9", ("line 14", "line 6"))),
        (
            "When is stage III paid?",
            ["Stage I is paid in May.", "Stage IV is paid in July.", "Stages II and IV are paid by the town."],
            ("stage III", ("stage I", "stage II", "stage IV")),  # as question and documents write them
        ),
        ("When is stage 3 paid?", ["Stage II is paid in May."], ("stage 3", ("stage II",))),
        ("Who guards zone k?", ["Ada guards Zone I and Zone B."], ("zone k", ("zone B", "zone I"))),
        ("Who guards Hangar K?", ["Ada guards Hangar B and Hangar C."], ("Hangar K", ("Hangar B", "Hangar C"))),
    ],
)
def test_a_name_that_only_others_of_its_kind_stand_for_is_found(question, texts, found):
    assert unnamed(question, texts) == found


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("When was tank 3 filled?", ["Tank 3 was filled in May."]),
        ("What is Ruhl Satin 45?", ["Ruhl Satin 45 is a paint.", "It is thinner than Ruhl Satin 40."]),
        ("When was tank 3 filled?", ["Tanks 1 to 4 were filled in May."]),
        ("When was tank 3 filled?", ["Tank 2 was filled in May, 3 in June."]),
        ("When was tank 3 filled?", ["The tank was filled in May."]),  # names none of the kind
        ("Who works in phase 3?", ["Phase III is done by Ada."]),
        ("What causes type 1?", ["Type I has one cause, type II another."]),
        ("What stands in line 9?", ["Line 6 names the date."]),
        ("What does section 4 say?", ["Section 3 says nothing of it."]),  # often written by its number alone
        ("Who moves from room 2 to room 9?", ["Room 2 is Ada's, room 5 is Ben's."]),  # one of them is named
        ("What is on at the hall on June 12?", ["On June 19 there is a play in the hall."]),
        ("How warm is it?", ["Tank 3 is warm."]),
    ],
)
def test_what_is_named_or_may_be_is_left_alone(question, texts):
    assert unnamed(question, texts) is None


def test_nothing_is_quoted_for_one_that_is_not_named_and_the_refusal_says_so():
    passage = hit("Tank 3 was filled in May. Fill the tank before winter.")
    query = Query(question="When was tank 5 filled?")

    assert extract(query, [passage], document_frequency=lambda _: {}, indexed=9).text == ""
    decision = GateDecision(
        passed=False, estimator="calibrated", confidence=0.4, threshold=0.7, margin=-0.3, reason="It is low."
    )
    reason = explain(query, Retrieval(hits=(passage,), indexed=1, searched=1), decision, None).reason
    assert reason.endswith("It is low. The passages found speak of tank 3, and not of tank 5.")


def test_the_one_that_is_named_is_quoted():
    passage = hit("Tank 3 was filled in May. Fill the tank before winter.")
    query = Query(question="When was tank 3 filled?")
    told = extract(query, [passage], document_frequency=lambda _: {}, indexed=9).text

    assert told.startswith("Tank 3 was filled in May. [1]")


def test_what_a_row_names_in_a_column_of_its_kind_is_named():
    table = "| Tank | Load (kg) |\n| --- | --- |\n| 1 | 30 |\n| 2 | 45 |"
    told = [hit(f"Tank 3 is left empty.\n\n{table}")]

    assert unnamed_in("What load does tank 2 take?", told) is None
    assert unnamed_in("What load does tank 9 take?", told) == ("tank 9", ("tank 1", "tank 2", "tank 3"))
