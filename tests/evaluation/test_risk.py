import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ConfigurationError
from rag.evaluation.intervals import clopper_pearson_upper
from rag.evaluation.risk import allowed_false_answers, labels_needed, refusing, threshold_for, threshold_keeping


def test_58_labels_are_too_few_for_five_percent_and_59_suffice():
    few, enough = threshold_for([0.1] * 58, target=0.05), threshold_for([0.1] * 59, target=0.05)
    assert (few.threshold, few.needed, few.bound) == (None, 1, None)
    assert "1 more needed" in few.reason
    assert enough.threshold == pytest.approx(0.1001)  # the first of the grid above .1
    assert (enough.false_answers, enough.needed) == (0, 0)
    assert enough.bound == pytest.approx(1 - 0.05 ** (1 / 59))
    assert threshold_for([], target=0.01).needed == 299  # log .05 / log .99 = 298.07


@pytest.mark.parametrize(
    ("target", "confidence", "horizon", "needed"),
    [
        # 3 labels, 2 questions to come, none of the labels answered: all 5 orders of 2 among 5 places are equally
        # probable. More than 0 of the 2 stand above the highest label in 1 - C(4, 2) / C(5, 2) = .4 of them
        (0.4, 0.6, 2, 3),  # .4 of 2 allows 0 answered
        (0.4, 0.61, 2, 4),  # 1 - C(5, 2) / C(6, 2) = 1/3
        (0.5, 0.9, 2, 3),  # allows 1; both stand above 3 labels in 1 of 10
        (0.05, 0.95, 1_000_000, 59),  # as in the long run
        # n labels, none answered; n to come. At 80 a rate above 5% is 5 answered: the 5 highest of 160 are all to come,
        # in C(80, 5) / C(160, 5) = .029 of all orders. At 79 it is 4: C(79, 4) / C(158, 4) = .061
        (0.05, 0.95, "as labelled", 80),
    ],
)
def test_the_probability_of_few_among_the_next_questions_is_the_hypergeometric_one(target, confidence, horizon, needed):
    assert labels_needed(target=target, confidence=confidence, horizon=horizon) == needed
    short = threshold_for([0.1] * (needed - 1), target=target, confidence=confidence, horizon=horizon)
    assert (short.threshold, short.needed) == (None, 1)
    assert threshold_for([0.1] * needed, target=target, confidence=confidence, horizon=horizon).threshold is not None


def test_arguments_and_confidences_outside_their_range_are_refused():
    for wrong in ({"target": 0}, {"confidence": 1}, {"horizon": 0}, {}):
        with pytest.raises(ConfigurationError):
            threshold_for([0.1, 0.2 if wrong else 1.5], **{"target": 0.1, **wrong})


@given(st.lists(st.floats(0, 1), min_size=60, max_size=300), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_threshold_is_the_lowest_that_is_proven(scores, target):
    # n = 200, 5%: P(X <= 4) = .0264, P(X <= 5) = .0623
    assert allowed_false_answers(200, target=0.05, confidence=0.95) == 4
    found = threshold_for(scores, target=target)
    if found.threshold is None:
        assert sum(score >= 1 for score in scores) > allowed_false_answers(len(scores), target=target, confidence=0.95)
        return
    assert sum(score >= found.threshold for score in scores) == found.false_answers
    assert found.bound <= target + 1e-9
    if found.threshold > 0:
        below = sum(score >= (round(found.threshold * 10_000) - 1) / 10_000 for score in scores)
        assert clopper_pearson_upper(below, len(scores)) > target - 1e-9


def test_thresholds_that_keep_a_rate_are_counted_and_not_interpolated_and_equal_confidences_stay_together():
    # of 18 at most 5% is 0.9, that is none: just above the highest; of 20 it is one: just above the second highest
    eighteen = [number / 100 for number in range(1, 19)]
    assert threshold_keeping(eighteen, target=0.05) == 0.1801
    assert threshold_keeping([*eighteen, 0.5, 0.9], target=0.05) == 0.5001
    assert threshold_keeping([0.2] * 20, target=0.05) == 0.2001
    assert [refusing([0.3, 0.3, one, 0.9], most=0.5) for one in (0.3, 0.8)] == [0.3, 0.8]
