import numpy as np
import pytest

from rag.evaluation.compare import compare, comparison_table
from rag.evaluation.lines import LineTimings
from rag.evaluation.paired import holm, mcnemar, paired_bootstrap, paired_ratio_bootstrap
from rag.evaluation.runs import Run
from rag.evaluation.scores import score_lines
from rag.evaluation.summary import figures

from .made import chunk, line, question


def run(lines, questions, *, fingerprint="a"):
    scores = tuple(score_lines(lines, questions))
    return Run(dataset="set", dataset_fingerprint="d", fingerprint=fingerprint, scores=scores)


def made(found, count=40, *, answered=lambda n: True, confidence=lambda n: 0.5, total=10.0):
    """A run of `count` questions, every fourth unanswerable, in which the first `found` find their document first."""
    questions = [question(f"q{n}", answerable=n % 4 != 0, golds=None if n % 4 else ()) for n in range(count)]
    lines = [
        line(
            f"q{n}",
            answerable=n % 4 != 0,
            answered=answered(n),
            confidence=confidence(n),
            retrieved=[chunk(1, "manual.md" if n < found else "other.md")],
        ).model_copy(update={"timings_ms": LineTimings(total=total + n % 3)})
        for n in range(count)
    ]
    return run(lines, questions)


def figure(comparison, name):
    return next(one for one in comparison.differences if one.figure == name)


def test_mcnemar_is_the_binomial_tail():
    assert mcnemar(0, 0) == 1
    assert mcnemar(3, 3) == 1
    # 2 * (1 + 10) / 2^10
    assert mcnemar(1, 9) == pytest.approx(22 / 1024)
    assert mcnemar(9, 1) == mcnemar(1, 9)
    assert 0 <= mcnemar(3000, 100) < 1e-12


def test_holm_multiplies_by_what_is_left_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_bootstrap_is_repeatable_and_sees_a_clear_difference():
    changes = np.array([0.1, 0.2, 0.0, 0.3] * 25)
    low, high, p_value = paired_bootstrap(changes)
    assert paired_bootstrap(changes) == (low, high, p_value)
    # mean .15, s = .1118 / sqrt(100) = .0112: .15 -+ .0219
    assert (low, high) == (pytest.approx(0.128, abs=0.003), pytest.approx(0.172, abs=0.003))
    assert p_value < 0.001


def test_the_bootstrap_sees_nothing_where_gains_and_losses_are_equal():
    assert paired_bootstrap(np.array([0.1, -0.1] * 50))[2] > 0.5
    assert paired_bootstrap(np.zeros(10)) == (0, 0, 1)


def test_the_bootstrap_of_a_ratio_weighs_a_question_by_its_citations():
    before = np.array([[1.0, 1.0], [0.0, 3.0]] * 50)
    after = np.array([[0.0, 1.0], [3.0, 3.0]] * 50)
    low, high, p_value = paired_ratio_bootstrap(before, after)
    # 50 of 200 against 150 of 200, though as many questions lost as gained
    assert low < 0.5 < high
    assert p_value < 0.001
    assert paired_ratio_bootstrap(before, after) == (low, high, p_value)
    assert paired_ratio_bootstrap(before, before) == (0, 0, 1)


def test_where_every_question_has_one_citation_the_ratio_is_the_mean():
    chance = np.random.default_rng(5)
    before, after = ((chance.random((60, 1)) < share).astype(float) for share in (0.4, 0.6))
    ones = np.ones((60, 1))
    ratio = paired_ratio_bootstrap(np.hstack([before, ones]), np.hstack([after, ones]), seed=3)
    assert ratio == pytest.approx(paired_bootstrap((after - before)[:, 0], seed=3))


def cited(hits):
    """A run whose questions have these successes and citations; None: refused."""
    found = made(0, len(hits))
    scores = [score.model_copy(update={"citation_hits": pair}) for score, pair in zip(found.scores, hits, strict=True)]
    return found.model_copy(update={"scores": tuple(scores)})


def test_citation_precision_is_pooled_over_the_citations_as_evaluate_does():
    before, after = cited([(1, 1), (0, 3), (1, 2), None]), cited([(1, 1), (3, 3), None, (1, 1)])
    found = compare(before, after)
    precision = figure(found, "citation precision")
    # over the two questions that both answered: 1 of 4 and 4 of 4; the mean of the questions' shares was 1/2
    assert (precision.count, precision.before, precision.after) == (2, 0.25, 1.0)
    assert precision.test == "paired bootstrap of the pooled share"
    assert "Citation precision: of all citations of the questions that both runs answered" in comparison_table(found)


def test_compare_and_evaluate_give_citation_precision_alike_where_both_answered_all():
    pairs = [(1, 1), (0, 3), (1, 2), (2, 2)]
    both = cited(pairs)
    precision = figure(compare(both, both), "citation precision")
    assert precision.before == precision.after == figures(both.scores).citation_precision.value == 0.5


def test_a_run_does_not_differ_from_itself():
    found = compare(made(20), made(20))
    assert {one.verdict for one in found.differences} == {"no evidence of a difference"}
    assert found.verdict.startswith("No evidence of a difference in any figure")
    assert found.paired == 40


def test_more_hits_are_an_improvement_and_fewer_a_regression():
    better, worse = compare(made(0), made(40)), compare(made(40), made(0))
    assert figure(better, "hit@1").verdict == "improved"
    assert figure(better, "MRR@10").difference == 1
    assert figure(worse, "hit@1").verdict == "regressed"
    assert figure(better, "hit@1").count == 30
    assert "Improved: hit@1" in better.verdict


def test_more_false_answers_and_more_time_are_regressions():
    before = made(40, 80, answered=lambda n: n % 4 != 0)
    found = compare(before, made(40, 80, total=20.0))
    assert figure(found, "false-answer rate").verdict == "regressed"
    assert figure(found, "milliseconds in total").verdict == "regressed"
    assert figure(found, "coverage").verdict == "no evidence of a difference"


def test_auroc_is_compared_on_the_same_questions():
    blind = made(20, 80, confidence=lambda n: (n * 7 % 80) / 80)
    sharp = made(20, 80, confidence=lambda n: 0.9 - n / 1000 if n % 4 else 0.1 + n / 1000)
    found = figure(compare(blind, sharp), "AUROC of confidence")
    assert (found.after, found.verdict) == (1.0, "improved")
    assert found.low < found.difference < found.high


def test_answers_are_compared_where_both_runs_answered():
    found = compare(made(40, answered=lambda n: n < 20), made(40, answered=lambda n: n >= 10))
    # q11 .. q19 less q12 and q16
    assert figure(found, "answer contains gold").count == 8


def test_questions_of_only_one_run_are_reported():
    found = compare(made(10, 8), made(10, 12))
    assert (found.paired, found.only_before, found.only_after) == (8, (), ("q8", "q9", "q10", "q11"))
    assert "4 questions only in set a" in comparison_table(found)


def test_runs_without_a_common_question_say_so():
    empty = Run(dataset="other", dataset_fingerprint="x", fingerprint="b")
    found = compare(made(4, 4), empty)
    assert (found.paired, found.differences, found.same_questions) == (0, (), False)
    assert "no question in common" in found.verdict
    assert "different versions" in comparison_table(found)


def test_one_difference_by_chance_is_not_a_verdict():
    found = compare(made(20), made(22))  # q21 gained, q20 is unanswerable
    assert figure(found, "hit@1").difference == pytest.approx(1 / 30)
    assert figure(found, "hit@1").verdict == "no evidence of a difference"
    assert figure(found, "hit@1").sentence.startswith("hit@1: no evidence of a difference, 0.5 to 0.5333")
