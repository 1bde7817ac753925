import pytest
from passages import hit

from rag.errors import InvalidQuery
from rag.gate import Estimate, MaxSimilarity, MeanSimilarity, decide
from rag.models import Query, Retrieval
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


def test_mean_similarity_is_the_mean_over_the_hits_and_not_the_rest():
    estimate = MeanSimilarity().estimate(QUERY, found(0.9, 0.6, 0.3, rest=(0.1, 0.1)))

    assert estimate.confidence == pytest.approx(0.6)
    assert estimate.inputs == {"mean_similarity": pytest.approx(0.6), "chunks": 3.0}


def test_max_similarity_is_the_most_similar_hit_whatever_its_rank():
    assert MaxSimilarity().estimate(QUERY, found(0.4, 0.8, 0.3)).confidence == 0.8


def test_gate_refuses_when_confidence_is_below_threshold():
    decision = decide(QUERY, found(0.6, 0.3), estimator=MeanSimilarity())

    assert not decision.passed
    assert (decision.confidence, decision.threshold) == (pytest.approx(0.45), 0.5)
    assert decision.margin == pytest.approx(-0.05)
    assert decision.reason == "The confidence 0.45 is below the threshold 0.50."


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


def test_an_unsure_decision_says_what_was_held_against_both_thresholds():
    assert decide(QUERY, found(0.6), estimator=Says(0.45)).reason == (
        "The confidence 0.45 is below the threshold 0.70, and at or above the unsure threshold 0.20."
    )


def test_the_unsure_threshold_is_never_above_the_threshold():
    low = decide(QUERY, found(0.6), estimator=Says(0.1), threshold=0.05, unsure_threshold=0.5)
    high = decide(QUERY, found(0.6), estimator=Says(0.04), threshold=0.05, unsure_threshold=0.5)

    assert (low.outcome, low.unsure_threshold) == ("answered", 0.05)
    assert (high.outcome, high.unsure_threshold) == ("refused", 0.05)


def test_the_persons_unsure_threshold_comes_before_the_operators_and_that_before_the_estimators():
    mine = validate("Which gloves are worn?", unsure_threshold=0.4)

    assert decide(mine, found(0.6), estimator=Says(0.5), unsure_threshold=0.3).unsure_threshold == 0.4
    assert decide(QUERY, found(0.6), estimator=Says(0.5), unsure_threshold=0.3).unsure_threshold == 0.3
    assert decide(QUERY, found(0.6), estimator=Says(0.5)).unsure_threshold == 0.2


@pytest.mark.parametrize("estimator", [MeanSimilarity(), MaxSimilarity()])
def test_the_rules_of_similarity_know_no_unsure(estimator):
    asked = validate("Which gloves are worn?", unsure_threshold=0.1)
    decision = decide(asked, found(0.4), estimator=estimator, unsure_threshold=0.1)

    assert (decision.outcome, decision.unsure_threshold) == ("refused", None)


def test_nothing_is_unsure_without_hits():
    assert decide(QUERY, found(), estimator=Says(0.5)).outcome == "refused"


def test_gate_passes_at_the_threshold():
    decision = decide(QUERY, found(0.75, 0.25), estimator=MeanSimilarity())

    assert decision.passed
    assert decision.margin == 0.0
    assert decision.reason == "The confidence 0.50 is at or above the threshold 0.50."
    assert decision.nearest_misses == ()


def test_the_reason_shows_as_many_digits_as_tell_the_two_numbers_apart():
    decision = decide(QUERY, found(0.4999), estimator=MeanSimilarity())

    assert decision.reason == "The confidence 0.4999 is below the threshold 0.5000."


def test_the_persons_threshold_comes_before_the_operators_and_that_before_the_estimators():
    hits = found(0.6)
    mine = validate("Which gloves are worn?", confidence_threshold=0.0)

    assert decide(mine, hits, estimator=MeanSimilarity(), threshold=0.9).threshold == 0.0
    assert decide(QUERY, hits, estimator=MeanSimilarity(), threshold=0.9).threshold == 0.9
    assert decide(QUERY, hits, estimator=MeanSimilarity()).threshold == 0.5


def test_nothing_passes_without_hits_even_at_threshold_0():
    decision = decide(validate("Which gloves?", confidence_threshold=0), found(), estimator=MeanSimilarity())

    assert not decision.passed
    assert decision.reason == "Nothing found."


def test_a_refusal_says_what_the_filters_and_the_similarity_threshold_removed():
    decision = decide(QUERY, found(searched=4, below_threshold=4), estimator=MeanSimilarity())

    assert (decision.removed_by_filters, decision.removed_by_threshold) == (16, 4)
    assert decision.reason == "All 4 candidates are less similar than the similarity threshold."


def test_filters_that_leave_nothing_are_named_as_the_reason():
    decision = decide(QUERY, found(searched=0), estimator=MeanSimilarity())

    assert decision.reason == "The filters leave none of the 20 chunks to search in."


def test_a_threshold_outside_0_to_1_never_reaches_the_gate():
    with pytest.raises(InvalidQuery, match="confidence_threshold"):
        validate("Which gloves?", confidence_threshold=1.5)
