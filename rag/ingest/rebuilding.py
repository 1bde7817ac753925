"""An index built anew where nothing in it can be used: emptied before the first file, finished after the last."""

from collections.abc import Sequence

from rag.ingest.identity import Identity
from rag.ingest.incoming import Incoming
from rag.ingest.makers import Makers
from rag.ingest.originals import Originals
from rag.ingest.removing import NO_SOURCE, Remover
from rag.ingest.report import FileOutcome, IngestReport
from rag.ingest.sharing import check_copies, check_unshared
from rag.protocols import Catalogue, Embedder, VectorStore


class Rebuilding:
    """Sees whether an index can be used as it is, and builds it anew where it cannot.

    Args:
        store: Where the chunks are.
        catalogue: What is indexed.
        embedder: The embedding model.
        makers: Which model and language made the index.
        identity: Whether store and catalogue belong together.
        originals: The copies of the ingested files.
        remover: Takes documents out.
        alone: No other process can have the store open.
    """

    def __init__(
        self,
        store: VectorStore,
        catalogue: Catalogue,
        embedder: Embedder,
        *,
        makers: Makers,
        identity: Identity,
        originals: Originals,
        remover: Remover,
        alone: bool,
    ) -> None:
        self._store, self._catalogue, self._embedder = store, catalogue, embedder
        self._makers, self._identity = makers, identity
        self._originals, self._remover, self._alone = originals, remover, alone

    def is_due(self) -> bool:
        """Return whether nothing that is in the store can be used."""
        return self._makers.mismatch() is not None or self._identity.problem is not None

    def made_ready(
        self, files: Sequence[Incoming], *, force: bool
    ) -> tuple[Sequence[Incoming], list[FileOutcome], bool]:
        """Make the index ready for files: emptied where nothing in it can be used.

        Returns:
            The files, with the kept copies of all other documents where the index is built anew; what became of
            documents of which no copy was kept; whether the index is built anew.
        """
        has_other_length = self._store.dimension != self._embedder.dimension
        is_empty = self._catalogue.chunk_count() == 0
        self._identity.check_clearable()
        is_lost = self._identity.problem is not None or (is_empty and self._identity.has_strays and len(files) > 0)
        is_rebuild = self.is_due() or (force and has_other_length and not is_empty)
        if is_rebuild or (has_other_length and is_empty):
            check_unshared(self._catalogue)
        removed: list[FileOutcome] = []
        if is_rebuild:
            files, removed = self._with_all_others(files)
            self._makers.begin_rebuild()
        if is_lost or (has_other_length and (is_rebuild or is_empty)):
            self._store.clear(self._embedder.dimension)
            self._identity.renew()
        return files, removed, is_rebuild

    def _with_all_others(self, files: Sequence[Incoming]) -> tuple[list[Incoming], list[FileOutcome]]:
        """Return files with the kept copies of all other documents; those without a copy are removed and told."""
        names = {file.name for file in files}
        others = [record for record in self._catalogue.documents() if record.document not in names]
        lost = self._originals.lost(others)
        if not self._alone:
            check_copies(lost)
        kept = self._originals.kept(others)
        return [*files, *kept], [self._remover.remove_if_free(record, NO_SOURCE) for record in lost]

    def finish(self, report: IngestReport) -> None:
        """Remove what could not be read again: it has vectors of the former model."""
        written = {file.document for file in report.files if file.outcome in ("added", "replaced")}
        for failed in report.failed:
            record = self._catalogue.get(failed.document)
            if record and failed.document not in written:
                self._remover.remove(record, NO_SOURCE)
        self._makers.claim()
