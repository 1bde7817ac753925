"""Ingestion with the real model, the real embedded engine and a real database: incremental, atomic, recoverable."""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import numpy as np
import pytest
from indexes import NEW, OLD, text_of
from standins import MadeUpEmbedder

from rag.commands.present import ingest_text
from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest import indexer, reading, rebuilding, version
from rag.ingest.report import Progress
from rag.ingest.version import ingestion_version, outdated_notice
from rag.protocols import SearchScope
from rag.text.bm25 import encode_query


def test_files_are_added_then_unchanged_then_replaced_but_not_by_one_that_has_become_broken(index):
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", OLD)
    assert index.outcomes() == {"manual.md": "added", "notes.txt": "added"}
    assert index.outcomes() == {"manual.md": "unchanged", "notes.txt": "unchanged"}
    for text, outcome in ((text_of(NEW), "replaced"), ("", "failed")):
        index.write("manual.md", text)
        assert index.outcomes() == {"manual.md": outcome, "notes.txt": "unchanged"}
        assert (index.visible().count("Monday"), index.visible().count("Friday")) == (0, 60)


def test_the_store_holds_what_the_catalogue_says_again_when_it_is_ingested_again_and_nothing_once_removed(index):
    [term] = encode_query("hood").indices
    told: list[Progress] = []
    for number in range(3):
        index.write(f"{number}.md", text_of(NEW, 10 + number))
    index.outcomes()
    index.write("manual.md", text_of(OLD))
    for outcome in ("added", "replaced"):
        report = index.indexer.ingest([index.files / "manual.md"], force=True, progress=told.append)
        record = index.catalogue.get("manual.md")
        assert [file.outcome for file in report.files] == [outcome]
        assert record.chunks == report.chunks
        assert index.stored() == index.catalogue.chunk_count()
        assert [found.chunk.chunk_id for found in index.store.fetch(record.chunk_ids)] == list(record.chunk_ids)
        assert index.catalogue.document_frequencies([term]) == {term: index.stored()}
        assert index.visible().count("Monday") == 60
    assert record.path == str((index.files / "manual.md").resolve())
    last = told[-1]
    assert (last.files_done, last.files_total, last.chunks_done, last.seconds_left) == (1, 1, record.chunks, 0.0)
    assert last.rate > 0
    assert index.indexer.forget("manual.md").outcome == "removed"
    assert {chunk.document for chunk in index.store.scroll(SearchScope())} == {"0.md", "1.md", "2.md"}
    assert index.store.search_sparse(encode_query("Monday"), limit=20, scope=SearchScope()) == []
    assert index.catalogue.document_frequencies(encode_query("Monday").indices) == {}
    assert index.stored() == index.catalogue.chunk_count()
    with pytest.raises(InvalidDocument, match=r"'manual\.md' is not indexed"):
        index.indexer.forget("manual.md")


def test_every_chunk_is_kept_with_the_vectors_of_its_windows_and_found_by_the_best_one(index):
    index.outcomes(
        index.write("manual.md", text_of(OLD, 40) + "\nDogs are walked on the meadow behind the dam at noon.\n")
    )
    kept = index.store.fetch(index.catalogue.documents()[0].chunk_ids)
    assert max(len(each.chunk.windows) for each in kept) > 1
    for each in kept:
        texts = [f"{each.chunk.context}\n{each.chunk.content[start:end]}" for start, end in each.chunk.windows]
        np.testing.assert_allclose(each.vectors, index.embedder.embed(texts), atol=1e-3)
    question = index.embedder.embed(["Where are dogs walked?"])[0]
    found = index.store.search_dense(question, limit=20, scope=SearchScope())
    for each, hit in zip(index.store.fetch([hit.chunk_id for hit in found]), found, strict=True):
        assert hit.score == pytest.approx(float((each.vectors @ question).max()), abs=1e-5)


def test_what_cannot_be_read_is_reported_by_name_and_the_others_are_ingested(index):
    index.write("good.txt", OLD)
    index.write("empty.txt", "")
    (index.files / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing of use")
    (index.files / "gone.md").symlink_to(index.files / "nowhere.md")
    (index.files / os.fsdecode(b"bad\xff.txt")).write_text(NEW, encoding="utf-8")  # no database can hold its name
    (index.files / ".git").mkdir()
    (index.files / ".git" / "gone.md").symlink_to(index.files / "nowhere.md")
    (index.files / "damaged.txt").write_bytes("Die Größe des Geräts und das Maß der Röhre. ".encode() * 4 + b"\xff")
    report = index.indexer.ingest([index.files])
    reasons = {file.document: str(file.reason) for file in report.failed}
    assert (report.count("added"), len(reasons)) == (2, 4)
    assert all(name in reasons[name] for name in ("empty.txt", "broken.pdf"))
    assert "nowhere.md" in reasons["gone.md"]
    assert sum("Rename the file" in reason for reason in reasons.values()) == 1
    assert [record.document for record in index.catalogue.documents()] == ["damaged.txt", "good.txt"]
    [note] = [note for file in report.files for note in file.notes]
    assert note.startswith("Places that are not valid UTF-8")
    assert f"  damaged.txt: {note}" in ingest_text(report).splitlines()


def test_a_full_disk_for_copies_is_said_and_the_document_not_half_there(index):
    (index.folder / "files").write_text("a file where the folder should be", encoding="utf-8")
    index.write("notes.txt", OLD)
    with pytest.raises(StoreUnavailable, match=r"No copy of 'notes\.txt'"):
        index.outcomes()
    assert (index.catalogue.documents(), index.stored(), index.catalogue.unfinished()) == ([], 0, [])


def test_two_files_of_one_name_are_two_documents_told_apart_by_the_shortest_path(index):
    for folder, text in (("a", OLD), ("b", NEW), ("c", OLD)):
        index.write(f"x/{folder}/manual.md", text_of(text))
    report = index.indexer.ingest([index.files])
    outcomes = sorted(f"{file.document} {file.outcome}" for file in report.files)
    assert outcomes == ["a/manual.md added", "a/manual.md unchanged", "b/manual.md added"]
    index.write("y/a/manual.md", text_of("Dogs are walked at noon. "))  # named as another file's path ends
    assert index.outcomes().keys() == {"a/manual.md", "b/manual.md", "y/a/manual.md"}


def test_a_namesake_of_an_indexed_file_has_a_longer_name_unless_it_says_the_same_is_to_replace_it_or_was_moved(index):
    first, other = index.write("a/manual.md", text_of(OLD)), index.write("b/manual.md", text_of(NEW))
    assert (index.outcomes(first), index.outcomes(other)) == ({"manual.md": "added"}, {"b/manual.md": "added"})
    assert index.outcomes(first, other) == {"manual.md": "unchanged", "b/manual.md": "unchanged"}
    assert index.indexer.forget("b/manual.md").outcome == "removed"
    assert index.kept() == {"manual.md": index.folder / "files" / index.catalogue.documents()[0].hash / "manual.md"}
    index.write("b/manual.md", text_of(OLD))
    assert index.outcomes(other) == {"manual.md": "unchanged"}
    index.write("b/manual.md", text_of(NEW))
    [file] = index.indexer.ingest([other], replace=True).files
    assert (file.outcome, "a/manual.md" in str(file.reason)) == ("replaced", True)
    other.unlink()
    assert index.outcomes(first) == {"manual.md": "replaced"}


def test_an_upload_is_kept_replaces_the_document_of_its_name_and_can_be_replaced_from_anywhere(index):
    index.outcomes(index.write("a/notes.txt", OLD))
    found = index.indexer.ingest_bytes("folder/notes.txt", NEW.encode())
    assert (found.document, found.outcome, found.path) == ("notes.txt", "replaced", None)
    assert "it replaces the document of the same name" in str(found.reason)
    assert index.indexer.ingest_bytes("notes.txt", NEW.encode()).outcome == "unchanged"
    assert index.indexer.ingest_bytes("notes.txt", b"").outcome == "failed"
    copy = index.kept()["notes.txt"]
    assert copy.read_text(encoding="utf-8") == NEW
    index.indexer.ingest([copy], force=True)
    assert index.outcomes(index.write("b/notes.txt", OLD)) == {"notes.txt": "replaced"}


def test_readers_see_the_old_version_or_the_new_while_a_document_is_replaced(index):
    index.outcomes(index.write("manual.md", text_of(OLD)))
    seen: set[tuple[bool, bool]] = set()
    done = Event()

    def read() -> None:
        while not done.is_set():
            text = index.visible()
            seen.add(("Monday" in text, "Friday" in text))

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            for text in (NEW, OLD, NEW, OLD):
                index.outcomes(index.write("manual.md", text_of(text)))
        finally:
            done.set()
        reading.result()
    assert seen == {(True, False), (False, True)}


def test_a_document_is_seen_while_a_copy_of_it_is_written_and_while_that_is_forgotten(index, monkeypatch):
    index.outcomes(index.write("manual.md", text_of(OLD)))
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


@pytest.mark.parametrize(("workers", "sizes"), [(1, [4, 4, 4, 1]), (3, [12, 1])])
def test_each_worker_gets_a_full_batch(index, monkeypatch, workers, sizes):
    monkeypatch.setattr(indexer, "EMBEDDED_AT_ONCE", 4)
    embedder, asked = MadeUpEmbedder("one"), list[int]()
    monkeypatch.setattr(
        embedder, "embed", lambda texts: asked.append(len(texts)) or MadeUpEmbedder.embed(embedder, texts)
    )
    for number in range(13):
        index.write(f"{number:02}.md", OLD)
    index.another(embedder, workers=workers).ingest([index.files])
    assert asked == sizes


@contextmanager
def of(name: str) -> Iterator[None]:
    """Let another version of the ingestion be the program's."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (reading, rebuilding, version):
            patch.setattr(module, "ingestion_version", lambda: name)
        yield


def test_an_unchanged_file_that_an_older_version_read_is_read_again_and_the_index_outdated_until_the_last(index):
    first, second = index.write("a.txt", OLD), index.write("b.txt", NEW)
    assert outdated_notice(index.catalogue) is None  # an empty index is of every version
    with of("older"):
        index.outcomes()
    fingerprints = {index.catalogue.fingerprint()}
    for path in (first, second):
        assert "`candor ingest --rebuild`" in str(outdated_notice(index.catalogue))
        [file] = index.indexer.ingest([path]).files
        assert (file.outcome, "an older version of Candor had read it" in str(file.reason)) == ("replaced", True)
        fingerprints.add(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue) is None
    assert index.catalogue.get("a.txt").ingestion == ingestion_version()
    assert index.outcomes() == {"a.txt": "unchanged", "b.txt": "unchanged"}
    assert len(fingerprints) == 3


def test_a_rebuild_without_paths_reads_everything_again_from_the_copies(index):
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.indexer.ingest_bytes("upload.txt", NEW.encode())
    index.outcomes(index.write("lost.txt", OLD))
    index.kept()["lost.txt"].unlink()
    shutil.rmtree(index.files)
    with of("newer"):
        report = index.indexer.rebuild()
    outcomes = {file.document: file.outcome for file in report.files}
    assert outcomes == {"a.md": "replaced", "upload.txt": "replaced", "lost.txt": "failed"}
    versions = {record.document: record.ingestion for record in index.catalogue.documents()}
    assert versions == {"a.md": "newer", "upload.txt": "newer", "lost.txt": ingestion_version()}
    assert index.visible("a.md").count("Monday") == 60
