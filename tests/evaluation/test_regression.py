"""Logistic regression without negative weights: against a closed form and scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rag.evaluation.crossfit import PENALTY, PENALTY_OF_FEW, fit_weights


def drawn(count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Two signals for an answer, one against it, one that says little."""
    dice = np.random.default_rng(3)
    positive = dice.random(count) < 0.5
    signals = dice.normal(size=(count, 4)) + np.outer(positive, [1.0, 0.5, -1.0, 0.3])
    return signals, positive


def test_weights_that_may_be_as_they_are_are_those_of_the_usual_logistic_regression() -> None:
    signals, positive = drawn()
    signals[:, 2] *= -1  # all four for an answer
    found = fit_weights(signals, positive, np.ones(len(signals)))
    standard = (signals - signals.mean(axis=0)) / signals.std(axis=0)
    penalty = PENALTY + PENALTY_OF_FEW / len(signals)
    usual = LogisticRegression(C=1 / (penalty * len(signals)), max_iter=5000, tol=1e-9).fit(standard, positive)

    assert found.weights == pytest.approx(usual.coef_[0], abs=1e-3)
    assert found.intercept == pytest.approx(usual.intercept_[0], abs=1e-3)


def test_a_row_that_weighs_three_counts_as_three_rows() -> None:
    found = fit_weights(np.ones((2, 1)), [True, False], np.array([3.0, 1.0]))

    assert found.probabilities(np.ones((1, 1)))[0] == pytest.approx(0.75, abs=1e-4)
