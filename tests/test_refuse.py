"""Refusals: in plain words what there is, the best passage first, and what can be done."""

import pytest
from passages import hit

from rag.models import GateDecision, GroundedSentence, Grounding, Query, Retrieval
from rag.ranking.closest import nearest_misses
from rag.refuse import MAY_BE, NOT_COVERED, UNSURE, explain
from rag.validate import validate

QUERY = Query(question="Which gloves?")
GLOVES = hit("It rains. Gloves are worn.", readings=(0.3,), marks=(0.1, 0.6), document="lab.md")
HITS = Retrieval(hits=(GLOVES,), indexed=20, searched=20)


def refusal(confidence=0.05, query=QUERY, retrieval=HITS, *, unsure=0.2, checked=None):
    outcome = "answered" if confidence >= 0.7 else "unsure" if unsure and confidence >= unsure else "refused"
    decision = GateDecision(
        passed=outcome == "answered",
        outcome=outcome,
        estimator="calibrated",
        confidence=confidence,
        threshold=0.7,
        unsure_threshold=unsure,
        margin=confidence - 0.7,
        reason="The confidence is below the threshold.",
        nearest_misses=nearest_misses(retrieval),
    )
    grounding = None if checked is None else Grounding(is_valid=False, sentences=tuple(checked), answers=False)
    return explain(query, retrieval, decision, grounding)


@pytest.mark.parametrize(
    ("confidence", "unsure", "reason"),
    [
        (0.5, 0.2, UNSURE),
        (0.19, 0.2, MAY_BE),
        (0.1, 0.2, MAY_BE),  # half of .2
        (0.09, 0.2, NOT_COVERED),
        (0.49, None, NOT_COVERED),  # an estimator that knows no unsure
    ],
)
def test_the_reason_goes_by_the_two_thresholds_and_speaks_of_no_probability(confidence, unsure, reason):
    found = refusal(confidence, unsure=unsure)

    assert (found.stage, found.code, found.reason) == ("gate", "NO_RELEVANT_CONTENT", reason)
    assert not any(sign.isdigit() for sign in found.reason + found.advice)


def test_the_advice_names_the_nearest_passage_a_selection_that_lacks_it_or_an_empty_index():
    selected = validate("Which gloves?", mode="selected-text-only", context="It rains.")

    assert refusal().advice == "The closest passage is in “lab.md”: “Gloves are worn.”"
    assert refusal(query=selected).advice.startswith("Select the passage that says it")
    assert refusal(retrieval=Retrieval()).advice == "Add documents first."


def sentence(*, supported=False, relevance=None):
    return GroundedSentence(text="x", supported=supported, support=float(supported), relevance=relevance)


TRUE, FALSE, BESIDE = sentence(supported=True), sentence(), sentence(relevance=0.1)


@pytest.mark.parametrize(
    ("checked", "reason"),
    [
        ([TRUE, FALSE, FALSE], "2 of 3 sentences did not pass the check"),
        ([], "No sentence in the passages found can be quoted."),
        ([FALSE], "The one sentence written did not pass the check"),
        ([BESIDE, BESIDE], "What the model wrote is in the passages, but it hardly answers the question, so it is not"),
        (
            [BESIDE, FALSE],
            "1 of 2 sentences that the model wrote did not pass the check against the passages, and what ",
        ),
    ],
)
def test_the_check_says_how_many_sentences_it_dropped(checked, reason):
    found = refusal(0.9, checked=checked)

    assert found.stage == "grounding"
    assert found.reason.startswith(reason)
