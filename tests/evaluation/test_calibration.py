from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rag.confidence.signals import LOWEST, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.calibration import PENALTY, PENALTY_OF_FEW, calibrate, fit_weights, out_of_fold
from rag.evaluation.datasets import DataSet, Gold, Question
from rag.evaluation.labelled import FEWEST, Labelled, Part, collect, groups_of, of_corpora
from rag.evaluation.risk import refusing


def rows(answerable=60, unanswerable=60, *, apart=1.0, seed=0, documents=6, **fields):
    """Questions whose signals differ by `apart` standard deviations between the two kinds."""
    dice = np.random.default_rng(seed)
    labels = [True] * answerable + [False] * unanswerable
    drawn = [dice.normal(apart if label else 0.0, 1.0, len(SIGNALS)).tolist() for label in labels]
    made = [
        {"dataset": "one", "group": f"document-{n % documents}", "answerable": label, "signals": tuple(signals)}
        for n, (label, signals) in enumerate(zip(labels, drawn, strict=True))
    ]
    return [Labelled(**{**one, **fields}) for one in made]


def changed(given, update):
    """The questions, each with what a function of its number and itself says."""
    return [row.model_copy(update=update(number, row)) for number, row in enumerate(given)]


def fitted(given, target=0.1, **options):
    return calibrate(given, max_false_answer_rate=target, **options)


def test_kinds_that_are_far_apart_are_told_apart_and_enough_labels_have_a_guarantee():
    proven, unproven = fitted(rows(100, 100, apart=3.0), 0.05), fitted(rows(20, 20, apart=3.0), 0.05)

    assert proven.auroc["one"] > 0.99
    assert proven.counted["one"].coverage.value > 0.9
    assert proven.fit.signals == SIGNALS
    assert all(weight > 0 for weight in proven.fit.weights)
    assert proven.control.bound <= 0.05
    assert unproven.control.threshold is None
    assert unproven.fit.guarantee.startswith("Too few labels: 20 unanswerable questions are labelled, 60 more needed")
    assert 0 < unproven.fit.threshold <= 1


def test_a_signal_that_speaks_against_an_answer_here_is_left_out():
    given = changed(rows(apart=2.0), lambda _, row: {"signals": (*row.signals[:3], -row.signals[3])})
    assert fitted(given).fit.signals == ("best", "second", "agree")


def test_questions_of_one_document_are_split_by_chapter_and_of_enough_documents_kept_together():
    given = changed(rows(), lambda number, _: {"group": "book.pdf", "chapter": str(number % 6)})
    many = changed(rows(documents=5), lambda number, _: {"chapter": str(number)})

    assert set(groups_of(given)) == {f"one/book.pdf/{number}" for number in range(6)}
    assert fitted(given).auroc["one"] > 0.85
    assert set(groups_of(many)) == {f"one/document-{number}" for number in range(5)}


def test_the_threshold_is_decided_by_the_data_sets_that_are_named():
    given = [*rows(dataset="easy", apart=4.0), *rows(dataset="hard", apart=0.0, seed=1)]
    easy, hard = (fitted(given, 0.2, threshold_on=[name]).fit for name in ("easy", "hard"))

    assert easy.weights == hard.weights
    assert easy.threshold != hard.threshold


def test_two_data_sets_of_one_corpus_weigh_as_much_as_one_of_another_however_large():
    alone = rows(20, 20, dataset="alone")
    pair = [row for name, seed in (("near", 1), ("far", 2)) for row in rows(dataset=name, corpus="pair", seed=seed)]
    fit = fitted([*alone, *pair]).fit

    assert fit.means[0] == pytest.approx(
        np.mean([np.mean([r.signals[0] for r in part]) for part in (alone, pair)]), abs=1e-6
    )
    assert fit.fitted_on[0] == "alone: 20 answerable, 20 unanswerable"


def outcome(best, *, hits=(), other=None, editions=None):
    """What a question finds."""
    decision, retrieval = SimpleNamespace(inputs={"best": best, "agree": 0.2}), SimpleNamespace(hits=[*hits])
    return SimpleNamespace(retrieval=retrieval, decision=decision, other=other, editions_searched=editions)


def test_collecting_takes_labelled_valid_questions_and_groups_them_by_document(tmp_path):
    asked = [("What is firn?", True), ("What is what?", False), ("Not labelled?", None), ("hi", False)]
    gold = {0: (Gold(document="ice.md", chapter=3),)}
    questions = [
        Question(qid=str(n), question=text, answerable=label, gold=gold.get(n)) for n, (text, label) in enumerate(asked)
    ]
    told = []

    def find(question):
        if len(question) < 3:
            raise InvalidQuery("too short")
        return outcome(0.7, hits=[SimpleNamespace(document="near.md", chapter=None, section="2 Snow")])

    dataset = DataSet(name="ice", folder=tmp_path, questions=tuple(questions))
    found = [*collect(dataset, find, progress=lambda done, total: told.append((done, total)))]

    assert [(row.group, row.chapter, row.answerable) for row in found] == [
        ("ice.md", "3", True),
        ("near.md", "2 Snow", False),
    ]
    assert found[0].signals == (0.7, LOWEST["second"], 0.2, 0.0)
    assert told[-1][1] == 3


@pytest.mark.parametrize(("editions", "decided", "other"), [("latest", 0.6, 0.4), ("all", 0.4, 0.6)])
def test_both_choices_of_editions_are_collected_whichever_the_gate_in_force_took(tmp_path, editions, decided, other):
    question = Question(qid="1", question="What is firn?", answerable=False)
    found = outcome(decided, other=SimpleNamespace(inputs={"best": other}), editions=editions)
    (row,) = collect(DataSet(name="ice", folder=tmp_path, questions=(question,)), lambda _: found)

    assert (row.signals[0], row.otherwise[0]) == (0.6, 0.4)


def test_a_threshold_is_proven_on_the_higher_confidence_of_the_latest_and_of_all_editions():
    given, high = rows(100, 100, apart=2.0), (3.0,) * len(SIGNALS)
    left_open = changed(given, lambda _, row: {} if row.answerable else {"otherwise": high})
    plain, both = (fitted(each).fit for each in (given, left_open))

    assert both.weights == plain.weights  # fitted on the latest alone
    assert plain.threshold < 0.9 < both.threshold  # all unanswerable ones reach more than .9 with all editions


OF_ONE = changed(rows(), lambda _, row: {} if row.answerable else {"group": "document-0"})


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (rows(FEWEST - 1, 60), {}, f"{FEWEST - 1} answerable and 60 unanswerable"),
        (rows(60, FEWEST - 1), {}, f"60 answerable and {FEWEST - 1} unanswerable"),
        (rows(0, 0), {}, "0 answerable and 0 unanswerable"),
        (rows(documents=1), {}, "one document"),
        (OF_ONE, {}, "label some of both kinds"),
        ([*rows(), *rows(30, 0, dataset="only")], {"threshold_on": ["only"]}, "unanswerable questions to decide"),
        ([], {"target": 0.0}, "--max-false"),
        ([], {"target": 1.0}, "--max-false"),
        ([], {"max_refused_rate": 1.5}, "--max-refused"),
    ],
)
def test_labels_that_cannot_test_a_fit_or_decide_its_threshold_and_rates_outside_their_range_are_refused(
    given, options, message
):
    with pytest.raises(ConfigurationError, match=message):
        fitted(given, **options)


def test_rates_are_given_with_their_counts_for_each_data_set():
    found = fitted([*rows(40, 30), *rows(30, 0, dataset="only")])
    one, only = found.counted["one"], found.counted["only"]

    assert (one.coverage.denominator, one.false_answers.denominator) == (40, 30)
    assert (only.coverage.denominator, only.false_answers.denominator) == (30, 0)
    assert one.false_answers == found.deciding
    assert (found.auroc["only"], only.false_answers.value, only.coverage.value is None) == (None, None, False)
    assert "NaN" not in found.model_dump_json()


def test_unsure_begins_where_at_most_the_share_asked_for_is_refused_of_the_answerable():
    tenth, whole = (fitted(rows(100, 100), max_refused_rate=most) for most in (0.1, 1.0))

    assert (tenth.refused.numerator, tenth.refused.denominator) == (10, 100)  # none of them equal to another
    assert tenth.refused.upper_bound == pytest.approx(0.1637, abs=1e-4)  # P(Beta(11, 90) <= x) = .95
    assert tenth.counted["one"].refused == tenth.refused
    assert tenth.fit.unsure_threshold < tenth.fit.threshold
    assert whole.fit.unsure_threshold == whole.fit.threshold  # never above it, though all may be refused
    # equal confidences are refused together or not at all
    assert [refusing([0.3, 0.3, one, 0.9], most=0.5) for one in (0.3, 0.8)] == [0.3, 0.8]


def test_groups_are_held_out_whole():
    given = [*rows(documents=1, apart=2.0), *rows(group="other", apart=-2.0, seed=1)]
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
    thrice = fit_weights(np.ones((2, 1)), [True, False], np.array([3.0, 1.0]))  # a row that weighs three is three rows
    assert thrice.probabilities(np.ones((1, 1)))[0] == pytest.approx(0.75, abs=1e-4)


def part(dataset, **documents):
    """A data set with a question about each document; the documents' contents by their names."""
    made = [Labelled(dataset=dataset, group=name, answerable=True, signals=(0.0,) * len(SIGNALS)) for name in documents]
    return Part(made, list(documents.items()))


def test_data_sets_that_share_a_document_also_by_way_of_a_third_are_one_corpus_and_by_its_name_alone_are_not():
    parts = [part("a", x="1", y="2"), part("alone", x="9"), part("b", z="3"), part("c", y="2", z="3")]
    found = of_corpora(parts)
    assert [row.of for row in found] == ["a", "a", "alone", "a", "a", "a"]
    assert [row.dataset for row in found] == ["a", "a", "alone", "b", "c", "c"]  # in order, and each keeps its own name
    assert found[2] == parts[1].rows[0]
