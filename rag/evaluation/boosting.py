"""Boosted trees that keep the direction of each signal: what must speak for an answer never counts against it.

Trees weigh a signal by the others: what a reader makes of a passage counts less where the passage lacks most of the
question's words, and those words count less where the reader is sure. A logistic regression cannot say either. Gradient
boosting (Friedman 2001) by scikit-learn, monotone in every signal that has a direction; few, shallow trees with large
leaves, for the signals mean the same everywhere, and particular values of them do not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.confidence.forest import Floats, Forest
from rag.evaluation.regression import Weights, fit_weights, moments

TREES = 200
RATE = 0.05
DEPTH = 4
LEAST = 200
"""Questions in a leaf, at least."""
PENALTY = 1.0
DIGITS = 6


def fit_trees(signals: Floats, positive: NDArray[np.bool_], rows: Floats, directions: Sequence[int]) -> Weights:
    """Return boosted trees that minimise the log loss, each monotone in the signals that have a direction.

    Args:
        signals: Shape `(rows, signals)`.
        positive: The labels.
        rows: What each row weighs.
        directions: For each signal 1 (more of it never counts against), -1 (never for) or 0 (either way).
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=TREES,
        learning_rate=RATE,
        max_depth=DEPTH,
        min_samples_leaf=LEAST,
        l2_regularization=PENALTY,
        monotonic_cst=list(directions),
        early_stopping=False,
        random_state=0,
    ).fit(signals, positive, sample_weight=rows)
    means, scales = moments(signals, rows)
    start = float(model._baseline_prediction.item())
    return Weights(means, scales, np.zeros(signals.shape[1]), start, forest_of(model))


def fit_both(signals: Floats, positive: NDArray[np.bool_], rows: Floats, directions: Sequence[int]) -> Weights:
    """Return the mean of a logistic regression and boosted trees, as log-odds.

    Beyond the values that they were fitted on trees stay where they were, and a weighted sum goes on: documents of
    another kind (filings that are nearly alike) were answered from much too often by trees alone.

    Args:
        signals: Shape `(rows, signals)`.
        positive: The labels.
        rows: What each row weighs.
        directions: For each signal 1, -1 or 0, as `fit_trees` and `fit_weights` take them.
    """
    line = fit_weights(signals, positive, rows, directions)
    boosted = fit_trees(signals, positive, rows, directions)
    trees = boosted.trees.scaled(0.5) if boosted.trees else None
    intercept = (line.intercept + boosted.intercept) / 2
    return Weights(line.means, line.scales, line.weights / 2, intercept, trees)


def forest_of(model: object) -> Forest:
    """Return the trees of a fitted `HistGradientBoostingClassifier`, numbers rounded to six digits."""
    nodes, roots, begin = [], [], 0
    for (tree,) in model._predictors:  # type: ignore[attr-defined]  # scikit-learn has no public way to its trees
        roots.append(begin)
        nodes += [(node, begin, begin + place) for place, node in enumerate(tree.nodes)]
        begin += len(tree.nodes)
    return Forest(
        signals=tuple(0 if node["is_leaf"] else int(node["feature_idx"]) for node, _, _ in nodes),
        cuts=tuple(0.0 if node["is_leaf"] else round(float(node["num_threshold"]), DIGITS) for node, _, _ in nodes),
        left=tuple(own if node["is_leaf"] else first + int(node["left"]) for node, first, own in nodes),
        right=tuple(own if node["is_leaf"] else first + int(node["right"]) for node, first, own in nodes),
        values=tuple(round(float(node["value"]), DIGITS) if node["is_leaf"] else 0.0 for node, _, _ in nodes),
        roots=tuple(roots),
    )
