import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from rag.evaluation.selective import aurc, auroc, coverage_at

LABELLED = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.booleans()), min_size=2, max_size=30
)
BOTH = LABELLED.filter(lambda pairs: len({label for _, label in pairs}) == 2)


def test_auroc_has_delongs_interval_on_the_logit_scale():
    # positives .9 .6 .4, negatives .5 .3: V10 = 1, 1, .5; V01 = 2/3, 1; var(V10) = .08333, var(V01) = .05556
    # area 5/6; variance .08333/3 + .05556/2 = .055556; logit 1.60944; half 1.95996 * .235702 / .138889 = 3.32619
    found = auroc([0.9, 0.6, 0.4, 0.5, 0.3], [True, True, True, False, False])
    assert found.value == pytest.approx(5 / 6)
    assert found.low == pytest.approx(0.152339, abs=1e-4)
    assert found.high == pytest.approx(0.992868, abs=1e-4)
    assert found.method == "delong, logit"


def test_a_perfect_auroc_still_has_a_lower_end_below_one():
    few = auroc([0.9, 0.8, 0.2, 0.1], [True, True, False, False])
    many = auroc([0.9] * 200 + [0.1] * 200, [True] * 200 + [False] * 200)
    assert (few.value, few.high) == (1, 1)
    # the root of 1 - t = z^2/4 * t * (1 + (1-t)/(2-t) + t/(1+t)): at t = .3857 both sides are .6143
    assert few.low == pytest.approx(0.3857, abs=5e-4)
    assert 0.97 < many.low < 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_single_question_of_a_kind_makes_the_interval_wide_and_not_narrow(turned):
    rest = [n / 100 for n in range(50)]
    confidences, labels = [0.485, *rest], [not turned, *[turned] * 50]
    found = auroc(confidences, labels)
    # the one is above 49 of 50; turned, 1 of 50 is above the one
    assert found.value == pytest.approx(0.02 if turned else 0.98)
    low, high = (1 - found.high, 1 - found.low) if turned else (found.low, found.high)
    # Newcombe's method 5 with 1 and 50: the roots of |t - .98| = 1.96 sqrt(t (1 - t) (1 + 24.5 (...)) / 50)
    assert (low, high) == (pytest.approx(0.4135, abs=5e-4), pytest.approx(0.9996, abs=5e-4))
    assert found.method == "newcombe 5"


def test_figures_over_one_kind_of_question_are_null():
    assert auroc([0.9, 0.2], [True, True]).value is None
    assert coverage_at([0.9], [True], [0.05])[0].value is None
    assert coverage_at([0.9], [False], [0.05])[0].value is None
    assert aurc([], []).value is None
    assert aurc([0.9, 0.2], [True, True]).value is None


def test_aurc_is_the_mean_of_the_risks_over_the_orders_of_equal_confidences():
    # by confidence: right, wrong, right: risks 0, 1/2, 1/3; equal ones, orders RW: 0, 1/2; WR: 1, 1/2
    assert aurc([0.9, 0.8, 0.7], [True, False, True]).value == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    assert aurc([0.5, 0.5], [True, False]).value == pytest.approx(0.5)


def test_coverage_at_a_limit_is_read_off_the_curve_and_does_not_split_equal_confidences():
    confidences = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    labels = [True, True, False, True, False, True]
    at_none, at_half, at_all = coverage_at(confidences, labels, [0.0, 0.5, 1.0])
    assert at_none.value == pytest.approx(2 / 4)
    assert (at_half.value, at_half.numerator, at_half.denominator) == (3 / 4, 3, 4)
    assert at_all.value == 1
    assert coverage_at([0.9, 0.9], [True, False], [0.0])[0].value == 0


@settings(deadline=None)
@given(BOTH)
def test_auroc_agrees_with_scikit_learn_and_lies_in_its_interval(pairs):
    confidences, labels = [a for a, _ in pairs], [b for _, b in pairs]
    found = auroc(confidences, labels)
    assert found.value == pytest.approx(roc_auc_score(labels, confidences))
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_where_no_resample_differs_coverage_has_wilsons_interval_and_aurc_none():
    confidences, labels = [0.9] * 12 + [0.1] * 8, [True] * 12 + [False] * 8
    one = coverage_at(confidences, labels, [0.05])[0]
    # 12 of 12: low 12 / (12 + 3.8415)
    assert (one.numerator, one.value, one.low, one.high) == (12, 1.0, pytest.approx(0.75751, abs=1e-5), 1.0)
    assert one.method == "wilson, resamples alike"
    area = aurc(confidences, labels)
    assert (area.value > 0, area.low, area.high) == (True, None, None)
