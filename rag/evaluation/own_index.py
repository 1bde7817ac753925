"""A data set in an index of its own, with the settings and gate in force: what `evaluate` and `calibrate` work on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.decided import decided_by
from rag.evaluation.index import index_folder, ingest_once, text_reader
from rag.evaluation.indexed import evaluate_indexed
from rag.evaluation.runner import Evaluation, Progress, evaluate, limited
from rag.evaluation.summary import Ingestion
from rag.evaluation.target import check_target
from rag.process.data_folder import make_private
from rag.protocols import UNKNOWN_MODEL, Generator
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.ingest.report import Progress as IngestProgress


@contextmanager
def opened(
    folder: Path, settings: Settings, *, progress: "Callable[[IngestProgress], None] | None" = None
) -> Iterator[tuple[Candor, DataSet, Ingestion]]:
    """Yield a Candor over a data set's documents, the data set, and what building its index took.

    The index is the embedded one, in the data folder, whatever store is configured; it is built once and used again.
    The user's own gate, where there is one, decides as it does for the user's own index. The model that would speak is
    named in the settings, so that a run is not gone on with by another model that the server lists first meanwhile.

    Args:
        folder: The data set: `documents/` and `questions.jsonl`.
        settings: The settings to measure.
        progress: Told how far ingestion is.

    Raises:
        ConfigurationError: The data set is malformed, or has no question or no document that can be read, or the data
            folder cannot be written.
    """
    from rag.ingest.version import ingestion_version

    dataset = load_dataset(folder)
    if not dataset.questions:
        raise ConfigurationError(
            f"{str(folder / 'questions.jsonl')!r} holds no question, so there is nothing to measure. "
            f"Write one JSON object a line, with qid, question and answerable."
        )
    if not dataset.documents:
        _require_documents(dataset, Ingestion(documents=0, chunks=0, seconds=0))
    with Candor.open(settings) as own:
        embedding, spoken = own.wiring.embedder.fingerprint, _model_named(own.wiring.generator)
    home = index_folder(
        dataset,
        data_dir=settings.data_dir,
        embedding=embedding,
        ingestion=ingestion_version(),
        language=settings.language,
    )
    _make_folder(home, dataset, settings)
    private = settings.model_copy(
        update={"data_dir": home, "gate_dir": settings.gate_home, "reader_head": settings.head_file}
        | {"qdrant_url": None, "database_url": None, "record_answers": False}
        | spoken
    )
    with Candor.open(private) as candor:
        ingestion = ingest_once(home, lambda: _ingested(candor, dataset, progress))
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
        f"The data set {str(dataset.folder)!r} has no document to ask: {why}. Put its files into "
        f"{str(dataset.folder / 'documents')!r}, or index documents with 'candor ingest': questions alone are asked of "
        "these."
    )


def _make_folder(home: Path, dataset: DataSet, settings: Settings) -> None:
    """Make the folder of an index, in a data folder that is the user's alone."""
    try:
        make_private(settings.data_dir)
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The index of {dataset.name!r} cannot be kept in {str(home)!r}: {error}. Correct CANDOR_DATA_DIR."
        ) from error


def _ingested(candor: Candor, dataset: DataSet, progress: "Callable[[IngestProgress], None] | None") -> Ingestion:
    """Ingest the documents of a data set, and return what that took."""
    report = candor.ingest(list(dataset.sources), progress=progress)
    failed = tuple(f"{file.document}: {file.reason}" for file in report.failed)
    added = report.count("added") + report.count("unchanged") + report.count("replaced")
    return Ingestion(documents=added, chunks=report.chunks, seconds=report.seconds, failed=failed)


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
                return found.model_copy(update={"decided": decided_by(candor)})
    with opened(folder, settings, progress=ingest_progress) as (candor, dataset, ingestion):
        home = candor.settings.data_dir
        found = evaluate(
            dataset,
            ask=candor.ask,
            text_of=text_reader(dataset, lambda path: load(path).text, cache_dir=home),
            ingestion=ingestion,
            out=out,
            limit=limit,
            resume=resume,
            progress=progress,
            dense_weight=candor.settings.dense_weight,
        )
        return found.model_copy(update={"decided": decided_by(candor)})
