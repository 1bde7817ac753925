"""Archives and what is attached to mails, on their way in."""

import io
import zipfile
from pathlib import Path

import pytest
from test_mail import mail

from rag.ingest.finding import find
from rag.ingest.incoming import Incoming, Members


def packed(**files: bytes | str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return target.getvalue()


def opened(name: str, data: bytes) -> tuple[dict[str, bytes], Members]:
    members = Members()
    found = list(members.opened(Incoming(name, len(data), data=data)))
    return {file.name: file.content() for file in found}, members


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
