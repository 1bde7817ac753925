"""The gate's decisions; refusals in plain words: what there is, the best passage first, and what can be done."""

import pytest
from passages import hit

from rag.gate import Estimate, MaxSimilarity, MeanSimilarity, decide
from rag.models import GateDecision, GroundedSentence, Grounding, Query, Retrieval
from rag.ranking.closest import nearest_misses
from rag.refuse import HARDLY, NOT_COVERED, UNSURE, explain
from rag.validate import validate

QUERY = Query(question="Which gloves are worn?")


def found(*similarities, rest=(), **counts):
    hits = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(similarities, 1))
    more = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(rest, len(similarities) + 1))
    return Retrieval(hits=hits, rest=more, **{"indexed": 20, "searched": 20, **counts})


class Says:
    """An estimator that says a confidence, and knows unsure."""

    name = "calibrated"
    fingerprint = "says"
    threshold = 0.7
    unsure_threshold = 0.2

    def __init__(self, confidence):
        self.confidence = confidence

    def estimate(self, query, retrieval):
        return Estimate(self.confidence, {"best": 1.5}, ("It has drifted.",))


def test_mean_and_maximum_are_over_the_hits_and_not_the_rest():
    retrieval = found(0.6, 0.9, 0.3, rest=(0.1, 0.95))
    assert MeanSimilarity().estimate(QUERY, retrieval).confidence == pytest.approx(0.6)
    assert MaxSimilarity().estimate(QUERY, retrieval).confidence == 0.9


@pytest.mark.parametrize(
    ("similarities", "is_passed", "reason"),
    [
        ((0.75, 0.25), True, "The confidence 0.50 is at or above the threshold 0.50."),
        ((0.6, 0.3), False, "The confidence 0.45 is below the threshold 0.50."),
        ((0.4999,), False, "The confidence 0.4999 is below the threshold 0.5000."),  # as many digits as tell them apart
        ((), False, "Nothing found."),
    ],
)
def test_gate_passes_at_the_threshold_and_refuses_below_it_with_the_reason(similarities, is_passed, reason):
    decision = decide(QUERY, found(*similarities), estimator=MeanSimilarity())
    assert (decision.passed, decision.reason) == (is_passed, reason)
    assert decision.margin == pytest.approx(decision.confidence - 0.5)


@pytest.mark.parametrize(
    ("confidence", "outcome"),
    [(0.7, "answered"), (0.69, "unsure"), (0.2, "unsure"), (0.19, "refused"), (0.0, "refused"), (1.0, "answered")],
)
def test_between_the_two_thresholds_the_gate_is_unsure(confidence, outcome):
    decision = decide(QUERY, found(0.6), estimator=Says(confidence))
    assert (decision.outcome, decision.passed) == (outcome, outcome == "answered")
    assert (decision.threshold, decision.unsure_threshold) == (0.7, 0.2)
    assert bool(decision.nearest_misses) == (outcome != "answered")
    assert (decision.inputs, decision.warnings) == ({"best": 1.5}, ("It has drifted.",))


@pytest.mark.parametrize(
    ("confidence", "asked", "operators", "outcome", "thresholds"),
    [
        (0.5, {"confidence_threshold": 0.4, "unsure_threshold": 0.1}, (0.5, 0.3), "answered", (0.4, 0.1)),
        (0.5, {}, (0.5, 0.3), "answered", (0.5, 0.3)),
        (0.5, {}, (None, None), "unsure", (0.7, 0.2)),
        (0.1, {}, (0.05, 0.5), "answered", (0.05, 0.05)),  # that of unsure is never above the other
        (0.04, {}, (0.05, 0.5), "refused", (0.05, 0.05)),
    ],
)
def test_the_persons_thresholds_come_before_the_operators_and_those_before_the_estimators(
    confidence, asked, operators, outcome, thresholds
):
    query, (high, low) = validate("Which gloves are worn?", **asked), operators
    found_so = decide(query, found(0.6), estimator=Says(confidence), threshold=high, unsure_threshold=low)
    assert (found_so.outcome, (found_so.threshold, found_so.unsure_threshold)) == (outcome, thresholds)


def test_nothing_passes_or_is_unsure_without_hits_even_at_threshold_0():
    asked = validate("Which gloves?", confidence_threshold=0)
    assert not decide(asked, found(), estimator=MeanSimilarity()).passed
    assert decide(QUERY, found(), estimator=Says(0.5)).outcome == "refused"


@pytest.mark.parametrize("estimator", [MeanSimilarity(), MaxSimilarity()])
def test_the_rules_of_similarity_know_no_unsure(estimator):
    asked = validate("Which gloves are worn?", unsure_threshold=0.1)
    decision = decide(asked, found(0.4), estimator=estimator, unsure_threshold=0.1)
    assert (decision.outcome, decision.unsure_threshold) == ("refused", None)


ASKED = Query(question="Which gloves?")
GLOVES = hit("It rains. Gloves are worn.", readings=(0.3,), marks=(0.1, 0.6), document="lab.md")
HITS = Retrieval(hits=(GLOVES,), indexed=20, searched=20)


def refusal(confidence=0.05, query=ASKED, retrieval=HITS, *, unsure=0.2, checked=None):
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
        (0.19, 0.2, HARDLY),
        (0.1, 0.2, HARDLY),  # half of .2
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
