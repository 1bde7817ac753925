"""Read-only values for pages, cached; every input is an argument, and the cache is shared by everyone.

Arguments whose name begins with an underscore are not part of a cache key; what they hold is named by the others.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rag.evaluation.lines import EvaluationLine, read_lines
from rag.evaluation.runs import Run, runs_in
from rag.models import Answer, Chunk, Filters
from rag.protocols import SearchScope

if TYPE_CHECKING:
    from rag.candor import Candor


def is_empty(candor: "Candor") -> bool:
    """Return whether nothing is indexed; does not open the index."""
    return candor.wiring.catalogue.chunk_count() == 0


def scope(candor: "Candor", filters: Filters) -> SearchScope:
    """Return the chunks that readers may see and that match."""
    return SearchScope(filters, candor.wiring.catalogue.hidden_versions())


@st.cache_data(show_spinner=False, max_entries=64)
def _values(_candor: "Candor", fingerprint: str, field: str, document: str | None, chapter: int | None) -> list[str]:
    where = scope(_candor, Filters(source=document, chapter=chapter))
    found = _candor.wiring.store.facets(field, where)
    return sorted((str(value) for value in found if value not in (None, "")), key=_natural)


def values(candor: "Candor", field: str, *, document: str | None = None, chapter: int | None = None) -> list[str]:
    """Return what a metadata field holds in the index, in reading order, narrowed where asked for."""
    return _values(candor, candor.wiring.catalogue.fingerprint(), field, document, chapter)


def _natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key by which `2.10` follows `2.9`."""
    import re

    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", text))


@st.cache_data(show_spinner=False, max_entries=8)
def _chunks(_candor: "Candor", fingerprint: str, document: str, section: str | None) -> list[Chunk]:
    found = _candor.wiring.store.scroll(scope(_candor, Filters(source=document, section=section)))
    return sorted(found, key=lambda chunk: chunk.chunk_index)


def chunks(candor: "Candor", document: str, *, section: str | None = None) -> list[Chunk]:
    """Return the chunks of a document, or of one of its sections, in document order."""
    return _chunks(candor, candor.wiring.catalogue.fingerprint(), document, section)


def answer(candor: "Candor", request_id: str) -> Answer | None:
    """Return a recorded answer; None where none is kept."""
    return candor.wiring.recorder.read_answer(request_id)


# --- evaluation runs ---------------------------------------------------------------------------------------------


@st.cache_data(show_spinner=False, max_entries=8)
def _lines(path: str, changed_ns: int) -> list[EvaluationLine]:
    return read_lines(Path(path))


def run_lines(folder: Path, name: str) -> list[EvaluationLine]:
    """Return the lines of a run; none where there is no such run."""
    path = next((path for path in folder.glob("*.jsonl") if path.stem == name), None)
    return _lines(str(path), path.stat().st_mtime_ns) if path else []


def runs(folder: Path) -> dict[str, Run]:
    """Return the finished runs of a folder by name, the latest first."""
    files = tuple((str(path), path.stat().st_mtime_ns) for path in sorted(folder.glob("*.run.json")))
    return _runs(str(folder), files)


@st.cache_data(show_spinner=False, max_entries=8)
def _runs(folder: str, files: tuple[tuple[str, int], ...]) -> dict[str, Run]:
    return {path.stem: run for path, run in runs_in(Path(folder))}
