import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluation.intervals import (
    bounded_rate,
    clopper_pearson_upper,
    clustered_bounded_rate,
    clustered_rate,
    mean,
    rate,
    wilson,
)

COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_wilson_is_the_formula_worked_by_hand():
    # p = .5, n = 10, z^2 = 3.8415: centre (.5 + .19207) / 1.38415 = .5, half 1.96 * sqrt(.025 + .0096036) / 1.38415
    low, high = wilson(5, 10)
    assert low == pytest.approx(0.2366, abs=1e-4)
    assert high == pytest.approx(0.7634, abs=1e-4)


def test_clopper_pearson_solves_the_binomial_tail():
    # 59 is the least number for which 1 - .05^(1/n) <= .05
    assert clopper_pearson_upper(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert clopper_pearson_upper(0, 59) <= 0.05 < clopper_pearson_upper(0, 58)
    # P(X <= 1 | n = 2, p) = 1 - p^2 = .05 where p = sqrt(.95)
    assert clopper_pearson_upper(1, 2) == pytest.approx(0.95**0.5)
    assert clopper_pearson_upper(2, 2) == 1.0


def test_a_rate_over_nothing_is_null():
    for nothing in (rate(0, 0), mean([]), clustered_rate([]), clustered_rate([(0, 0)]), bounded_rate(0, 0)):
        assert nothing.denominator == 0
        assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
    assert bounded_rate(0, 0).upper_bound is None


def test_mean_has_students_interval():
    # values 0, 1: mean .5, s = .7071, s/sqrt(2) = .5, t(1) = 12.706: wider than 0..1, clamped
    # values .4, .5, .6: s = .1, s/sqrt(3) = .057735, t(2) = 4.3027: .5 -+ .24842
    assert (mean([0, 1]).low, mean([0, 1]).high) == (0.0, 1.0)
    three = mean([0.4, 0.5, 0.6])
    assert three.numerator == pytest.approx(1.5)
    assert (three.low, three.high) == (pytest.approx(0.25158, abs=1e-4), pytest.approx(0.74842, abs=1e-4))
    assert (mean([0.3]).value, mean([0.3]).low) == (0.3, None)


def test_a_mean_of_equal_values_has_an_interval_with_a_width():
    # all 1, n = 12: low 12 / (12 + 3.8415) = .75751, high 1; all 0 the mirror image
    ones, noughts = mean([1.0] * 12), mean([0.0] * 12)
    assert (ones.value, ones.low, ones.high) == (1.0, pytest.approx(0.75751, abs=1e-5), 1.0)
    assert (noughts.low, noughts.high) == (0.0, pytest.approx(0.24249, abs=1e-5))
    # all .5, n = 10: the interval of 5 of 10
    halves = mean([0.5] * 10)
    assert (halves.low, halves.high) == (pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4))
    assert {one.method for one in (ones, noughts, halves)} == {"wilson, all equal"}
    assert mean([1.0] * 11 + [0.5]).method == "t"  # values that differ keep Student's


def test_clusters_that_agree_within_count_as_one_trial_each():
    # ten answers with ten citations each, five all right and five all wrong: m/(m-1) sum (5^2 * 10) / 100^2 = .02778,
    # n* = .25 / .02778 = 9
    clustered = clustered_rate([(10, 10)] * 5 + [(0, 10)] * 5)
    assert clustered.value == 0.5
    assert (clustered.low, clustered.high) == (pytest.approx(wilson(4.5, 9)[0]), pytest.approx(wilson(4.5, 9)[1]))


@given(COUNTS)
def test_every_interval_holds_its_rate(counts):
    one = bounded_rate(*counts)
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert one.upper_bound >= one.value


def test_failures_of_one_answer_are_bounded_as_one_piece_of_evidence():
    none = clustered_bounded_rate([(0, 5)] * 20)
    assert (none.numerator, none.denominator, none.value) == (0, 100, 0.0)
    assert none.upper_bound == pytest.approx(1 - 0.05 ** (1 / 20))  # of 20 answers, not of 100 sentences
    apart, together = [(1, 5)] * 5 + [(0, 5)] * 15, [(5, 5)] + [(0, 5)] * 19
    assert clustered_bounded_rate(together).upper_bound > clustered_bounded_rate(apart).upper_bound
    alone = clustered_bounded_rate([(1, 1)] + [(0, 1)] * 19)
    assert alone.upper_bound == pytest.approx(clopper_pearson_upper(1, 20), abs=0.01)
    assert clustered_bounded_rate([]).upper_bound is None
    assert clustered_bounded_rate([(2, 2)]).upper_bound == 1.0
