"""A data set in an index of its own, with the settings and gate in force: what `evaluate` and `calibrate` work on."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pydantic import ValidationError

from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.independent import TextOf
from rag.evaluation.runs import replace_text
from rag.evaluation.summary import Ingestion
from rag.process.data_folder import make_private
from rag.protocols import UNKNOWN_MODEL, Generator
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.ingest.report import Progress as IngestProgress

_MARKER = "evaluation.json"
"""Stands in an index that is complete, and says what building it took."""


@contextmanager
def opened(
    folder: Path, settings: Settings, *, progress: "Callable[[IngestProgress], None] | None" = None
) -> Iterator[tuple[Candor, DataSet, Ingestion]]:
    """Yield a Candor over a data set's documents, the data set, and what building its index took.

    The index is the embedded one, in the data folder, whatever store is configured; it is built once and used again.
    The user's own gate, where there is one, decides as it does for the user's own index. The model that would speak is
    named in the settings, so that a run is not gone on with by another model that the server lists first meanwhile.

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
        f"The data set {str(dataset.folder)!r} has no document to ask: {why}. Put its files into "
        f"{str(dataset.folder / 'documents')!r}, or index documents with 'candor ingest': questions alone are asked of "
        "these."
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
    """Return a function that gives a document's text by name, loading each at most once per index.

    Names are those of `rag.ingest.naming`: of several files of one name, each with the folders that tell them apart.
    """

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
