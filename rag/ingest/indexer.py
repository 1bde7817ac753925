"""Files into the index: read and cut in one thread, embedded in another, written in a third, unchanged ones skipped."""

import logging
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path

from rag.errors import CandorError, IndexNotReady, InvalidDocument, StoreUnavailable
from rag.ingest.embedding import Embedding
from rag.ingest.finding import Found, find
from rag.ingest.identity import Identity
from rag.ingest.incoming import Incoming, composed
from rag.ingest.loaders import MAX_BYTES
from rag.ingest.naming import named
from rag.ingest.originals import Originals
from rag.ingest.reading import FileReader
from rag.ingest.rebuilding import Rebuilding
from rag.ingest.report import FileOutcome, IngestReport, Progress, Tracker, summed_up
from rag.ingest.threads import Check, beating, interrupted_once, read_ahead, turn
from rag.ingest.version import ingestion_version
from rag.ingest.writers import WritersLock
from rag.ingest.writing import Work, Writer, left, optimize_if_due
from rag.protocols import Catalogue, Embedder, VectorStore

_log = logging.getLogger(__name__)

EMBEDDED_AT_ONCE = 256
"""Chunks for one worker of the embedder at once, across documents: enough to sort by length, few enough for memory."""


FEW = 20
"""Documents of another version that are read again in one turn: uploads need not wait for all of them."""


class Indexer:
    """Brings documents into the index and out of it. Threads may share it: they take turns.

    Args:
        store: Where the chunks go.
        catalogue: What is indexed.
        embedder: The embedding model.
        language: Snowball stemmer of the words that BM25 counts.
        files_dir: Where copies of the ingested files are kept; None: nowhere.
        max_bytes: Size of the largest file to read, on disk or uploaded.
        alone: No other process can have the store open: what others left open in the catalogue is what a crash left.
        workers: Among how many the embedder divides what it is given; each gets a full batch.
        lock: Held while something is written; None: one of its own, for the threads of this process.
    """

    def __init__(
        self,
        store: VectorStore,
        catalogue: Catalogue,
        embedder: Embedder,
        *,
        language: str = "english",
        files_dir: Path | None = None,
        max_bytes: int = MAX_BYTES,
        alone: bool = False,
        workers: int = 1,
        lock: WritersLock | None = None,
    ) -> None:
        self._store, self._catalogue, self._alone = store, catalogue, alone
        self._workers, self._max_bytes, self._lock = workers, max_bytes, lock or WritersLock()
        self._originals = originals = Originals(files_dir)
        self._identity = identity = Identity(store, catalogue, alone=alone)
        self._writer = writer = Writer(store, catalogue, originals, alone)
        self._rebuilding = Rebuilding(embedder, language, identity, writer)
        self._embedding = Embedding(embedder, writer, language)
        self._reader = FileReader(catalogue, originals, embedder, max_bytes)

    def ingest(
        self,
        paths: Iterable[Path | str],
        *,
        progress: Callable[[Progress], None] | None = None,
        force: bool = False,
        prune: bool = False,
        replace: bool = False,
        leaving: Collection[Path] = (),
        told: Callable[[FileOutcome], None] | None = None,
    ) -> IngestReport:
        """Bring files, and the files in folders, into the index.

        A file that cannot be read is reported, and the others are ingested. An interruption (`KeyboardInterrupt`
        too) leaves every document in its old version or its new one; the next call goes on where it ended.

        Args:
            paths: Files and folders.
            progress: Told after each batch and each file.
            force: Ingest unchanged files again. Where the index was built with another embedding model or language,
                all other documents are ingested again too, from the copies that were kept.
            prune: Remove documents whose file stood in one of the folders and is gone.
            replace: Let a file take the place of another of the same name that stands elsewhere.
            leaving: Files in the folders to leave as they are for now.
            told: Told what became of each file as soon as that is known.

        Raises:
            InvalidDocument: A path does not exist.
            IndexNotReady: The index was built with another embedding model or language, or the store is not that of
                this catalogue, and `force` is not set.
            StoreUnavailable: Store or catalogue failed.
            EmbedderUnavailable: The embedding model failed.
        """
        found = find([Path(path) for path in paths], kept=self._originals.folder, leaving=leaving)
        files, folded = found.incoming()
        files = found.opened([self._originals.under_its_name(file) for file in files], max_bytes=self._max_bytes)
        with self._lock:
            self.recover()
            if not force:
                self.check()
            lost = [record for record in self._catalogue.documents() if found.is_gone(record)] if prune else []
            gone = [self._writer.remove_if_free(record, "its file is gone") for record in lost]
            records, stands = self._catalogue.documents(), self._originals.stands
            files, twins = named(files, records, stands=stands, replacing=replace)
            others = [*gone, *found.failures, *folded, *twins]
            report = self._run(files, progress=progress, force=force, others=others, told=told)
            return report.model_copy(update={"passed_over": dict(found.passed_over)})

    def rebuild(
        self, *, progress: Callable[[Progress], None] | None = None, told: Callable[[FileOutcome], None] | None = None
    ) -> IngestReport:
        """Ingest all that is indexed again, each from its kept copy or its file. Raises what `ingest` raises.

        A document of which there is neither stays as it is and is reported. Where nothing in the store can be used it
        is removed; but where others share the store they may have its copy, and nothing is done.
        """
        with self._lock:
            self.recover()
            files, lost = self._originals.read_again(self._catalogue.documents())
            missing = [] if self._rebuilding.is_due() else [left(each) for each in lost]
            return self._run(files, progress=progress, force=True, others=missing, told=told)

    def read_outdated(
        self,
        *,
        leaving: Collection[str] = (),
        progress: Callable[[Progress], None] | None = None,
        told: Callable[[FileOutcome], None] | None = None,
    ) -> IngestReport:
        """Ingest a few of the documents that another version read, those in `leaving` not.

        Each is read from its kept copy or its file; one that has neither stays as it is and is reported. Raises what
        `ingest` raises.
        """
        version = ingestion_version()
        with self._lock:
            self.recover()
            every = self._catalogue.documents()
            old = (one for one in every if one.ingestion != version and one.document not in leaving)
            files, lost = self._originals.read_again(islice(old, FEW))
            return self._run(files, progress=progress, others=[left(each) for each in lost], told=told)

    def ingest_bytes(
        self,
        name: str,
        data: bytes,
        *,
        force: bool = False,
        progress: Callable[[Progress], None] | None = None,
        check: Check | None = None,
    ) -> FileOutcome:
        """Bring an uploaded file into the index; a folder in its name is dropped. Raises what `ingest` raises.

        It replaces the document of its name. What `progress` raises between two batches ends the ingest, and the
        document stays as it was. So does what `check` raises, which is called four times a second while others have
        their turn and while the file is read, cut and embedded: a batch that has begun is still waited for, a file that
        is being read is left behind. Once the document is written, `check` breaks off only the optimising of the index.
        """
        name = composed(Path(name.replace("\\", "/")).name)
        found = Found()
        files = found.opened([Incoming(name, len(data), data=data)], max_bytes=self._max_bytes)
        with turn(self._lock, check):
            self.recover()
            report = self._run(files, progress=progress, force=force, check=check, others=found.failures)
        return summed_up(name, report.model_copy(update={"passed_over": dict(found.passed_over)}))

    def forget(self, document: str, *, check: Check | None = None) -> FileOutcome:
        """Remove a document: from here on it answers nothing any more.

        Args:
            document: File name.
            check: Called four times a second while others have their turn; what it raises ends the wait.

        Raises:
            InvalidDocument: It is not indexed, or another process is writing it.
            IndexNotReady: The store is another index's.
            StoreUnavailable: Store or catalogue failed; chunks that are left stay hidden, and `recover` removes them.
        """
        with turn(self._lock, check):
            self._identity.check_own()
            record = self._catalogue.get(document)
            if record is None:
                raise InvalidDocument(f"{document!r} is not indexed. `candor documents` lists what is.")
            return self._writer.remove(record, "it was removed as asked")

    def recover(self) -> tuple[str, ...]:
        """Put right what a crash or an older Candor left, before anything is asked; return the documents concerned.

        A document that was being written anew and of which there is no copy here stays hidden, for another machine may
        have one. Nothing is done to what another process is writing, or to a store that is another index's.
        """
        with self._lock:
            if self._alone:
                self._originals.sweep()
            self._compare()
            if self._identity.is_foreign:
                return ()
            settled = self._writer.settle()
            self._write_again(sorted(name for name, is_unwritten in settled.items() if is_unwritten))
            if settled:
                self._compare()
            if self._store.is_older:
                self._ingest_older()
            return tuple(sorted(settled))

    def _ingest_older(self) -> None:
        """Ingest all again that an older Candor indexed, where that was with this embedding model and can be read.

        Else the index stays empty, and `check` says what to do.
        """
        records = self._catalogue.documents()
        files, lost = self._originals.read_again(records)
        if not records:
            self._store.clear(self._store.dimension)
            self._identity.renew()
        elif not lost and self._rebuilding.mismatch() is None:
            _log.warning(
                "An older version of Candor made this index. Its %d documents are ingested again; questions are "
                "answered after that.",
                len(files),
            )
            self._run(files, force=True)

    def _write_again(self, names: Sequence[str]) -> None:
        """Write documents again of which a crash left a part; what cannot be read again here is left as it is."""
        records = [record for name in names if (record := self._catalogue.get(name))]
        files, lost = self._originals.read_again(records)
        for record in lost:
            self._catalogue.release(record.document)
            _log.warning(
                "%r was cut off while it was written anew, and stays hidden: no copy of it was kept here. Ingest it "
                "again, or run `candor forget %s`; a server that has a copy completes it.",
                record.document,
                shlex.quote(record.document),
            )
        if files and not self._rebuilding.is_due():
            self._run(files, force=True, optimize=False)

    def _compare(self) -> None:
        """See whether store and catalogue belong together; one that does not answer is asked again by `check`."""
        with suppress(IndexNotReady, StoreUnavailable):
            self._identity.settle()

    def check(self) -> None:
        """Raise `IndexNotReady` unless embedding model and language are the index's, and the store the catalogue's."""
        self._rebuilding.check()
        with suppress(StoreUnavailable):  # it says so where it is used, with a line in the log
            self._identity.check()

    def _run(
        self,
        files: Sequence[Incoming],
        *,
        progress: Callable[[Progress], None] | None = None,
        force: bool = False,
        others: Sequence[FileOutcome] = (),
        told: Callable[[FileOutcome], None] | None = None,
        check: Check | None = None,
        optimize: bool = True,
    ) -> IngestReport:
        """Ingest files; whatever goes wrong, what was begun is settled before the error goes on."""
        if not force:
            self.check()
        files, lost, is_rebuild = self._rebuilding.made_ready(files, force=force)
        known = [*others, *lost]
        tracker = Tracker({file.name: file.size for file in files}, progress, told, others=len(known))
        ahead = read_ahead(
            files,
            lambda file: self._reader.read(file, force=force, check=check, paged=partial(tracker.page, file.label)),
            size=lambda item: len(item.document.text) if isinstance(item, Work) else 0,  # characters in memory
            check=check,
            waits=lambda file: tracker.reading(file.label),
        )
        claim = (lambda: None) if is_rebuild else self._rebuilding.claim
        at_once = EMBEDDED_AT_ONCE * self._workers
        try:
            for outcome in known:
                tracker.finished(outcome)
            with interrupted_once(), beating(self._catalogue.renew), closing(ahead) as prepared:
                self._embedding.run(prepared, tracker, at_once=at_once, claim=claim, check=check)
            if is_rebuild:
                self._rebuilding.finish(tracker.report())
            self._rebuilding.settle_version()
        except BaseException:
            with suppress(CandorError):
                self._writer.settle()
            raise
        finally:
            self._originals.drop_staged()
        report = tracker.report()
        if optimize:
            optimize_if_due(self._store, report.chunks, check)
        return report
