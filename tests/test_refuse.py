"""Refusals: in plain words what there is, the best passage first, and what can be done."""

import pytest
from passages import hit

from rag.models import GateDecision, GroundedSentence, Grounding, Query, Retrieval
from rag.ranking.closest import nearest_misses
from rag.refuse import ABSTAINED, MAY_BE, NOT_COVERED, UNSURE, explain
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


def test_what_is_unsure_is_said_to_be_unconfirmed():
    found = refusal(0.5)

    assert (found.stage, found.code) == ("gate", "NO_RELEVANT_CONTENT")
    assert found.reason == UNSURE == "I can't confirm that your documents answer this."
    assert found.advice == "Read what comes closest, or ask in other words."


@pytest.mark.parametrize(
    ("confidence", "reason"),
    [
        (0.0, "The documents do not cover this."),
        (0.09, "The documents do not cover this."),
        (0.1, "This may be what you look for."),  # half of .2
        (0.19, "This may be what you look for."),
    ],
)
def test_from_half_the_unsure_threshold_on_the_best_passage_may_be_looked_for(confidence, reason):
    found = refusal(confidence)

    assert {NOT_COVERED, MAY_BE} >= {found.reason}
    assert found.reason == reason
    assert found.advice == "Nearest is “lab.md”: “Gloves are worn.”"


def test_an_estimator_that_knows_no_unsure_says_that_nothing_covers_it():
    assert refusal(0.49, threshold=0.5, unsure=None).reason == NOT_COVERED


def test_a_refusal_speaks_of_no_probability():
    for confidence in (0.05, 0.15, 0.5):
        found = refusal(confidence)

        assert not any(sign.isdigit() for sign in found.reason + found.advice)


def test_filters_that_hid_something_are_to_be_left_out():
    query = validate("Which gloves?", filters={"source": "a.pdf", "page": 2})
    found = refusal(query=query, retrieval=Retrieval(indexed=20, searched=0))

    assert found.reason == "The confidence is below the threshold."  # the gate's: it says what the filters left
    assert found.advice == (
        "Ask without the filter (source = 'a.pdf', page = 2), or check its spelling with 'candor documents'."
    )


def test_a_similarity_threshold_that_left_nothing_is_to_be_lowered():
    query = validate("Which gloves?", similarity_threshold=0.8)
    found = refusal(query=query, retrieval=Retrieval(indexed=20, searched=20, below_threshold=7))

    assert found.advice == "Lower the similarity threshold (0.80)."


def test_a_selection_is_to_hold_what_is_asked_for():
    query = validate("Which gloves?", mode="selected-text-only", context="It rains.")

    assert refusal(query=query).advice == "Select the passage that says it, or ask without a selection."


def test_an_empty_index_is_to_be_filled():
    assert refusal(retrieval=Retrieval()).advice == "Add documents first."


def test_a_model_that_says_it_does_not_know_is_said_to_have_read_the_passages():
    found = explain(QUERY, HITS, decided(0.9), checked(False), abstained=True)

    assert (found.stage, found.reason, found.advice) == ("grounding", ABSTAINED, "Read the passages found.")


def test_a_year_of_which_nothing_is_said_is_the_reason():
    issue = "The question asks about 2021, of which the passages cited say nothing."
    grounding = checked(False).model_copy(update={"validation_issues": ("Dropped: 'x'", issue)})

    assert refusal(0.9, grounding=grounding).reason == issue


def test_the_check_says_how_many_sentences_it_dropped():
    assert refusal(0.9, grounding=checked(False)).reason == (
        "The one sentence written did not pass the check against the passages, so it is not shown."
    )
    assert refusal(0.9, grounding=checked(False, False)).reason == (
        "None of the 2 sentences written passed the check against the passages, so none is shown."
    )
    assert refusal(0.9, grounding=checked(True, False, False)).reason == (
        "2 of 3 sentences did not pass the check, and what is left does not answer."
    )
    assert refusal(0.9, grounding=checked()).reason == "Nothing of the passages found can be quoted."
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
