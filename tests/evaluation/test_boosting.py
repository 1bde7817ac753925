"""Boosted trees: as scikit-learn computes them, and never against a signal's direction."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from rag.evaluation.boosting import LEAST, fit_both, fit_trees, forest_of
from rag.evaluation.regression import fit_weights

DICE = np.random.default_rng(0)
SIGNALS = DICE.random((2000, 3))
BOTH = (SIGNALS[:, 0] > 0.5) & (SIGNALS[:, 1] > 0.5)
"""What a sum of weights cannot say: both signals are needed, and one does not make up for the other."""


def test_the_forest_gives_what_the_library_gives():
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=50, random_state=0).fit(SIGNALS, BOTH)
    start = model._baseline_prediction.item()

    assert forest_of(model).odds(SIGNALS) + start == pytest.approx(model.decision_function(SIGNALS), abs=1e-4)


def test_trees_learn_that_two_signals_are_needed_together():
    found = fit_trees(SIGNALS, BOTH, np.ones(2000), [1, 1, 0])
    high = found.odds(np.array([[0.9, 0.9, 0.5], [0.9, 0.1, 0.5], [0.1, 0.9, 0.5]]))

    assert high[0] > 3
    assert (high[1:] < -3).all()


def test_more_of_a_signal_that_speaks_for_an_answer_never_counts_against_it():
    wrong = SIGNALS[:, 0] < 0.5  # the labels say the contrary of the direction
    steps = np.linspace(0, 1, 50)
    rows = np.stack([steps, np.full(50, 0.5), np.full(50, 0.5)], axis=1)

    assert (np.diff(fit_trees(SIGNALS, wrong, np.ones(2000), [1, 0, 0]).odds(rows)) >= 0).all()
    assert (np.diff(fit_trees(SIGNALS, wrong, np.ones(2000), [0, 0, 0]).odds(rows)) < 0).any()


def test_a_row_counts_as_much_as_it_weighs():
    signals, positive = np.zeros((4 * LEAST, 1)), np.arange(4 * LEAST) % 2 == 0
    weighed = fit_trees(signals, positive, np.where(positive, 3.0, 1.0), [0])

    assert weighed.odds(np.zeros((1, 1)))[0] == pytest.approx(np.log(3), abs=1e-3)  # 3 to 1, and nothing to tell apart


def test_the_same_questions_give_the_same_trees():
    one, other = (fit_trees(SIGNALS, BOTH, np.ones(2000), [1, 1, 0]) for _ in range(2))

    assert one.trees == other.trees


def test_both_together_are_the_mean_of_their_log_odds():
    given = SIGNALS, BOTH, np.ones(2000), [1, 1, 0]
    mean = (fit_weights(*given).odds(SIGNALS) + fit_trees(*given).odds(SIGNALS)) / 2

    assert fit_both(*given).odds(SIGNALS) == pytest.approx(mean, abs=1e-4)
