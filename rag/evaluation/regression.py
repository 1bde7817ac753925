"""Logistic regression whose weights keep their direction: what must speak for an answer never counts against it.

Without that a fit takes over what happens to hold in the documents it saw (questions whose words stand together were
more often near misses there) and misleads where it does not hold: fitted on one kind of text and judged on another,
directions raised the AUROC from .918 to .939 and cost nothing at home.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.confidence.forest import Floats, Forest

PENALTY = 0.01
"""The L2 penalty on standardised signals, against the mean loss of a question."""
PENALTY_OF_FEW = 3.0
"""Added to it over the number of questions, so that a fit on few stays cautious."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A fit: log-odds = intercept + the sum of weight * (signal - mean) / scale + what trees add, where it has any."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float
    trees: Forest | None = None

    def odds(self, signals: Floats) -> Floats:
        """Return the log-odds of each row: shape `(rows,)`."""
        found: Floats = ((signals - self.means) / self.scales) @ self.weights + self.intercept
        return found if self.trees is None else found + self.trees.odds(signals)


def moments(signals: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each signal, weighed by `rows`; 1 for one that never changes."""
    means = np.average(signals, axis=0, weights=rows)
    scales = np.sqrt(np.average((signals - means) ** 2, axis=0, weights=rows))
    scales[scales < 1e-6] = 1.0
    return means, scales


def fit_weights(signals: Floats, positive: NDArray[np.bool_], rows: Floats, directions: Sequence[int]) -> Weights:
    """Return the weights that minimise mean log loss and L2 penalty, none against its direction.

    Args:
        signals: Shape `(rows, signals)`.
        positive: The labels.
        rows: What each row weighs.
        directions: For each signal 1 (its weight is at least 0), -1 (at most 0) or 0 (free).
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

    bounds = [(0.0 if sign > 0 else None, 0.0 if sign < 0 else None) for sign in directions]
    start = np.zeros(signals.shape[1] + 1)
    found = minimize(
        loss, start, jac=True, bounds=[*bounds, (None, None)], method="L-BFGS-B", options={"maxiter": 2000}
    )
    return Weights(means, scales, found.x[:-1], float(found.x[-1]))
