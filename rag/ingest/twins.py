"""Two files of one name: a document is known by its file name, so the second cannot stand beside the first."""

from collections.abc import Iterable
from contextlib import suppress

from rag.errors import InvalidDocument
from rag.ingest.incoming import Incoming
from rag.ingest.report import FileOutcome


def distinct(files: Iterable[Incoming]) -> tuple[list[Incoming], list[FileOutcome]]:
    """Return the first file of each name, and what becomes of the others: the same content is no failure."""
    first: dict[str, Incoming] = {}
    twins = [_twin(file, first[file.name]) for file in files if first.setdefault(file.name, file) is not file]
    return list(first.values()), twins


def _twin(file: Incoming, first: Incoming) -> FileOutcome:
    here, there = (each.source or each.name for each in (file, first))
    if _is_same(file, first):
        return FileOutcome(document=file.name, outcome="unchanged", reason=f"the same file as {there!r}", path=here)
    reason = (
        f"{here!r} was not ingested: a document is known by its file name, and {there!r} has the same. "
        f"Rename one of them."
    )
    return FileOutcome(document=file.name, outcome="failed", reason=reason, path=here)


def _is_same(file: Incoming, first: Incoming) -> bool:
    with suppress(InvalidDocument):
        return file.size == first.size and file.hash() == first.hash()
    return False
