"""Fitting the gate: from labelled questions to weights, and two thresholds that keep what is promised of them.

A logistic regression (Platt 1999) whose weights are never negative: what must speak for an answer never counts against
it, whatever happens to hold in the documents that it saw. What is reported, and what the thresholds are chosen on, is
out of fold: no question is judged by a fit that saw its document or chapter. `threshold` is the lowest with a bound on
false answers (`risk`), `unsure_threshold` the highest that refuses at most a given share of the answerable questions.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.confidence.calibrated import GateFit
from rag.confidence.drift import IndexState
from rag.confidence.signals import SIGNALS
from rag.errors import ConfigurationError
from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.labelled import FOLDS, Labelled, groups_of, require_enough
from rag.evaluation.risk import Horizon, RiskControl, refusing, threshold_for, threshold_keeping
from rag.evaluation.selective import auroc
from rag.models import Value

Floats = NDArray[np.float64]
PENALTY, PENALTY_OF_FEW = 0.01, 3.0
"""The L2 penalty on standardised signals against the mean loss of a question, and what is added over their number."""


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
    deciding: BoundedRate = Field(description="Answered at the threshold, of the unanswerable ones that decide it.")
    refused: BoundedRate = Field(description="Refused below `unsure_threshold`, of the answerable questions.")


def calibrate(
    rows: Sequence[Labelled], *, max_false_answer_rate: float, max_refused_rate: float = 0.1,
    threshold_on: Sequence[str] = (), horizon: Horizon = "as labelled", embedding: str = "", reader: str = "",
    indexes: Sequence[IndexState] = (),
) -> Calibration:  # fmt: skip
    """Return the fitted gate.

    Args:
        rows: Labelled questions, of one or several data sets.
        max_false_answer_rate: The rate that the threshold is to keep, above 0 and below 1.
        max_refused_rate: The largest share of these answerable questions that `unsure_threshold` may refuse, 0..1.
        threshold_on: Data sets whose unanswerable questions decide the threshold; default: all.
        horizon: Keep the rate among that many unanswerable questions to come, or as many as decide it; None: in the
            long run.
        embedding, reader: What tells the ones in use from others.
        indexes: The index in use and those of the data sets; none where the fit is meant for any index.

    Raises:
        ConfigurationError: Too few labels to fit anything, none that decide, or a rate that is out of range.
    """
    require_rates(max_false_answer_rate, max_refused_rate)
    answerable = np.array([row.answerable for row in rows], dtype=bool)
    require_enough(answerable.tolist(), target=max_false_answer_rate, horizon=horizon)
    held_out = out_of_fold(rows)
    decides = [not row.answerable and (not threshold_on or row.dataset in threshold_on) for row in rows]
    if not any(decides):
        raise ConfigurationError(f"None of {list(threshold_on)} has unanswerable questions to decide the threshold.")
    deciding = held_out[decides]
    control = threshold_for(deciding.tolist(), target=max_false_answer_rate, horizon=horizon)
    proven = control.threshold
    threshold = threshold_keeping(deciding.tolist(), target=max_false_answer_rate) if proven is None else proven
    unsure = min(threshold, refusing(held_out[answerable].tolist(), most=max_refused_rate))
    found = _by_dataset(rows, held_out.tolist(), threshold, unsure)
    sizes = [(name, one.coverage.denominator, one.false_answers.denominator) for name, one in found.items()]
    fit = GateFit(
        **_numbers(fitted_weights(rows)), threshold=threshold, unsure_threshold=unsure, guarantee=control.reason,
        max_false_answer_rate=max_false_answer_rate, max_refused_rate=max_refused_rate, embedding=embedding,
        reader=reader, indexes=tuple(indexes), fitted_at=datetime.now(UTC),
        fitted_on=tuple(f"{name}: {yes} answerable, {no} unanswerable" for name, yes, no in sizes),
    )  # fmt: skip
    return Calibration(
        fit=fit,
        control=control,
        auroc=_areas(rows, held_out.tolist(), found),
        counted=found,
        deciding=bounded_rate(int((deciding >= threshold).sum()), len(deciding)),
        refused=bounded_rate(int((held_out[answerable] < unsure).sum()), int(answerable.sum())),
    )


def _areas(rows: Sequence[Labelled], held_out: Sequence[float], names: Iterable[str]) -> dict[str, float | None]:
    """Return the AUROC of each data set, out of fold; None where it has questions of one kind alone."""
    found: dict[str, float | None] = {}
    for name in names:
        own = [(score, row.answerable) for score, row in zip(held_out, rows, strict=True) if row.dataset == name]
        area = auroc(*map(list, zip(*own, strict=True))).value
        found[name] = None if area is None else round(area, 4)
    return found


def require_rates(max_false_answer_rate: float, max_refused_rate: float) -> None:
    """Raise `ConfigurationError` where one of the rates of a calibration is outside its range."""
    if not 0 < max_false_answer_rate < 1:
        raise ConfigurationError(f"--max-false-answer-rate is {max_false_answer_rate}: it must be above 0 and below 1.")
    if not 0 <= max_refused_rate <= 1:
        raise ConfigurationError(f"--max-refused-rate is {max_refused_rate}: it must lie in 0..1.")


def _numbers(found: "Weights") -> dict[str, Any]:  # keyword arguments, not data
    """Return weights by the names of a fit's fields, rounded to six digits; a signal without weight is left out."""
    kept = np.flatnonzero(found.weights.round(6) > 0)
    numbers = {name: tuple(getattr(found, name)[kept].round(6).tolist()) for name in ("means", "scales", "weights")}
    return {"signals": tuple(SIGNALS[number] for number in kept), **numbers, "intercept": round(found.intercept, 6)}


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


def counted_by(fit: GateFit, rows: Sequence[Labelled], *, threshold: float | None = None) -> dict[str, Counted]:
    """Return what a gate does to labelled questions, by data set, not out of fold; `threshold` replaces its own."""
    limit = fit.threshold if threshold is None else threshold
    choices = [[dict(zip(SIGNALS, one, strict=True)) for one in (row.signals, row.otherwise) if one] for row in rows]
    confidences = [max(map(fit.confidence, each)) for each in choices]
    return _by_dataset(rows, confidences, limit, min(fit.unsure_threshold, limit))


def _by_dataset(
    rows: Sequence[Labelled], confidences: Sequence[float], threshold: float, unsure_threshold: float
) -> dict[str, Counted]:
    kinds: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in sorted({r.dataset for r in rows})}
    for row, confidence in zip(rows, confidences, strict=True):
        kinds[row.dataset][0 if row.answerable else 1].append(confidence)
    return {
        name: counted(*both, threshold=threshold, unsure_threshold=unsure_threshold) for name, both in kinds.items()
    }


@dataclass(frozen=True, slots=True)
class Weights:
    """A fit: log-odds = intercept + the sum of weight * (signal - mean) / scale."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def probabilities(self, signals: Floats) -> Floats:
        """Return the probability of each row, 0..1: shape `(rows,)`."""
        from scipy.special import expit

        return np.asarray(expit(((signals - self.means) / self.scales) @ self.weights + self.intercept))


def fit_weights(signals: Floats, positive: Sequence[bool] | NDArray[np.bool_], rows: Floats) -> Weights:
    """Return the weights, at least 0, that minimise mean log loss and L2 penalty.

    Args:
        signals: Shape `(rows, signals)`.
        positive: The labels.
        rows: How much each row weighs.
    """
    from scipy.optimize import minimize

    means = np.average(signals, axis=0, weights=rows)
    scales = np.sqrt(np.average((signals - means) ** 2, axis=0, weights=rows))
    scales[scales < 1e-6] = 1.0  # a signal that never changes
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
    """Return the fit; every corpus weighs the same, so do its data sets, and in these every question."""
    kinds = [(row.of, row.dataset) for row in rows]
    counts = Counter(kinds)
    parts = Counter(corpus for corpus, _ in counts)
    weights = np.array([1 / (counts[kind] * parts[kind[0]]) for kind in kinds])
    signals = np.array([row.signals for row in rows], dtype=np.float64)
    return fit_weights(signals, [row.answerable for row in rows], weights * (len(rows) / weights.sum()))


def out_of_fold(rows: Sequence[Labelled]) -> Floats:
    """Return each question's confidence by a fit that saw nothing of its group: shape `(rows,)`, 0..1.

    Where a question leaves open which editions are meant, the higher one of both, by which the pipeline decides.

    Raises:
        ConfigurationError: The groups are too few, or one holds all questions of a kind.
    """
    from sklearn.model_selection import GroupKFold

    groups = np.unique(groups_of(rows), return_inverse=True)[1]
    folds = min(FOLDS, len(np.unique(groups)))
    if folds < 2:
        raise ConfigurationError(
            "All labelled questions belong to one document and chapter: label some of another, to test the fit."
        )
    answerable, found = np.array([row.answerable for row in rows]), np.zeros(len(rows))
    signals = np.array([row.signals for row in rows], dtype=np.float64)
    otherwise = np.array([row.otherwise or row.signals for row in rows], dtype=np.float64)
    for train, test in GroupKFold(folds).split(groups, answerable, groups):
        if answerable[train].all() or not answerable[train].any():
            raise ConfigurationError(
                "All answerable or all unanswerable questions belong to one document, the nearest where none is named: "
                "label some of both kinds that belong to another, to test the fit."
            )
        fitted = fitted_weights([rows[number] for number in train])
        found[test] = np.maximum(fitted.probabilities(signals[test]), fitted.probabilities(otherwise[test]))
    return found
