"""`candor evaluate`: a data set asked of its own documents or, where it has none, of what is indexed now."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, Calibrated, load_fit
from rag.errors import InvalidDocument
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.own_index import opened, text_reader
from rag.evaluation.runner import Evaluation, Progress, evaluate, limited
from rag.evaluation.runs import check_target
from rag.ingest.originals import Originals
from rag.record import Recorder
from rag.settings import Settings, settings_fingerprint

if TYPE_CHECKING:
    from rag.ingest.report import Progress as IngestProgress


def run(
    folder: Path,
    settings: Settings,
    *,
    out: Path | None = None,
    limit: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
    ingest_progress: "Callable[[IngestProgress], None] | None" = None,
) -> Evaluation:
    """Ingest a data set, ask its questions, and return the figures. See `rag.evaluation.runner.evaluate`.

    A target or a limit that `evaluate` would refuse is refused before anything is indexed. A data set that has no
    documents of its own is asked of what the user has indexed.
    """
    from rag.ingest.loaders import load

    dataset = load_dataset(folder)
    limited(dataset, limit)
    if out is not None:
        check_target(out, dataset, resume=resume)
    if out is not None and dataset.questions and not dataset.documents and not (folder / "documents").is_dir():
        with Candor.open(settings) as candor:
            if candor.wiring.catalogue.chunk_count():
                found = evaluate_indexed(
                    candor, dataset, settings, out=out, limit=limit, resume=resume, progress=progress
                )
                return found.model_copy(update={"decided": _decided_by(candor)})
    with opened(folder, settings, progress=ingest_progress) as (candor, dataset, ingestion):
        text_of = text_reader(dataset, lambda path: load(path).text, cache_dir=candor.settings.data_dir)
        found = evaluate(
            dataset, ask=candor.ask, text_of=text_of, ingestion=ingestion, dense_weight=settings.dense_weight,
            out=out, limit=limit, resume=resume, progress=progress,
        )  # fmt: skip
        return found.model_copy(update={"decided": _decided_by(candor)})


def evaluate_indexed(
    candor: Candor,
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
    """
    quiet = Recorder(out.parent / "log", record_answers=False)
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
    text_of = cache(partial(_text_of, candor))
    try:
        return evaluate(
            dataset, ask=lambda question: named.ask(named.query(question)), text_of=text_of,
            dense_weight=settings.dense_weight, out=out, limit=limit, resume=resume, progress=progress,
        )  # fmt: skip
    finally:
        quiet.close()


def _text_of(candor: Candor, name: str) -> str | None:
    """Return the text of an indexed document, or None where no file of it is left."""
    from rag.ingest.loaders import load

    record = candor.wiring.catalogue.get(name)
    path = Originals(candor.settings.data_dir / "files").source(record) if record else None
    try:
        return load(path).text if path else None
    except InvalidDocument:
        return None


def _decided_by(candor: Candor) -> tuple[str, ...]:
    """Return what decides with the settings of a Candor: a sentence, and one for each warning about its index."""
    settings = candor.settings
    estimator, is_set = candor.wiring.estimators[settings.estimator], settings.confidence_threshold
    own = f"{estimator.threshold:.4f}"
    limit = f"threshold {own}" if is_set is None else f"threshold {is_set:.4f} (as set; its own is {own})"
    if not isinstance(estimator, Calibrated):
        return (f"Decided by estimator {settings.estimator!r}, {limit}.",)
    is_own = load_fit(settings.gate_home, reader=candor.wiring.reader_name, decides=False).is_own
    whose = f"the gate {settings.gate_home / FILE_NAME}" if is_own else "the gate that came with Candor"
    unsure = estimator.unsure_threshold if settings.unsure_threshold is None else settings.unsure_threshold
    below = f"unsure from {unsure:.4f} on{'' if settings.unsure_threshold is None else ' (as set)'}"
    return (f"Decided by {whose}, {limit}, {below}.", *estimator.warnings())
