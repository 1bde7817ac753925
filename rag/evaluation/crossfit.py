"""How labelled questions are judged out of fold: by a fit that saw neither them nor their kin.

The fit is a logistic regression whose weights are never negative: what must speak for an answer never counts against
it. Without that a fit takes over what happens to hold in the documents it saw and misleads where it does not hold.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.errors import ConfigurationError
from rag.evaluation.labelled import FOLDS, Labelled, corpus_of, groups_of

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


def fitted_weights(rows: Sequence[Labelled]) -> Weights:
    """Return the fit on these questions.

    Every corpus weighs the same, and so do its data sets; within these every question does. So a confidence is the
    probability of an answer where questions come in the mixture that is labelled.
    """
    return fit_weights(_signals(rows), _labels(rows), _weights(rows))


def out_of_fold(rows: Sequence[Labelled], groups: Sequence[str] = ()) -> Floats:
    """Return each question's confidence by a fit that saw nothing of its group: shape `(rows,)`, 0..1.

    Where a question leaves open which editions are meant, the higher one of both, by which the pipeline decides.

    Args:
        rows: Labelled questions.
        groups: For each the group that a fold holds whole; default: its document or chapter.

    Raises:
        ConfigurationError: The groups are too few, or one holds all questions of a kind.
    """
    from sklearn.model_selection import GroupKFold

    numbers = np.unique(np.array(groups or groups_of(rows)), return_inverse=True)[1]
    folds = min(FOLDS, len(set(numbers.tolist())))
    if folds < 2:
        raise ConfigurationError(
            "All labelled questions belong to one document and chapter: label some of another, to test the fit."
        )
    answerable, found = _labels(rows), np.zeros(len(rows))
    for train, test in GroupKFold(folds).split(numbers, answerable, numbers):
        if answerable[train].all() or not answerable[train].any():
            raise ConfigurationError(
                "All answerable or all unanswerable questions belong to one document (the nearest one counts where "
                "none is named): label some of both kinds that belong to another, to test the fit."
            )
        fitted = fitted_weights([rows[number] for number in train])
        found[test] = confidences(fitted, [rows[number] for number in test])
    return found


def confidences(fitted: Weights, rows: Sequence[Labelled]) -> Floats:
    """Return the confidence of each question, the higher one where it leaves the edition open: shape `(rows,)`."""
    otherwise = np.array([row.otherwise or row.signals for row in rows], dtype=np.float64)
    found: Floats = np.maximum(fitted.probabilities(_signals(rows)), fitted.probabilities(otherwise))
    return found


def _signals(rows: Sequence[Labelled]) -> Floats:
    return np.array([row.signals for row in rows], dtype=np.float64)


def _labels(rows: Sequence[Labelled]) -> NDArray[np.bool_]:
    return np.array([row.answerable for row in rows], dtype=bool)


def _weights(rows: Sequence[Labelled]) -> Floats:
    """Return a weight for each question, so that corpora weigh the same, and so do the data sets of a corpus."""
    kinds = [(corpus_of(row), row.dataset) for row in rows]
    counts = Counter(kinds)
    parts = Counter(corpus for corpus, _ in counts)
    weights = np.array([1 / (counts[kind] * parts[kind[0]]) for kind in kinds])
    scaled: Floats = weights * (len(rows) / weights.sum())
    return scaled
