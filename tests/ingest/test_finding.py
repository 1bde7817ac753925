"""Which files an ingest finds, what stands in archives and mails, and which names their documents have."""

import io
import os
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from unicodedata import normalize

import pytest
from killed import MadeUpEmbedder
from test_mail import mail

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_store import EdgeStore
from rag.adapters.sql import sqlite_url
from rag.errors import InvalidDocument
from rag.ingest import finding, naming
from rag.ingest.finding import Found, find
from rag.ingest.incoming import Incoming, composed
from rag.ingest.indexer import Indexer
from rag.ingest.loaders import MAX_BYTES
from rag.models import DocumentRecord

TEXT = "The tank is emptied by the night watch on each Friday of the month."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "below" / "deep").mkdir(parents=True)
    for name in ("b.md", "a.txt", "below/c.md", "below/deep/d.md"):
        (tmp_path / "in" / name).write_text(f"{TEXT} {name}", encoding="utf-8")
    return tmp_path / "in"


@pytest.fixture
def indexer(tmp_path: Path) -> Iterator[Indexer]:
    store, catalogue = EdgeStore(tmp_path / "index"), SqlCatalogue(sqlite_url(tmp_path / "catalogue.db"))
    yield Indexer(store, catalogue, MadeUpEmbedder("one"), files_dir=tmp_path / "files", alone=True)
    store.close()
    catalogue.close()


@pytest.fixture
def closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that cannot be listed, also for those whom permissions do not stop."""
    listed, shut = os.scandir, folder / "below"

    def scandir(path: str | Path) -> object:
        if Path(path) == shut:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(finding.os, "scandir", scandir)
    return shut


def names(files: object) -> list[str]:
    return [path.name for path in files]


def test_files_are_found_sorted_and_hidden_and_other_ones_are_not(folder: Path) -> None:
    for name in (".git/x.md", ".hidden.md", "program.exe"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TEXT, encoding="utf-8")
    found = find([folder, folder / "b.md"])
    assert names(found.files) == ["a.txt", "b.md", "c.md", "d.md"]
    assert (found.failures, found.unlisted) == ([], set())


def test_the_questions_of_a_data_set_are_no_document_of_its_folder(folder: Path) -> None:
    labels = folder / "questions.jsonl"
    labels.write_text('{"question": "When is it emptied?"}', encoding="utf-8")
    assert names(find([folder]).files) == ["a.txt", "b.md", "c.md", "d.md"]
    assert list(find([labels]).files) == [labels]


def test_a_named_file_is_found_whatever_its_type_and_each_once(tmp_path: Path) -> None:
    picture, note = tmp_path / "p.png", tmp_path / "n.md"
    picture.write_bytes(b"x")
    note.write_bytes(b"x")
    assert list(find([picture, note, tmp_path, note]).files) == [picture, note]


def test_a_path_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match=r"nowhere.*there is no such file or folder"):
        find([tmp_path / "nowhere"])


def test_a_folder_that_cannot_be_listed_is_reported_and_the_rest_is_found(folder: Path, closed: Path) -> None:
    found = find([folder])
    assert names(found.files) == ["a.txt", "b.md"]
    [failure] = found.failures
    assert (failure.document, failure.outcome, failure.path) == ("below", "failed", str(closed))
    assert "cannot be listed (Permission denied). Check its permissions." in str(failure.reason)


def test_pruning_removes_nothing_below_a_folder_that_cannot_be_listed(
    folder: Path, indexer: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer.ingest([folder])
    (folder / "below" / "c.md").unlink()
    (folder / "a.txt").unlink()
    listed = os.scandir

    def scandir(path: str | Path) -> object:
        if Path(path) == folder / "below":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    with monkeypatch.context() as patch:
        patch.setattr(finding.os, "scandir", scandir)
        report = indexer.ingest([folder], prune=True)
    assert {file.document: file.outcome for file in report.files} == {
        "a.txt": "removed",
        "b.md": "unchanged",
        "below": "failed",
    }
    report = indexer.ingest([folder], prune=True)
    assert {file.document: file.outcome for file in report.files} == {
        "b.md": "unchanged",
        "c.md": "removed",
        "d.md": "unchanged",
    }


@pytest.fixture
def kite(folder: Path) -> Path:
    """A link in the folder to a file outside of it."""
    target = folder.parent / "else" / "kite.md"
    target.parent.mkdir()
    target.write_text(f"{TEXT} kite", encoding="utf-8")
    (folder / "kite.md").symlink_to(Path("..", "else", "kite.md"))
    return target


def pruned(indexer: Indexer, *paths: Path) -> set[str]:
    """The documents that pruning the folders removes."""
    report = indexer.ingest(paths, prune=True)
    return {file.document for file in report.files if file.outcome == "removed"}


def test_a_document_whose_link_was_removed_is_pruned(folder: Path, indexer: Indexer, kite: Path) -> None:
    indexer.ingest([folder])
    assert pruned(indexer, folder) == set()
    (folder / "kite.md").unlink()
    assert pruned(indexer, folder / "below") == set()
    assert pruned(indexer, folder) == {"kite.md"}


def test_a_document_whose_link_was_removed_is_pruned_after_a_rebuild(
    folder: Path, indexer: Indexer, kite: Path
) -> None:
    indexer.ingest([folder])
    indexer.rebuild()
    (folder / "kite.md").unlink()
    assert pruned(indexer, folder) == {"kite.md"}


def test_a_document_that_was_ingested_by_its_own_path_outlives_a_link_to_it(
    folder: Path, indexer: Indexer, kite: Path
) -> None:
    indexer.ingest([folder])
    indexer.ingest([kite])
    (folder / "kite.md").unlink()
    assert pruned(indexer, folder) == set()
    assert {file.outcome for file in indexer.ingest([kite]).files} == {"unchanged"}


def test_a_document_stays_while_another_path_in_the_folder_leads_to_it(
    folder: Path, indexer: Indexer, kite: Path
) -> None:
    indexer.ingest([folder])
    (folder / "kite.md").rename(folder / "below" / "kite.md")
    (folder / "below" / "kite.md").unlink()
    (folder / "below" / "kite.md").symlink_to(kite)
    assert pruned(indexer, folder) == set()


def test_a_link_whose_target_is_away_is_not_pruned(folder: Path, indexer: Indexer, kite: Path) -> None:
    indexer.ingest([folder])
    kite.unlink()
    assert pruned(indexer, folder) == set()


def test_a_file_that_may_still_be_there_is_not_taken_for_gone(
    folder: Path, indexer: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer.ingest([folder])
    asked = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path.name == "d.md":
            raise PermissionError(13, "Permission denied", str(path))
        return asked(path, **options)

    record = indexer._catalogue.get("d.md")
    (folder / "below" / "deep" / "d.md").unlink()
    found = find([folder])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", stat)
        assert not found.is_gone(record)
    assert found.is_gone(record)


def test_a_named_path_that_cannot_be_looked_at_is_an_error_with_its_reason(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exists(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", exists)
    with pytest.raises(InvalidDocument, match=r"b\.md' was not ingested: it cannot be looked at \(Permission denied\)"):
        find([folder / "b.md"])


def test_a_link_to_a_folder_elsewhere_is_reported_and_one_within_is_not(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "e.md").write_text(TEXT, encoding="utf-8")
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "within").symlink_to(folder / "below")
    found = find([folder])
    assert names(found.files) == ["a.txt", "b.md", "c.md", "d.md"]
    [failure] = found.failures
    assert failure.document == "out"
    assert f"a link to the folder {str(tmp_path / 'elsewhere')!r}, and links to folders are not followed" in str(
        failure.reason
    )
    both = find([folder, tmp_path / "elsewhere"])
    assert (names(both.files)[-1], both.failures) == ("e.md", [])


def test_a_link_to_a_file_of_the_same_run_is_folded_and_one_to_another_file_is_ingested(
    folder: Path, tmp_path: Path, indexer: Indexer
) -> None:
    (tmp_path / "apart.md").write_text(TEXT, encoding="utf-8")
    (folder / "same.md").symlink_to(folder / "b.md")
    (folder / "other.md").symlink_to(tmp_path / "apart.md")
    report = indexer.ingest([folder])
    outcomes = {file.document: (file.outcome, file.reason) for file in report.files}
    assert outcomes["same.md"] == ("unchanged", f"a link to {str(folder / 'b.md')!r}")
    assert outcomes["other.md"] == ("added", None)
    assert [record.document for record in indexer._catalogue.documents()] == [
        "a.txt", "b.md", "c.md", "d.md", "other.md",
    ]  # fmt: skip


def test_copies_that_candor_keeps_are_no_documents_though_their_folder_is_named(folder: Path, indexer: Indexer) -> None:
    above = folder.parent
    indexer.ingest([above])
    (folder / "a.txt").write_text(f"{TEXT} It is emptied twice in May.", encoding="utf-8")
    report = indexer.ingest([above])

    assert names(find([above], kept=above / "files").files) == ["a.txt", "b.md", "c.md", "d.md"]
    assert (report.count("replaced"), report.count("unchanged"), report.failed) == (1, 3, ())


def test_copies_of_another_candor_are_known_by_the_catalogue_beside_them_and_other_files_folders_are_read(
    folder: Path,
) -> None:
    for place in ("runs/one/files/0a1b", "files"):
        (folder / place).mkdir(parents=True)
        (folder / place / "e.md").write_text(TEXT, encoding="utf-8")
    (folder / "runs" / "one" / "catalogue.db").write_bytes(b"")

    assert [path for path in find([folder]).files if path.name == "e.md"] == [folder / "files" / "e.md"]
    assert names(find([folder / "runs" / "one" / "files"]).files) == ["e.md"]


def packed(**files: bytes | str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return target.getvalue()


def opened(name: str, data: bytes) -> tuple[dict[str, bytes], Found]:
    found = Found()
    files = found.opened([Incoming(name, len(data), data=data)], max_bytes=MAX_BYTES)
    return {file.name: file.content() for file in files}, found


def test_each_member_is_a_document_named_by_its_path_and_other_types_are_counted() -> None:
    files = {"a/x.md": "One.", "b/x.md": "Two.", "c.exe": "x", "inner.zip": packed(y="z"), ".git/z.md": "no"}
    found, members = opened("set.zip", packed(**files))
    assert found == {"set.zip/a/x.md": b"One.", "set.zip/b/x.md": b"Two."}
    assert dict(members.passed_over) == {".exe": 1, ".zip": 1, ".md": 1}


def test_a_member_on_disk_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "set.zip").write_bytes(packed(**{"a/x.md": "One."}))
    found = find([tmp_path])
    [file] = found.opened(found.incoming()[0], max_bytes=1_000_000)
    assert (file.name, file.source) == ("set.zip/a/x.md", f"{tmp_path.resolve()}/set.zip/a/x.md")
    assert file.load().text == "One."
    assert file.load().name == "set.zip/a/x.md"


def test_what_is_attached_to_a_mail_is_a_document_and_the_mail_is_one() -> None:
    found, _ = opened("offer.eml", mail(**{"prices.md": b"It costs 12 euros.", "b.dwg": b"x"}))
    assert [*found] == ["offer.eml", "offer.eml/prices.md"]
    assert found["offer.eml/prices.md"] == b"It costs 12 euros."
    inside, _ = opened("all.zip", packed(**{"offer.eml": mail(**{"prices.md": b"It costs 12 euros."})}))
    assert [*inside] == ["all.zip/offer.eml", "all.zip/offer.eml/prices.md"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no archive", "it is broken, or no ZIP archive"),
        (packed(), "it is an empty archive"),
        (packed(**{"../x.md": "x"}), "leads out of the archive"),
        (packed(**{"/etc/x.md": "x"}), "leads out of the archive"),
        (packed(**{"x.md": "0" * 60_000_000}), "as a zip bomb does"),
    ],
)
def test_a_broken_or_hostile_archive_is_refused_by_name(data: bytes, reason: str) -> None:
    found, members = opened("set.zip", data)
    [failure] = members.failures
    assert (found, failure.document, failure.outcome) == ({}, "set.zip", "failed")
    assert reason in str(failure.reason)


def test_files_of_no_type_that_is_read_are_counted_by_suffix(tmp_path: Path) -> None:
    for name in ("a.md", "b.log", "c.LOG", "Makefile"):
        (tmp_path / name).write_text("Text.", encoding="utf-8")
    assert find([tmp_path]).passed_over == {".log": 2, "": 1}


def file(source: str, text: str = "One.") -> Incoming:
    name = composed(source.rsplit("/", 1)[-1])
    return Incoming(name, len(text), data=text.encode(), source=source)


def record(document: str, path: str | None, text: str = "Zero.") -> DocumentRecord:
    known = Incoming("x", len(text), data=text.encode())
    return DocumentRecord(
        document=document, chunks=1, hash=known.hash(), size_bytes=len(text), media_type="text/plain", characters=1,
        path=path, ingested_at=datetime.now(UTC),
    )  # fmt: skip


def named(*files: Incoming, records: tuple[DocumentRecord, ...] = ()) -> tuple[list[str], list[tuple[str, str]]]:
    kept, others = naming.named(files, records, stands=lambda _: True, replacing=False)
    return [one.name for one in kept], [(one.document, one.outcome) for one in others]


def test_files_of_one_name_have_the_shortest_paths_that_differ() -> None:
    files = [file("/d/a/x.md", "1"), file("/d/b/x.md", "2"), file("/e/b/x.md", "3"), file("/d/y.md", "4")]
    assert named(*files) == (["a/x.md", "d/b/x.md", "e/b/x.md", "y.md"], [])


def test_names_are_compared_in_nfc() -> None:
    nfc, nfd = (normalize(form, "/d/Prüfung.md") for form in ("NFC", "NFD"))
    known = (record(normalize("NFD", "Prüfung.md"), nfd),)
    assert named(file(nfc), records=known) == (["Prüfung.md"], [])
    assert named(file(nfd, "2"), records=(record("Prüfung.md", nfc),)) == (["Prüfung.md"], [])
    assert named(file(nfc), file(nfd, "2")) == (["Prüfung.md"], [("Prüfung.md", "failed")])


def test_a_member_of_an_archive_is_not_taken_for_a_file_of_its_name() -> None:
    known = (record("set.zip/x.md", "/d/set.zip/x.md"),)
    assert named(file("/d/x.md"), records=known) == (["x.md"], [])
