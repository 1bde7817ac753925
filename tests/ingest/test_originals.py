"""Copies of the ingested files, and files that change or go away while they are read."""

import time
from collections.abc import Callable
from pathlib import Path

from indexes import NEW, OLD, Index, text_of

from rag.ingest import loaders
from rag.ingest.report import Progress
from rag.models import Document


def then(act: Callable[[], object]) -> Callable[[Path], Document]:
    """Return a loader after which something happens to the files."""

    def load(path: Path) -> Document:
        document = loaders.load(path)
        act()
        return document

    return load


def kept(index: Index) -> dict[str, str]:
    """The copies by the hash in their path."""
    copies = (path for path in (index.folder / "files").rglob("*") if path.is_file())
    return {path.parent.name: path.read_text(encoding="utf-8") for path in copies}


def test_a_copy_of_each_file_is_kept_while_it_is_indexed(index: Index) -> None:
    for text in (text_of(OLD), text_of(NEW)):
        index.write("manual.md", text)
        index.outcomes()
        assert kept(index) == {index.catalogue.documents()[0].hash: text}
    index.indexer.forget("manual.md")
    assert index.copies() == set()


def test_a_file_that_goes_away_while_it_is_read_fails_by_itself_and_the_others_are_ingested(index: Index) -> None:
    gone = index.write("a.md", text_of(OLD, 3))
    index.write("b.md", text_of(OLD, 3))
    report = index.another(alone=False, load=then(lambda: gone.unlink(missing_ok=True))).ingest([index.files])
    assert {file.document: file.outcome for file in report.files} == {"a.md": "failed", "b.md": "added"}
    assert "'a.md' was not ingested: it cannot be read (No such file or directory)" in str(report.failed[0].reason)
    assert index.copies() == {"b.md"}


def test_a_file_that_goes_away_or_changes_after_it_was_read_is_kept_as_it_was_read(index: Index) -> None:
    gone, changing = (index.write(f"{name}.md", text_of(OLD, 3)) for name in "ab")

    def change(progress: Progress) -> None:
        if progress.chunks_done:
            gone.unlink(missing_ok=True)
            changing.write_text(text_of(NEW, 3), encoding="utf-8")

    assert set(index.outcomes(progress=change).values()) == {"added"}
    assert index.copies() == {"a.md", "b.md"}
    assert set(kept(index).values()) == {text_of(OLD, 3)}
    assert index.outcomes() == {"b.md": "replaced"}


def test_what_is_kept_and_indexed_of_a_file_that_changes_is_one_version(index: Index) -> None:
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def change() -> None:
        changing.write_text(text_of(NEW, 3), encoding="utf-8")
        reads.append(True)

    assert index.another(alone=False, load=then(change)).ingest([index.files]).files[0].outcome == "added"
    assert len(reads) == 2
    assert list(kept(index).values()) == [text_of(NEW, 3)]
    assert index.visible("a.md").count("Friday") == 3


def test_a_file_that_never_stops_changing_is_reported_and_no_copy_is_left(index: Index) -> None:
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def change() -> None:
        reads.append(True)
        changing.write_text(text_of(OLD, 3 + len(reads)), encoding="utf-8")

    [failed] = index.another(alone=False, load=then(change)).ingest([index.files]).failed
    assert "it changed while it was read, 3 times" in str(failed.reason)
    assert index.copies() == set()


def test_a_file_that_takes_long_to_read_is_named_while_it_is_waited_for(index: Index) -> None:
    index.write("long.md", text_of(OLD, 3))
    told: list[str] = []

    def wait() -> None:
        while not told:
            time.sleep(0.01)

    index.another(load=then(wait)).ingest([index.files], progress=lambda progress: told.append(progress.current))
    assert (told[0], told[-1]) == ("reading long.md", "long.md")
