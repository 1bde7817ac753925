"""Ingestion with the real model, the real embedded engine and a real database: incremental, atomic, recoverable."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from killed import MadeUpEmbedder
from smallmodel import save_small_model

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_config import indexed_dimension
from rag.adapters.edge_store import EdgeStore
from rag.adapters.embedding import OpenVinoEmbedder
from rag.adapters.packaged_model import packaged_model
from rag.adapters.sql import sqlite_url
from rag.adapters.torch_embedding import SentenceTransformersEmbedder
from rag.errors import EmbedderUnavailable, IndexNotReady, InvalidDocument, StoreUnavailable
from rag.ingest import embedding
from rag.ingest import indexer as module
from rag.ingest.ahead import read_ahead
from rag.ingest.indexer import Indexer
from rag.ingest.makers import UNFINISHED
from rag.ingest.report import Progress
from rag.ingest.version import outdated_notice
from rag.language.bm25 import encode_query
from rag.models import Document
from rag.protocols import Passage, PassageVectors, SearchScope

ROOT = Path(__file__).parents[2]
OLD = "The fume hood on floor three is inspected by the safety officer every Monday. "
NEW = "The fume hood on floor nine is inspected by the fire brigade every Friday. "


@pytest.fixture(scope="session")
def embedder() -> OpenVinoEmbedder:
    return OpenVinoEmbedder(BertEncoder(packaged_model()))


class Index:
    """Everything of one index, under one folder."""

    def __init__(self, folder: Path, embedder: object, *, dimension: int = 384) -> None:
        self.folder, self.files = folder, folder / "in"
        self.files.mkdir(exist_ok=True)
        self.store = EdgeStore(folder / "vectors", dimension=dimension)
        self.catalogue = SqlCatalogue(sqlite_url(folder / "catalogue.db"))
        self.embedder = embedder
        self.indexer = Indexer(self.store, self.catalogue, embedder, files_dir=folder / "files", alone=True)

    def write(self, name: str, text: str) -> Path:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def outcomes(self, *paths: Path, **options: object) -> dict[str, str]:
        report = self.indexer.ingest(paths or [self.files], **options)
        return {file.document: file.outcome for file in report.files}

    def visible(self, document: str = "manual.md") -> str:
        """All text of a document that readers find, in order; read again where a writer came between."""
        while True:
            before = self.catalogue.fingerprint(), self.catalogue.hidden_versions()
            chunks = list(self.store.scroll(SearchScope(hidden_versions=before[1])))
            if before == (self.catalogue.fingerprint(), self.catalogue.hidden_versions()):
                break
        found = sorted((chunk.start, chunk.content) for chunk in chunks if chunk.document == document)
        return " ".join(content for _, content in found)

    def stored(self) -> int:
        return self.store.count(SearchScope())

    def copies(self) -> set[str]:
        return {path.name for path in (self.folder / "files").rglob("*") if path.is_file()}

    def close(self) -> None:
        self.store.close()
        self.catalogue.close()


@pytest.fixture
def index(tmp_path: Path, embedder: OpenVinoEmbedder) -> Iterator[Index]:
    opened = Index(tmp_path, embedder)
    yield opened
    opened.close()


def text_of(sentence: str, sentences: int = 60) -> str:
    return f"# Manual\n\n{(sentence * sentences).strip()}\n"


# --- what is skipped, replaced, refused --------------------------------------------------------------------------


def test_files_are_added_then_unchanged_then_replaced(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", OLD)
    assert index.outcomes() == {"manual.md": "added", "notes.txt": "added"}
    assert index.outcomes() == {"manual.md": "unchanged", "notes.txt": "unchanged"}
    index.write("manual.md", text_of(NEW))
    assert index.outcomes() == {"manual.md": "replaced", "notes.txt": "unchanged"}
    assert "Monday" not in index.visible()
    assert index.visible().count("Friday") == 60


def test_the_store_holds_what_the_catalogue_says(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    report = index.indexer.ingest([index.files])
    [record] = index.catalogue.documents()
    assert record.chunks == report.chunks == index.stored() == index.catalogue.chunk_count() == len(record.chunk_ids)
    assert {found.chunk.chunk_id for found in index.store.fetch(record.chunk_ids)} == set(record.chunk_ids)
    assert record.path == str((index.files / "manual.md").resolve())
    [term] = encode_query("hood").indices
    assert index.catalogue.document_frequencies([term]) == {term: record.chunks}


def test_every_chunk_is_kept_with_the_stems_of_its_sentences(index: Index) -> None:
    index.write("manual.md", text_of(OLD, 3))
    index.outcomes()
    [found] = index.store.fetch(index.catalogue.documents()[0].chunk_ids)
    sentence = ("fume", "hood", "floor", "three", "inspect", "safeti", "offic", "monday")
    assert found.stems == (sentence,) * 3
    assert len(found.chunk.sentences) == 3


def test_an_unchanged_file_keeps_its_ids_when_it_is_ingested_again(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    before = index.catalogue.documents()[0].chunk_ids
    assert index.outcomes(force=True) == {"manual.md": "replaced"}
    assert index.catalogue.documents()[0].chunk_ids == before
    assert index.stored() == len(before)
    assert index.visible().count("Monday") == 60


def test_a_broken_file_is_reported_by_name_and_the_others_are_ingested(index: Index) -> None:
    index.write("good.txt", OLD)
    index.write("empty.txt", "")
    (index.files / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing of use")
    (index.files / "false.docx").write_bytes(b"no zip")
    report = index.indexer.ingest([index.files])
    assert {file.document: file.outcome for file in report.files} == {
        "good.txt": "added",
        "empty.txt": "failed",
        "broken.pdf": "failed",
        "false.docx": "failed",
    }
    assert all(file.reason and file.document in file.reason for file in report.failed)
    assert [record.document for record in index.catalogue.documents()] == ["good.txt"]


def test_a_file_that_has_become_broken_leaves_its_old_version(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    (index.files / "manual.md").write_bytes(b"")
    assert index.outcomes() == {"manual.md": "failed"}
    assert index.visible().count("Monday") == 60


def test_two_different_files_of_one_name_are_not_mixed(index: Index) -> None:
    index.write("a/manual.md", text_of(OLD))
    index.write("b/manual.md", text_of(NEW))
    index.write("c/manual.md", text_of(OLD))
    first, *others = sorted(index.indexer.ingest([index.files]).files, key=lambda file: file.outcome)
    assert (first.outcome, {file.outcome for file in others}) == ("added", {"failed", "unchanged"})
    [failed] = [file for file in others if file.outcome == "failed"]
    assert failed.reason is not None
    assert "Rename one of them" in failed.reason
    assert index.visible().count("Monday") == 60


def test_a_file_of_the_same_name_from_elsewhere_is_refused_by_name_and_the_first_stays(index: Index) -> None:
    index.outcomes(index.write("a/manual.md", text_of(OLD)))
    other = index.write("b/manual.md", text_of(NEW))
    for force in (False, True):
        [file] = index.indexer.ingest([other], force=force).files
        assert file.outcome == "failed"
        assert all(part in str(file.reason) for part in ("a/manual.md", "b/manual.md", "candor forget", "--replace"))
    assert index.visible().count("Monday") == 60


def test_a_file_from_elsewhere_replaces_another_where_that_is_asked_for_and_says_so(index: Index) -> None:
    index.outcomes(index.write("a/manual.md", text_of(OLD)))
    [file] = index.indexer.ingest([index.write("b/manual.md", text_of(NEW))], replace=True).files
    assert (file.outcome, "a/manual.md" in str(file.reason)) == ("replaced", True)


def test_the_same_content_from_elsewhere_is_unchanged_and_a_moved_file_replaces_the_former(index: Index) -> None:
    first = index.write("a/manual.md", text_of(OLD))
    index.outcomes(first)
    assert index.outcomes(index.write("b/manual.md", text_of(OLD))) == {"manual.md": "unchanged"}
    first.unlink()
    assert index.outcomes(index.write("b/manual.md", text_of(NEW))) == {"manual.md": "replaced"}


def test_an_upload_replaces_the_document_of_its_name_and_says_so(index: Index) -> None:
    index.outcomes(index.write("a/manual.md", text_of(OLD)))
    found = index.indexer.ingest_bytes("manual.md", text_of(NEW).encode())
    assert (found.outcome, found.reason) == (
        "replaced",
        "it replaces the document of the same name that was indexed before",
    )
    assert index.outcomes(index.write("b/manual.md", text_of(OLD))) == {"manual.md": "replaced"}


def test_a_document_read_again_from_its_kept_copy_can_be_replaced_from_anywhere(index: Index) -> None:
    index.indexer.ingest_bytes("manual.md", text_of(OLD).encode())
    [copy] = (index.folder / "files").rglob("manual.md")
    index.indexer.ingest([copy], force=True)
    assert index.outcomes(index.write("b/manual.md", text_of(NEW))) == {"manual.md": "replaced"}


def test_a_rebuild_with_another_model_keeps_the_document_whose_namesake_is_refused(index: Index) -> None:
    index.outcomes(index.write("a/manual.md", text_of(OLD)))
    other = Indexer(
        index.store, index.catalogue, index.embedder, language="german", files_dir=index.folder / "files", alone=True
    )
    report = other.ingest([index.write("b/manual.md", text_of(NEW))], force=True)
    assert sorted(file.outcome for file in report.files) == ["failed", "replaced"]
    assert index.visible().count("Monday") == 60


def test_a_link_that_leads_nowhere_is_reported_by_name(index: Index) -> None:
    index.write("good.txt", OLD)
    (index.files / "gone.md").symlink_to(index.files / "nowhere.md")
    (index.files / ".git").mkdir()
    (index.files / ".git" / "gone.md").symlink_to(index.files / "nowhere.md")
    report = index.indexer.ingest([index.files])
    assert [(file.document, "nowhere.md" in str(file.reason)) for file in report.failed] == [("gone.md", True)]
    assert report.count("added") == 1


def test_a_file_whose_name_no_database_can_hold_is_reported(index: Index) -> None:
    index.write("good.txt", OLD)
    (index.files / os.fsdecode(b"bad\xff.txt")).write_text(NEW, encoding="utf-8")
    report = index.indexer.ingest([index.files])
    assert (report.count("added"), report.count("failed")) == (1, 1)
    assert "Rename the file" in str(report.failed[0].reason)


def test_a_path_that_does_not_exist_is_an_error(index: Index) -> None:
    with pytest.raises(InvalidDocument, match="nowhere"):
        index.indexer.ingest([index.folder / "nowhere"])


def test_an_upload_is_ingested_from_its_bytes_and_its_copy_kept(index: Index) -> None:
    found = index.indexer.ingest_bytes("folder/notes.txt", OLD.encode())
    assert (found.document, found.outcome, found.path) == ("notes.txt", "added", None)
    assert index.indexer.ingest_bytes("notes.txt", OLD.encode()).outcome == "unchanged"
    assert index.indexer.ingest_bytes("notes.txt", b"").outcome == "failed"
    [copy] = (index.folder / "files").rglob("notes.txt")
    assert copy.read_text(encoding="utf-8") == OLD


@pytest.mark.parametrize("before", [None, OLD])
def test_an_upload_that_is_cancelled_between_two_batches_leaves_the_document_as_it_was(
    index: Index, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 4)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 3)
    if before:
        index.indexer.ingest_bytes("manual.md", text_of(before, 20).encode())
    chunks = index.stored()
    seen: list[int] = []

    class Cancelled(BaseException):
        pass

    def cancel_at_the_third(progress: Progress) -> None:
        if not progress.chunks_done:
            return  # it is still being read
        seen.append(progress.chunks_done)
        if len(seen) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode(), progress=cancel_at_the_third)
    assert seen == [3, 6, 9]
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.visible().count("Monday") == (20 if before else 0)
    assert index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode()).outcome == (
        "replaced" if before else "added"
    )


def test_documents_longer_than_a_batch_are_written_whole(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 4)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 3)
    index.write("a.md", text_of(OLD, 150))
    index.write("b.md", text_of(NEW, 20))
    assert index.outcomes() == {"a.md": "added", "b.md": "added"}
    assert (index.visible("a.md").count("Monday"), index.visible("b.md").count("Friday")) == (150, 20)


class Overlapping:
    """Notes when a call to embed begins; the store's writes note the same."""

    def __init__(self, inner: OpenVinoEmbedder) -> None:
        self.inner, self.begun = inner, [threading.Event() for _ in range(3)]

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def embed_passages(self, passages: list[Passage]) -> list[PassageVectors]:
        next(event for event in self.begun if not event.is_set()).set()
        return self.inner.embed_passages(passages)


@pytest.mark.parametrize(("workers", "sizes"), [(1, [4, 4, 4, 1]), (3, [12, 1])])
def test_each_worker_of_an_embedder_gets_a_full_batch(
    index: Index, monkeypatch: pytest.MonkeyPatch, workers: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 4)
    seen: list[int] = []

    class Counting(MadeUpEmbedder):
        def embed_passages(self, passages: list[Passage]) -> list[PassageVectors]:
            seen.append(len(passages))
            return super().embed_passages(passages)

    for number in range(13):
        index.write(f"{number:02}.md", OLD)
    Indexer(index.store, index.catalogue, Counting("one"), workers=workers).ingest([index.files])
    assert seen == sizes


def test_the_next_passages_are_embedded_while_those_before_are_written(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 1)
    embedder, seen = Overlapping(index.embedder), []
    upsert = index.store.upsert
    monkeypatch.setattr(
        index.store, "upsert", lambda chunks: seen.append(embedder.begun[len(seen) + 1].wait(60)) or upsert(chunks)
    )
    for name in ("a.txt", "b.txt", "c.txt"):
        index.write(name, f"{OLD} {name}")
    embedder.begun.append(threading.Event())
    embedder.begun[-1].set()  # Nothing is embedded beside the last write.
    Indexer(index.store, index.catalogue, embedder).ingest([index.files])

    assert seen == [True, True, True]


def test_after_an_interrupt_the_passages_that_wait_are_not_embedded(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 1)
    begun: list[str] = []

    class Interrupted(Overlapping):
        def embed_passages(self, passages: list[Passage]) -> list[PassageVectors]:
            begun.append(passages[0].text)
            time.sleep(0.3)  # the next one waits by now, and the main thread for this one
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            time.sleep(0.3)
            return self.inner.embed_passages(passages)

    for name in ("a.txt", "b.txt"):
        index.write(name, f"{OLD} {name}")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Indexer(index.store, index.catalogue, Interrupted(index.embedder)).ingest([index.files])
    finally:
        signal.signal(signal.SIGINT, before)

    assert len(begun) == 1


# --- copies of the files -----------------------------------------------------------------------------------------


def test_a_copy_of_each_file_is_kept_while_it_is_indexed(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    index.write("manual.md", text_of(NEW))
    index.outcomes()
    [copy] = [path for path in (index.folder / "files").rglob("*") if path.is_file()]
    assert copy.read_text(encoding="utf-8") == text_of(NEW)
    assert copy.parent.name == index.catalogue.documents()[0].hash
    index.indexer.forget("manual.md")
    assert index.copies() == set()


# --- removal -----------------------------------------------------------------------------------------------------


def test_a_file_that_goes_away_after_it_was_read_is_indexed_with_its_copy_and_the_others_too(index: Index) -> None:
    paths = [index.write(f"{name}.md", text_of(OLD, 3)) for name in "abcdef"]

    def remove(progress: Progress) -> None:
        if progress.chunks_done:
            paths[0].unlink(missing_ok=True)

    assert set(index.outcomes(progress=remove).values()) == {"added"}
    assert index.copies() == {path.name for path in paths}


def test_a_file_that_goes_away_while_it_is_read_fails_by_itself_and_the_others_are_ingested(index: Index) -> None:
    gone, stays = index.write("a.md", text_of(OLD, 3)), index.write("b.md", text_of(OLD, 3))

    def load(path: Path) -> Document:
        document = module.load(path)
        if path == gone:
            gone.unlink()
        return document

    indexer = Indexer(index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", load=load)
    report = indexer.ingest([index.files])
    assert {file.document: file.outcome for file in report.files} == {"a.md": "failed", "b.md": "added"}
    assert "'a.md' was not ingested: it cannot be read (No such file or directory)" in str(report.failed[0].reason)
    assert index.copies() == {stays.name}


def test_what_is_kept_and_indexed_of_a_file_that_changes_is_one_version(index: Index) -> None:
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def load(path: Path) -> Document:
        document = module.load(path)
        if not reads:
            changing.write_text(text_of(NEW, 3), encoding="utf-8")
        reads.append(document.hash)
        return document

    indexer = Indexer(index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", load=load)
    assert indexer.ingest([index.files]).files[0].outcome == "added"
    assert len(reads) == 2
    [kept] = [path for path in (index.folder / "files").rglob("*") if path.is_file()]
    assert (kept.parent.name, kept.read_text(encoding="utf-8")) == (reads[1], text_of(NEW, 3))
    assert index.visible("a.md").count("Friday") == 3


def test_a_file_that_changes_after_it_was_read_is_kept_as_it_was_read(index: Index) -> None:
    changing = index.write("a.md", text_of(OLD, 3))

    def change(progress: Progress) -> None:
        if progress.chunks_done:
            changing.write_text(text_of(NEW, 3), encoding="utf-8")

    assert index.outcomes(progress=change) == {"a.md": "added"}
    [kept] = [path for path in (index.folder / "files").rglob("*") if path.is_file()]
    assert kept.read_text(encoding="utf-8") == text_of(OLD, 3)
    assert index.outcomes() == {"a.md": "replaced"}


def test_a_file_that_never_stops_changing_is_reported_and_no_copy_is_left(index: Index) -> None:
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def load(path: Path) -> Document:
        document = module.load(path)
        reads.append(1)
        changing.write_text(text_of(OLD, 3 + len(reads)), encoding="utf-8")
        return document

    indexer = Indexer(index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", load=load)
    [failed] = indexer.ingest([index.files]).failed
    assert "it changed while it was read, 3 times" in str(failed.reason)
    assert index.copies() == set()


def test_a_file_that_takes_long_to_read_is_named_while_it_is_waited_for(index: Index) -> None:
    index.write("long.md", text_of(OLD, 3))
    told: list[str] = []

    def load(path: Path) -> Document:
        while not told:
            time.sleep(0.01)
        return module.load(path)

    indexer = Indexer(index.store, index.catalogue, index.embedder, load=load)
    indexer.ingest([index.files], progress=lambda progress: told.append(progress.current))
    assert (told[0], told[-1]) == ("reading long.md", "long.md")


def test_a_removed_document_answers_nothing_any_more(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", NEW)
    index.outcomes()
    assert index.indexer.forget("manual.md").outcome == "removed"
    vector = index.embedder.embed([OLD])[0]
    scope = SearchScope(hidden_versions=index.catalogue.hidden_versions())
    dense = index.store.fetch([hit.chunk_id for hit in index.store.search_dense(vector, limit=20, scope=scope)])
    assert {found.chunk.document for found in dense} == {"notes.txt"}
    assert index.store.search_sparse(encode_query("Monday"), limit=20, scope=scope) == []
    assert index.catalogue.document_frequencies(encode_query("Monday").indices) == {}
    assert index.stored() == index.catalogue.chunk_count() == 1


def test_a_document_is_seen_while_a_copy_of_it_is_written_and_while_that_is_forgotten(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    before, seen = index.visible(), []

    def watched(change: Callable[..., None]) -> Callable[..., None]:
        def changed(*arguments: object, **options: object) -> None:
            seen.append((index.visible("manual.md"), index.visible("manual copy.md")))
            change(*arguments, **options)
            seen.append((index.visible("manual.md"), index.visible("manual copy.md")))

        return changed

    monkeypatch.setattr(index.store, "upsert", watched(index.store.upsert))
    monkeypatch.setattr(index.store, "delete", watched(index.store.delete))
    index.write("manual copy.md", text_of(OLD))
    assert index.outcomes() == {"manual copy.md": "added", "manual.md": "unchanged"}
    assert index.visible("manual copy.md") == before != ""
    index.indexer.forget("manual copy.md")
    assert seen == [(before, "")] * 4


def test_forgetting_an_unknown_document_says_what_is_known(index: Index) -> None:
    with pytest.raises(InvalidDocument, match=r"'nothing\.pdf' is not indexed"):
        index.indexer.forget("nothing.pdf")


def test_pruning_removes_documents_whose_file_is_gone_and_only_on_request(index: Index) -> None:
    gone = index.write("gone.txt", OLD)
    index.write("stays.txt", NEW)
    index.outcomes()
    gone.unlink()
    assert index.outcomes() == {"stays.txt": "unchanged"}
    assert index.outcomes(prune=True) == {"gone.txt": "removed", "stays.txt": "unchanged"}
    assert [record.document for record in index.catalogue.documents()] == ["stays.txt"]


# --- another embedding model -------------------------------------------------------------------------------------


class OtherModel:
    """The same model under another fingerprint."""

    fingerprint = "another-model@1"

    def __init__(self, inner: OpenVinoEmbedder) -> None:
        self.dimension, self.max_pieces, self.pieces = inner.dimension, inner.max_pieces, inner.pieces
        self.embed, self.embed_passages = inner.embed, inner.embed_passages


def test_another_embedding_model_is_refused_by_name_until_a_rebuild(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    other = Indexer(
        index.store, index.catalogue, OtherModel(index.embedder), files_dir=index.folder / "files", alone=True
    )
    with pytest.raises(IndexNotReady, match="--rebuild") as caught:
        other.ingest([index.files])
    assert index.embedder.fingerprint in caught.value.message
    assert "another-model@1" in caught.value.message
    assert [file.outcome for file in other.ingest([index.files], force=True).files] == ["replaced"]
    other.check()
    with pytest.raises(IndexNotReady):
        index.indexer.check()


def test_a_rebuild_takes_along_the_documents_that_were_not_named(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(OLD)), index.write("c.md", OLD))
    (index.files / "b.md").unlink()
    (index.files / "c.md").unlink()
    shutil.rmtree(index.folder / "files" / index.catalogue.get("c.md").hash)
    other = Indexer(
        index.store, index.catalogue, OtherModel(index.embedder), files_dir=index.folder / "files", alone=True
    )
    report = other.ingest([index.files / "a.md"], force=True)
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced",
        "b.md": "replaced",
        "c.md": "removed",
    }
    assert index.visible("b.md").count("Monday") == 60
    assert index.catalogue.get("b.md").path == str((index.files / "b.md").resolve())


def test_an_interrupted_rebuild_serves_neither_model(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    broken = OtherModel(index.embedder)
    broken.embed_passages = fails
    other = Indexer(index.store, index.catalogue, broken, files_dir=index.folder / "files", alone=True)
    with pytest.raises(EmbedderUnavailable):
        other.ingest([index.files], force=True)
    with pytest.raises(IndexNotReady, match="unfinished rebuild"):
        index.indexer.check()
    with pytest.raises(IndexNotReady, match="unfinished rebuild"):
        other.check()
    index.outcomes(force=True)
    index.indexer.check()


def test_another_language_is_refused(index: Index) -> None:
    index.outcomes(index.write("notes.txt", OLD))
    with pytest.raises(IndexNotReady, match=r"'english'.*'german'"):
        Indexer(index.store, index.catalogue, index.embedder, language="german").ingest([index.files])


# --- an older version of ingestion -------------------------------------------------------------------------------


def made_by(index: Index, version: str) -> Indexer:
    """An indexer of another version of Candor over the same index."""
    return Indexer(
        index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", alone=True, version=version
    )  # fmt: skip


def test_an_unchanged_file_that_an_older_version_read_is_read_again(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    made_by(index, "older").ingest([index.files])
    [file] = index.indexer.ingest([index.files]).files
    assert (file.outcome, file.reason) == (
        "replaced",
        "its content is unchanged, but an older version of Candor had read it",
    )
    assert index.catalogue.get("manual.md").ingestion == index.indexer.version
    assert index.outcomes() == {"manual.md": "unchanged"}
    assert index.visible().count("Monday") == 60


def test_an_index_is_outdated_until_the_last_document_is_read_again(index: Index) -> None:
    first, second = index.write("a.txt", OLD), index.write("b.txt", NEW)
    made_by(index, "older").ingest([index.files])
    fingerprints = [index.catalogue.fingerprint()]
    assert outdated_notice(index.catalogue)
    index.outcomes(first)
    fingerprints.append(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue)
    index.outcomes(second)
    fingerprints.append(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue) is None
    assert len(set(fingerprints)) == 3


def test_an_index_from_before_there_were_versions_is_outdated_and_is_told_which_command_to_run(index: Index) -> None:
    made_by(index, "older").ingest([index.write("a.txt", OLD)])
    with sqlite3.connect(index.folder / "catalogue.db") as database:
        database.execute("DELETE FROM catalogue_meta WHERE name = 'ingestion'")
        database.execute("UPDATE catalogue_documents SET record = json_remove(record, '$.ingestion')")
    database.close()
    index.catalogue.close()
    index.catalogue = SqlCatalogue(sqlite_url(index.folder / "catalogue.db"))
    indexer = Indexer(index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", alone=True)
    assert "`candor ingest --rebuild`" in str(outdated_notice(index.catalogue))
    assert [file.outcome for file in indexer.ingest([index.files]).files] == ["replaced"]
    assert outdated_notice(index.catalogue) is None


def test_an_empty_index_is_of_every_version(index: Index) -> None:
    assert outdated_notice(index.catalogue) is None


def test_a_rebuild_without_paths_reads_everything_again_from_the_copies(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.indexer.ingest_bytes("upload.txt", NEW.encode())
    index.outcomes(index.write("lost.txt", OLD))
    shutil.rmtree(index.folder / "files" / index.catalogue.get("lost.txt").hash)
    (index.files / "lost.txt").unlink()
    (index.files / "a.md").unlink()
    report = made_by(index, "newer").rebuild()
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced",
        "upload.txt": "replaced",
        "lost.txt": "failed",
    }
    assert {record.document: record.ingestion for record in index.catalogue.documents()} == {
        "a.md": "newer",
        "upload.txt": "newer",
        "lost.txt": index.indexer.version,
    }
    assert index.visible("a.md").count("Monday") == 60


# --- another length of vectors -----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(str(save_small_model(tmp_path_factory.mktemp("small"))))


def with_model(index: Index, embedder: SentenceTransformersEmbedder) -> Indexer:
    return Indexer(index.store, index.catalogue, embedder, files_dir=index.folder / "files", alone=True)


def found_by(index: Index, embedder: SentenceTransformersEmbedder) -> int:
    vector = embedder.embed(["Who inspects the fume hood?"])[0]
    return len(index.store.search_dense(vector, limit=20, scope=SearchScope()))


def test_a_rebuild_takes_an_index_over_to_vectors_of_another_length(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    indexer = with_model(index, small_model)
    with pytest.raises(IndexNotReady, match="--rebuild"):
        indexer.ingest([index.files])
    assert index.store.dimension == 384
    assert [file.outcome for file in indexer.rebuild().files] == ["replaced"]
    indexer.check()
    assert (index.store.dimension, index.visible().count("Monday")) == (64, 60)
    assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()


def test_an_empty_index_takes_vectors_of_any_length(index: Index, small_model: SentenceTransformersEmbedder) -> None:
    index.outcomes(index.write("manual.md", text_of(OLD)))
    index.indexer.forget("manual.md")
    indexer = with_model(index, small_model)
    assert [file.outcome for file in indexer.ingest([index.files]).files] == ["added"]
    assert (index.store.dimension, index.visible().count("Monday")) == (64, 60)


def test_an_interrupted_rebuild_to_another_length_answers_nothing_and_is_completed_by_the_next(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(NEW)))
    interrupted = Indexer(
        Interrupting(index.store, 2), index.catalogue, small_model, files_dir=index.folder / "files", alone=True
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        interrupted.rebuild()
    for indexer in (index.indexer, with_model(index, small_model)):
        with pytest.raises(IndexNotReady, match="unfinished rebuild"):
            indexer.check()
    index.store.close()
    index.store = EdgeStore(index.folder / "vectors", dimension=indexed_dimension(index.folder / "vectors"))
    report = with_model(index, small_model).rebuild()
    assert {file.document: file.outcome for file in report.files} == {"a.md": "replaced", "b.md": "replaced"}
    assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()
    assert (index.visible("a.md").count("Monday"), index.visible("b.md").count("Friday")) == (60, 60)


def test_an_index_whose_files_were_put_aside_and_not_made_again_is_rebuilt(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.catalogue.set_meta("embedding", UNFINISHED)
    index.store.close()
    (index.folder / "vectors").rename(index.folder / "vectors.replaced")
    assert indexed_dimension(index.folder / "vectors") is None
    index.store = EdgeStore(index.folder / "vectors", dimension=64)
    assert not (index.folder / "vectors.replaced").exists()
    with_model(index, small_model).rebuild()
    assert found_by(index, small_model) == index.catalogue.chunk_count() > 0


# --- interruption ------------------------------------------------------------------------------------------------


def fails(passages: list[Passage]) -> list[PassageVectors]:
    raise EmbedderUnavailable("The model is gone.")


class Interrupting:
    """Interrupts the n-th write of parts, as Ctrl-C would."""

    def __init__(self, inner: EdgeStore, turn: int) -> None:
        self.inner, self.turn = inner, turn

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def upsert(self, chunks: object) -> None:
        self.turn -= 1
        if self.turn == 0:
            raise KeyboardInterrupt
        self.inner.upsert(chunks)


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_an_interrupt_leaves_the_old_version_and_nothing_of_the_new(
    index: Index, turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 2)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 2)
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    chunks = index.stored()
    index.write("manual.md", text_of(NEW))
    indexer = Indexer(
        Interrupting(index.store, turn), index.catalogue, index.embedder, files_dir=index.folder / "files", alone=True
    )
    with pytest.raises(KeyboardInterrupt):
        indexer.ingest([index.files])
    assert index.visible().count("Monday") == 60
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.outcomes() == {"manual.md": "replaced"}


def test_a_model_that_fails_midway_leaves_finished_documents_and_no_trace_of_others(index: Index) -> None:
    index.write("a.txt", OLD)
    index.outcomes()
    index.write("b.txt", NEW)
    broken = OtherModel(index.embedder)
    broken.fingerprint = index.embedder.fingerprint
    broken.embed_passages = fails
    with pytest.raises(EmbedderUnavailable):
        Indexer(index.store, index.catalogue, broken).ingest([index.files])
    assert [record.document for record in index.catalogue.documents()] == ["a.txt"]
    assert (index.stored(), index.catalogue.unfinished()) == (1, [])


def killed(folder: Path, action: str, step: int, fingerprint: str) -> int:
    """Run `killed.py`; return how many steps it took, or 0 where it was killed."""
    program = [sys.executable, str(Path(__file__).with_name("killed.py")), str(folder), action, str(step), fingerprint]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert done.returncode in (0, -9), done.stderr
    return int(done.stdout or 0)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, embedder: OpenVinoEmbedder) -> Path:
    """An index of the old version, to be copied."""
    folder = tmp_path_factory.mktemp("library")
    index = Index(folder, embedder)
    index.write("manual.md", text_of(OLD))
    index.write("other.md", text_of("Gloves are worn at all times. "))
    index.outcomes()
    index.close()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "versions"),
    [("ingest", {"Monday", "Friday"}), ("rebuild", {"Monday"}), ("forget", {"Monday", None})],
)
def test_sigkill_at_any_step_leaves_the_old_version_or_the_new_whole(
    library: Path, tmp_path: Path, embedder: OpenVinoEmbedder, action: str, versions: set[str | None]
) -> None:
    found: set[str | None] = set()
    step = steps = 0
    while step <= steps or step == 0:
        folder = tmp_path / str(step)
        shutil.copytree(library, folder)
        if action == "ingest":
            (folder / "in" / "manual.md").write_text(text_of(NEW), encoding="utf-8")
        steps = killed(folder, action, step, embedder.fingerprint) or steps
        index = Index(folder, embedder)
        before = index.visible()
        assert action == "rebuild" or all(before.count(day) in (0, 60) for day in ("Monday", "Friday"))
        index.indexer.recover()
        text = index.visible()
        present = {day for day in ("Monday", "Friday") if day in text}
        assert len(present) <= 1
        assert not text or text.count(*present) == 60
        found.add(next(iter(present), None))
        assert (index.catalogue.unfinished(), index.catalogue.hidden_versions()) == ([], ())
        assert index.stored() == index.catalogue.chunk_count()
        assert index.visible("other.md").count("Gloves") == 60
        assert index.copies() == {record.document for record in index.catalogue.documents()}
        index.close()
        shutil.rmtree(folder)
        step += 1
    assert steps >= 6
    assert found == versions


@pytest.mark.slow
def test_sigkill_at_any_step_of_a_rebuild_to_another_length_leaves_one_that_the_next_completes(
    library: Path, tmp_path: Path, small_model: SentenceTransformersEmbedder
) -> None:
    step = steps = 0
    while step <= steps or step == 0:
        folder = tmp_path / str(step)
        shutil.copytree(library, folder)
        steps = killed(folder, "shorten", step, small_model.fingerprint) or steps
        vectors = folder / "vectors"
        index = Index(folder, small_model, dimension=indexed_dimension(vectors) or 64)
        noted = index.catalogue.get_meta("embedding")
        is_done = noted == small_model.fingerprint
        assert is_done or noted == UNFINISHED or index.store.dimension == 384
        index.indexer.recover()
        index.indexer.rebuild()
        index.indexer.check()
        assert index.store.dimension == 64
        assert (index.visible().count("Monday"), index.visible("other.md").count("Gloves")) == (60, 60)
        assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()
        assert not (folder / "vectors.replaced").exists()
        index.close()
        shutil.rmtree(folder)
        step += 1
    assert steps >= 10


# --- progress and reading ahead ----------------------------------------------------------------------------------


def test_progress_counts_up_to_all_files_and_all_chunks(index: Index) -> None:
    for number in range(5):
        index.write(f"{number}.md", text_of(OLD, 10 + number))
    told: list[Progress] = []
    report = index.indexer.ingest([index.files], progress=told.append)
    assert [one.files_done for one in told] == sorted(one.files_done for one in told)
    last = told[-1]
    assert (last.files_done, last.files_total, last.chunks_done) == (5, 5, report.chunks)
    assert last.seconds_left == 0.0
    assert last.rate > 0
    assert report.chunks_per_second > 0


def test_reading_ahead_keeps_order_and_its_distance() -> None:
    begun: list[int] = []
    results = read_ahead(range(50), lambda number: begun.append(number) or number, depth=3)
    taken = []
    for number in results:
        assert len(begun) <= number + 5
        taken.append(number)
    assert taken == list(range(50))


def test_reading_ahead_stops_when_it_is_closed() -> None:
    begun: list[int] = []
    results = read_ahead(range(1_000), lambda number: begun.append(number) or time.sleep(0.01), depth=2)
    next(results)
    results.close()
    assert len(begun) <= 5
    assert not any(thread.name.startswith("ingest-read") for thread in threading.enumerate())


def test_readers_see_the_old_version_or_the_new_while_a_document_is_replaced(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    seen: set[tuple[bool, bool]] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            text = index.visible()
            seen.add(("Monday" in text, "Friday" in text))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for turn in range(6):
            index.write("manual.md", text_of(NEW if turn % 2 == 0 else OLD))
            index.outcomes()
    finally:
        done.set()
        reader.join()
    assert seen == {(True, False), (False, True)}


def test_a_full_disk_for_copies_is_said_and_the_document_not_half_there(index: Index) -> None:
    (index.folder / "files").write_text("a file where the folder should be", encoding="utf-8")
    index.write("notes.txt", OLD)
    with pytest.raises(StoreUnavailable, match=r"No copy of 'notes\.txt'"):
        index.outcomes()
    assert (index.catalogue.documents(), index.stored(), index.catalogue.unfinished()) == ([], 0, [])


def test_the_loader_can_be_replaced(index: Index) -> None:
    def load(path: Path) -> Document:
        return Document(name=path.name, text=OLD, hash="c" * 64, size_bytes=1, media_type="text/plain")

    path = index.write("notes.xyz", "anything")
    indexer = Indexer(index.store, index.catalogue, index.embedder, load=load)
    assert [file.outcome for file in indexer.ingest([path]).files] == ["added"]
    assert index.visible("notes.xyz") == OLD.strip()


def test_a_thousand_unchanged_files_cost_a_hash_each(index: Index, record_property: object) -> None:
    for number in range(1_000):
        index.write(f"{number}.txt", f"Note number {number} says that hood {number} is inspected on Monday morning.")
    started = time.perf_counter()
    assert index.indexer.ingest([index.files]).count("added") == 1_000
    first = time.perf_counter() - started
    started = time.perf_counter()
    assert index.indexer.ingest([index.files]).count("unchanged") == 1_000
    record_property("seconds", f"{first:.1f} to add, {time.perf_counter() - started:.2f} unchanged")
    assert index.stored() == 1_000
