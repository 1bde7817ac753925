"""Fitting the gate on labels and data sets, and the gates that were fitted. Imports no streamlit.

    data_dir/gates/FINGERPRINT/gate.json            what the pipeline reads once it is promoted
    data_dir/gates/FINGERPRINT/calibration.json     what it is worth

A fit changes nothing by itself: `rag.adapters.repositories` says which gate is in force.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pydantic import Field, ValidationError

from dashboard.jobs import Job
from rag.confidence.calibrated import FILE_NAME, Calibrated, GateFit, load_fit
from rag.confidence.drift import index_state
from rag.evaluation.calibration import Calibration, Counted, calibrate, counted_by
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.labelled import Labelled, Part, collect, of_corpora, without_known
from rag.evaluation.own_index import opened
from rag.evaluation.risk import Horizon
from rag.evaluation.runs import replace_text
from rag.models import Value
from rag.record import Recorder

if TYPE_CHECKING:
    from rag.candor import Candor

KIND = "calibrate"
LABELS = "labels"
"""The name under which the labels of people stand beside data sets."""
_DETAILS = "calibration.json"
_log = logging.getLogger(__name__)


class FittedGate(Value):
    """A gate, what it is worth, and how the gate that was in force did on the same questions."""

    calibration: Calibration = Field(description="The fit, out of fold.")
    before: dict[str, Counted] = Field({}, description="What the gate in force then did, by data set.")

    @property
    def fit(self) -> GateFit:
        """What the pipeline reads."""
        return self.calibration.fit


def fit_gate(
    candor: "Candor",
    lines: Sequence[Mapping[str, object]],
    folders: Sequence[Path],
    *,
    most: float,
    most_refused: float,
    horizon: Horizon,
    job: Job,
) -> FittedGate:
    """Fit a gate and keep it; it is not in force before somebody promotes it.

    Args:
        candor: Whose index the labelled questions are asked of.
        lines: Labelled questions, as lines of `questions.jsonl`.
        folders: Data sets with documents, each in an index of its own.
        most: The rate of false answers to keep, above 0 and below 1.
        most_refused: The share of the answerable questions that may be refused, 0..1.
        horizon: Keep it among so many unanswerable questions to come, or as many as are labelled; None: in the long
            run.
        job: Told how far it is; cancelling it leaves everything as it was.

    Raises:
        ConfigurationError: There are too few labels; the message says how many are missing.
    """
    parts: list[Part] = []
    known: set[tuple[str, bool | None]] = set()
    states = [index_state(candor.wiring.catalogue)]
    if lines:
        parts.append(Part(_labelled(candor, lines, known, job), candor.wiring.catalogue.versions()))
    for folder in folders:
        job.tell(0, 0, f"{folder.name}: indexing its documents")
        with opened(folder, candor.settings) as (own, dataset, _):
            find = partial(own.retrieve, estimator="calibrated")
            rows = [*collect(without_known(dataset, known), find, progress=partial(_tell, job, dataset.name))]
            parts.append(Part(rows, own.wiring.catalogue.versions()))
            states.append(index_state(own.wiring.catalogue))
    job.tell(job.done, job.total, "fitting")
    wiring, rows = candor.wiring, of_corpora(parts)
    found = calibrate(
        rows,
        max_false_answer_rate=most,
        max_refused_rate=most_refused,
        horizon=horizon,
        embedding=wiring.embedder.fingerprint,
        reader=wiring.reader_name,
        indexes=[state for state in states if state is not None],
    )
    now = load_fit(candor.settings.gate_home, reader=wiring.reader_name, decides=False).fit
    return _kept(candor, FittedGate(calibration=found, before=counted_by(now, rows)))


def _tell(job: Job, name: str, done: int, total: int) -> None:
    job.tell(done, total, f"{name}: question {done} of {total}")


def _labelled(
    candor: "Candor", lines: Sequence[Mapping[str, object]], known: set[tuple[str, bool | None]], job: Job
) -> list[Labelled]:
    """Ask the index again for every question that people labelled; that is no traffic, so Monitor does not count it."""
    questions = tuple(Question.model_validate(line) for line in lines)
    dataset = DataSet(name=LABELS, folder=candor.settings.data_dir, questions=questions)
    quiet = Recorder(candor.settings.data_dir / "runs" / "log", record_answers=False)
    pipeline = replace(candor.pipeline, recorder=quiet)
    try:
        return [
            *collect(
                without_known(dataset, known),
                lambda question: pipeline.retrieve(pipeline.query(question, estimator="calibrated")),
                progress=partial(_tell, job, LABELS),
            )
        ]
    finally:
        quiet.close()


# --- the gates that were fitted ----------------------------------------------------------------------------------


def gates_folder(candor: "Candor") -> Path:
    """Return where fitted gates are kept."""
    return candor.settings.data_dir / "gates"


def _kept(candor: "Candor", gate: FittedGate) -> FittedGate:
    folder = gates_folder(candor) / gate.fit.fingerprint
    folder.mkdir(parents=True, exist_ok=True)
    replace_text(folder / _DETAILS, gate.model_dump_json(indent=1) + "\n")
    replace_text(folder / FILE_NAME, gate.fit.text())
    return gate


def gates(candor: "Candor") -> dict[str, FittedGate]:
    """Return the gates that were fitted here by fingerprint, the latest first; what cannot be read is left out."""
    found = []
    for path in gates_folder(candor).glob(f"*/{_DETAILS}"):
        try:
            found.append(FittedGate.model_validate_json(path.read_text(encoding="utf-8")))
        except (OSError, ValidationError) as error:
            _log.warning("The gate %s cannot be read (%s).", path.parent.name, error)
    found.sort(key=lambda one: str(one.fit.fitted_at), reverse=True)
    return {one.fit.fingerprint: one for one in found}


def promoted(candor: "Candor", gate: FittedGate) -> dict[str, object]:
    """Return the settings that put a gate into force, with the thresholds that belong to it."""
    folder = gates_folder(candor) / gate.fit.fingerprint
    own: dict[str, object] = {"confidence_threshold": None, "unsure_threshold": None}
    return {"gate_dir": str(folder.resolve()), "estimator": "calibrated", **own}


def in_force(candor: "Candor") -> Calibrated:
    """Return the calibrated estimator that decides now."""
    found: Calibrated = candor.wiring.estimators["calibrated"]  # type: ignore[assignment]
    return found


def unproven(candor: "Candor", gate: FittedGate) -> str:
    """Return what decides now, and what a gate lacks that has no guarantee."""
    now, needed = in_force(candor).fit, gate.calibration.control.needed
    more = f" Label {needed} more unanswerable questions at least, then fit again." if needed else ""
    return (
        f"Nothing is proven of this gate's threshold.{more} In force stays the gate with threshold "
        f"{now.threshold:.4f}, for at most {now.max_false_answer_rate:.1%} false answers: {now.guarantee}"
    )


def gates_table(found: Mapping[str, FittedGate], in_force: str) -> pd.DataFrame:
    """Return the fitted gates: gate, in_force, fitted_at, fitted_on, thresholds with their bounds, and guarantee."""
    rows = [
        (name, name == in_force, one.fit.fitted_at, "; ".join(one.fit.fitted_on), one.fit.threshold,
         one.calibration.control.bound, one.fit.unsure_threshold, one.calibration.refused.upper_bound,
         one.fit.guarantee)
        for name, one in found.items()
    ]  # fmt: skip
    names = ["gate", "in_force", "fitted_at", "fitted_on", "threshold", "at_most", "unsure_threshold",
             "refused_at_most", "guarantee"]  # fmt: skip
    return pd.DataFrame(rows, columns=names).astype({"at_most": "float64", "refused_at_most": "float64"})


def worth_table(gate: FittedGate) -> pd.DataFrame:
    """Return by data set what a gate is worth out of fold, and how the gate in force did before."""
    rows = []
    for name, one in gate.calibration.counted.items():
        before = gate.before.get(name)
        rows.append(
            (name, gate.calibration.auroc.get(name), one.coverage.value, before and before.coverage.value,
             one.false_answers.value, before and before.false_answers.value, one.refused.value, one.unsure.value)
        )  # fmt: skip
    names = ["dataset", "auroc", "coverage", "coverage_before", "false_answer_rate", "false_answers_before",
             "refused", "unsure"]  # fmt: skip
    return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[1:], "float64"))
