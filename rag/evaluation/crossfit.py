"""What is fitted on labelled questions, and how they are judged out of fold: by a fit that saw neither them nor kin."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag.confidence.forest import Floats
from rag.confidence.signals import DIRECTIONS, SIGNALS
from rag.errors import ConfigurationError
from rag.evaluation.boosting import fit_both
from rag.evaluation.labelled import FOLDS, Labelled, corpus_of, groups_of, names_of
from rag.evaluation.regression import Weights, fit_weights

FEWEST_FOR_TREES = 1000
"""Labelled questions below which trees are not tried."""
Shape = Literal["logistic", "both"]
_FITS: dict[Shape, Callable[[Floats, NDArray[np.bool_], Floats, Sequence[int]], Weights]] = {
    "logistic": fit_weights,
    "both": fit_both,
}


def better_shape(rows: Sequence[Labelled]) -> Shape:
    """Return what to fit: trees where questions are enough for them and their log loss out of fold is lower."""
    if len(rows) < FEWEST_FOR_TREES:
        return "logistic"
    _, answerable, weights, _ = _to_fit(rows)
    losses: dict[Shape, float] = {
        shape: _log_loss(out_of_fold(rows, shape=shape), answerable, weights) for shape in _FITS
    }
    return min(losses, key=lambda shape: losses[shape])


def _log_loss(confidences: Floats, answerable: NDArray[np.bool_], weights: Floats) -> float:
    """Return the weighed mean of -log of the probability that was given to what is so."""
    given = np.clip(np.where(answerable, confidences, 1 - confidences), 1e-12, 1.0)
    return float(-np.average(np.log(given), weights=weights))


def out_of_fold(rows: Sequence[Labelled], *, shape: Shape) -> Floats:
    """Return each question's confidence by a fit that saw neither it nor its group: shape `(rows,)`, 0..1.

    Where a question leaves open which editions are meant, the higher one of both, by which the pipeline decides.
    """
    return _out_of_fold(*_to_fit(rows), _otherwise(rows), groups_of(rows), _FITS[shape])


def fitted_weights(rows: Sequence[Labelled], *, shape: Shape) -> Weights:
    """Return the fit on these questions."""
    return _FITS[shape](*_to_fit(rows))


def _to_fit(rows: Sequence[Labelled]) -> tuple[Floats, NDArray[np.bool_], Floats, list[int]]:
    """Return what a fit takes: signals, labels, what each question weighs, and each signal's direction."""
    signals = np.array([row.signals for row in rows], dtype=np.float64)
    answerable = np.array([row.answerable for row in rows], dtype=bool)
    return signals, answerable, _weights(rows), [DIRECTIONS[name] for name in names_of(signals.shape[1] > len(SIGNALS))]


def _otherwise(rows: Sequence[Labelled]) -> Floats:
    """Return the signals with all editions searched, or once more the same where there is no such choice.

    Where the reader's signal was put in or taken out of the others only, these are of another length and count as none.
    """
    alike = (row.otherwise if len(row.otherwise) == len(row.signals) else row.signals for row in rows)
    return np.array([*alike], dtype=np.float64)


def _weights(rows: Sequence[Labelled]) -> Floats:
    """Return a weight for each question, so that corpora weigh the same, and so do a corpus's data sets and kinds."""
    kinds = [(corpus_of(row), row.dataset, row.answerable) for row in rows]
    counts = Counter(kinds)
    parts = Counter(corpus for corpus, _, _ in counts)
    weights = np.array([1 / (counts[kind] * parts[kind[0]]) for kind in kinds])
    scaled: Floats = weights * (len(rows) / weights.sum())
    return scaled


def _out_of_fold(
    signals: Floats,
    answerable: NDArray[np.bool_],
    weights: Floats,
    directions: Sequence[int],
    otherwise: Floats,
    groups: Sequence[str],
    fit: Callable[[Floats, NDArray[np.bool_], Floats, Sequence[int]], Weights],
) -> Floats:
    """Return each question's confidence by what is fitted on the other folds."""
    from sklearn.model_selection import GroupKFold

    numbers = np.unique(np.array(groups), return_inverse=True)[1]
    found = np.zeros(len(signals))
    folds = min(FOLDS, len(set(groups)))
    if folds < 2:
        raise ConfigurationError(
            "All labelled questions belong to one document and chapter: label some of another, to test the fit."
        )
    for train, test in GroupKFold(folds).split(signals, answerable, numbers):
        if answerable[train].all() or not answerable[train].any():
            raise ConfigurationError(
                "All answerable or all unanswerable questions belong to one document (the nearest one counts where "
                "none is named): label some of both kinds that belong to another, to test the fit."
            )
        fitted = fit(signals[train], answerable[train], weights[train], directions)
        odds = np.maximum(fitted.odds(signals[test]), fitted.odds(otherwise[test]))
        found[test] = 1 / (1 + np.exp(-odds))
    return found
