"""`candor calibrate`: from folders of labelled questions to the fit that the pipeline reads."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rag.calibrated import FILE_NAME
from rag.errors import ConfigurationError
from rag.evaluation.calibration import Calibration, Labelled, calibrate, collect, once, require_enough
from rag.evaluation.datasets import load_dataset
from rag.evaluation.own_index import opened
from rag.evaluation.runs import replace_text
from rag.settings import Settings


def fit_gate(
    folders: Sequence[Path],
    settings: Settings,
    *,
    max_false_answer_rate: float,
    threshold_on: Sequence[str] = (),
    horizon: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Fit the gate on data sets, each in an index of its own, and write it into the data folder.

    Args:
        folders: Data sets.
        settings: Where the fit is written: `gate_dir`, by default the data folder.
        max_false_answer_rate: The rate that the threshold is to keep, above 0 and below 1.
        threshold_on: Names of the data sets whose unanswerable questions decide the threshold; default: all.
        horizon: Keep the rate among that many unanswerable questions to come; None: in the long run.
        progress: Told how far each data set is.

    Raises:
        ConfigurationError: A data set is malformed, there are too few labels, the rate is outside its range, or
            `threshold_on` names no data set.
    """
    _check(folders, threshold_on, max_false_answer_rate)
    rows: list[Labelled] = []
    embedding, reader = "", ""
    for folder in folders:
        with opened(folder, settings) as (candor, dataset, _):
            embedding = candor.wiring.embedder.fingerprint
            reader = candor.wiring.reader.name if candor.wiring.reader else ""
            rows += collect(dataset, partial(candor.retrieve, estimator="calibrated"), progress=progress)
    found = calibrate(
        rows,
        max_false_answer_rate=max_false_answer_rate,
        threshold_on=threshold_on,
        horizon=horizon,
        embedding=embedding,
        reader=reader,
    )
    target = fit_path(settings)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_text(target, found.fit.model_dump_json(indent=1) + "\n")
    return found


def fit_path(settings: Settings) -> Path:
    """Return where a fit is written, and from where the pipeline takes it."""
    return (settings.gate_dir or settings.data_dir) / FILE_NAME


def _check(folders: Sequence[Path], threshold_on: Sequence[str], max_false_answer_rate: float) -> None:
    """Refuse what cannot be fitted before any question is asked."""
    if not 0 < max_false_answer_rate < 1:
        raise ConfigurationError(
            f"--max-false-answer-rate is {max_false_answer_rate}: it must be above 0 and below 1, as 0.05."
        )
    given = [folder.resolve() for folder in folders]
    twice = sorted({folder.name for folder in given if given.count(folder) > 1})
    if twice:
        raise ConfigurationError(
            f"{twice} are named more than once: the same labels prove nothing new. Name each once."
        )
    datasets = [load_dataset(folder) for folder in folders]
    known = sorted(dataset.name for dataset in datasets)
    unknown = sorted(set(threshold_on) - set(known))
    if unknown:
        raise ConfigurationError(f"--threshold-on names {unknown}, which are not among the data sets {known}.")
    asked = once([question for dataset in datasets for question in dataset.questions])
    require_enough([question.answerable for question in asked if question.answerable is not None])
