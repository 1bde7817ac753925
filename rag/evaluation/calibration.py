"""Fitting the gate: from labelled questions to weights, and two thresholds that keep what is promised of them.

A logistic regression (Platt 1999) whose weights only count for an answer (`crossfit`). What is reported, and what the
thresholds are chosen on, is out of fold: questions are split by document or chapter, so that no question is judged by a
fit that saw its neighbours.

- `threshold`, from which questions are answered: the lowest with a bound on false answers (`risk`).
- `unsure_threshold`, below which they are refused: the highest at which at most the given share of the answerable
  questions is refused. Between the two the passages are shown and nothing is claimed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.confidence.calibrated import GateFit
from rag.confidence.drift import IndexState
from rag.confidence.signals import SIGNALS
from rag.errors import ConfigurationError
from rag.evaluation.crossfit import Floats, Weights, fitted_weights, out_of_fold
from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.labelled import Labelled, require_enough
from rag.evaluation.risk import GRID, Horizon, RiskControl, threshold_for, threshold_keeping
from rag.evaluation.selective import auroc
from rag.models import Value


class Counted(Value):
    """What the thresholds do to the questions of one data set, out of fold, with counts and intervals."""

    coverage: Rate = Field(description="Answered / answerable.")
    false_answers: BoundedRate = Field(description="Answered / unanswerable.")
    refused: BoundedRate = Field(description="Refused / answerable.")
    unsure: Rate = Field(description="Neither answered nor refused / unanswerable.")


class Calibration(Value):
    """A fit and what it is worth, out of fold."""

    fit: GateFit = Field(description="What the pipeline reads.")
    control: RiskControl = Field(description="The threshold's guarantee, or what is missing for one.")
    auroc: dict[str, float | None] = Field(description="For each data set, out of fold; null with one kind only.")
    counted: dict[str, Counted] = Field(description="What both thresholds do to each data set, out of fold.")
    deciding: BoundedRate = Field(
        description="Answered at the threshold, of the unanswerable questions that decide it."
    )
    refused: BoundedRate = Field(description="Refused below `unsure_threshold`, of the answerable questions.")


def calibrate(
    rows: Sequence[Labelled],
    *,
    max_false_answer_rate: float,
    max_refused_rate: float = 0.1,
    confidence: float = 0.95,
    threshold_on: Sequence[str] = (),
    horizon: Horizon = "as labelled",
    embedding: str = "",
    reader: str = "",
    indexes: Sequence[IndexState] = (),
) -> Calibration:
    """Return the fitted gate.

    Args:
        rows: Labelled questions, of one or several data sets.
        max_false_answer_rate: The rate that the threshold is to keep, above 0 and below 1.
        max_refused_rate: The largest share of these answerable questions that `unsure_threshold` may refuse, 0..1.
        confidence: With what probability the first is kept.
        threshold_on: Data sets whose unanswerable questions decide the threshold; default: all.
        horizon: Keep the rate among that many unanswerable questions to come, or as many as decide it; None: in the
            long run.
        embedding: Fingerprint of the embedding in use.
        reader: Name of the reader in use.
        indexes: The index in use and those of the data sets; none where the fit is meant for any index.

    Raises:
        ConfigurationError: Too few labels to fit anything, or none that decides the threshold; the message says what
            is missing. Or a rate is outside its range.
    """
    if not 0 <= max_refused_rate <= 1:
        raise ConfigurationError(f"max_refused_rate is {max_refused_rate}: it must lie in 0..1, as 0.1.")
    answerable = np.array([row.answerable for row in rows], dtype=bool)
    require_enough(answerable.tolist(), target=max_false_answer_rate, horizon=horizon)
    held_out = out_of_fold(rows)
    named = np.array([row.dataset for row in rows])
    deciding = held_out[_deciding(named, answerable, threshold_on)]
    control = threshold_for(deciding.tolist(), target=max_false_answer_rate, confidence=confidence, horizon=horizon)
    proven = control.threshold
    threshold = threshold_keeping(deciding.tolist(), target=max_false_answer_rate) if proven is None else proven
    fit = GateFit(
        **_numbers(fitted_weights(rows)),
        threshold=threshold,
        unsure_threshold=min(threshold, refusing(held_out[answerable].tolist(), most=max_refused_rate)),
        max_false_answer_rate=max_false_answer_rate,
        max_refused_rate=max_refused_rate,
        guarantee=control.reason,
        fitted_on=_sizes(rows),
        fitted_at=datetime.now(UTC),
        embedding=embedding,
        reader=reader,
        indexes=tuple(indexes),
    )
    found = _counted(fit, held_out, answerable, named)
    return Calibration(
        fit=fit,
        control=control,
        auroc={name: _area(held_out[named == name], answerable[named == name]) for name in found},
        counted=found,
        deciding=bounded_rate(int((deciding >= fit.threshold).sum()), len(deciding)),
        refused=bounded_rate(int((held_out[answerable] < fit.unsure_threshold).sum()), int(answerable.sum())),
    )


def _area(confidences: NDArray[Any], answerable: NDArray[Any]) -> float | None:
    return _rounded(auroc(confidences.tolist(), answerable.tolist()).value)


def refusing(confidences_answerable: Sequence[float], *, most: float) -> float:
    """Return the highest threshold of the grid below which at most a share `most` of these confidences lies.

    It is a count over the questions given: of others more may be refused, as the bound on the rate says.

    Args:
        confidences_answerable: Confidences of answerable questions, at least one, 0..1.
        most: 0..1.

    >>> refusing([0.2, 0.4, 0.6, 0.8], most=0.25), refusing([0.2, 0.4], most=0.0), refusing([0.2], most=1.0)
    (0.4, 0.2, 1.0)
    """
    scores = np.sort(np.asarray(confidences_answerable, dtype=np.float64))
    grid = np.arange(GRID + 1) / GRID
    kept = np.flatnonzero(np.searchsorted(scores, grid, "left") <= most * len(scores) + 1e-9)
    return float(grid[kept[-1]])


def _numbers(found: Weights) -> dict[str, Any]:  # keyword arguments, not data
    """Return weights by the names of a fit's fields, rounded to six digits; a signal without weight is left out."""
    kept = [number for number, weight in enumerate(found.weights) if round(float(weight), 6) > 0]
    return {
        "signals": tuple(SIGNALS[number] for number in kept),
        "means": tuple(round(float(found.means[number]), 6) for number in kept),
        "scales": tuple(round(float(found.scales[number]), 6) for number in kept),
        "weights": tuple(round(float(found.weights[number]), 6) for number in kept),
        "intercept": round(found.intercept, 6),
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


def _counted(
    fit: GateFit, confidences: Floats, answerable: NDArray[np.bool_], named: NDArray[np.str_]
) -> dict[str, Counted]:
    """Return what the fit's thresholds do to each data set."""
    found = {}
    for name in sorted(set(named.tolist())):
        here = named == name
        yes, no = confidences[here & answerable], confidences[here & ~answerable]
        found[name] = counted(yes.tolist(), no.tolist(), threshold=fit.threshold, unsure_threshold=fit.unsure_threshold)
    return found


def counted(
    answerable: Sequence[float], unanswerable: Sequence[float], *, threshold: float, unsure_threshold: float
) -> Counted:
    """Return what two thresholds do to questions with these confidences."""
    return Counted(
        coverage=rate(sum(one >= threshold for one in answerable), len(answerable)),
        false_answers=bounded_rate(sum(one >= threshold for one in unanswerable), len(unanswerable)),
        refused=bounded_rate(sum(one < unsure_threshold for one in answerable), len(answerable)),
        unsure=rate(sum(unsure_threshold <= one < threshold for one in unanswerable), len(unanswerable)),
    )


def _sizes(rows: Sequence[Labelled]) -> tuple[str, ...]:
    names = sorted({row.dataset for row in rows})
    counts = {name: [row.answerable for row in rows if row.dataset == name] for name in names}
    return tuple(
        f"{name}: {sum(labels)} answerable, {len(labels) - sum(labels)} unanswerable" for name, labels in counts.items()
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def counted_by(fit: GateFit, rows: Sequence[Labelled], *, threshold: float | None = None) -> dict[str, Counted]:
    """Return what a gate does to labelled questions, by data set.

    Not out of fold: a gate that was fitted on some of these questions looks better than it is.

    Args:
        fit: The gate.
        rows: Labelled questions.
        threshold: What decides in place of the gate's own threshold.
    """
    limit = fit.threshold if threshold is None else threshold
    found = {}
    for name in sorted({row.dataset for row in rows}):
        yes, no = (
            [_confidence(fit, row) for row in rows if row.dataset == name and row.answerable is wanted]
            for wanted in (True, False)
        )
        found[name] = counted(yes, no, threshold=limit, unsure_threshold=min(fit.unsure_threshold, limit))
    return found


def _confidence(fit: GateFit, row: Labelled) -> float:
    """Return a question's confidence: the higher one where it leaves open which editions are meant."""
    return max(
        fit.confidence(dict(zip(SIGNALS, values, strict=True)))
        for values in (row.signals, row.otherwise or row.signals)
    )
