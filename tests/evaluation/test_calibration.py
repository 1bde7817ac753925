from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rag.confidence.signals import LOWEST, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.calibration import PENALTY, PENALTY_OF_FEW, calibrate, fit_weights, out_of_fold, refusing
from rag.evaluation.datasets import DataSet, Gold, Question
from rag.evaluation.labelled import FEWEST, Labelled, collect, groups_of, once


def rows(answerable=60, unanswerable=60, *, dataset="one", apart=1.0, seed=0, documents=6):
    """Questions whose signals differ by `apart` standard deviations between the two kinds."""
    dice = np.random.default_rng(seed)
    labels = [True] * answerable + [False] * unanswerable
    return [
        Labelled(
            dataset=dataset,
            group=f"document-{number % documents}",
            answerable=label,
            signals=tuple((dice.normal(apart if label else 0.0, 1.0, len(SIGNALS))).tolist()),
        )
        for number, label in enumerate(labels)
    ]


def test_kinds_that_are_far_apart_are_told_apart_and_enough_labels_have_a_guarantee():
    proven = calibrate(rows(100, 100, apart=3.0), max_false_answer_rate=0.05)
    unproven = calibrate(rows(20, 20, apart=3.0), max_false_answer_rate=0.05)

    assert proven.auroc["one"] > 0.99
    assert proven.counted["one"].coverage.value > 0.9
    assert proven.fit.signals == SIGNALS
    assert all(weight > 0 for weight in proven.fit.weights)
    assert proven.control.bound <= 0.05
    assert unproven.control.threshold is None
    assert unproven.fit.guarantee.startswith("Too few labels: 20 unanswerable questions are labelled, 60 more needed")
    assert 0 < unproven.fit.threshold <= 1


def test_a_signal_that_speaks_against_an_answer_here_is_left_out():
    given = [row.model_copy(update={"signals": (*row.signals[:3], -row.signals[3])}) for row in rows(apart=2.0)]

    assert calibrate(given, max_false_answer_rate=0.1).fit.signals == ("best", "second", "agree")


def test_questions_of_one_document_are_split_by_chapter_and_of_enough_documents_kept_together():
    given = [
        row.model_copy(update={"group": "book.pdf", "chapter": str(number % 6)}) for number, row in enumerate(rows())
    ]
    many = [row.model_copy(update={"chapter": str(number)}) for number, row in enumerate(rows(documents=5))]

    assert set(groups_of(given)) == {f"one/book.pdf/{number}" for number in range(6)}
    assert calibrate(given, max_false_answer_rate=0.05).auroc["one"] > 0.85
    assert set(groups_of(many)) == {f"one/document-{number}" for number in range(5)}


def test_the_threshold_is_decided_by_the_data_sets_that_are_named():
    given = [*rows(dataset="easy", apart=4.0), *rows(dataset="hard", apart=0.0, seed=1)]
    easy, hard = (calibrate(given, max_false_answer_rate=0.2, threshold_on=[name]).fit for name in ("easy", "hard"))

    assert easy.weights == hard.weights
    assert easy.threshold != hard.threshold


def test_two_data_sets_of_one_corpus_weigh_as_much_as_one_of_another_however_large():
    alone = rows(20, 20, dataset="alone")
    pair = [
        row.model_copy(update={"corpus": "pair"})
        for number, name in enumerate(("near", "far"))
        for row in rows(100, 100, dataset=name, seed=number + 1)
    ]
    fit = calibrate([*alone, *pair], max_false_answer_rate=0.1).fit
    means = [np.mean([row.signals[0] for row in part]) for part in (alone, pair)]

    assert fit.means[0] == pytest.approx(np.mean(means), abs=1e-6)
    assert fit.fitted_on[0] == "alone: 20 answerable, 20 unanswerable"


def outcome(best, *, hits=(), other=None, editions=None):
    """What a question finds."""
    decision = SimpleNamespace(inputs={"best": best, "agree": 0.2})
    retrieval = SimpleNamespace(hits=[*hits])
    return SimpleNamespace(retrieval=retrieval, decision=decision, other=other, editions_searched=editions)


def test_collecting_takes_labelled_valid_questions_and_groups_them_by_document(tmp_path):
    questions = (
        Question(qid="1", question="What is firn?", answerable=True, gold=(Gold(document="ice.md", chapter=3),)),
        Question(qid="2", question="What is what?", answerable=False),
        Question(qid="3", question="Not labelled?", answerable=None),
        Question(qid="4", question="hi", answerable=False),
    )
    told = []

    def find(question):
        if len(question) < 3:
            raise InvalidQuery("too short")
        return outcome(0.7, hits=[SimpleNamespace(document="near.md", chapter=None, section="2 Snow")])

    dataset = DataSet(name="ice", folder=tmp_path, questions=questions)
    found = [*collect(dataset, find, progress=lambda done, total: told.append((done, total)))]

    assert [(row.group, row.answerable) for row in found] == [("ice.md", True), ("near.md", False)]
    assert [row.chapter for row in found] == ["3", "2 Snow"]
    assert found[0].signals == (0.7, LOWEST["second"], 0.2, 0.0)
    assert told[-1][1] == 3


@pytest.mark.parametrize(("editions", "decided", "other"), [("latest", 0.6, 0.4), ("all", 0.4, 0.6)])
def test_both_choices_of_editions_are_collected_whichever_the_gate_in_force_took(tmp_path, editions, decided, other):
    question = Question(qid="1", question="What is firn?", answerable=False)
    found = outcome(decided, other=SimpleNamespace(inputs={"best": other}), editions=editions)
    (row,) = collect(DataSet(name="ice", folder=tmp_path, questions=(question,)), lambda _: found)

    assert (row.signals[0], row.otherwise[0]) == (0.6, 0.4)


def test_a_threshold_is_proven_on_the_higher_confidence_of_the_latest_and_of_all_editions():
    given = rows(100, 100, apart=2.0)
    high = (3.0,) * len(SIGNALS)
    left_open = [row if row.answerable else row.model_copy(update={"otherwise": high}) for row in given]
    plain, both = (calibrate(each, max_false_answer_rate=0.1).fit for each in (given, left_open))

    assert both.weights == plain.weights  # fitted on the latest alone
    assert plain.threshold < 0.9 < both.threshold  # all unanswerable ones reach more than .9 with all editions


OF_ONE = [row if row.answerable else row.model_copy(update={"group": "document-0"}) for row in rows()]


@pytest.mark.parametrize(
    ("given", "threshold_on", "message"),
    [
        (rows(FEWEST - 1, 60), None, f"{FEWEST - 1} answerable and 60 unanswerable"),
        (rows(60, FEWEST - 1), None, f"60 answerable and {FEWEST - 1} unanswerable"),
        (rows(0, 0), None, "0 answerable and 0 unanswerable"),
        (rows(documents=1), None, "one document"),
        (OF_ONE, None, "label some of both kinds"),
        ([*rows(), *rows(30, 0, dataset="only")], ["only"], "has unanswerable questions to decide"),
    ],
)
def test_labels_that_cannot_test_a_fit_or_decide_its_threshold_are_refused(given, threshold_on, message):
    more = {"threshold_on": threshold_on} if threshold_on else {}
    with pytest.raises(ConfigurationError, match=message):
        calibrate(given, max_false_answer_rate=0.05, **more)


def test_a_question_that_repeats_another_is_no_new_evidence():
    asked = [("Is it wet?", False), ("Is  it WET?", False), ("Is it wet?", True), ("Is it dry?", False)]
    found = once([Question(qid=str(n), question=text, answerable=label) for n, (text, label) in enumerate(asked)])

    assert [question.qid for question in found] == ["0", "2", "3"]


@pytest.mark.parametrize(("unanswerable", "most"), [(36, 1), (59, 2)])  # at most 5%: 1.8, 2.95
def test_an_unproven_threshold_keeps_the_rate_on_its_own_labels_by_count(unanswerable, most):
    for seed in range(3):
        found = calibrate(rows(60, unanswerable, seed=seed), max_false_answer_rate=0.05)

        assert found.control.threshold is None  # 80 labels are the fewest
        assert found.deciding.numerator <= most
        assert found.deciding.denominator == unanswerable


def test_rates_are_given_with_their_counts_for_each_data_set():
    found = calibrate([*rows(40, 30), *rows(30, 0, dataset="only")], max_false_answer_rate=0.1)
    one, only = found.counted["one"], found.counted["only"]

    assert (one.coverage.denominator, one.false_answers.denominator) == (40, 30)
    assert (only.coverage.denominator, only.false_answers.denominator) == (30, 0)
    assert one.false_answers == found.deciding
    assert (found.auroc["only"], only.false_answers.value) == (None, None)
    assert only.coverage.value is not None
    assert "NaN" not in found.model_dump_json()


def test_unsure_begins_where_at_most_the_share_asked_for_is_refused_of_the_answerable():
    given = rows(100, 100, apart=1.0)
    tenth, whole = (calibrate(given, max_false_answer_rate=0.1, max_refused_rate=most) for most in (0.1, 1.0))

    assert (tenth.refused.numerator, tenth.refused.denominator) == (10, 100)  # none of them equal to another
    assert tenth.refused.upper_bound == pytest.approx(0.1637, abs=1e-4)  # P(Beta(11, 90) <= x) = .95
    assert tenth.counted["one"].refused == tenth.refused
    assert tenth.fit.unsure_threshold < tenth.fit.threshold
    assert whole.fit.unsure_threshold == whole.fit.threshold  # never above it, though all may be refused
    # equal confidences are refused together or not at all
    assert [refusing([0.3, 0.3, one, 0.9], most=0.5) for one in (0.3, 0.8)] == [0.3, 0.8]


def test_groups_are_held_out_whole():
    given = [*rows(documents=1, apart=2.0), *rows(dataset="one", apart=-2.0, seed=1)]
    given[120:] = [row.model_copy(update={"group": "other"}) for row in given[120:]]
    scores = out_of_fold(given)

    # each is judged by the other's fit, which found that high signals speak for nothing: no signal may count against
    assert scores[:120].std() == pytest.approx(0.0, abs=1e-9)
    assert scores[120:].std() > 0.05


def test_weights_that_may_be_as_they_are_are_those_of_the_usual_logistic_regression():
    dice = np.random.default_rng(3)
    positive = dice.random(400) < 0.5
    signals = dice.normal(size=(400, 4)) + np.outer(positive, [1.0, 0.5, 1.0, 0.3])
    found = fit_weights(signals, positive, np.ones(len(signals)))
    standard = (signals - signals.mean(axis=0)) / signals.std(axis=0)
    penalty = PENALTY + PENALTY_OF_FEW / len(signals)
    usual = LogisticRegression(C=1 / (penalty * len(signals)), max_iter=5000, tol=1e-9).fit(standard, positive)

    assert found.weights == pytest.approx(usual.coef_[0], abs=1e-3)
    assert found.intercept == pytest.approx(usual.intercept_[0], abs=1e-3)


def test_a_row_that_weighs_three_counts_as_three_rows():
    found = fit_weights(np.ones((2, 1)), [True, False], np.array([3.0, 1.0]))

    assert found.probabilities(np.ones((1, 1)))[0] == pytest.approx(0.75, abs=1e-4)


def test_a_promise_on_few_questions_to_come_takes_a_stricter_threshold_than_one_on_the_long_run():
    given = rows(200, 200, apart=2.0)
    long_run = calibrate(given, max_false_answer_rate=0.1, horizon=None).fit
    next_fifty = calibrate(given, max_false_answer_rate=0.1, horizon=50).fit

    assert next_fifty.threshold > long_run.threshold
    assert "among the next 50" in next_fifty.guarantee
    assert "among the next 200" in calibrate(given, max_false_answer_rate=0.1).fit.guarantee


@pytest.mark.parametrize(("rates", "named"), [((0.0, 0.1), "false"), ((1.0, 0.1), "false"), ((0.05, 1.5), "refused")])
def test_a_rate_outside_its_range_is_refused_whatever_labels_there_are(rates, named):
    with pytest.raises(ConfigurationError, match=f"--max-{named}"):
        calibrate([], max_false_answer_rate=rates[0], max_refused_rate=rates[1])
