"""Which files an ingest finds, what stands in archives and mails, and which names their documents have."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from unicodedata import normalize
from unittest.mock import Mock

import pytest
from indexes import Index
from office_files import packed
from standins import MadeUpEmbedder

from rag.errors import InvalidDocument
from rag.ingest import finding
from rag.ingest.finding import Found, find
from rag.ingest.incoming import Incoming
from rag.ingest.loaders import MAX_BYTES

TEXT = "The tank is emptied by the night watch on each Friday of the month."
ALL = ["a.txt", "b.md", "c.md", "d.md"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the files of `quick`."""
    (tmp_path / "in" / "below" / "deep").mkdir(parents=True)
    for name in ("b.md", "a.txt", "below/c.md", "below/deep/d.md"):
        (tmp_path / "in" / name).write_text(f"{TEXT} {name}", encoding="utf-8")
    return tmp_path / "in"


@pytest.fixture
def quick(folder: Path) -> Iterator[Index]:
    with closing(Index(folder.parent, MadeUpEmbedder("one"))) as index:
        yield index


def names(files: object) -> list[str]:
    return [path.name for path in files]


def pruned(index: Index, *paths: Path) -> set[str]:
    """The documents that pruning removes, of some folders or of all."""
    outcomes = index.outcomes(*paths, prune=True)
    return {document for document, outcome in outcomes.items() if outcome == "removed"}


def test_files_are_found_once_and_sorted_and_hidden_and_other_ones_only_where_they_are_named(folder):
    for name in (".git/x.md", ".hidden.md", "program.exe", "b.LOG", "Makefile", "questions.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TEXT, encoding="utf-8")
    found = find([folder, folder / "b.md"])
    assert (names(found.files), found.failures, found.unlisted) == (ALL, [], set())
    assert found.passed_over == {".exe": 1, ".log": 1, "": 1}
    named = [folder / "program.exe", folder / "questions.jsonl"]  # the questions of a data set are no document of it
    assert names(find([*named, folder, folder / "a.txt"]).files) == ["program.exe", "questions.jsonl", *ALL]


def test_a_path_that_does_not_exist_or_cannot_be_looked_at_is_refused_by_name(folder, monkeypatch):
    with pytest.raises(InvalidDocument, match=r"nowhere.*there is no such file or folder"):
        find([folder / "nowhere"])
    monkeypatch.setattr(Path, "exists", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(InvalidDocument, match=r"b\.md' was not ingested: it cannot be accessed \(Permission denied\)"):
        find([folder / "b.md"])


def denying(asked: Callable[..., object], shut: Path) -> Callable[..., object]:
    """Return what asks about any path but one."""

    def ask(path: str | Path, **options: bool) -> object:
        if Path(path) == shut:
            raise PermissionError(13, "Permission denied", str(path))
        return asked(path, **options)

    return ask


def test_pruning_removes_nothing_below_a_folder_that_cannot_be_listed_nor_what_may_still_be_there(
    folder, quick, monkeypatch
):
    """The folder is shut also for those whom permissions do not stop."""
    quick.outcomes()
    (folder / "below" / "c.md").unlink()
    (folder / "a.txt").unlink()
    assert quick.outcomes() == {"b.md": "unchanged", "d.md": "unchanged"}  # only on request
    with monkeypatch.context() as patch:
        patch.setattr(finding.os, "scandir", denying(os.scandir, folder / "below"))
        [failure] = find([folder]).failures
        assert quick.outcomes(prune=True) == {"a.txt": "removed", "b.md": "unchanged", "below": "failed"}
    assert (failure.document, failure.path) == ("below", str(folder / "below"))
    assert "cannot be listed (Permission denied)" in str(failure.reason)
    assert quick.outcomes(prune=True) == {"b.md": "unchanged", "c.md": "removed", "d.md": "unchanged"}
    lost = folder / "below" / "deep" / "d.md"
    lost.unlink()
    found, record = find([folder]), quick.catalogue.get("d.md")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", denying(Path.stat, lost))
        assert not found.is_gone(record)  # it may still be there
    assert found.is_gone(record)


@pytest.fixture
def kite(folder: Path) -> Path:
    """A link in the folder to a file outside of it."""
    target = folder.parent / "else" / "kite.md"
    target.parent.mkdir()
    target.write_text(f"{TEXT} kite", encoding="utf-8")
    (folder / "kite.md").symlink_to(Path("..", "else", "kite.md"))
    return target


@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_document_whose_link_was_removed_is_pruned_unless_another_leads_to_it_or_its_target_is_only_away(
    folder, quick, kite, rebuilt
):
    quick.outcomes()
    if rebuilt:
        quick.indexer.rebuild()
    (folder / "kite.md").unlink()
    (folder / "below" / "kite.md").symlink_to(kite)
    assert pruned(quick) == set()
    away = kite.rename(kite.with_name("away"))
    assert pruned(quick) == set()
    away.rename(kite)
    (folder / "below" / "kite.md").unlink()
    assert pruned(quick, folder / "below" / "deep") == set()
    assert pruned(quick) == {"kite.md"}


def test_a_link_to_a_file_of_the_same_run_is_folded_and_a_document_ingested_by_its_own_path_outlives_a_link(
    folder, quick, kite
):
    (folder / "same.md").symlink_to(folder / "b.md")
    report = {file.document: (file.outcome, file.reason) for file in quick.indexer.ingest([folder]).files}
    assert report["same.md"] == ("unchanged", f"a link to {str(folder / 'b.md')!r}")
    assert report["kite.md"] == ("added", None)
    assert [record.document for record in quick.catalogue.documents()] == [*ALL, "kite.md"]
    quick.outcomes(kite)
    (folder / "kite.md").unlink()
    assert pruned(quick) == set()
    assert quick.outcomes(kite) == {"kite.md": "unchanged"}


def test_a_link_to_a_folder_elsewhere_is_reported_and_one_within_is_not(folder, kite):
    (folder / "kite.md").unlink()
    (folder / "out").symlink_to(kite.parent)
    (folder / "within").symlink_to(folder / "below")
    found, both = find([folder]), find([folder, kite.parent])
    [failure] = found.failures
    assert f"a link to the folder {str(kite.parent)!r}" in str(failure.reason)
    assert (names(found.files), names(both.files), both.failures) == (ALL, [*ALL, "kite.md"], [])


def test_copies_are_no_documents_those_of_another_candor_known_by_the_catalogue_beside_them(folder, quick):
    above = folder.parent
    quick.indexer.ingest([above])
    (folder / "a.txt").write_text(f"{TEXT} It is emptied twice in May.", encoding="utf-8")
    report = quick.indexer.ingest([above])
    assert names(find([above], kept=above / "files").files) == ALL
    assert (report.count("replaced"), report.count("unchanged"), report.failed) == (1, 3, ())
    for place in ("runs/one/files/0a1b", "files"):
        (folder / place).mkdir(parents=True)
        (folder / place / "e.md").write_text(TEXT, encoding="utf-8")
    (folder / "runs" / "one" / "catalogue.db").write_bytes(b"")
    assert [path for path in find([folder]).files if path.name == "e.md"] == [folder / "files" / "e.md"]
    assert names(find([folder / "runs" / "one" / "files"]).files) == ["e.md"]


def opened(name: str, data: bytes) -> tuple[dict[str, bytes], Found]:
    found = Found()
    files = found.opened([Incoming(name, len(data), data=data)], max_bytes=MAX_BYTES)
    return {file.name: file.content() for file in files}, found


def test_members_of_archives_and_what_is_attached_to_mails_are_documents_and_other_types_are_counted():
    mail = EmailMessage()
    mail.set_content("It is hot.")
    for name, data in {"prices.md": b"It costs 12 euros.", "b.dwg": b"x"}.items():
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    offer = mail.as_bytes()
    assert opened("offer.eml", offer)[0] == {"offer.eml": offer, "offer.eml/prices.md": b"It costs 12 euros."}
    broken = offer.replace(b'filename="prices.md"', b"filename*=u\0tf-8''prices.md")  # no parser of mails bears that
    assert opened("offer.eml", broken)[0] == {"offer.eml": broken}
    files = {"a/x.md": "One.", "b/x.md": "Two.", "c.exe": "x", "inner.zip": packed({"y": "z"}), ".git/z.md": "no"}
    found, members = opened("set.zip", packed({**files, "offer.eml": offer}))
    assert (found.pop("set.zip/a/x.md"), found.pop("set.zip/b/x.md")) == (b"One.", b"Two.")
    assert [*found] == ["set.zip/offer.eml", "set.zip/offer.eml/prices.md"]
    assert dict(members.passed_over) == {".exe": 1, ".zip": 1, ".md": 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no archive", "it is broken, or no ZIP archive"),
        (
            packed({"x": "x"}).replace(b"\x14\x03\x14\0", b"\x14\x03\xff\0"),
            "it is broken, or no ZIP archive",
        ),  # version
        (packed({}), "it is an empty archive"),
        (packed({"../x.md": "x"}), "points outside the archive"),
        (packed({"/etc/x.md": "x"}), "points outside the archive"),
        (packed({"x.md": "0" * 60_000_000}), "as a zip bomb does"),
    ],
)
def test_a_broken_or_hostile_archive_is_refused_by_name(data, reason):
    found, members = opened("set.zip", data)
    [failure] = members.failures
    assert (found, failure.document, failure.outcome) == ({}, "set.zip", "failed")
    assert reason in str(failure.reason)


def test_names_and_paths_are_compared_in_nfc_and_a_member_of_an_archive_is_no_file_of_its_name(quick):
    nfc, nfd = (normalize(form, "Prüfung.md") for form in ("NFC", "NFD"))
    quick.write(nfd, TEXT)
    (quick.files / "set.zip").write_bytes(packed({"x.md": "One."}))
    assert quick.outcomes().items() >= {nfc: "added", "set.zip/x.md": "added"}.items()
    (quick.files / nfd).unlink()
    quick.write(nfc, f"{TEXT} Twice in May.")
    quick.write("x.md", "Two.")
    assert quick.outcomes().items() >= {nfc: "replaced", "x.md": "added"}.items()
    quick.write(nfd, TEXT)
    [failed] = quick.indexer.ingest([quick.files]).failed
    assert "differs only in its Unicode encoding" in str(failed.reason)
