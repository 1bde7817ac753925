from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rag.confidence.signals import LOWEST, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.calibration import PENALTY, PENALTY_OF_FEW, calibrate, fit_weights, out_of_fold
from rag.evaluation.datasets import DataSet, Gold, Question
from rag.evaluation.labelled import FEWEST, Labelled, Part, collect, groups_of, of_corpora


def rows(answerable=60, unanswerable=60, *, apart=1.0, seed=0, documents=6, **fields):
    """Questions whose signals differ by `apart` standard deviations between the two kinds."""
    dice, made = np.random.default_rng(seed), []
    for n, label in enumerate([True] * answerable + [False] * unanswerable):
        drawn = tuple(dice.normal(apart if label else 0.0, 1.0, len(SIGNALS)).tolist())
        one = {"dataset": "one", "group": f"document-{n % documents}", "answerable": label, "signals": drawn}
        made.append(Labelled(**{**one, **fields}))
    return made


def changed(given, update):  # by a function of a question's number and itself
    return [row.model_copy(update=update(number, row)) for number, row in enumerate(given)]


def fitted(given, target=0.1, **options):
    return calibrate(given, max_false_answer_rate=target, **options)


def test_kinds_far_apart_are_told_apart_enough_labels_have_a_guarantee_and_a_signal_against_an_answer_is_left_out():
    proven, unproven = fitted(rows(100, 100, apart=3.0), 0.05), fitted(rows(20, 20, apart=3.0), 0.05)
    assert proven.auroc["one"] > 0.99
    assert (proven.fit.signals, min(proven.fit.weights) > 0, proven.control.bound <= 0.05) == (SIGNALS, True, True)
    assert unproven.control.threshold is None
    assert unproven.fit.guarantee.startswith("Too few labels: 20 unanswerable questions are labelled, 60 more needed")
    given = changed(rows(apart=2.0), lambda _, row: {"signals": (*row.signals[:3], -row.signals[3])})
    assert fitted(given).fit.signals == ("best", "second", "agree")


def test_one_document_is_split_by_chapter_of_enough_each_is_kept_together_and_groups_are_held_out_whole():
    given = changed(rows(), lambda number, _: {"group": "book.pdf", "chapter": str(number % 6)})
    many = changed(rows(documents=5), lambda number, _: {"chapter": str(number)})
    assert set(groups_of(given)) == {f"one/book.pdf/{number}" for number in range(6)}
    assert set(groups_of(many)) == {f"one/document-{number}" for number in range(5)}
    scores = out_of_fold([*rows(documents=1, apart=2.0), *rows(group="other", apart=-2.0, seed=1)])
    # each is judged by the other's fit, which found that high signals speak for nothing: no signal may count against
    assert scores[:120].std() == pytest.approx(0.0, abs=1e-9)
    assert scores[120:].std() > 0.05


def test_the_data_sets_that_are_named_decide_the_threshold_and_two_of_one_corpus_weigh_as_much_as_one_of_another():
    given = [*rows(dataset="easy", apart=4.0), *rows(dataset="hard", apart=0.0, seed=1)]
    easy, hard = (fitted(given, 0.2, threshold_on=[name]).fit for name in ("easy", "hard"))
    assert (easy.weights == hard.weights, easy.threshold == hard.threshold) == (True, False)
    alone = rows(20, 20, dataset="alone")
    pair = [row for name, seed in (("near", 1), ("far", 2)) for row in rows(dataset=name, corpus="pair", seed=seed)]
    means = [np.mean([row.signals[0] for row in part]) for part in (alone, pair)]
    fit = fitted([*alone, *pair]).fit
    assert fit.means[0] == pytest.approx(np.mean(means), abs=1e-6)
    assert fit.fitted_on[0] == "alone: 20 answerable, 20 unanswerable"


def collected(questions, find):
    return [*collect(DataSet(name="ice", folder=".", questions=tuple(questions)), find)]


def outcome(best, *, hits=(), other=None, editions=None):
    decision, retrieval = SimpleNamespace(inputs={"best": best, "agree": 0.2}), SimpleNamespace(hits=[*hits])
    return SimpleNamespace(retrieval=retrieval, decision=decision, other=other, editions_searched=editions)


def test_collecting_takes_labelled_valid_questions_and_groups_them_by_document():
    def find(question):
        if len(question) < 3:
            raise InvalidQuery("too short")
        return outcome(0.7, hits=[SimpleNamespace(document="near.md", chapter=None, section="2 Snow")])

    asked = [("What is firn?", True), ("What is what?", False), ("Not labelled?", None), ("hi", False)]
    questions = [Question(qid=str(n), question=text, answerable=label) for n, (text, label) in enumerate(asked)]
    questions[0] = questions[0].model_copy(update={"gold": (Gold(document="ice.md", chapter=3),)})
    found = collected(questions, find)
    places = [("ice.md", "3", True), ("near.md", "2 Snow", False)]
    assert [(row.group, row.chapter, row.answerable) for row in found] == places
    assert found[0].signals == (0.7, LOWEST["second"], 0.2, 0.0)


def test_a_threshold_is_proven_on_the_higher_confidence_of_the_latest_and_of_all_editions_whichever_the_gate_took():
    for editions, decided, other in (("latest", 0.6, 0.4), ("all", 0.4, 0.6)):
        found = outcome(decided, other=SimpleNamespace(inputs={"best": other}), editions=editions)
        (row,) = collected([Question(qid="1", question="What is firn?", answerable=False)], lambda _, one=found: one)
        assert (row.signals[0], row.otherwise[0]) == (0.6, 0.4)
    given, high = rows(100, 100, apart=2.0), (3.0,) * len(SIGNALS)
    left_open = changed(given, lambda _, row: {} if row.answerable else {"otherwise": high})
    plain, both = (fitted(each).fit for each in (given, left_open))
    assert both.weights == plain.weights  # fitted on the latest alone
    assert plain.threshold < 0.9 < both.threshold  # all unanswerable ones reach more than .9 with all editions


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (rows(FEWEST - 1, 60), {}, f"{FEWEST - 1} answerable and 60 unanswerable"),
        (rows(documents=1), {}, "one document"),
        (changed(rows(), lambda _, row: {} if row.answerable else {"group": "document-0"}), {}, "of both kinds"),
        ([*rows(), *rows(30, 0, dataset="only")], {"threshold_on": ["only"]}, "unanswerable questions to decide"),
    ],
)
def test_labels_that_cannot_test_a_fit_or_decide_its_threshold_are_refused(given, options, message):
    with pytest.raises(ConfigurationError, match=message):
        fitted(given, **options)


def test_unsure_begins_where_at_most_the_share_asked_for_is_refused_of_the_answerable():
    tenth, whole = (fitted(rows(100, 100), max_refused_rate=most) for most in (0.1, 1.0))
    assert (tenth.refused.numerator, tenth.refused.denominator) == (10, 100)  # none of them equal to another
    assert tenth.refused.upper_bound == pytest.approx(0.1637, abs=1e-4)  # P(Beta(11, 90) <= x) = .95
    assert tenth.counted["one"].refused == tenth.refused
    assert tenth.counted["one"].false_answers == tenth.deciding
    assert tenth.fit.unsure_threshold < tenth.fit.threshold
    assert whole.fit.unsure_threshold == whole.fit.threshold  # never above it, though all may be refused


def test_weights_that_may_be_as_they_are_are_those_of_the_usual_logistic_regression():
    dice = np.random.default_rng(3)
    positive = dice.random(400) < 0.5
    signals = dice.normal(size=(400, 4)) + np.outer(positive, [1.0, 0.5, 1.0, 0.3])
    found = fit_weights(signals, positive, np.ones(len(signals)))
    standard = (signals - signals.mean(axis=0)) / signals.std(axis=0)
    strength = 1 / (PENALTY * len(signals) + PENALTY_OF_FEW)
    usual = LogisticRegression(C=strength, max_iter=5000, tol=1e-9).fit(standard, positive)
    assert found.weights == pytest.approx(usual.coef_[0], abs=1e-3)
    assert found.intercept == pytest.approx(usual.intercept_[0], abs=1e-3)
    thrice = fit_weights(np.ones((2, 1)), [True, False], np.array([3.0, 1.0]))  # a row that weighs three is three rows
    assert thrice.probabilities(np.ones((1, 1)))[0] == pytest.approx(0.75, abs=1e-4)


def part(dataset, **documents):  # a question about each document; their contents by their names
    made = [Labelled(dataset=dataset, group=name, answerable=True, signals=(0.0,) * len(SIGNALS)) for name in documents]
    return Part(made, list(documents.items()))


def test_data_sets_that_share_a_document_also_by_way_of_a_third_are_one_corpus_and_by_its_name_alone_are_not():
    parts = [part("a", x="1", y="2"), part("alone", x="9"), part("b", z="3"), part("c", y="2", z="3")]
    found = of_corpora(parts)
    assert [row.of for row in found] == ["a", "a", "alone", "a", "a", "a"]
    assert [row.dataset for row in found] == ["a", "a", "alone", "b", "c", "c"]  # in order, and each keeps its own name
    assert found[2] == parts[1].rows[0]
