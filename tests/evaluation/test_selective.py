import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from rag.evaluation.selective import aurc, auroc, coverage_at

LABELLED = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.booleans()), min_size=2, max_size=30)
REST = [n / 100 for n in range(50)]


@pytest.mark.parametrize(
    ("confidences", "labels", "value", "interval", "method"),
    [
        # positives .9 .6 .4, negatives .5 .3: V10 = 1, 1, .5; V01 = 2/3, 1; var(V10) = .08333, var(V01) = .05556;
        # variance .08333/3 + .05556/2 = .055556; logit 1.60944; half 1.95996 * .235702 / .138889 = 3.32619
        ([0.9, 0.6, 0.4, 0.5, 0.3], [True] * 3 + [False] * 2, 5 / 6, (0.1523, 0.9929), "delong, logit"),
        # the root of 1 - t = z^2/4 * t * (1 + (1-t)/(2-t) + t/(1+t)): at t = .3857 both sides are .6143
        ([0.9, 0.8, 0.2, 0.1], [True] * 2 + [False] * 2, 1, (0.3857, 1), "newcombe 5"),
        # a single question of a kind, above 49 of 50; Newcombe's method 5 with 1 and 50: the roots of
        # |t - .98| = 1.96 sqrt(t (1 - t) (1 + 24.5 (...)) / 50)
        ([0.485, *REST], [True] + [False] * 50, 0.98, (0.4135, 0.9996), "newcombe 5"),
    ],
)
def test_auroc_has_delongs_interval_and_where_that_says_nothing_newcombes(confidences, labels, value, interval, method):
    found = auroc(confidences, labels)
    assert (found.value, found.method) == (pytest.approx(value), method)
    assert (found.low, found.high) == pytest.approx(interval, abs=5e-4)


def test_figures_over_one_kind_of_question_are_null():
    for labelled in (([0.9, 0.2], [True, True]), ([0.9], [False]), ([], [])):
        figures = auroc(*labelled), aurc(*labelled), *coverage_at(*labelled, [0.05])
        assert [one.value for one in figures] == [None] * 3


def test_aurc_is_the_mean_of_the_risks_over_the_orders_of_equal_confidences():
    # by confidence: right, wrong, right: risks 0, 1/2, 1/3; equal ones, orders RW: 0, 1/2; WR: 1, 1/2
    assert aurc([0.9, 0.8, 0.7], [True, False, True]).value == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    assert aurc([0.5, 0.5], [True, False]).value == pytest.approx(0.5)


def test_coverage_at_a_limit_is_read_off_the_curve_and_does_not_split_equal_confidences():
    labels = [True, True, False, True, False, True]
    found = coverage_at([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], labels, [0.0, 0.5, 1.0])
    assert [(one.value, one.numerator, one.denominator) for one in found] == [(0.5, 2, 4), (0.75, 3, 4), (1, 4, 4)]
    assert coverage_at([0.9, 0.9], [True, False], [0.0])[0].value == 0


@settings(deadline=None)
@given(LABELLED.filter(lambda pairs: len({label for _, label in pairs}) == 2))
def test_auroc_agrees_with_scikit_learn_and_lies_in_its_interval(pairs):
    confidences, labels = [a for a, _ in pairs], [b for _, b in pairs]
    found = auroc(confidences, labels)
    assert found.value == pytest.approx(roc_auc_score(labels, confidences))
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_where_no_resample_differs_coverage_has_wilsons_interval_and_aurc_none():
    confidences, labels = [0.9] * 12 + [0.1] * 8, [True] * 12 + [False] * 8
    one, area = coverage_at(confidences, labels, [0.05])[0], aurc(confidences, labels)
    # 12 of 12: low 12 / (12 + 3.8415)
    assert (one.value, one.low, one.high) == (1.0, pytest.approx(0.75751, abs=1e-5), 1.0)
    assert one.method == "wilson, resamples alike"
    assert (area.value > 0, area.low, area.high) == (True, None, None)
