"""Copies of the ingested files, and files that change or go away while they are read."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from indexes import NEW, OLD, Index, text_of

from rag.ingest import incoming, loaders
from rag.ingest.report import Progress
from rag.models import Document


@pytest.fixture
def then(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Let something happen to the files after each that is read."""

    def let(act: Callable[[], object]) -> None:
        def load(path: Path, **options: int) -> Document:
            document = loaders.load(path, **options)
            act()
            return document

        monkeypatch.setattr(incoming, "load", load)

    return let


def kept(index: Index) -> dict[str, str]:
    """The copies by the hash in their path."""
    return {path.parent.name: path.read_text(encoding="utf-8") for path in index.kept().values()}


def test_a_file_that_goes_away_or_changes_after_it_was_read_is_kept_as_it_was_read(index):
    gone, changing = (index.write(f"{name}.md", text_of(OLD, 3)) for name in "ab")

    def change(progress: Progress) -> None:
        if progress.chunks_done:
            gone.unlink(missing_ok=True)
            changing.write_text(text_of(NEW, 3), encoding="utf-8")

    assert set(index.outcomes(progress=change).values()) == {"added"}
    assert index.kept().keys() == {"a.md", "b.md"}
    assert set(kept(index).values()) == {text_of(OLD, 3)}
    assert index.outcomes() == {"b.md": "replaced"}


@pytest.mark.parametrize("file", ["stops changing", "never stops", "goes away"])
def test_what_is_kept_and_indexed_of_a_file_that_changes_as_it_is_read_is_one_version_or_none(index, then, file):
    changing, reads = index.write("a.md", text_of(OLD, 3)), []

    def change() -> None:
        reads.append(True)
        changing.write_text(text_of(NEW, 3 if file == "stops changing" else 3 + len(reads)), encoding="utf-8")
        if file == "goes away":
            changing.unlink()

    then(change)
    index.indexer.ingest_bytes("b.md", text_of(OLD).encode())
    [found] = index.another(alone=False).ingest([index.files]).files
    if file == "stops changing":
        assert (found.outcome, len(reads), index.kept().keys()) == ("added", 2, {"a.md", "b.md"})
        assert text_of(NEW, 3) in kept(index).values()
        assert index.visible("a.md").count("Friday") == 3
        return
    assert ("it changed while it was read, 3 times" in str(found.reason)) == (file == "never stops")
    assert ("'a.md' was not ingested: it cannot be read" in str(found.reason)) == (file == "goes away")
    assert (found.outcome, index.kept().keys()) == ("failed", {"b.md"})


def test_a_file_that_takes_long_to_read_is_named_while_it_is_waited_for(index, then):
    index.write("long.md", text_of(OLD, 3))
    told, is_told = list[str](), Event()

    def note(progress: Progress) -> None:
        told.append(progress.current)
        is_told.set()

    then(lambda: is_told.wait(60))
    index.indexer.ingest([index.files], progress=note)
    assert (told[0], told[-1]) == ("reading long.md", "long.md")
