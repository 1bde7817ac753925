"""Fit the gate that Candor ships: `rag/weights/gate.json`, and the one for those who turn reading off.

    python scripts/fit_gate.py DATASET... --work DIR --read FILE --threshold-on NAME --max-false-answer-rate 0.08

The same as `candor calibrate`, and two things more: questions that the shipped reader was trained on get the judgement
that it gave of them out of fold (FILE, written by `scripts/train_reader.py`), never the one of weights that saw them;
and the fit is made twice, with the reader's signal and without.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from rag.calibrated import SHIPPED, SHIPPED_WITHOUT_READER
from rag.candor import Candor
from rag.evaluation.calibration import Calibration, Labelled, calibrate, collect
from rag.evaluation.own_index import opened
from rag.settings import Settings, load_settings
from rag.signals import SIGNALS

SUREST = 7.0
"""As `rag.signals` cuts the reader's log-odds."""


def gather(folders: Sequence[Path], settings: Settings) -> tuple[list[Labelled], str, str]:
    """Return the signals of all labelled questions, and the names of the embedding and the reader."""
    rows: list[Labelled] = []
    embedding = reader = ""
    for folder in folders:
        with opened(folder, settings) as (candor, dataset, _):
            embedding, reader = names(candor)
            rows += collect(dataset, partial(candor.retrieve, estimator="calibrated"))
        sys.stderr.write(f"{folder.name}: {len(rows)} questions so far\n")
    return rows, embedding, reader


def names(candor: Candor) -> tuple[str, str]:
    """Return the fingerprint of the embedding and the name of the reader."""
    return candor.wiring.embedder.fingerprint, candor.wiring.reader.name if candor.wiring.reader else ""


def unseen(rows: Sequence[Labelled], path: Path) -> list[Labelled]:
    """Return the rows with the reader's judgement out of fold, where the file has one."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    judged = {line["qid"]: log_odds(max(line["scores"], default=0.0)) for line in lines}
    return [_with_reading(row, judged) for row in rows]


def log_odds(chance: float) -> float:
    """Return log-odds between -7 and 7.

    >>> log_odds(0.5), log_odds(0.0), log_odds(1.0)
    (0.0, -7.0, 7.0)
    """
    if not 0 < chance < 1:
        return math.copysign(SUREST, chance - 0.5)
    return min(max(math.log(chance / (1 - chance)), -SUREST), SUREST)


def _with_reading(row: Labelled, judged: Mapping[str, float]) -> Labelled:
    if row.qid not in judged:
        return row
    return row.model_copy(update={"signals": (*row.signals[: len(SIGNALS)], judged[row.qid])})


def without_reading(rows: Sequence[Labelled]) -> list[Labelled]:
    """Return the rows without the reader's signal."""
    return [row.model_copy(update={"signals": row.signals[: len(SIGNALS)]}) for row in rows]


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
    parser.add_argument("--work", type=Path, required=True, help="where the indexes and the gathered signals are kept")
    parser.add_argument("--read", type=Path, required=True, help="oof.jsonl of scripts/train_reader.py")
    parser.add_argument("--threshold-on", nargs="*", default=[])
    parser.add_argument("--max-false-answer-rate", type=float, required=True)
    options = parser.parse_args()
    kept = options.work / "signals.jsonl"
    rows, embedding, reader = gather(options.datasets, load_settings(data_dir=options.work))
    rows = unseen(rows, options.read)
    kept.write_text("".join(row.model_dump_json() + "\n" for row in rows), encoding="utf-8")
    fit = partial(
        calibrate,
        max_false_answer_rate=options.max_false_answer_rate,
        threshold_on=options.threshold_on,
        embedding=embedding,
    )
    for path, found in (
        (SHIPPED, fit(rows, reader=reader)),
        (SHIPPED_WITHOUT_READER, fit(without_reading(rows))),
    ):
        path.write_text(found.fit.model_dump_json(indent=1) + "\n", encoding="utf-8")
        tell(path.name, found)


if __name__ == "__main__":
    main()
