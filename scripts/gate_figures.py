"""Print what a gate is worth: the table of `docs/decisions/0014-gate.md`, from the signals that `fit_gate.py` kept.

    python scripts/gate_figures.py WORK/signals.jsonl --thresholds 0.6795 0.7016 --deciding openstax_biology

Out of fold, with and without the reader's signal: AUROC (DeLong), coverage at 10%, 5% and 1% false answers (bootstrap),
both rates at the threshold (Wilson); a fit without one corpus, judged on it; a fit on each corpus alone; and the
promise of a threshold kept on one random half of the unanswerable questions, counted on the other.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.confidence.signals import SIGNALS
from rag.evaluation.crossfit import Shape, better_shape, fitted_weights, out_of_fold
from rag.evaluation.intervals import Estimate, Rate, rate
from rag.evaluation.labelled import Labelled
from rag.evaluation.risk import threshold_for
from rag.evaluation.selective import auroc, coverage_at

HALVES = 200
TARGET = 0.05
LIMITS = (0.1, 0.05, 0.01)


def shown(found: Rate | Estimate) -> str:
    """Return a figure with its interval, and its counts where it is a share of questions."""
    if found.value is None or found.low is None or found.high is None:
        return "none"
    counts = f", {found.numerator:g} of {found.denominator}" if isinstance(found, Rate) else ""
    return f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f}{counts})"


def judged(name: str, scores: NDArray[np.float64], rows: Sequence[Labelled], threshold: float) -> None:
    """Print the figures of one set of questions."""
    labels = [row.answerable for row in rows]
    line = [f"{name}: AUROC {shown(auroc(scores.tolist(), labels))}"]
    found = coverage_at(scores.tolist(), labels, LIMITS)
    line += [f"coverage at {limit:.0%} {shown(one)}" for limit, one in zip(LIMITS, found, strict=True)]
    passed = scores >= threshold
    for what, wanted in (("coverage", True), ("false answers", False)):
        chosen = np.array(labels) == wanted
        line.append(f"{what} at {threshold} {shown(rate(int(passed[chosen].sum()), int(chosen.sum())))}")
    sys.stdout.write("\n  ".join(line) + "\n")


def exceeded(confidences: NDArray[np.float64], *, as_labelled: bool) -> Rate:
    """Return how often a threshold that one half proves lets more than the target through in the other half."""
    generator, count = np.random.default_rng(0), 0
    for _ in range(HALVES):
        order = generator.permutation(len(confidences))
        one, other = (confidences[half] for half in np.array_split(order, 2))
        found = threshold_for(one.tolist(), target=TARGET, horizon=len(other) if as_labelled else None)
        count += found.threshold is not None and bool((other >= found.threshold).mean() > TARGET)
    return rate(count, HALVES)


def report(name: str, rows: Sequence[Labelled], threshold: float, deciding: str, shape: Shape) -> None:
    """Print everything about one fit."""
    sys.stdout.write(f"\n{name}: {len(rows)} questions\n")
    named, corpora = (np.array([getattr(row, key) or row.dataset for row in rows]) for key in ("dataset", "corpus"))
    scores, labels = out_of_fold(rows, shape=shape), np.array([row.answerable for row in rows])
    signals = np.array([row.signals for row in rows])
    for dataset in dict.fromkeys(named.tolist()):
        here = np.flatnonzero(named == dataset)
        judged(dataset, scores[here], [rows[i] for i in here], threshold)
        for as_labelled in (False, True):
            promise = exceeded(scores[here][~labels[here]], as_labelled=as_labelled)
            kind = "among as many to come" if as_labelled else "in the long run"
            sys.stdout.write(f"  promise of {TARGET:.0%} {kind}, exceeded in {shown(promise)} halves\n")
    for corpus in dict.fromkeys(corpora.tolist()):
        inside = corpora == corpus
        own = named == corpus if (named == corpus).any() else inside
        here, alone = np.flatnonzero(own), [row for row, is_own in zip(rows, own, strict=True) if is_own]
        others = [row for row, known in zip(rows, inside, strict=True) if not known]
        judged(corpus, scores[here], alone, threshold)
        if others:
            odds = fitted_weights(others, shape=shape).odds(signals[here])
            judged(f"{corpus}, fitted without it", 1 / (1 + np.exp(-odds)), alone, threshold)
        best = better_shape(alone)
        judged(f"{corpus}, fitted on it alone ({best})", out_of_fold(alone, shape=best), alone, threshold)
        if corpus != deciding and (away := np.flatnonzero(named == deciding)).size:
            odds = fitted_weights(alone, shape=best).odds(signals[away])
            fitted = f"{deciding}, fitted on {corpus} alone ({best})"
            judged(fitted, 1 / (1 + np.exp(-odds)), [rows[i] for i in away], threshold)


def main() -> None:
    """Read the signals and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signals", type=Path)
    parser.add_argument("--thresholds", type=float, nargs=2, required=True, help="with the reader, and without")
    parser.add_argument("--deciding", required=True, help="the data set that decides the threshold")
    parser.add_argument("--shape", choices=("both", "logistic"), default="both", help="what is fitted")
    options = parser.parse_args()
    lines = options.signals.read_text(encoding="utf-8").splitlines()
    rows = [Labelled.model_validate_json(line) for line in lines]
    report("with the reader", rows, options.thresholds[0], options.deciding, options.shape)
    bare = [row.model_copy(update={"signals": row.signals[: len(SIGNALS)]}) for row in rows]
    report("without the reader", bare, options.thresholds[1], options.deciding, options.shape)


if __name__ == "__main__":
    main()
