"""Ingestion with the real model, the real embedded engine and a real database: incremental, atomic, recoverable."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable

import numpy as np
import pytest
from indexes import NEW, OLD, Index, text_of

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import sqlite_url
from rag.commands.present import ingest_text
from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest.report import Progress
from rag.ingest.version import outdated_notice
from rag.language.bm25 import encode_query
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


def test_the_store_holds_what_the_catalogue_says_and_the_same_again_when_it_is_ingested_again(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    report = index.indexer.ingest([index.files])
    [record] = index.catalogue.documents()
    assert record.chunks == report.chunks == index.stored() == index.catalogue.chunk_count() == len(record.chunk_ids)
    assert {found.chunk.chunk_id for found in index.store.fetch(record.chunk_ids)} == set(record.chunk_ids)
    assert record.path == str((index.files / "manual.md").resolve())
    [term] = encode_query("hood").indices
    assert index.catalogue.document_frequencies([term]) == {term: record.chunks}
    assert index.outcomes(force=True) == {"manual.md": "replaced"}
    assert index.catalogue.documents()[0].chunk_ids == record.chunk_ids
    assert (index.stored(), index.visible().count("Monday")) == (record.chunks, 60)


def test_every_chunk_is_kept_with_the_vectors_of_its_windows_and_found_by_the_best_one(index: Index) -> None:
    index.write("manual.md", text_of(OLD, 40) + "\nDogs are walked on the meadow behind the dam at noon.\n")
    index.outcomes()
    kept = index.store.fetch(index.catalogue.documents()[0].chunk_ids)
    assert max(len(each.chunk.windows) for each in kept) > 1
    for each in kept:
        texts = [f"{each.chunk.context}\n{each.chunk.content[start:end]}" for start, end in each.chunk.windows]
        np.testing.assert_allclose(each.vectors, index.embedder.embed(texts), atol=1e-3)
    question = index.embedder.embed(["Where are dogs walked?"])[0]
    found = index.store.search_dense(question, limit=20, scope=SearchScope())
    for each, hit in zip(index.store.fetch([hit.chunk_id for hit in found]), found, strict=True):
        assert hit.score == pytest.approx(float((each.vectors @ question).max()), abs=1e-5)


# --- files that cannot be read --------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_reported_by_name_and_the_others_are_ingested(index: Index) -> None:
    index.write("good.txt", OLD)
    index.write("empty.txt", "")
    (index.files / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing of use")
    (index.files / "gone.md").symlink_to(index.files / "nowhere.md")
    (index.files / os.fsdecode(b"bad\xff.txt")).write_text(NEW, encoding="utf-8")  # no database can hold its name
    (index.files / ".git").mkdir()
    (index.files / ".git" / "gone.md").symlink_to(index.files / "nowhere.md")
    report = index.indexer.ingest([index.files])
    reasons = {file.document: str(file.reason) for file in report.failed}
    assert (report.count("added"), len(reasons)) == (1, 4)
    assert all(name in reasons[name] for name in ("empty.txt", "broken.pdf"))
    assert "nowhere.md" in reasons["gone.md"]
    assert sum("Rename the file" in reason for reason in reasons.values()) == 1
    assert [record.document for record in index.catalogue.documents()] == ["good.txt"]


def test_a_file_that_has_become_broken_leaves_its_old_version(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    (index.files / "manual.md").write_bytes(b"")
    assert index.outcomes() == {"manual.md": "failed"}
    assert index.visible().count("Monday") == 60


def test_the_note_of_a_file_is_in_its_outcome_and_in_what_candor_ingest_prints(index: Index) -> None:
    text = "Die Größe des Geräts, das Maß der Röhre und der Prüfer stehen auf dem Schild. " * 2
    (index.files / "damaged.txt").write_bytes(text.encode() + b"\xff")
    report = index.indexer.ingest([index.files])
    [note] = report.files[0].notes
    assert note.startswith("1 place is not valid UTF-8")
    assert ingest_text(report).splitlines()[1:] == [f"  damaged.txt: {note}"]


def test_a_full_disk_for_copies_is_said_and_the_document_not_half_there(index: Index) -> None:
    (index.folder / "files").write_text("a file where the folder should be", encoding="utf-8")
    index.write("notes.txt", OLD)
    with pytest.raises(StoreUnavailable, match=r"No copy of 'notes\.txt'"):
        index.outcomes()
    assert (index.catalogue.documents(), index.stored(), index.catalogue.unfinished()) == ([], 0, [])


# --- names ----------------------------------------------------------------------------------------------------------


def test_two_files_of_one_name_are_two_documents_told_apart_by_the_shortest_path(index: Index) -> None:
    for folder, text in (("a", OLD), ("b", NEW), ("c", OLD)):
        index.write(f"{folder}/manual.md", text_of(text))
    report = index.indexer.ingest([index.files])
    assert sorted((file.document, file.outcome) for file in report.files) == [
        ("a/manual.md", "added"), ("a/manual.md", "unchanged"), ("b/manual.md", "added"),
    ]  # fmt: skip
    assert index.outcomes() == {"a/manual.md": "unchanged", "b/manual.md": "unchanged"}


def test_a_namesake_of_an_indexed_file_has_a_longer_name_and_can_be_forgotten_by_itself(index: Index) -> None:
    first, other = index.write("a/manual.md", text_of(OLD)), index.write("b/manual.md", text_of(NEW))
    assert (index.outcomes(first), index.outcomes(other)) == ({"manual.md": "added"}, {"b/manual.md": "added"})
    assert index.outcomes(first, other) == {"manual.md": "unchanged", "b/manual.md": "unchanged"}
    assert index.indexer.forget("b/manual.md").outcome == "removed"
    assert [path for path in (index.folder / "files").rglob("*") if path.is_file()] == [
        index.folder / "files" / index.catalogue.documents()[0].hash / "manual.md"
    ]


def test_a_file_from_elsewhere_is_the_same_document_where_it_says_the_same_is_asked_to_replace_it_or_was_moved(
    index: Index,
) -> None:
    first, other = index.write("a/manual.md", text_of(OLD)), index.write("b/manual.md", text_of(OLD))
    index.outcomes(first)
    assert index.outcomes(other) == {"manual.md": "unchanged"}
    index.write("b/manual.md", text_of(NEW))
    [file] = index.indexer.ingest([other], replace=True).files
    assert (file.outcome, "a/manual.md" in str(file.reason)) == ("replaced", True)
    other.unlink()
    assert index.outcomes(first) == {"manual.md": "replaced"}


def test_an_upload_is_kept_replaces_the_document_of_its_name_and_can_be_replaced_from_anywhere(index: Index) -> None:
    index.outcomes(index.write("a/notes.txt", OLD))
    found = index.indexer.ingest_bytes("folder/notes.txt", NEW.encode())
    assert (found.document, found.outcome, found.path) == ("notes.txt", "replaced", None)
    assert "it replaces the document of the same name" in str(found.reason)
    assert index.indexer.ingest_bytes("notes.txt", NEW.encode()).outcome == "unchanged"
    assert index.indexer.ingest_bytes("notes.txt", b"").outcome == "failed"
    [copy] = (index.folder / "files").rglob("notes.txt")
    assert copy.read_text(encoding="utf-8") == NEW
    index.indexer.ingest([copy], force=True)
    assert index.outcomes(index.write("b/notes.txt", OLD)) == {"notes.txt": "replaced"}


# --- what is told and what readers see ------------------------------------------------------------------------------


def test_progress_counts_up_to_all_files_and_all_chunks(index: Index) -> None:
    for number in range(5):
        index.write(f"{number}.md", text_of(OLD, 10 + number))
    told: list[Progress] = []
    report = index.indexer.ingest([index.files], progress=told.append)
    assert [one.files_done for one in told] == sorted(one.files_done for one in told)
    last = told[-1]
    assert (last.files_done, last.files_total, last.chunks_done, last.seconds_left) == (5, 5, report.chunks, 0.0)
    assert min(last.rate, report.chunks_per_second) > 0


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
        for turn in range(4):
            index.write("manual.md", text_of(NEW if turn % 2 == 0 else OLD))
            index.outcomes()
    finally:
        done.set()
        reader.join()
    assert seen == {(True, False), (False, True)}


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


# --- what is removed ------------------------------------------------------------------------------------------------


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
    with pytest.raises(InvalidDocument, match=r"'manual\.md' is not indexed"):
        index.indexer.forget("manual.md")


def test_pruning_removes_documents_whose_file_is_gone_and_only_on_request(index: Index) -> None:
    gone = index.write("gone.txt", OLD)
    index.write("stays.txt", NEW)
    index.outcomes()
    gone.unlink()
    assert index.outcomes() == {"stays.txt": "unchanged"}
    assert index.outcomes(prune=True) == {"gone.txt": "removed", "stays.txt": "unchanged"}
    assert [record.document for record in index.catalogue.documents()] == ["stays.txt"]


# --- what an older version of Candor read ---------------------------------------------------------------------------


def test_an_unchanged_file_that_an_older_version_read_is_read_again_and_the_index_outdated_until_the_last(
    index: Index,
) -> None:
    first, second = index.write("a.txt", OLD), index.write("b.txt", NEW)
    assert outdated_notice(index.catalogue) is None  # an empty index is of every version
    index.another(version="older").ingest([index.files])
    fingerprints = {index.catalogue.fingerprint()}
    for path in (first, second):
        assert outdated_notice(index.catalogue)
        [file] = index.indexer.ingest([path]).files
        assert (file.outcome, "an older version of Candor had read it" in str(file.reason)) == ("replaced", True)
        fingerprints.add(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue) is None
    assert index.catalogue.get("a.txt").ingestion == index.indexer.version
    assert index.outcomes() == {"a.txt": "unchanged", "b.txt": "unchanged"}
    assert len(fingerprints) == 3


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


def test_a_rebuild_without_paths_reads_everything_again_from_the_copies(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.indexer.ingest_bytes("upload.txt", NEW.encode())
    index.outcomes(index.write("lost.txt", OLD))
    shutil.rmtree(index.folder / "files" / index.catalogue.get("lost.txt").hash)
    shutil.rmtree(index.files)
    report = index.another(version="newer").rebuild()
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced", "upload.txt": "replaced", "lost.txt": "failed",
    }  # fmt: skip
    versions = {record.document: record.ingestion for record in index.catalogue.documents()}
    assert versions == {"a.md": "newer", "upload.txt": "newer", "lost.txt": index.indexer.version}
    assert index.visible("a.md").count("Monday") == 60
