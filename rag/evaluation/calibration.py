"""Fitting the gate: from labelled questions to weights and a threshold whose false-answer rate is controlled.

A logistic regression (Platt 1999; `regression`) or its mean with boosted trees (`boosting`), all of which keep each
signal's direction: where questions are enough for trees, what has the lower log loss out of fold. Every corpus weighs
the same, and within it its data sets and answerable and unanswerable questions. What is reported, and what the
threshold is chosen on, is out of fold: questions are split by document or chapter, so that no question is judged by a
fit that saw its neighbours.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.confidence.calibrated import GateFit
from rag.confidence.drift import IndexState
from rag.confidence.forest import Floats
from rag.confidence.signals import DIRECTIONS, READING, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.boosting import fit_both
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.regression import Weights, fit_weights
from rag.evaluation.risk import Horizon, RiskControl, threshold_for, threshold_keeping
from rag.events import Found
from rag.language.text import fold
from rag.models import RetrievedChunk, Value

FOLDS = 5
FEWEST = 20
"""Labelled questions of each kind below which nothing is fitted."""
FEWEST_FOR_TREES = 1000
"""Labelled questions below which trees are not tried."""
Shape = Literal["logistic", "both"]
_FITS: dict[Shape, Callable[[Floats, NDArray[np.bool_], Floats, Sequence[int]], Weights]] = {
    "logistic": fit_weights,
    "both": fit_both,
}


class Labelled(Value):
    """One labelled question as the gate sees it."""

    dataset: str = Field(description="Name of its data set.")
    corpus: str = Field("", description="Whose documents it is about, where several data sets share them.")
    group: str = Field(description="The document it belongs to: a fold holds all questions of one.")
    chapter: str = Field("", description="Its chapter or section there: what a fold holds where documents are few.")
    answerable: bool = Field(description="Its label.")
    qid: str = Field("", description="Its name in the data set.")
    signals: tuple[float, ...] = Field(
        description="One value for each name in `SIGNALS`; one more, `READING`, where a reader read."
    )


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


def collect(
    dataset: DataSet, find: Callable[[str], Found], *, progress: Callable[[int, int], None] | None = None
) -> list[Labelled]:
    """Return the signals of every labelled question of a data set.

    Args:
        dataset: Questions whose `answerable` is null, and invalid ones, are left out, and so is what repeats another.
        find: Retrieval and gate, with the calibrated estimator, over the data set's own documents.
        progress: Told how far it is.
    """
    labelled = once([question for question in dataset.questions if question.answerable is not None])
    rows = []
    for number, question in enumerate(labelled, start=1):
        try:
            found = find(question.question)
        except InvalidQuery:
            continue
        group, chapter = _place(question, found.retrieval.hits)
        inputs = found.decision.inputs
        names = names_of(READING in inputs)
        rows.append(
            Labelled(
                dataset=dataset.name,
                group=group,
                chapter=chapter,
                answerable=bool(question.answerable),
                qid=question.qid,
                signals=tuple(inputs.get(name, 0.0) for name in names),
            )
        )
        if progress is not None:
            progress(number, len(labelled))
    return rows


def once(questions: Sequence[Question]) -> list[Question]:
    """Return the questions without those that repeat the words and the label of another: they prove nothing new."""
    first: dict[tuple[str, bool | None], Question] = {}
    for question in questions:
        first.setdefault(label_of(question), question)
    return list(first.values())


def label_of(question: Question) -> tuple[str, bool | None]:
    """Return what makes a question the same as another: its words without case and accents, and its label."""
    return fold(question.question), question.answerable


def _place(question: Question, hits: Sequence[RetrievedChunk]) -> tuple[str, str]:
    """Return the document and the chapter or section that a question belongs to: the gold one, else the nearest."""
    if not question.gold and not hits:
        return "", ""
    place = question.gold[0] if question.gold else hits[0]
    part = place.chapter if place.chapter is not None else place.section
    return place.document, str(part or "")


def names_of(reads: bool) -> tuple[str, ...]:
    """Return the names of the signals of a question, with or without a reader's."""
    return (*SIGNALS, READING) if reads else SIGNALS


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
    require_enough(answerable.tolist())
    names = names_of(len(rows[0].signals) > len(SIGNALS))
    shape = shape or better_shape(rows)
    held_out = out_of_fold(rows, shape=shape)
    named = np.array([row.dataset for row in rows])
    deciding = held_out[_deciding(named, answerable, threshold_on)]
    control = threshold_for(deciding.tolist(), target=max_false_answer_rate, confidence=confidence, horizon=horizon)
    proven = control.threshold
    threshold = threshold_keeping(deciding.tolist(), target=max_false_answer_rate) if proven is None else proven
    found = fitted_weights(rows, shape=shape)
    fit = GateFit(
        signals=names,
        means=_rounded(found.means),
        scales=_rounded(found.scales),
        weights=_rounded(found.weights),
        intercept=round(found.intercept, 6),
        trees=found.trees,
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
    """Return each question's confidence by a fit that saw neither it nor its group: shape `(rows,)`, 0..1."""
    return _out_of_fold(*_to_fit(rows), groups_of(rows), _FITS[shape])


def fitted_weights(rows: Sequence[Labelled], *, shape: Shape) -> Weights:
    """Return the fit on these questions."""
    return _FITS[shape](*_to_fit(rows))


def _to_fit(rows: Sequence[Labelled]) -> tuple[Floats, NDArray[np.bool_], Floats, list[int]]:
    """Return what a fit takes: signals, labels, what each question weighs, and each signal's direction."""
    signals = np.array([row.signals for row in rows], dtype=np.float64)
    answerable = np.array([row.answerable for row in rows], dtype=bool)
    return signals, answerable, _weights(rows), [DIRECTIONS[name] for name in names_of(signals.shape[1] > len(SIGNALS))]


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


def groups_of(rows: Sequence[Labelled]) -> list[str]:
    """Return for each question the group that one fold holds whole: its document, or its chapter where those are few.

    Questions of one chapter are alike, and so are those of one document: whichever is larger and still leaves a
    group for each fold.
    """
    documents: dict[str, set[str]] = {}
    for row in rows:
        documents.setdefault(_corpus(row), set()).add(row.group)
    few = {name for name, found in documents.items() if len(found) < FOLDS}
    return ["/".join((_corpus(row), row.group, *([row.chapter] * (_corpus(row) in few)))) for row in rows]


def _corpus(row: Labelled) -> str:
    return row.corpus or row.dataset


def require_enough(answerable: Sequence[bool]) -> None:
    """Refuse to fit on too few labels.

    Raises:
        ConfigurationError: Fewer than `FEWEST` of a kind; the message says how many are missing.
    """
    yes = sum(answerable)
    no = len(answerable) - yes
    if min(yes, no) < FEWEST:
        raise ConfigurationError(
            f"Too few labels to fit the gate: {yes} answerable and {no} unanswerable questions. "
            f"Label {max(FEWEST - yes, 0)} more answerable and {max(FEWEST - no, 0)} more unanswerable ones.",
            details={"answerable": yes, "unanswerable": no, "needed": FEWEST},
        )


def _weights(rows: Sequence[Labelled]) -> Floats:
    """Return a weight for each question, so that corpora weigh the same, and so do a corpus's data sets and kinds."""
    kinds = [(_corpus(row), row.dataset, row.answerable) for row in rows]
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
        found[test] = 1 / (1 + np.exp(-fitted.odds(signals[test])))
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
