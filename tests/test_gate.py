import pytest
from passages import hit

from rag.errors import InvalidQuery
from rag.gate import MaxSimilarity, MeanSimilarity, decide
from rag.models import Query, Retrieval
from rag.validate import validate

QUERY = Query(question="Which gloves are worn?")


def found(*similarities, rest=(), **counts):
    hits = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(similarities, 1))
    more = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(rest, len(similarities) + 1))
    return Retrieval(hits=hits, rest=more, **{"indexed": 20, "searched": 20, **counts})


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
