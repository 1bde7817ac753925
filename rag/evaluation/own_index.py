"""A data set in an index of its own, with the settings and gate in force: what `evaluate` and `calibrate` work on.

A data set without documents is asked of what is indexed now.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, Calibrated, load_fit
from rag.errors import ConfigurationError, InvalidDocument
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.independent import TextOf
from rag.evaluation.runner import Evaluation, Progress, evaluate, limited
from rag.evaluation.runs import check_target, replace_text
from rag.evaluation.summary import Ingestion
from rag.ingest.originals import Originals
from rag.process.data_folder import make_private
from rag.protocols import UNKNOWN_MODEL, Generator
from rag.record import Recorder
from rag.settings import Settings, settings_fingerprint

if TYPE_CHECKING:
    from rag.ingest.report import Progress as IngestProgress

_MARKER = "evaluation.json"  # stands in an index that is complete, and says what building it took


@contextmanager
def opened(
    folder: Path, settings: Settings, *, progress: "Callable[[IngestProgress], None] | None" = None
) -> Iterator[tuple[Candor, DataSet, Ingestion]]:
    """Yield a Candor over a data set's documents, the data set, and what building its index took.

    The index is the embedded one, in the data folder, whatever store is configured; it is built once and used again.
    The user's own gate decides as for the user's own index. The model that would speak is named in the settings, so
    that a run is not gone on with by another model that the server lists first meanwhile.

    Raises:
        ConfigurationError: The data set has no question or no document that can be read, or the folder is not writable.
    """
    from rag.ingest.version import ingestion_version

    dataset = load_dataset(folder)
    if not dataset.questions:
        told = "holds no question. Write one JSON object a line, with qid, question and answerable."
        raise ConfigurationError(f"{str(folder / 'questions.jsonl')!r} {told}")
    if not dataset.documents:
        _require_documents(dataset, Ingestion(documents=0, chunks=0, seconds=0))
    with Candor.open(settings) as own:
        embedding, spoken = own.wiring.embedder.fingerprint, _model_named(own.wiring.generator)
    made_by = {"embedding": embedding, "ingestion": ingestion_version(), "language": settings.language}
    home = index_folder(dataset, data_dir=settings.data_dir, **made_by)
    try:
        make_private(settings.data_dir)
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The index of {dataset.name!r} cannot be kept in {str(home)!r}: {error}. Correct CANDOR_DATA_DIR."
        ) from error
    private = settings.model_copy(
        update={"data_dir": home, "gate_dir": settings.gate_home, "reader_head": settings.head_file}
        | {"qdrant_url": None, "database_url": None, "record_answers": False}
        | spoken
    )
    with Candor.open(private) as candor:
        ingestion = _ingested(home / _MARKER, candor, dataset, progress)
        _require_documents(dataset, ingestion)
        yield candor, dataset, ingestion


def _model_named(generator: Generator) -> dict[str, str]:
    """Return the setting that names the model which speaks now: another may stand first by the end of a run."""
    found, setting = generator.model(), {"ollama": "ollama_model", "openai": "openai_model"}.get(generator.name)
    return {setting: found.name} if setting and found and found.name != UNKNOWN_MODEL else {}


def _require_documents(dataset: DataSet, ingestion: Ingestion) -> None:
    """Refuse a data set of whose documents nothing could be indexed: there is nothing to ask."""
    if ingestion.documents:
        return
    why = f"none could be ingested ({ingestion.failed[0]})" if ingestion.failed else "there is none"
    raise ConfigurationError(
        f"The data set {str(dataset.folder)!r} has no document to ask: {why}. Put its files into documents/ there, or "
        "index documents with 'candor ingest': questions alone are asked of these."
    )


def _ingested(
    marker: Path, candor: Candor, dataset: DataSet, progress: "Callable[[IngestProgress], None] | None"
) -> Ingestion:
    """Ingest the documents of a data set unless its index is complete, and return what building it took."""
    with suppress(OSError, ValidationError):
        return Ingestion.model_validate_json(marker.read_text(encoding="utf-8"))
    report = candor.ingest(list(dataset.sources), progress=progress)
    found = Ingestion(
        documents=report.count("added") + report.count("unchanged") + report.count("replaced"),
        chunks=report.chunks,
        seconds=report.seconds,
        failed=tuple(f"{file.document}: {file.reason}" for file in report.failed),
    )
    replace_text(marker, found.model_dump_json())
    return found


def index_folder(dataset: DataSet, *, data_dir: Path, embedding: str, ingestion: str, language: str) -> Path:
    """Return the folder for a data set's own index: another one for whatever would make another index."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", dataset.name)[:40]
    deciding = "\n".join((dataset.documents_fingerprint, embedding, ingestion, language))
    key = hashlib.sha256(deciding.encode()).hexdigest()
    return data_dir / "evaluation" / f"{name}-{key[:16]}"


def text_reader(dataset: DataSet, load_text: Callable[[Path], str], *, cache_dir: Path) -> TextOf:
    """Return a function that gives a document's text by its name (`rag.ingest.naming`), loading each once per index."""

    @cache
    def text_of(name: str) -> str | None:
        parts = PurePath(name).parts
        path = next((one for one in dataset.documents if one.parts[-len(parts) :] == parts), None)
        if path is None:
            return None
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        kept = cache_dir / "texts" / f"{content}{path.suffix}.txt"  # by its name alone another file's could be found
        if kept.is_file():
            return kept.read_text(encoding="utf-8")
        text = load_text(path)
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace_text(kept, text)
        return text

    return text_of


def run(
    folder: Path, settings: Settings, *, out: Path, limit: int | None = None, resume: bool = True,
    progress: Progress | None = None, ingest_progress: "Callable[[IngestProgress], None] | None" = None,
) -> Evaluation:  # fmt: skip
    """Ingest a data set, ask its questions, and return the figures. See `rag.evaluation.runner.evaluate`.

    A target or a limit that `evaluate` would refuse is refused before anything is indexed. A data set that has no
    documents of its own is asked of what the user has indexed.
    """
    from rag.ingest.loaders import load

    dataset = load_dataset(folder)
    limited(dataset, limit)
    check_target(out, dataset, resume=resume)
    how: Any = {"out": out, "limit": limit, "resume": resume, "progress": progress}
    if dataset.questions and not dataset.documents and not (folder / "documents").is_dir():
        with Candor.open(settings) as candor:
            if candor.wiring.catalogue.chunk_count():
                found = evaluate_indexed(candor, dataset, settings, **how)
                return found.model_copy(update={"decided": _decided_by(candor)})
    with opened(folder, settings, progress=ingest_progress) as (candor, dataset, ingestion):
        text_of = text_reader(dataset, lambda path: load(path).text, cache_dir=candor.settings.data_dir)
        how |= {"text_of": text_of, "ingestion": ingestion, "dense_weight": settings.dense_weight}
        found = evaluate(dataset, ask=candor.ask, **how)
        return found.model_copy(update={"decided": _decided_by(candor)})


def evaluate_indexed(
    candor: Candor, dataset: DataSet, settings: Settings,
    *, out: Path, limit: int | None = None, resume: bool = True, progress: Progress | None = None,
) -> Evaluation:  # fmt: skip
    """Ask the questions of a data set of what is indexed, and return the figures; they are logged beside the run."""
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
    how: Any = {"out": out, "limit": limit, "resume": resume, "progress": progress}
    how |= {"text_of": cache(partial(_text_of, candor)), "dense_weight": settings.dense_weight}
    try:
        return evaluate(dataset, ask=lambda question: named.ask(named.query(question)), **how)
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
    limit = f"threshold {estimator.threshold:.4f}"
    if is_set is not None:
        limit = f"threshold {is_set:.4f} (as set; its own is {estimator.threshold:.4f})"
    if not isinstance(estimator, Calibrated):
        return (f"Decided by estimator {settings.estimator!r}, {limit}.",)
    is_own = load_fit(settings.gate_home, reader=candor.wiring.reader_name, decides=False).is_own
    whose = f"the gate {settings.gate_home / FILE_NAME}" if is_own else "the gate that came with Candor"
    unsure = estimator.unsure_threshold if settings.unsure_threshold is None else settings.unsure_threshold
    below = f"unsure from {unsure:.4f} on{'' if settings.unsure_threshold is None else ' (as set)'}"
    return (f"Decided by {whose}, {limit}, {below}.", *estimator.warnings())
