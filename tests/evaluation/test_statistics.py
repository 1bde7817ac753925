"""Rates, intervals, agreement, thresholds with their promises, differences with their tests: by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from rag.errors import ConfigurationError
from rag.evaluation.agreement import SETTLED, agreement, agreement_of_all, alpha
from rag.evaluation.differences import EXACT, mcnemar, paired_interval, sign_flips
from rag.evaluation.intervals import clopper_pearson_upper, clustered_bounded_rate, clustered_rate, mean, wilson
from rag.evaluation.promises import readings
from rag.evaluation.risk import allowed_false_answers, labels_needed, refusing, threshold_for, threshold_keeping
from rag.evaluation.selective import aurc, auroc, coverage_at
from rag.workspace.values import Label


def test_a_mean_has_students_interval_and_one_of_equal_values_wilsons():
    for values, interval, method in (
        ([0, 1], (0.0, 1.0), "t"),  # s = .7071, s/sqrt(2) = .5, t(1) = 12.706: wider than 0..1, clamped
        ([0.4, 0.5, 0.6], (0.25158, 0.74842), "t"),  # s = .1, s/sqrt(3) = .057735, t(2) = 4.3027: .5 -+ .24842
        ([1.0] * 12, (0.75751, 1.0), "wilson, all equal"),  # 12 / (12 + 3.8415)
        # z^2 = 3.8415: centre (.5 + .19207) / 1.38415 = .5, half 1.96 * sqrt(.025 + .0096036) / 1.38415
        ([0.5] * 10, (0.2366, 0.7634), "wilson, all equal"),
    ):
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


LABELLED = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.booleans()), min_size=2, max_size=30)
REST = [n / 100 for n in range(50)]


def test_auroc_has_delongs_interval_and_where_that_says_nothing_newcombes():
    for confidences, labels, value, interval, method in (
        # positives .9 .6 .4, negatives .5 .3: V10 = 1, 1, .5; V01 = 2/3, 1; var(V10) = .08333, var(V01) = .05556;
        # variance .08333/3 + .05556/2 = .055556; logit 1.60944; half 1.95996 * .235702 / .138889 = 3.32619
        ([0.9, 0.6, 0.4, 0.5, 0.3], [True] * 3 + [False] * 2, 5 / 6, (0.1523, 0.9929), "delong, logit"),
        # the root of 1 - t = z^2/4 * t * (1 + (1-t)/(2-t) + t/(1+t)): at t = .3857 both sides are .6143
        ([0.9, 0.8, 0.2, 0.1], [True] * 2 + [False] * 2, 1, (0.3857, 1), "newcombe 5"),
        # a single question of a kind, above 49 of 50; Newcombe's method 5 with 1 and 50: the roots of
        # |t - .98| = 1.96 sqrt(t (1 - t) (1 + 24.5 (...)) / 50)
        ([0.485, *REST], [True] + [False] * 50, 0.98, (0.4135, 0.9996), "newcombe 5"),
    ):
        found = auroc(confidences, labels)
        assert (found.value, found.method) == (pytest.approx(value), method)
        assert (found.low, found.high) == pytest.approx(interval, abs=5e-4)


def test_figures_over_one_kind_are_null_and_where_no_resample_differs_coverage_has_wilsons_interval_and_aurc_none():
    for labelled in (([0.9, 0.2], [True, True]), ([0.9], [False]), ([], [])):
        figures = auroc(*labelled), aurc(*labelled), *coverage_at(*labelled, [0.05])
        assert [one.value for one in figures] == [None] * 3
    confidences, labels = [0.9] * 12 + [0.1] * 8, [True] * 12 + [False] * 8
    one, area = coverage_at(confidences, labels, [0.05])[0], aurc(confidences, labels)
    # 12 of 12: low 12 / (12 + 3.8415)
    assert (one.value, one.low, one.high) == (1.0, pytest.approx(0.75751, abs=1e-5), 1.0)
    assert one.method == "wilson, resamples alike"
    assert (area.value > 0, area.low, area.high) == (True, None, None)


def test_aurc_means_the_risks_over_the_orders_of_equal_confidences_which_coverage_at_a_limit_does_not_split():
    # by confidence: right, wrong, right: risks 0, 1/2, 1/3; equal ones, orders RW: 0, 1/2; WR: 1, 1/2
    assert aurc([0.9, 0.8, 0.7], [True, False, True]).value == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    assert aurc([0.5, 0.5], [True, False]).value == pytest.approx(0.5)
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


def test_58_labels_are_too_few_for_five_percent_59_suffice_and_arguments_outside_their_range_are_refused():
    few, enough = threshold_for([0.1] * 58, target=0.05), threshold_for([0.1] * 59, target=0.05)
    assert (few.threshold, few.needed, few.bound) == (None, 1, None)
    assert "1 more needed" in few.reason
    assert enough.threshold == pytest.approx(0.1001)  # the first of the grid above .1
    assert (enough.false_answers, enough.needed) == (0, 0)
    assert enough.bound == pytest.approx(1 - 0.05 ** (1 / 59))
    assert threshold_for([], target=0.01).needed == 299  # log .05 / log .99 = 298.07
    for wrong in ({"target": 0}, {"confidence": 1}, {"horizon": 0}, {}):
        with pytest.raises(ConfigurationError):
            threshold_for([0.1, 0.2 if wrong else 1.5], **{"target": 0.1, **wrong})


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


TWENTY = [number / 100 for number in range(1, 21)]  # twenty unanswerable questions: 0.01, 0.02, ... 0.20.


def read(unanswerable, answerable, *, target, later=0):
    """Read questions by their confidence; the first `later` unanswerable ones were refused after the gate."""
    numbers = range(len(unanswerable) + len(answerable))
    frame = pd.DataFrame({"confidence": [*unanswerable, *answerable], "number": numbers, "age": numbers})
    frame["answerable"] = [0.0] * len(unanswerable) + [1.0] * len(answerable)
    frame["answers"] = [number >= later for number in numbers]
    return readings(frame, target=target, confidence=0.95, horizon=100)


def test_an_observed_rate_is_kept_on_exactly_these_questions_and_promises_need_more_labels():
    observed, _, _ = read(TWENTY, [0.195, 0.5], target=0.10)
    assert observed.threshold == 0.1801  # two of twenty may be answered: .19 and .20; just above .18
    assert (observed.false_answers, observed.unanswerable) == (2, 20)
    assert (observed.coverage.numerator, observed.coverage.denominator) == (2, 2)
    _, long_run, coming = read(TWENTY, [0.5], target=0.05)
    assert (long_run.threshold, long_run.needed) == (None, 39)  # 59 with none answered: .95^59 < .05
    assert "39 more needed" in long_run.words
    assert (coming.threshold, coming.needed > 39) == (None, True)


def test_without_labels_confidences_or_doubt_there_is_no_threshold_and_what_was_refused_later_is_no_false_answer():
    for unanswerable, needed in (([], 1), ([1.0, 0.5], 0)):
        observed, long_run, _ = read(unanswerable, [0.5], target=0.05)
        assert (observed.threshold, observed.needed, long_run.threshold) == (None, needed, None)
    observed, _, _ = read([0.9, 0.1], [], target=0.10, later=1)
    assert (observed.threshold, observed.coverage) == (0.1001, None)
    for reading in read([float("nan")] * 2, [float("nan")], target=0.05):
        assert (reading.unanswerable, reading.needed, reading.threshold) == (2, 0, None)
        assert reading.words.startswith("2 unanswerable questions are labelled, but no confidence of this estimator")


def means(changes):
    """Two runs whose questions have one value each and differ by these changes."""
    after = np.ones((len(changes), 2))
    after[:, 0] = changes
    return after * [0, 1], after


def test_sign_flips_of_shares_are_mcnemars_test_and_drawn_ones_and_the_bootstrap_repeat_and_see_a_difference():
    for gained, lost in ((2, 8), (7, 7), (30, 12)):
        found = sign_flips(*means([1.0] * gained + [-1.0] * lost + [0.0] * 5))
        assert found == pytest.approx(mcnemar(gained, lost), abs=1e-12 if gained + lost <= EXACT else 0.005)
    changed = means([0.1, 0.2, 0.0, 0.3] * 25)
    assert sign_flips(*changed) == sign_flips(*changed) == 1 / 10_001  # never zero
    assert sign_flips(*means([0.1, -0.1] * 50)) > 0.5
    assert sign_flips(*means([0.0] * 50)) == 1
    # mean .15, s = .1118 / sqrt(100) = .0112: .15 -+ .0219
    assert paired_interval(*changed) == paired_interval(*changed) == pytest.approx((0.128, 0.172), abs=0.003)
    assert paired_interval(*means([0.0] * 10)) == (0, 0)


def test_a_ratio_exchanges_questions_with_all_of_their_citations_and_the_bootstrap_weighs_by_them():
    before, after = np.array([[0.0, 1.0], [1.0, 4.0], [2.0, 2.0]]), np.array([[2.0, 2.0], [3.0, 3.0], [1.0, 2.0]])
    differences = []
    for turned in product([False, True], repeat=3):
        both = [(after[n], before[n]) if turn else (before[n], after[n]) for n, turn in enumerate(turned)]
        first, second = (sum(each) for each in zip(*both, strict=True))
        differences.append(second[0] / second[1] - first[0] / first[1])
    # 3/7 against 6/7; 3/7 is reached, besides, only where all are exchanged
    assert differences[0] == pytest.approx(3 / 7)
    assert sign_flips(before, after) == sum(abs(one) >= differences[0] - 1e-12 for one in differences) / 8
    before, after = np.array([[1.0, 1.0], [0.0, 3.0]] * 50), np.array([[0.0, 1.0], [3.0, 3.0]] * 50)
    low, high = paired_interval(before, after)
    assert low < 0.5 < high  # 50 of 200 against 150 of 200, though as many questions lost as gained


def label(who, target, verdict, aspect="answer", item=""):
    return Label(target=target, aspect=aspect, item=item, labeller=who, verdict=verdict)


def both(target, first, second, aspect="answer", item=""):
    return [label("ada", target, first, aspect, item), label("bo", target, second, aspect, item)]


PASSAGES = [
    *both("r1", "relevant", "relevant", "chunk", "c1"),
    *both("r1", "irrelevant", "irrelevant", "chunk", "c2"),
    *both("r1", "irrelevant", "relevant", "chunk", "c3"),
    *both("r2", "irrelevant", "irrelevant", "chunk", "c1"),
    label("ada", "r3", "relevant", "chunk", "c1"),  # judged by one of them alone
]


def test_each_aspect_has_its_own_denominator_passages_of_one_request_depend_and_kappas_interval_ends_where_it_does():
    # 3 of 4 equal. ada: 1 relevant of 4, bo: 2 of 4. p_e = 1/4 * 2/4 + 3/4 * 2/4 = 1/2, kappa = (3/4 - 1/2) / (1/2).
    answers, answerable, passages = agreement([*PASSAGES, *both("r1", "correct", "correct")], "ada", "bo")
    assert (passages.agreement.items, passages.requests, passages.agreement.kappa) == (4, 2, 0.5)
    assert (passages.observed.numerator, passages.observed.denominator) == (3, 4)
    assert (answers.agreement.items, answers.agreement.observed) == (1, 1.0)
    assert (answerable.agreement.items, answerable.observed.value, answerable.low) == (0, None, None)
    verdicts = ("r1", "relevant"), ("r2", "irrelevant")
    many = [one for target, said in verdicts for n in range(12) for one in both(target, said, said, "chunk", str(n))]
    (_, _, passages) = agreement(many, "ada", "bo")
    assert (passages.agreement.items, passages.agreement.kappa, passages.high) == (24, 1.0, 1.0)
    assert passages.observed.low == pytest.approx(1 / (1 + 1.96**2 / 2), abs=1e-3)  # Wilson, 2 of 2: two requests
    # 2 of 4 equal, both say yes 3 times: p_e = 9/16 + 1/16 = 5/8, kappa = (1/2 - 5/8) / (3/8) = -1/3. v = 4/3 / 16 =
    # 1/12, n* = (1/4) / (1/12) = 3. Wilson at 1/2 of 3: .5 -+ 1.96 sqrt(1/12 + 3.8415/36) / 2.2805, .1253 to .8747; as
    # kappa (.1253 - .625) / .375 = -1.33.
    pairs = [("yes", "yes"), ("yes", "yes"), ("yes", "no"), ("no", "yes")]
    (answers, _, _) = agreement([one for n, pair in enumerate(pairs) for one in both(f"r{n}", *pair)], "ada", "bo")
    assert answers.agreement.kappa == pytest.approx(-1 / 3)
    assert (answers.low, answers.high) == (-1.0, pytest.approx((0.8747 - 0.625) / 0.375, abs=5e-4))


def test_three_people_agree_as_far_as_each_aspect_has_it_and_settling_is_no_judgement():
    # r1 yes yes no, r2 no no: o_yy 1, o_yn 1, o_ny 1, o_nn 2; alpha = 1 - 2 / ((2*3 + 3*2) / 4) = 1/3
    three = [("cy", "r1", "no"), ("cy", "r3", "no"), (SETTLED, "r3", "yes")]
    labels = [*both("r1", "yes", "yes", "answerable"), *both("r2", "no", "no", "answerable"), *PASSAGES]
    found = dict(agreement_of_all([*labels, *(label(*one, "answerable") for one in three)]))
    assert found["answerable"].alpha == pytest.approx(1 / 3)
    assert (found["answerable"].items, found["answerable"].verdicts, found["answerable"].requests) == (2, 5, 2)
    assert (found["chunk"].items, found["chunk"].requests) == (4, 2)
    assert (found["answer"].items, found["answer"].alpha) == (0, None)


# Krippendorff 2011, section C: four observers, twelve units, nominal data; a dot is a missing value.
PUBLISHED = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_alpha_is_that_of_the_published_example_and_has_an_interval_from_five_requests_on():
    found = alpha([[[one for one in unit if one != "."]] for unit in zip(*PUBLISHED, strict=True)])
    assert (found.alpha, found.items, found.verdicts) == (pytest.approx(0.743, abs=0.0005), 11, 40)  # one has one value
    assert (alpha([[["yes"] * 3], [["no"] * 2]]).alpha, alpha([[["yes"] * 3], [["yes"] * 2]]).alpha) == (1, None)
    requests = [[["yes", "yes", "yes"]], [["no", "no", "yes"]], [["no", "no"]], [["yes", "yes"]]]
    found = alpha(requests * 5)
    assert alpha(requests).low is None
    assert found.low < found.alpha < found.high <= 1
    assert alpha(requests * 5) == found
