"""The first ingest: into an empty index, and once more where it was cut off before its end.

Whether the index is empty is asked of the catalogue, wherever that is kept. That a first ingest has begun is noted
there too, so that one that was killed half-way is completed by the next and not taken for done.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import InvalidDocument
from rag.ingest.report import IngestReport, Progress

if TYPE_CHECKING:
    from rag.candor import Candor

NOTE = "first_ingest"
"""The catalogue's note of a first ingest: `begun` until it has ended."""
BEGUN, DONE = "begun", "done"


def first_ingest(
    candor: "Candor", paths: Sequence[Path], *, progress: Callable[[Progress], None] | None = None
) -> IngestReport:
    """Bring files and folders into an empty index; do nothing, and open no index, where documents are indexed already.

    A file that cannot be read is reported and not tried again. Raises what `Candor.ingest` raises; after an error, as
    after a killed process, the next call goes on where it ended. A path that is not there has begun nothing.

    Returns:
        What became of the files; no file at all where a first ingest is not due.
    """
    catalogue = candor.wiring.catalogue
    if catalogue.documents() and catalogue.get_meta(NOTE) != BEGUN:
        return IngestReport()
    catalogue.set_meta(NOTE, BEGUN)
    try:
        report = candor.ingest(paths, progress=progress)
    except InvalidDocument:
        if not catalogue.documents():  # else what somebody adds now would be joined by these files later
            catalogue.set_meta(NOTE, DONE)
        raise
    catalogue.set_meta(NOTE, DONE)
    return report
