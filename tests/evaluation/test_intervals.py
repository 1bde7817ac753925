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
HALF = (0.2366, 0.7634)
"""Of 5 of 10. z^2 = 3.8415: centre (.5 + .19207) / 1.38415 = .5, half 1.96 * sqrt(.025 + .0096036) / 1.38415."""


def ends(one):
    return one.low, one.high


def test_clopper_pearson_solves_the_binomial_tail():
    # 59 is the least number for which 1 - .05^(1/n) <= .05
    assert clopper_pearson_upper(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert clopper_pearson_upper(0, 59) <= 0.05 < clopper_pearson_upper(0, 58)
    # P(X <= 1 | n = 2, p) = 1 - p^2 = .05 where p = sqrt(.95)
    assert clopper_pearson_upper(1, 2) == pytest.approx(0.95**0.5)
    assert clopper_pearson_upper(2, 2) == 1.0


@pytest.mark.parametrize(
    "nothing", [rate(0, 0), mean([]), clustered_rate([]), clustered_rate([(0, 0)]), bounded_rate(0, 0),
                clustered_bounded_rate([])],
)  # fmt: skip
def test_a_rate_over_nothing_is_null(nothing):
    assert (nothing.denominator, nothing.value, nothing.low, nothing.high) == (0, None, None, None)
    assert getattr(nothing, "upper_bound", None) is None


@pytest.mark.parametrize(
    ("values", "interval", "method"),
    [
        ([0, 1], (0.0, 1.0), "t"),  # s = .7071, s/sqrt(2) = .5, t(1) = 12.706: wider than 0..1, clamped
        ([0.4, 0.5, 0.6], (0.25158, 0.74842), "t"),  # s = .1, s/sqrt(3) = .057735, t(2) = 4.3027: .5 -+ .24842
        ([1.0] * 12, (0.75751, 1.0), "wilson, all equal"),  # 12 / (12 + 3.8415)
        ([0.0] * 12, (0.0, 0.24249), "wilson, all equal"),
        ([0.5] * 10, HALF, "wilson, all equal"),
    ],
)
def test_a_mean_has_students_interval_and_one_of_equal_values_wilsons(values, interval, method):
    found = mean(values)
    assert (found.numerator, found.denominator, found.method) == (pytest.approx(sum(values)), len(values), method)
    assert ends(found) == pytest.approx(interval, abs=1e-4)
    assert (mean([0.3]).value, mean([0.3]).low) == (0.3, None)


def test_clusters_that_agree_within_count_as_one_trial_each():
    # ten answers with ten citations each, five all right and five all wrong: m/(m-1) sum (5^2 * 10) / 100^2 = .02778,
    # n* = .25 / .02778 = 9
    clustered = clustered_rate([(10, 10)] * 5 + [(0, 10)] * 5)
    assert clustered.value == 0.5
    assert ends(clustered) == pytest.approx(wilson(4.5, 9))


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
    assert clustered_bounded_rate([(2, 2)]).upper_bound == 1.0
