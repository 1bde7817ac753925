"""Names of documents."""

from datetime import UTC, datetime
from unicodedata import normalize

from rag.ingest.incoming import Incoming, composed
from rag.ingest.naming import Naming
from rag.models import DocumentRecord


def file(source: str, text: str = "One.") -> Incoming:
    name = composed(source.rsplit("/", 1)[-1])
    return Incoming(name, len(text), data=text.encode(), source=source)


def record(document: str, path: str | None, text: str = "Zero.") -> DocumentRecord:
    known = Incoming("x", len(text), data=text.encode())
    return DocumentRecord(
        document=document, chunks=1, hash=known.hash(), size_bytes=len(text), media_type="text/plain", characters=1,
        path=path, ingested_at=datetime.now(UTC),
    )  # fmt: skip


def named(*files: Incoming, records: tuple[DocumentRecord, ...] = (), stands: bool = True, replacing: bool = False):
    kept, others = Naming(records, stands=lambda _: stands).named(files, replacing=replacing)
    return [one.name for one in kept], [(one.document, one.outcome) for one in others]


def test_files_of_one_name_have_the_shortest_paths_that_differ() -> None:
    files = [file("/d/a/x.md", "1"), file("/d/b/x.md", "2"), file("/e/b/x.md", "3"), file("/d/y.md", "4")]
    assert named(*files) == (["a/x.md", "d/b/x.md", "e/b/x.md", "y.md"], [])


def test_the_same_content_is_taken_once() -> None:
    assert named(file("/d/a/x.md"), file("/d/b/x.md")) == (["x.md"], [("x.md", "unchanged")])


def test_a_document_keeps_its_name_and_another_file_has_a_longer_one() -> None:
    known = (record("x.md", "/d/a/x.md"),)
    assert named(file("/d/a/x.md"), file("/d/b/x.md", "2"), records=known) == (["x.md", "b/x.md"], [])
    assert named(file("/d/b/x.md", "2"), records=(*known, record("b/x.md", "/d/b/x.md"))) == (["b/x.md"], [])


def test_a_file_takes_the_name_of_one_that_is_gone_or_is_to_be_replaced() -> None:
    known = (record("x.md", "/d/a/x.md"),)
    assert named(file("/d/b/x.md"), records=known, stands=False) == (["x.md"], [])
    assert named(file("/d/b/x.md"), records=known, replacing=True) == (["x.md"], [])
    assert named(file("/d/b/x.md"), records=(record("x.md", None),)) == (["x.md"], [])


def test_names_are_compared_in_nfc() -> None:
    nfc, nfd = (normalize(form, "/d/Prüfung.md") for form in ("NFC", "NFD"))
    known = (record(normalize("NFD", "Prüfung.md"), nfd),)
    assert named(file(nfc), records=known) == (["Prüfung.md"], [])
    assert named(file(nfd, "2"), records=(record("Prüfung.md", nfc),)) == (["Prüfung.md"], [])
    assert named(file(nfc), file(nfd, "2")) == (["Prüfung.md"], [("Prüfung.md", "failed")])


def test_a_member_of_an_archive_is_not_taken_for_a_file_of_its_name() -> None:
    known = (record("set.zip/x.md", "/d/set.zip/x.md"),)
    assert named(file("/d/x.md"), records=known) == (["x.md"], [])
