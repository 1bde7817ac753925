"""Logistic regression whose weights are never negative: what must speak for an answer never counts against it.

Without that a fit takes over what happens to hold in the documents it saw and misleads where it does not hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PENALTY = 0.01
"""The L2 penalty on standardised signals, against the mean loss of a question."""
PENALTY_OF_FEW = 3.0
"""Added to it over the number of questions, so that a fit on few stays cautious."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A fit: log-odds = intercept + the sum of weight * (signal - mean) / scale."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def probabilities(self, signals: Floats) -> Floats:
        """Return the probability of each row, 0..1: shape `(rows,)`."""
        odds = ((signals - self.means) / self.scales) @ self.weights + self.intercept
        found: Floats = 1 / (1 + np.exp(-odds))
        return found


def moments(signals: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each signal, weighed by `rows`; 1 for one that never changes."""
    means = np.average(signals, axis=0, weights=rows)
    scales = np.sqrt(np.average((signals - means) ** 2, axis=0, weights=rows))
    scales[scales < 1e-6] = 1.0
    return means, scales


def fit_weights(signals: Floats, positive: Sequence[bool] | NDArray[np.bool_], rows: Floats) -> Weights:
    """Return the weights, at least 0, that minimise mean log loss and L2 penalty.

    Args:
        signals: Shape `(rows, signals)`.
        positive: The labels.
        rows: How much each row weighs.
    """
    from scipy.optimize import minimize

    means, scales = moments(signals, rows)
    standard = (signals - means) / scales
    signs, share = np.where(positive, 1.0, -1.0), rows / rows.sum()
    penalty = PENALTY + PENALTY_OF_FEW / len(signals)

    def loss(point: Floats) -> tuple[float, Floats]:
        margins = signs * (standard @ point[:-1] + point[-1])
        slopes = -signs * share * np.exp(-np.logaddexp(0, margins))
        value = float(share @ np.logaddexp(0, -margins) + penalty / 2 * point[:-1] @ point[:-1])
        return value, np.append(standard.T @ slopes + penalty * point[:-1], slopes.sum())

    bounds = [*([(0.0, None)] * signals.shape[1]), (None, None)]
    start = np.zeros(signals.shape[1] + 1)
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 2000})
    return Weights(means, scales, found.x[:-1], float(found.x[-1]))
