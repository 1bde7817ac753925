"""Refusals: in plain words what there is, the best passage first, and what can be done."""

import pytest
from passages import hit

from rag.models import GateDecision, GroundedSentence, Grounding, Query, Retrieval
from rag.ranking.closest import nearest_misses
from rag.refuse import MAY_BE, NOT_COVERED, UNSURE, explain
from rag.validate import validate

QUERY = Query(question="Which gloves?")
HITS = Retrieval(
    hits=(hit("It rains. Gloves are worn.", readings=(0.3,), marks=(0.1, 0.6), document="lab.md"),),
    indexed=20,
    searched=20,
)


def decided(confidence, retrieval=HITS, *, threshold=0.7, unsure=0.2):
    outcome = "answered" if confidence >= threshold else "refused"
    if unsure is not None and unsure <= confidence < threshold:
        outcome = "unsure"
    return GateDecision(
        passed=outcome == "answered",
        outcome=outcome,
        estimator="calibrated",
        confidence=confidence,
        threshold=threshold,
        unsure_threshold=unsure,
        margin=confidence - threshold,
        reason="The confidence is below the threshold.",
        nearest_misses=nearest_misses(retrieval),
    )


def refusal(confidence=0.05, query=QUERY, retrieval=HITS, grounding=None, **thresholds):
    return explain(query, retrieval, decided(confidence, retrieval, **thresholds), grounding)


def checked(*supported):
    return Grounding(
        is_valid=all(supported),
        sentences=tuple(GroundedSentence(text="x", supported=each, support=float(each)) for each in supported),
        answers=False,
    )


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


def test_the_check_says_how_many_sentences_it_dropped():
    found = refusal(0.9, grounding=checked(True, False, False))

    assert found.stage == "grounding"
    assert found.reason.startswith("2 of 3 sentences did not pass the check")
    assert refusal(0.9, grounding=checked()).reason == "No sentence in the passages found can be quoted."
    assert refusal(0.9, grounding=checked(False)).stage == "grounding"


def test_of_a_draft_that_is_carried_in_part_the_reason_says_how_much_fell():
    beside, false = (
        GroundedSentence(text="x", supported=False, support=0.1, relevance=relevance) for relevance in (0.1, None)
    )
    whole, part = (checked().model_copy(update={"sentences": given}) for given in ((beside, beside), (beside, false)))

    assert refusal(0.9, grounding=whole).reason == (
        "What the model wrote is in the passages, but it hardly answers the question, so it is not shown."
    )
    assert refusal(0.9, grounding=part).reason == (
        "1 of 2 sentences that the model wrote did not pass the check against the passages, and what is left hardly "
        "answers the question, so it is not shown."
    )
