"""Choose the thresholds of the gate that Candor ships: `rag/weights/gate.json`.

    python scripts/fit_gate.py FOLDER... --work DIR [--most 200] [--false 0.10] [--refused 0.05]

Each FOLDER holds everyday questions that the reader was not trained on (`documents/` and `questions.jsonl`, as
training/README.md describes). Each question is asked of its own document: it seldom names its organisation, so that a
handbook beside it may answer it as well. The confidence is the best reading itself. The threshold is the lowest at
which at most the share --false of the unanswerable questions is answered, the unsure threshold the highest at which at
most the share --refused of the answerable ones is refused. DIR keeps index and readings: an interrupted run goes on.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rag.candor import Candor
from rag.confidence.calibrated import SHIPPED, GateFit
from rag.evaluation.calibration import counted
from rag.evaluation.intervals import Estimate, Rate
from rag.evaluation.risk import refusing, threshold_keeping
from rag.evaluation.selective import auroc, coverage_at
from rag.models import Filters
from rag.settings import load_settings

SEED = 7
STEPS = 100
"""Thresholds are chosen in steps of a hundredth."""


class Asked(NamedTuple):
    """A question that was asked: whether its document answers it, and the best reading, 0..1."""

    answerable: bool
    confidence: float


def asked_of(folder: Path, work: Path, most: int) -> list[Asked]:
    """Ask questions of a folder, each of its own document; those that the work folder keeps are not asked again.

    A torn last line there, as a killed run leaves it, is cut off.
    """
    settings = load_settings(data_dir=work / folder.name, gate_dir=work / "no gate", confidence_threshold=1.0)
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = random.Random(SEED).sample(rows, min(most, len(rows)))  # noqa: S311 (no secret)
    with Candor.open(settings) as candor:
        candor.ingest(folder / "documents")
        kept = work / f"{folder.name}-{hashlib.sha256(candor.wiring.reader_name.encode()).hexdigest()[:12]}.jsonl"
        text = kept.read_text(encoding="utf-8") if kept.is_file() else ""
        whole = text[: text.rfind("\n") + 1]
        kept.write_text(whole, encoding="utf-8")
        known = dict(json.loads(line) for line in whole.splitlines())
        with kept.open("a", encoding="utf-8") as file:
            for number, row in enumerate(rows, start=1):
                if row["id"] not in known:
                    known[row["id"]] = best_reading(candor, row["question"], row["document"])
                    file.write(json.dumps([row["id"], known[row["id"]]]) + "\n")
                    file.flush()
                if not number % 50:
                    sys.stderr.write(f"{folder.name}: {number} of {len(rows)} questions asked\n")
    return [Asked(row["answerable"], known[row["id"]]) for row in rows]


def best_reading(candor: Candor, question: str, document: str) -> float:
    """Return the best reading of a question's windows in one document; 0 where nothing is found."""
    found = candor.retrieve(question, estimator="calibrated", filters=Filters(source=document))
    return max((hit.reading or 0.0 for hit in found.retrieval.hits), default=0.0)


def of_kind(rows: Sequence[Asked], answerable: bool) -> list[float]:
    """Return the confidences of the questions with a label."""
    return [row.confidence for row in rows if row.answerable is answerable]


def thresholds(rows: Sequence[Asked], *, most_false: float, most_refused: float) -> tuple[float, float]:
    """Return the threshold and the unsure threshold.

    >>> rows = [Asked(True, 0.9), Asked(True, 0.3), Asked(False, 0.4), Asked(False, 0.1)]
    >>> thresholds(rows, most_false=0.0, most_refused=0.0)
    (0.41, 0.3)
    """
    threshold = threshold_keeping(of_kind(rows, False), target=most_false, grid=STEPS)
    return threshold, min(threshold, refusing(of_kind(rows, True), most=most_refused, grid=STEPS))


def told(name: str, rows: Sequence[Asked], threshold: float, unsure: float) -> str:
    """Return what the thresholds do to the questions of a folder."""
    labels, scores = [row.answerable for row in rows], [row.confidence for row in rows]
    (coverage,) = coverage_at(scores, labels, [0.10])
    found = counted(of_kind(rows, True), of_kind(rows, False), threshold=threshold, unsure_threshold=unsure)
    return (
        f"{name}: AUROC {shown(auroc(scores, labels))}, coverage at 10% false {shown(coverage)}\n"
        f"  answerable: answered {shown(found.coverage)}, refused {shown(found.refused)}\n"
        f"  others: answered {shown(found.false_answers)}, unsure {shown(found.unsure)}\n"
    )


def shown(found: Rate | Estimate) -> str:
    """Return a figure with its interval, and its counts where it is a share of questions."""
    if found.value is None or found.low is None or found.high is None:
        return "-"
    counts = f", {found.numerator:g} of {found.denominator}" if isinstance(found, Rate) else ""
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}{counts})"


def main() -> None:
    """Ask, choose, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="where indexes and readings are kept")
    parser.add_argument("--most", type=int, default=200, help="questions of a folder, drawn")
    parser.add_argument("--false", type=float, default=0.10, help="share of unanswerable questions answered, at most")
    parser.add_argument("--refused", type=float, default=0.05, help="share of answerable questions refused, at most")
    options = parser.parse_args()
    found = {folder.name: asked_of(folder, options.work, options.most) for folder in options.folders}
    rows = [row for each in found.values() for row in each]
    threshold, unsure = thresholds(rows, most_false=options.false, most_refused=options.refused)
    for name, each in {**found, "all": rows}.items():
        sys.stdout.write(told(name, each, threshold, unsure))
    sys.stdout.write(f"threshold {threshold:.2f}, unsure threshold {unsure:.2f}\n")
    with Candor.open(load_settings(data_dir=options.work, confidence_threshold=1.0)) as candor:
        embedding, reader = candor.wiring.embedder.fingerprint, candor.wiring.reader_name
    fit = GateFit(
        signals=("best",),
        means=(0.0,),
        scales=(1.0,),
        weights=(1.0,),
        intercept=0.0,
        threshold=threshold,
        unsure_threshold=unsure,
        max_false_answer_rate=options.false,
        max_refused_rate=options.refused,
        guarantee="Nothing is proven of these thresholds: they keep the rates on the questions that chose them.",
        fitted_on=tuple(f"{name} ({len(each)})" for name, each in found.items()),
        fitted_at=datetime.now(UTC),
        embedding=embedding,
        reader=reader,
    )
    SHIPPED.write_text(fit.text(), encoding="utf-8")
    sys.stdout.write(f"written: {SHIPPED}\n")


if __name__ == "__main__":
    main()
