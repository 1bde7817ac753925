"""Train the reader's network on labelled data sets and say, out of fold by document, what it is worth.

    python -m training DATASET... --work DIR [--apply OTHER ...] [--out rag/weights/reader.safetensors] [--scores FILE]

DATASET and OTHER are folders as `candor evaluate` takes them; our own stand in `training/corpora`. Everything computed
is kept in `--work`, so that an interrupted run goes on, and `--only` lets several processes share the folds; what other
data sets or options would have computed is never mixed with it. A question's score in `--scores` is by a network that
has not seen its document: out of fold, or by `--apply`.
"""

import argparse
import hashlib
import json
import logging
from pathlib import Path

from training.folds import apply, assembled, cross_validated, prepare, save, train_part
from training.trainer import EPOCHS

log = logging.getLogger("training")


def main() -> None:
    """Collect, train out of fold and on everything, report, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--apply", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--times", nargs="*", default=[], metavar="NAME=N", help="what a question of a set counts")
    parser.add_argument("--folds", type=int, default=4, help="parts of the documents that are left out in turn")
    parser.add_argument("--only", nargs="*", help="folds to train now (0, 1, ..., all); report nothing")
    parser.add_argument("--out", type=Path, help="where the weights go")
    parser.add_argument("--scores", type=Path, help="where the scores go, a line for each question")
    parser.add_argument("--limit", type=int, default=2, help="windows that are read per question")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("rag").setLevel(logging.WARNING)
    if difference := other_work(options.work, computed_from(options)):
        parser.error(difference)
    try:
        times = {name: float(count) for name, count in (each.split("=") for each in options.times)}
    except ValueError:
        parser.error(f"--times takes NAME=N, as squad2v=3, and not {' '.join(options.times)!r}.")
    trainer = prepare(options.datasets, options.work, times=times)
    for fold in (*range(options.folds), "all"):
        if options.only is None or str(fold) in options.only:
            train_part(trainer, fold, options.work, folds=options.folds, epochs=options.epochs)
    if options.only is not None:
        return
    calibration = cross_validated(trainer, options.work, options.limit, folds=options.folds)
    weights = assembled(trainer, calibration, options.work)
    if options.out:
        save(weights, options.out)
    for folder in options.apply:
        apply(prepare([folder], options.work), trainer, weights, options.work, options.limit)
    if options.scores:
        judged = sorted(options.work.glob("*.jsonl"))
        options.scores.write_text("".join(path.read_text(encoding="utf-8") for path in judged), encoding="utf-8")


def computed_from(options: argparse.Namespace) -> dict[str, object]:
    """Return everything that decides what is kept in the working folder."""
    digests = {
        path.name: hashlib.sha256((path / "questions.jsonl").read_bytes()).hexdigest() for path in options.datasets
    }
    return {"datasets": digests, "times": sorted(options.times), "epochs": options.epochs, "folds": options.folds}


def other_work(work: Path, wanted: dict[str, object]) -> str:
    """Note in a new working folder what it is for; return why one cannot go on that was begun for something else."""
    work.mkdir(parents=True, exist_ok=True)
    noted = work / "options.json"
    if not noted.is_file():
        noted.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    known = json.loads(noted.read_text(encoding="utf-8"))
    differing = [name for name, value in wanted.items() if known.get(name) != value]
    if not differing:
        return ""
    return f"{str(work)!r} holds a training with other {', '.join(differing)}. Take another --work, or empty that one."


if __name__ == "__main__":
    main()
