"""An index of a data set's own, built once and used again while what decides its content stays the same."""

import hashlib
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePath

from pydantic import ValidationError

from rag.evaluation.datasets import DataSet
from rag.evaluation.independent import TextOf
from rag.evaluation.runs import replace_text
from rag.evaluation.summary import Ingestion

_MARKER = "evaluation.json"


def index_folder(dataset: DataSet, *, data_dir: Path, embedding: str, ingestion: str, language: str) -> Path:
    """Return the folder for a data set's own index: another one for whatever would make another index.

    Args:
        dataset: Whose documents are indexed.
        data_dir: Candor's data folder.
        embedding: Fingerprint of the embedding model.
        ingestion: Version of the ingestion (`rag.ingest.version`): how files are read and cut.
        language: Snowball stemmer of the words that BM25 counts.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", dataset.name)[:40]
    deciding = "\n".join((dataset.documents_fingerprint, embedding, ingestion, language))
    key = hashlib.sha256(deciding.encode()).hexdigest()
    return data_dir / "evaluation" / f"{name}-{key[:16]}"


def ingest_once(folder: Path, ingest: Callable[[], Ingestion]) -> Ingestion:
    """Build the index in `folder` unless it is complete, and return what building it took.

    Args:
        folder: From `index_folder`.
        ingest: Ingests all documents and counts; its `seconds` are measured here when it leaves them 0.
    """
    marker = folder / _MARKER
    try:
        return Ingestion.model_validate_json(marker.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    result = ingest()
    if not result.seconds:
        result = result.model_copy(update={"seconds": time.perf_counter() - started})
    replace_text(marker, result.model_dump_json())
    return result


def text_reader(dataset: DataSet, load_text: Callable[[Path], str], *, cache_dir: Path) -> TextOf:
    """Return a function that gives a document's text by name, loading each at most once per index.

    Names are those of `rag.ingest.naming`: of several files of one name, each with the folders that tell them apart.

    Args:
        dataset: Whose documents.
        load_text: Reads a file as ingestion does.
        cache_dir: Where texts are kept for the next run; from `index_folder`.
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
