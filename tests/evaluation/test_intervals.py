import pytest

from rag.evaluation.intervals import clopper_pearson_upper, clustered_bounded_rate, clustered_rate, mean, wilson


@pytest.mark.parametrize(
    ("values", "interval", "method"),
    [
        ([0, 1], (0.0, 1.0), "t"),  # s = .7071, s/sqrt(2) = .5, t(1) = 12.706: wider than 0..1, clamped
        ([0.4, 0.5, 0.6], (0.25158, 0.74842), "t"),  # s = .1, s/sqrt(3) = .057735, t(2) = 4.3027: .5 -+ .24842
        ([1.0] * 12, (0.75751, 1.0), "wilson, all equal"),  # 12 / (12 + 3.8415)
        # z^2 = 3.8415: centre (.5 + .19207) / 1.38415 = .5, half 1.96 * sqrt(.025 + .0096036) / 1.38415
        ([0.5] * 10, (0.2366, 0.7634), "wilson, all equal"),
    ],
)
def test_a_mean_has_students_interval_and_one_of_equal_values_wilsons(values, interval, method):
    found = mean(values)
    assert (found.numerator, found.denominator, found.method) == (pytest.approx(sum(values)), len(values), method)
    assert (found.low, found.high) == pytest.approx(interval, abs=1e-4)
    assert (mean([0.3]).value, mean([0.3]).low) == (0.3, None)


def test_trials_of_one_cluster_are_one_piece_of_evidence_as_far_as_they_agree():
    # ten answers with ten citations each, five all right and five all wrong: m/(m-1) sum (5^2 * 10) / 100^2 = .02778,
    # n* = .25 / .02778 = 9
    ten = clustered_rate([(10, 10)] * 5 + [(0, 10)] * 5)
    assert (ten.low, ten.high) == pytest.approx(wilson(4.5, 9))
    none = clustered_bounded_rate([(0, 5)] * 20)
    assert (none.numerator, none.denominator, none.value) == (0, 100, 0.0)
    assert none.upper_bound == pytest.approx(1 - 0.05 ** (1 / 20))  # of 20 answers, not of 100 sentences
    apart, together = [(1, 5)] * 5 + [(0, 5)] * 15, [(5, 5)] + [(0, 5)] * 19
    assert clustered_bounded_rate(together).upper_bound > clustered_bounded_rate(apart).upper_bound
    alone = clustered_bounded_rate([(1, 1)] + [(0, 1)] * 19)
    assert alone.upper_bound == pytest.approx(clopper_pearson_upper(1, 20), abs=0.01)
