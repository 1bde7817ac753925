"""Fitting the gate: from labelled questions to weights and a threshold whose false-answer rate is controlled.

A logistic regression (Platt 1999; `regression`) or its mean with boosted trees (`boosting`), all of which keep each
signal's direction: where questions are enough for trees, what has the lower log loss out of fold. Every corpus weighs
the same, and within it its data sets and answerable and unanswerable questions. What is reported, and what the
threshold is chosen on, is out of fold: questions are split by document or chapter, so that no question is judged by a
fit that saw its neighbours.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.confidence.calibrated import GateFit
from rag.confidence.drift import IndexState
from rag.confidence.forest import Floats
from rag.confidence.signals import SIGNALS
from rag.errors import ConfigurationError
from rag.evaluation.crossfit import Shape, better_shape, fitted_weights, out_of_fold
from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.labelled import Labelled, names_of, require_enough
from rag.evaluation.risk import Horizon, RiskControl, threshold_for, threshold_keeping
from rag.models import Value


class Counted(Value):
    """What the threshold does to the questions of one data set, out of fold, with counts and intervals."""

    coverage: Rate = Field(description="Answered / answerable.")
    false_answers: BoundedRate = Field(description="Answered / unanswerable.")


class Calibration(Value):
    """A fit and what it is worth, out of fold."""

    fit: GateFit = Field(description="What the pipeline reads.")
    control: RiskControl = Field(description="The threshold's guarantee, or what is missing for one.")
    auroc: dict[str, float | None] = Field(description="For each data set, out of fold; null with one kind only.")
    coverage: dict[str, float | None] = Field(
        description="For each data set, at the threshold, out of fold; null without answerable questions."
    )
    false_answer_rate: dict[str, float | None] = Field(
        description="For each data set, at the threshold, out of fold; null without unanswerable questions."
    )
    counted: dict[str, Counted] = Field({}, description="The same two with counts and 95% intervals.")
    deciding: BoundedRate | None = Field(
        None, description="Answered at the threshold, of the unanswerable questions that decide it; null: an older fit."
    )


def calibrate(
    rows: Sequence[Labelled],
    *,
    max_false_answer_rate: float,
    confidence: float = 0.95,
    threshold_on: Sequence[str] = (),
    horizon: Horizon = "as labelled",
    embedding: str = "",
    reader: str = "",
    indexes: Sequence[IndexState] = (),
    shape: Shape | None = None,
) -> Calibration:
    """Return the fitted gate.

    Args:
        rows: Labelled questions, of one or several data sets.
        max_false_answer_rate: The rate that the threshold is to keep, above 0 and below 1.
        confidence: With what probability.
        threshold_on: Data sets whose unanswerable questions decide the threshold; default: all.
        horizon: Keep the rate among that many unanswerable questions to come, or as many as decide it; None: in the
            long run.
        embedding: Fingerprint of the embedding in use.
        reader: Name of the reader in use; empty without one.
        indexes: The index in use and those of the data sets; none where the fit is meant for any index.
        shape: What is fitted; None: what has the lower log loss out of fold (`better_shape`).

    Raises:
        ConfigurationError: Too few labels to fit anything, or none that decides the threshold; the message says what
            is missing. Or the rate is outside its range.
    """
    answerable = np.array([row.answerable for row in rows], dtype=bool)
    require_enough(answerable.tolist(), target=max_false_answer_rate, horizon=horizon)
    shape = shape or better_shape(rows)
    held_out = out_of_fold(rows, shape=shape)
    named = np.array([row.dataset for row in rows])
    deciding = held_out[_deciding(named, answerable, threshold_on)]
    control = threshold_for(deciding.tolist(), target=max_false_answer_rate, confidence=confidence, horizon=horizon)
    proven = control.threshold
    threshold = threshold_keeping(deciding.tolist(), target=max_false_answer_rate) if proven is None else proven
    fit = GateFit(
        **_numbers(rows, shape),
        threshold=round(min(threshold, 1.0), 4),
        max_false_answer_rate=max_false_answer_rate,
        guarantee=control.reason,
        fitted_on=_sizes(rows),
        fitted_at=datetime.now(UTC),
        embedding=embedding,
        reader=reader,
        index=indexes[0].fingerprint if indexes else None,
        chunks=indexes[0].chunks if indexes else None,
        indexes=tuple(indexes),
    )
    return Calibration(
        fit=fit,
        control=control,
        **_worth(held_out, answerable, named, fit.threshold),
        counted=_counted(held_out, answerable, named, fit.threshold),
        deciding=bounded_rate(int((deciding >= fit.threshold).sum()), len(deciding)),
    )


def _numbers(rows: Sequence[Labelled], shape: Shape) -> dict[str, Any]:  # keyword arguments, not data
    """Return what is fitted on the questions, by the names of a fit's fields, rounded to six digits."""
    found = fitted_weights(rows, shape=shape)
    return {
        "signals": names_of(len(rows[0].signals) > len(SIGNALS)),
        "means": _rounded(found.means),
        "scales": _rounded(found.scales),
        "weights": _rounded(found.weights),
        "intercept": round(found.intercept, 6),
        "trees": found.trees,
    }


def _deciding(named: NDArray[np.str_], answerable: NDArray[np.bool_], names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which questions decide the threshold: the unanswerable ones, of the data sets named or of all.

    Raises:
        ConfigurationError: There are none.
    """
    chosen = ~answerable & (np.isin(named, list(names)) if names else True)
    if not chosen.any():
        raise ConfigurationError(f"None of {list(names)} has unanswerable questions to decide the threshold.")
    return np.asarray(chosen, dtype=bool)


def _worth(
    held_out: Floats, answerable: NDArray[np.bool_], named: NDArray[np.str_], threshold: float
) -> dict[str, dict[str, float | None]]:
    """Return AUROC, coverage and false-answer rate of each data set, out of fold, at the threshold."""
    parts = {name: (held_out[named == name], answerable[named == name]) for name in sorted(set(named.tolist()))}
    return {
        "auroc": {name: _auroc(scores, labels) for name, (scores, labels) in parts.items()},
        "coverage": {name: _share(scores[labels] >= threshold) for name, (scores, labels) in parts.items()},
        "false_answer_rate": {name: _share(scores[~labels] >= threshold) for name, (scores, labels) in parts.items()},
    }


def _counted(
    held_out: Floats, answerable: NDArray[np.bool_], named: NDArray[np.str_], threshold: float
) -> dict[str, Counted]:
    """Return what each data set's coverage and false answers are counted from, out of fold, at the threshold."""
    answered, found = held_out >= threshold, {}
    for name in sorted(set(named.tolist())):
        yes, no = answered[(named == name) & answerable], answered[(named == name) & ~answerable]
        found[name] = Counted(
            coverage=rate(int(yes.sum()), len(yes)), false_answers=bounded_rate(int(no.sum()), len(no))
        )
    return found


def _auroc(scores: Floats, answerable: NDArray[np.bool_]) -> float | None:
    """Return the probability that an answerable question scores above an unanswerable one (Mann and Whitney 1947)."""
    from scipy.stats import rankdata

    positive, negative = int(answerable.sum()), int((~answerable).sum())
    if not positive or not negative:
        return None
    ranks = rankdata(scores)[answerable].sum()
    return round(float((ranks - positive * (positive + 1) / 2) / (positive * negative)), 4)


def _share(values: NDArray[np.bool_]) -> float | None:
    return round(float(values.mean()), 4) if len(values) else None


def _sizes(rows: Sequence[Labelled]) -> tuple[str, ...]:
    names = sorted({row.dataset for row in rows})
    counts = {name: [row.answerable for row in rows if row.dataset == name] for name in names}
    return tuple(
        f"{name}: {sum(labels)} answerable, {len(labels) - sum(labels)} unanswerable" for name, labels in counts.items()
    )


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)
