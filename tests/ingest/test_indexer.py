"""Ingestion with the real model, the real embedded engine and a real database: incremental, atomic, recoverable."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from indexes import NEW, OLD, Index, text_of

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import sqlite_url
from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest.indexer import Indexer
from rag.ingest.report import Progress
from rag.ingest.threads import read_ahead
from rag.ingest.version import outdated_notice
from rag.language.bm25 import encode_query
from rag.models import Document
from rag.protocols import SearchScope


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


def test_every_chunk_is_kept_with_the_vectors_of_its_windows(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    kept = index.store.fetch(index.catalogue.documents()[0].chunk_ids)
    assert max(len(each.chunk.windows) for each in kept) > 1
    for each in kept:
        texts = [f"{each.chunk.context}\n{each.chunk.content[start:end]}" for start, end in each.chunk.windows]
        np.testing.assert_allclose(each.vectors, index.embedder.embed(texts), atol=1e-3)


def test_a_chunk_is_as_similar_to_a_question_as_its_best_window(index: Index) -> None:
    index.write("manual.md", text_of(OLD, 8) + "\nDogs are walked on the meadow behind the dam at noon.\n")
    index.outcomes()
    question = index.embedder.embed(["Where are dogs walked?"])[0]
    found = index.store.search_dense(question, limit=20, scope=SearchScope())
    for each, hit in zip(index.store.fetch([hit.chunk_id for hit in found]), found, strict=True):
        assert hit.score == pytest.approx(float((each.vectors @ question).max()), abs=1e-5)


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


def test_two_files_of_one_name_are_two_documents_told_apart_by_the_shortest_path(index: Index) -> None:
    index.write("a/manual.md", text_of(OLD))
    index.write("b/manual.md", text_of(NEW))
    index.write("c/manual.md", text_of(OLD))
    report = index.indexer.ingest([index.files])
    assert sorted((file.document, file.outcome) for file in report.files) == [
        ("a/manual.md", "added"),
        ("a/manual.md", "unchanged"),
        ("b/manual.md", "added"),
    ]
    assert index.outcomes() == {"a/manual.md": "unchanged", "b/manual.md": "unchanged"}


def test_a_file_of_the_name_of_another_that_is_indexed_has_a_longer_name_and_the_first_keeps_its_own(
    index: Index,
) -> None:
    first = index.write("a/manual.md", text_of(OLD))
    index.outcomes(first)
    other = index.write("b/manual.md", text_of(NEW))
    assert index.outcomes(other) == {"b/manual.md": "added"}
    assert index.outcomes(other) == {"b/manual.md": "unchanged"}
    assert index.outcomes(first, other) == {"manual.md": "unchanged", "b/manual.md": "unchanged"}
    assert index.indexer.forget("b/manual.md").outcome == "removed"
    assert [path for path in (index.folder / "files").rglob("*") if path.is_file()] == [
        index.folder / "files" / index.catalogue.documents()[0].hash / "manual.md"
    ]


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


def test_a_rebuild_with_another_model_keeps_the_document_and_its_namesake(index: Index) -> None:
    index.outcomes(index.write("a/manual.md", text_of(OLD)))
    other = index.another(language="german")
    report = other.ingest([index.write("b/manual.md", text_of(NEW))], force=True)
    assert sorted(file.outcome for file in report.files) == ["added", "replaced"]
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


def test_an_upload_is_ingested_from_its_bytes_and_its_copy_kept(index: Index) -> None:
    found = index.indexer.ingest_bytes("folder/notes.txt", OLD.encode())
    assert (found.document, found.outcome, found.path) == ("notes.txt", "added", None)
    assert index.indexer.ingest_bytes("notes.txt", OLD.encode()).outcome == "unchanged"
    assert index.indexer.ingest_bytes("notes.txt", b"").outcome == "failed"
    [copy] = (index.folder / "files").rglob("notes.txt")
    assert copy.read_text(encoding="utf-8") == OLD


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


def test_reading_ahead_stops_when_it_is_closed() -> None:
    begun: list[threading.Thread] = []
    results = read_ahead(range(1_000), lambda _: begun.append(threading.current_thread()) or time.sleep(0.01), depth=2)
    next(results)
    results.close()
    assert len(begun) <= 5
    assert not any(reader.is_alive() for reader in begun)


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


def test_an_unchanged_file_that_an_older_version_read_is_read_again(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.another(version="older").ingest([index.files])
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
    index.another(version="older").ingest([index.files])
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
    index.another(version="older").ingest([index.write("a.txt", OLD)])
    with sqlite3.connect(index.folder / "catalogue.db") as database:
        database.execute("DELETE FROM catalogue_meta WHERE name = 'ingestion'")
        database.execute("UPDATE catalogue_documents SET record = json_remove(record, '$.ingestion')")
    database.close()
    index.catalogue.close()
    index.catalogue = SqlCatalogue(sqlite_url(index.folder / "catalogue.db"))
    indexer = index.another()
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
    report = index.another(version="newer").rebuild()
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
