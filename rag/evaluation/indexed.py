"""A data set without documents of its own: its questions are asked of what is indexed now."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import InvalidDocument
from rag.evaluation.datasets import DataSet
from rag.evaluation.runner import Evaluation, Progress, evaluate
from rag.ingest.originals import Originals
from rag.models import Answer
from rag.record import Recorder
from rag.settings import Settings, settings_fingerprint

if TYPE_CHECKING:
    from rag.candor import Candor


def evaluate_indexed(
    candor: "Candor",
    dataset: DataSet,
    settings: Settings,
    *,
    out: Path,
    limit: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask the questions of a data set of what is indexed, and return the figures.

    A run is no traffic: what it asks is logged beside it, and counted nowhere else.

    Args:
        candor: Whose index is asked.
        dataset: The questions.
        settings: The settings to ask with.
        out: Where the lines go.
        limit: Only the first so many questions; None: all.
        resume: Whether answers of a run that was cut off are kept.
        progress: Told how far it is.
    """
    quiet = Recorder(out.parent / "log", record_answers=False)
    try:
        return evaluate(
            dataset,
            ask=_asking(candor, settings, quiet),
            text_of=lambda name: _text_of(candor, name),
            out=out,
            limit=limit,
            resume=resume,
            progress=progress,
            dense_weight=settings.dense_weight,
        )
    finally:
        quiet.close()


def _asking(candor: "Candor", settings: Settings, quiet: Recorder) -> Callable[[str], Answer]:
    """Return what asks a question of what is indexed now, with the settings of a run."""
    pipeline = candor.pipeline
    named = replace(
        pipeline,
        recorder=quiet,
        default_estimator=settings.estimator,
        threshold=settings.confidence_threshold,
        rules=replace(pipeline.rules, dense_weight=settings.dense_weight),
        defaults={name: getattr(settings, name) for name in pipeline.defaults},
        settings_fingerprint=settings_fingerprint(settings),
    )
    return lambda question: named.ask(named.query(question))


def _text_of(candor: "Candor", name: str) -> str | None:
    """Return the text of an indexed document, or None where no file of it is left."""
    from rag.ingest.loaders import load

    record = candor.wiring.catalogue.get(name)
    path = Originals(candor.settings.data_dir / "files").source(record) if record else None
    try:
        return load(path).text if path else None
    except InvalidDocument:
        return None
