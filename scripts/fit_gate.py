"""Fit the gate that Candor ships: `rag/weights/gate.json`, and the one for those who turn reading off.

    python scripts/fit_gate.py DATASET... --together training/corpora/*/ --weighing 3 --work DIR --read FILE
        --withhold DATASET... --threshold-on NAME --max-false-answer-rate 0.035

The same as `candor calibrate`, and more: the data sets of `--together` weigh as a few corpora; questions that the
shipped reader was trained on get the judgement that it gave of them out of fold (FILE, by `python -m training`),
never the one of weights that saw them; the questions of `--withhold` are asked once more while their own documents are
withheld, beside the same answerable ones; and the fit, a sum and trees together, is made twice, with the reader's
signal and without. `--gathered` fits on the signals that DIR keeps.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from rag.candor import Candor
from rag.confidence.calibrated import SHIPPED, SHIPPED_WITHOUT_READER
from rag.confidence.signals import SIGNALS
from rag.evaluation.calibration import Calibration, calibrate
from rag.evaluation.datasets import DataSet, Question, load_dataset
from rag.evaluation.labelled import Labelled, collect
from rag.evaluation.own_index import opened
from rag.settings import Settings, load_settings

PARTS = 4
"""Documents are withheld a quarter at a time."""
WITHHELD = " withheld"
"""Added to a data set's name for its questions whose documents are withheld."""


TOGETHER = "corpora"
"""What the corpora are called that the data sets of `--together` are dealt to, with a number."""


def gather(folders: Sequence[Path], settings: Settings, judged: Mapping[str, float]) -> list[Labelled]:
    """Return the signals of all labelled questions; where the reader's judgement is known, nothing is read for it."""
    rows: list[Labelled] = []
    for folder in folders:
        known = all(one.qid in judged for one in load_dataset(folder).questions if one.answerable is not None)
        with opened(folder, settings.model_copy(update={"reader_model": "none"}) if known else settings) as found:
            rows += collect(found[1], partial(found[0].retrieve, estimator="calibrated"))
        sys.stderr.write(f"{folder.name}: {len(rows)} questions so far\n")
    return [_with_reading(row, judged) for row in rows]


def names(settings: Settings) -> tuple[str, str]:
    """Return the fingerprint of the embedding and the name of the reader."""
    with Candor.open(settings) as candor:
        return candor.wiring.embedder.fingerprint, candor.wiring.reader.name if candor.wiring.reader else ""


def out_of_fold(path: Path) -> dict[str, float]:
    """Return what the reader made of the best window of each question, by the question's id."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {line["qid"]: max(line["scores"], default=0.0) for line in lines}


def _with_reading(row: Labelled, judged: Mapping[str, float]) -> Labelled:
    if row.qid not in judged:
        return row
    return _with_last(row, (judged[row.qid],))


def _with_last(row: Labelled, last: tuple[float, ...]) -> Labelled:
    """Return the row with other values behind those of `SIGNALS`."""
    count = len(SIGNALS)
    otherwise = (*row.otherwise[:count], *last) if row.otherwise else ()
    return row.model_copy(update={"signals": (*row.signals[:count], *last), "otherwise": otherwise})


def withheld(folder: Path, settings: Settings) -> list[Labelled]:
    """Return the answerable questions of a data set as the gate sees them while their own documents are withheld.

    They are then questions that the corpus does not answer, of the kind that a data set of near misses lacks.
    """
    dataset = load_dataset(folder)
    names = sorted(path.name for path in dataset.documents)
    rows: list[Labelled] = []
    for part in range(PARTS):
        hidden = set(names[part::PARTS])
        asked = [one for one in dataset.questions if one.answerable and one.gold and one.gold[0].document in hidden]
        home = _folder_without(hidden, dataset, asked, settings.data_dir / f"{dataset.name}-without-{part}")
        with opened(home, settings) as (candor, shown, _):
            found = collect(shown, partial(candor.retrieve, estimator="calibrated"))
        own = {question.qid: question.gold[0].document for question in asked}
        rows += [row.model_copy(update=_apart(dataset.name) | {"group": own[row.qid]}) for row in found]
        sys.stderr.write(f"{home.name}: {len(rows)} questions so far\n")
    return rows


def _apart(name: str) -> dict[str, str]:
    """Return what makes a row one of the data set that asks while documents are withheld: of the same corpus."""
    return {"dataset": name + WITHHELD, "corpus": name}


def _folder_without(hidden: set[str], dataset: DataSet, asked: Sequence[Question], home: Path) -> Path:
    """Write a data set of the documents that are not hidden, and of questions that they do not answer."""
    (home / "documents").mkdir(parents=True, exist_ok=True)
    for path in dataset.documents:
        link = home / "documents" / path.name
        if path.name not in hidden and not link.exists():
            link.symlink_to(path.resolve())
    lines = [
        json.dumps({"qid": one.qid, "question": one.question, "answerable": False, "kind": "withheld"}) for one in asked
    ]
    (home / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return home


def without_reading(rows: Sequence[Labelled]) -> list[Labelled]:
    """Return the rows without the reader's signal."""
    return [_with_last(row, ()) for row in rows]


def rows_of(options: argparse.Namespace, settings: Settings) -> list[Labelled]:
    """Return the signals of every question that the options name."""
    judged = out_of_fold(options.read)
    rows = gather(options.datasets, settings, judged)
    for number in range(options.weighing):
        dealt = gather(options.together[number :: options.weighing], settings, judged)
        rows += [row.model_copy(update={"corpus": f"{TOGETHER} {number + 1}"}) for row in dealt]
    for folder in options.withhold:
        name = load_dataset(folder).name
        beside = [row for row in rows if row.dataset == name and row.answerable]
        rows += [row.model_copy(update=_apart(row.dataset)) for row in beside]
        rows += withheld(folder, settings)
    return rows


def tell(name: str, found: Calibration) -> None:
    """Print what a fit is worth, out of fold."""
    parts = found.model_dump(include={"auroc", "coverage", "false_answer_rate"})
    sys.stdout.write(
        f"{name}: threshold {found.fit.threshold}\n{json.dumps(parts, indent=1)}\n{found.control.reason}\n"
    )


def main() -> None:
    """Gather, fit twice, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--together", type=Path, nargs="*", default=[], help="data sets that weigh as few corpora")
    parser.add_argument("--weighing", type=int, default=1, help="as how many corpora those of --together weigh")
    parser.add_argument("--work", type=Path, required=True, help="where the indexes and the gathered signals are kept")
    parser.add_argument("--read", type=Path, required=True, help="--scores of python -m training")
    parser.add_argument("--withhold", type=Path, nargs="*", default=[], help="data sets of near misses")
    parser.add_argument("--gathered", action="store_true", help="the signals stand in DIR/signals.jsonl already")
    parser.add_argument("--threshold-on", nargs="*", default=[])
    parser.add_argument("--max-false-answer-rate", type=float, required=True)
    options = parser.parse_args()
    settings = load_settings(data_dir=options.work)
    embedding, reader = names(settings)
    kept = options.work / "signals.jsonl"
    if not options.gathered:
        kept.write_text("".join(row.model_dump_json() + "\n" for row in rows_of(options, settings)), encoding="utf-8")
    rows = [Labelled.model_validate_json(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    fit = partial(
        calibrate,
        max_false_answer_rate=options.max_false_answer_rate,
        threshold_on=options.threshold_on,
        horizon=None,  # in the long run, as docs/decisions/0014-gate.md says
        embedding=embedding,
        shape="both",
    )
    for path, found in (
        (SHIPPED, fit(rows, reader=reader)),
        (SHIPPED_WITHOUT_READER, fit(without_reading(rows))),
    ):
        path.write_text(found.fit.text(), encoding="utf-8")
        tell(path.name, found)


if __name__ == "__main__":
    main()
