"""Copies of the ingested files, and files that change or go away while they are read."""

import time
from pathlib import Path

from indexes import NEW, OLD, Index, text_of

from rag.ingest import loaders
from rag.ingest.indexer import Indexer
from rag.ingest.report import Progress
from rag.models import Document


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
        document = loaders.load(path)
        if path == gone:
            gone.unlink()
        return document

    indexer = index.another(alone=False, load=load)
    report = indexer.ingest([index.files])
    assert {file.document: file.outcome for file in report.files} == {"a.md": "failed", "b.md": "added"}
    assert "'a.md' was not ingested: it cannot be read (No such file or directory)" in str(report.failed[0].reason)
    assert index.copies() == {stays.name}


def test_what_is_kept_and_indexed_of_a_file_that_changes_is_one_version(index: Index) -> None:
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def load(path: Path) -> Document:
        document = loaders.load(path)
        if not reads:
            changing.write_text(text_of(NEW, 3), encoding="utf-8")
        reads.append(document.hash)
        return document

    indexer = index.another(alone=False, load=load)
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
        document = loaders.load(path)
        reads.append(1)
        changing.write_text(text_of(OLD, 3 + len(reads)), encoding="utf-8")
        return document

    indexer = index.another(alone=False, load=load)
    [failed] = indexer.ingest([index.files]).failed
    assert "it changed while it was read, 3 times" in str(failed.reason)
    assert index.copies() == set()


def test_a_file_that_takes_long_to_read_is_named_while_it_is_waited_for(index: Index) -> None:
    index.write("long.md", text_of(OLD, 3))
    told: list[str] = []

    def load(path: Path) -> Document:
        while not told:
            time.sleep(0.01)
        return loaders.load(path)

    indexer = Indexer(index.store, index.catalogue, index.embedder, load=load)
    indexer.ingest([index.files], progress=lambda progress: told.append(progress.current))
    assert (told[0], told[-1]) == ("reading long.md", "long.md")
