"""A small correction of the reader, learned from judgements of one's own documents (`candor train`).

The reader's network stays as it is. Beside its own last step, a weighted sum of the pooled vector, stands a second one,
which is added to it: a logistic regression with the shipped logit as offset and a strong penalty for large weights.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.errors import ConfigurationError
from rag.records.replacing import replace

VERSION: Final = 1
PENALTIES: Final = (3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0)
"""What is tried for the penalty: half of it times the squared weights is added to the summed loss."""
FOLDS: Final = 5

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """What is added to the logit of a text: its pooled vector times `weights`, and `bias`.

    Attributes:
        weights: Shape `(1536,)`.
        bias: Added for every text.
        reader: Name of the reader that it was fitted on; on another one it means nothing.
    """

    weights: Floats
    bias: float
    reader: str = ""
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        content = np.append(np.asarray(self.weights, dtype="<f8"), self.bias).astype("<f4").tobytes()
        object.__setattr__(self, "digest", hashlib.sha256(content + self.reader.encode()).hexdigest())

    def logits(self, pooled: Floats) -> Floats:
        """Return what is added to the logit of each text: shape `(n,)`."""
        added: Floats = pooled @ self.weights + self.bias
        return added


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted head, and what it changes for questions that it was not fitted on.

    Attributes:
        head: Fitted on everything.
        penalty: The one chosen.
        loss_before: Mean log loss of the shipped reader.
        loss_after: The same with heads that did not see the question's group.
    """

    head: Head
    penalty: float
    loss_before: float
    loss_after: float


def fit(
    pooled: Floats, logits: Floats, answers: Sequence[bool], groups: Sequence[str], *, reader: str, seed: int = 0
) -> Fit:
    """Fit a head on judged texts; the penalty is the one that does best on groups held out.

    Args:
        pooled: Pooled vectors of the texts: shape `(n, 1536)`.
        logits: The shipped reader's logit for each.
        answers: Whether each text answers its question.
        groups: What is held out together: a question, or everything of a document.
        reader: Name of the reader.
        seed: Decides which groups are held out together.

    Raises:
        ValueError: There are no texts of both kinds, or fewer than two groups.
    """
    right, names = np.asarray(answers, dtype=np.float64), sorted(set(groups))
    if len(set(right.tolist())) < 2 or len(names) < 2:
        raise ValueError("texts that answer and texts that do not, of at least two groups, are needed")
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {name: int(place) % FOLDS for name, place in zip(names, order, strict=True)}
    folds = np.array([fold_of[group] for group in groups])
    vectors, offsets = np.asarray(pooled, dtype=np.float64), np.asarray(logits, dtype=np.float64)
    mean = vectors.mean(axis=0)
    reduced, directions = _reduced(vectors - mean)
    losses = {penalty: _held_out_loss(reduced, offsets, right, folds, penalty) for penalty in PENALTIES}
    best = min(losses, key=lambda penalty: (losses[penalty], -penalty))
    fitted, bias = _fitted(reduced, offsets, right, best)
    weights = fitted @ directions
    before = float(_losses(offsets, right).mean())
    return Fit(Head(weights, bias - float(weights @ mean), reader), best, before, losses[best])


def _reduced(vectors: Floats) -> tuple[Floats, Floats]:
    """Return the vectors in coordinates of their own span, and the directions of these; lengths and angles are kept.

    The best weights are a mixture of the texts' vectors, as at every minimum of such a loss (Schölkopf et al. 2001), so
    that there is at most one number for each text to find, and not one for each of the 1,536 dimensions.
    """
    left, sizes, directions = np.linalg.svd(vectors, full_matrices=False)
    return left * sizes, directions


def _held_out_loss(vectors: Floats, offsets: Floats, right: Floats, folds: NDArray[Any], penalty: float) -> float:
    total = 0.0
    for fold in np.unique(folds):
        out = folds == fold
        weights, bias = _fitted(vectors[~out], offsets[~out], right[~out], penalty)
        total += float(_losses(offsets[out] + vectors[out] @ weights + bias, right[out]).sum())
    return total / len(right)


def _fitted(vectors: Floats, offsets: Floats, right: Floats, penalty: float) -> tuple[Floats, float]:
    from scipy.optimize import minimize

    def loss(values: Floats) -> tuple[float, Floats]:
        weights, bias = values[:-1], values[-1]
        odds = offsets + vectors @ weights + bias
        off = 1 / (1 + np.exp(-np.clip(odds, -30, 30))) - right
        total = float(_losses(odds, right).sum() + penalty / 2 * weights @ weights)
        return total, np.append(vectors.T @ off + penalty * weights, off.sum())

    start = np.zeros(vectors.shape[1] + 1)
    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return found[:-1], float(found[-1])


def _losses(odds: Floats, right: Floats) -> Floats:
    losses: Floats = np.logaddexp(0, odds) - right * odds
    return losses


def save_head(path: Path, head: Head) -> None:
    """Write a head in one step.

    Raises:
        OSError: It cannot be written.
    """
    values = [float(np.float32(value)) for value in head.weights]
    kept = {"version": VERSION, "reader": head.reader, "bias": float(np.float32(head.bias)), "weights": values}
    replace(path, (json.dumps(kept) + "\n").encode())


def load_head(path: Path) -> Head:
    """Return a head that was saved.

    Raises:
        ConfigurationError: The file is missing or damaged, or of another version.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["version"] != VERSION:
            raise ValueError(f"version {kept['version']!r}, expected {VERSION}")
        weights = np.asarray(kept["weights"], dtype=np.float64)
        if weights.ndim != 1 or not np.isfinite(weights).all():
            raise ValueError("its weights are no row of numbers")
        return Head(weights, float(kept["bias"]), str(kept["reader"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The trained head {str(path)!r} cannot be used: {error}. Run 'candor train' again, or remove the file."
        ) from error
