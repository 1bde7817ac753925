"""Fit the gate that Candor ships: `rag/weights/gate.json`, from data sets of realistic questions.

    python scripts/fit_gate.py DATASET... --everyday FOLDER... --judge DATASET... --work DIR
        [--sample N --seed S] [--only-fold] [--max-false-answer-rate 0.05] [--max-refused-rate 0.10] [--dry-run]

Every labelled question is asked of an index of its data set's own and read by the shipped reader, once: DIR keeps the
indexes and the signals, so that an interrupted run goes on, and another fit of the same reader takes a second. The
questions must be such as the reader was not trained on: whole data sets, or with --only-fold those about the tenth of
the documents that training leaves out. Folders of --everyday (a question, its wordings and verbatim gold a line) are
written as data sets into DIR first. Data sets of --judge are judged by the fit and take no part in it.

Printed are the figures of fits that saw nothing of the data set that they judge (with one data set alone: nothing of
the document), then those of each signal left out, then what the thresholds do.
"""

import argparse
import hashlib
import json
import random
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from rag.candor import Candor
from rag.confidence.calibrated import SHIPPED, GateFit
from rag.confidence.signals import LOWEST, SIGNALS
from rag.evaluation.calibration import Calibration, Counted, calibrate, counted_by
from rag.evaluation.crossfit import out_of_fold
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.intervals import Estimate, Rate
from rag.evaluation.labelled import Labelled, collect, groups_of, without_known
from rag.evaluation.own_index import opened
from rag.evaluation.selective import auroc, coverage_at
from rag.settings import Settings, load_settings, settings_fingerprint

LIMITS = (0.01, 0.05, 0.10)
"""The rates of false answers at which coverage is told."""
TENTH = 10


def everyday(folder: Path, home: Path) -> Path:
    """Write a folder of everyday questions as a data set, once for each state of it, and return where."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    target = home / folder.name
    shutil.rmtree(target, ignore_errors=True)
    (target / "documents").mkdir(parents=True)
    for path in sorted((folder / "documents").iterdir()):
        (target / "documents" / path.name).symlink_to(path.resolve())
    asked = [json.dumps(_as_question(json.loads(line))) + "\n" for line in lines if line.strip()]
    (target / "questions.jsonl").write_text("".join(asked), encoding="utf-8")
    return target


def _as_question(row: dict[str, object]) -> dict[str, object]:
    """Return the line of a data set for an everyday question."""
    gold = row.get("gold") if row["answerable"] else []
    assert isinstance(gold, list)
    return {
        "qid": row["id"],
        "question": row["question"],
        "answerable": row["answerable"],
        "kind": row.get("kind"),
        "answers": [row["answer"]] if row.get("answer") else [],
        "gold": [{"document": row["document"], "text": text} for text in gold],
    }


def is_left_out(document: str) -> bool:
    """Return whether training leaves a document out: one of ten."""
    return int(hashlib.md5(document.encode()).hexdigest(), 16) % TENTH == 0  # noqa: S324 - a fold, no secret


def chosen(dataset: DataSet, *, sample: int | None, seed: int, only_fold: bool) -> DataSet:
    """Return a data set with the questions to ask: labelled ones, of the fold if asked for, at most `sample` at random.

    Of a question without a place it is not known before it is asked which document it belongs to.
    """
    asked: list[Question] = [one for one in dataset.questions if one.answerable is not None]
    if only_fold:
        asked = [one for one in asked if not one.gold or is_left_out(one.gold[0].document)]
    if sample is not None and sample < len(asked):
        asked = random.Random(seed).sample(asked, sample)  # noqa: S311 - a sample, no secret
    return dataset.model_copy(update={"questions": tuple(asked)})


def gathered(
    folder: Path, settings: Settings, options: argparse.Namespace, known: set[tuple[str, bool | None]]
) -> list[Labelled]:
    """Return the signals of a data set's questions; those that the work folder keeps are not asked again."""
    with opened(folder, settings) as (candor, dataset, _):
        picked = chosen(dataset, sample=options.sample, seed=options.seed, only_fold=options.only_fold)
        wanted = without_known(picked, known)
        kept = _kept_file(candor, dataset, options.work)
        rows = {row.qid: row for row in _read(kept)}
        new = wanted.model_copy(update={"questions": tuple(one for one in wanted.questions if one.qid not in rows)})
        with kept.open("a", encoding="utf-8") as file:
            for number, row in enumerate(collect(new, partial(candor.retrieve, estimator="calibrated")), start=1):
                file.write(row.model_dump_json() + "\n")
                file.flush()
                rows[row.qid] = row
                if not number % 25:
                    sys.stderr.write(f"{dataset.name}: {number} of {len(new.questions)} questions asked\n")
    found = [rows[one.qid] for one in wanted.questions if one.qid in rows]
    return [row for row in found if is_left_out(row.group)] if options.only_fold else found


def _kept_file(candor: Candor, dataset: DataSet, work: Path) -> Path:
    """Return where the signals of a data set are kept: another file for whatever would make other readings."""
    wiring = candor.wiring
    deciding = (
        dataset.fingerprint,
        wiring.embedder.fingerprint,
        wiring.reader_name,
        settings_fingerprint(candor.settings),
    )
    folder = work / "signals"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{dataset.name}-{hashlib.sha256(' '.join(deciding).encode()).hexdigest()[:12]}.jsonl"


def _read(path: Path) -> list[Labelled]:
    """Return the signals that a file keeps; a torn last line, as a killed run leaves it, is cut off."""
    if not path.is_file():
        return []
    whole = path.read_text(encoding="utf-8")
    lines = whole[: whole.rfind("\n") + 1]
    if lines != whole:
        path.write_text(lines, encoding="utf-8")
    return [Labelled.model_validate_json(line) for line in lines.splitlines()]


def names(settings: Settings) -> tuple[str, str]:
    """Return the fingerprint of the embedding and the name of the reader."""
    with Candor.open(settings) as candor:
        return candor.wiring.embedder.fingerprint, candor.wiring.reader_name


def shown(found: Rate | Estimate) -> str:
    """Return a figure with its interval, and its counts where it is a share of questions."""
    if found.value is None or found.low is None or found.high is None:
        return "-"
    counts = f", {found.numerator:g} of {found.denominator}" if isinstance(found, Rate) else ""
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}{counts})"


def figures(name: str, scores: Sequence[float], rows: Sequence[Labelled]) -> str:
    """Return AUROC and coverage at each limit, in a line each."""
    labels = [row.answerable for row in rows]
    lines = [f"{name}: {sum(labels)} answerable, {len(labels) - sum(labels)} not. AUROC {shown(auroc(scores, labels))}"]
    rates = coverage_at(scores, labels, LIMITS)
    lines += [f"  coverage at {limit:.0%} false: {shown(one)}" for limit, one in zip(LIMITS, rates, strict=True)]
    return "\n".join(lines)


def by_data_set(rows: Sequence[Labelled]) -> list[str]:
    """Return the group of each question for cross-fitting: its data set; its document where there is one data set."""
    return [row.dataset for row in rows] if len({row.dataset for row in rows}) > 1 else groups_of(rows)


def without(rows: Sequence[Labelled], name: str) -> list[Labelled]:
    """Return the questions with a signal that says nothing."""
    place = SIGNALS.index(name)

    def blank(signals: tuple[float, ...]) -> tuple[float, ...]:
        return (*signals[:place], LOWEST[name], *signals[place + 1 :])

    return [
        row.model_copy(
            update={"signals": blank(row.signals), "otherwise": blank(row.otherwise) if row.otherwise else ()}
        )
        for row in rows
    ]


def cross_fitted(rows: Sequence[Labelled]) -> str:
    """Return what a gate is worth on data sets that its fit did not see, and what each signal adds."""
    groups = by_data_set(rows)
    scores, labels = out_of_fold(rows, groups), [row.answerable for row in rows]
    lines = [figures("all", scores.tolist(), rows)]
    for name in dict.fromkeys(row.dataset for row in rows):
        here = np.array([row.dataset == name for row in rows])
        lines.append(figures(name, scores[here].tolist(), [row for row in rows if row.dataset == name]))
    for name in SIGNALS:
        fewer = auroc(out_of_fold(without(rows, name), groups).tolist(), labels)
        lines.append(f"without {name}: AUROC {shown(fewer)}")
    return "\n".join(lines)


def at_thresholds(name: str, one: Counted) -> str:
    """Return what both thresholds do to a data set."""
    return (
        f"{name}: answered {shown(one.coverage)}, refused {shown(one.refused)} of the answerable; answered "
        f"{shown(one.false_answers)}, unsure {shown(one.unsure)} of the others"
    )


def tell(found: Calibration) -> str:
    """Return the fit, its thresholds and what is promised of them."""
    fit = found.fit
    weights = ", ".join(f"{name} {weight:.3f}" for name, weight in zip(fit.signals, fit.weights, strict=True))
    lines = [
        f"weights of standardised signals: {weights}; intercept {fit.intercept:.3f}",
        f"threshold {fit.threshold:.4f}. {found.control.reason}",
        f"unsure_threshold {fit.unsure_threshold:.4f}: refused of the answerable {shown(found.refused)}, at most "
        f"{found.refused.upper_bound or 1.0:.3f}",
        *(at_thresholds(name, one) for name, one in found.counted.items()),
    ]
    return "\n".join(lines)


def judged(fit: GateFit, rows: Sequence[Labelled]) -> str:
    """Return what the fit makes of data sets that took no part in it."""
    lines = []
    for name, one in counted_by(fit, rows).items():
        here = [row for row in rows if row.dataset == name]
        scores = [fit.confidence(dict(zip(SIGNALS, row.signals, strict=True))) for row in here]
        lines += [figures(f"{name}, not fitted on", scores, here), "  " + at_thresholds("at the thresholds", one)]
    return "\n".join(lines)


def parsed() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="*")
    parser.add_argument("--everyday", type=Path, nargs="*", default=[], help="folders of everyday questions")
    parser.add_argument("--judge", type=Path, nargs="*", default=[], help="data sets that the fit is only judged on")
    parser.add_argument("--work", type=Path, required=True, help="where indexes and signals are kept")
    parser.add_argument("--sample", type=int, help="at most so many questions of each data set")
    parser.add_argument("--seed", type=int, default=7, help="of the samples")
    parser.add_argument("--only-fold", action="store_true", help="only questions about documents left out of training")
    parser.add_argument("--max-false-answer-rate", type=float, default=0.05)
    parser.add_argument("--max-refused-rate", type=float, default=0.10)
    parser.add_argument("--dry-run", action="store_true", help="print, and write no gate")
    return parser.parse_args()


def main() -> None:
    """Gather, fit, print, write."""
    options = parsed()
    # no gate decides here, and a reader that the shipped gate does not know is no hindrance
    settings = load_settings(data_dir=options.work, gate_dir=options.work / "no gate", confidence_threshold=1.0)
    folders = [*options.datasets, *(everyday(folder, options.work / "everyday") for folder in options.everyday)]
    known: set[tuple[str, bool | None]] = set()
    rows = [row for folder in folders for row in gathered(folder, settings, options, known)]
    embedding, reader = names(settings)
    found = calibrate(
        rows,
        max_false_answer_rate=options.max_false_answer_rate,
        max_refused_rate=options.max_refused_rate,
        horizon=None,  # in the long run: the shipped gate meets questions of any number
        embedding=embedding,
        reader=reader,
    )
    sys.stdout.write(f"{cross_fitted(rows)}\n\n{tell(found)}\n")
    if not options.dry_run:
        SHIPPED.write_text(found.fit.text(), encoding="utf-8")
        sys.stdout.write(f"written: {SHIPPED}\n")
    whole = argparse.Namespace(**{**vars(options), "only_fold": False})
    for folder in options.judge:
        sys.stdout.write(f"\n{judged(found.fit, gathered(folder, settings, whole, set()))}\n")


if __name__ == "__main__":
    main()
