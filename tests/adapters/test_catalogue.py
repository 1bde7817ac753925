"""One suite over every database: what the catalogue remembers, hides, counts, and says when its database is broken."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy
from postgres import find_binaries, running_postgres

from rag.adapters import catalogue as module
from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import ConfigurationError, InvalidDocument, StoreUnavailable
from rag.models import DocumentRecord

OLD, NEW = "a" * 64, "b" * 64


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with running_postgres(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return "sqlite://"
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "folder" / "catalogue.db")
    address = str(request.getfixturevalue("postgres"))
    engine = open_engine(address)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP SCHEMA public CASCADE"))
        connection.execute(sqlalchemy.text("CREATE SCHEMA public"))
    engine.dispose()
    return address


@pytest.fixture
def catalogue(url: str) -> Iterator[SqlCatalogue]:
    opened = SqlCatalogue(url)
    yield opened
    opened.close()


def record(document: str = "manual.pdf", version: str = OLD, chunks: int = 3) -> DocumentRecord:
    return DocumentRecord(
        document=document,
        chunks=chunks,
        chunk_ids=tuple(f"{document}-{index}" for index in range(chunks)),
        hash=version,
        size_bytes=10,
        media_type="application/pdf",
        characters=99,
        ingested_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def ingest(catalogue: SqlCatalogue, entry: DocumentRecord, terms: dict[int, int]) -> None:
    catalogue.begin(entry.document, entry.hash)
    catalogue.commit(entry, terms)
    catalogue.finish(entry.document)


def test_an_empty_catalogue_says_so(catalogue: SqlCatalogue) -> None:
    assert catalogue.documents() == []
    assert catalogue.get("manual.pdf") is None
    assert catalogue.chunk_count() == 0
    assert catalogue.document_frequencies([1, 2]) == {}
    assert catalogue.unfinished() == []


def test_documents_come_back_as_they_were_and_by_name(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record("b.pdf"), {})
    ingest(catalogue, record("A.pdf", NEW), {})
    assert catalogue.documents() == [record("A.pdf", NEW), record("b.pdf")]
    assert catalogue.get("b.pdf") == record("b.pdf")


def test_the_new_version_is_hidden_before_commit_and_the_old_one_after_it(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(version=OLD), {})
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.hidden_versions() == (("manual.pdf", NEW),)
    assert catalogue.unfinished() == [("manual.pdf", NEW, OLD)]
    catalogue.commit(record(version=NEW), {})
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, NEW)]
    catalogue.finish("manual.pdf")
    assert catalogue.hidden_versions() == ()


def test_a_first_version_is_hidden_until_commit_only(catalogue: SqlCatalogue) -> None:
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.unfinished() == [("manual.pdf", NEW, None)]
    catalogue.commit(record(version=NEW), {})
    assert (catalogue.hidden_versions(), catalogue.unfinished()) == ((), [])


def test_writing_the_same_version_again_hides_it_until_commit(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(version=OLD), {1: 3})
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, OLD)]
    catalogue.commit(record(version=OLD), {1: 2})
    assert catalogue.hidden_versions() == ()
    assert catalogue.document_frequencies([1]) == {1: 2}


def test_a_document_under_removal_is_gone_and_its_chunks_hidden(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {7: 3})
    catalogue.begin_removal("manual.pdf")
    assert catalogue.documents() == []
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, None)]
    assert catalogue.document_frequencies([7]) == {}
    assert catalogue.chunk_count() == 0


def test_a_copy_of_the_same_content_hides_only_itself(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record("manual.md"), {7: 3})
    catalogue.begin("manual copy.md", OLD)
    assert catalogue.hidden_versions() == (("manual copy.md", OLD),)
    catalogue.commit(record("manual copy.md"), {7: 3})
    catalogue.begin_removal("manual copy.md")
    assert catalogue.hidden_versions() == (("manual copy.md", OLD),)
    assert catalogue.document_frequencies([7]) == {7: 3}


def test_removing_what_is_not_there_leaves_nothing_to_finish(catalogue: SqlCatalogue) -> None:
    catalogue.begin_removal("nothing.pdf")
    assert catalogue.unfinished() == []


def test_two_interrupted_versions_of_one_document_are_both_hidden(catalogue: SqlCatalogue) -> None:
    catalogue.begin("manual.pdf", OLD)
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.unfinished() == [("manual.pdf", OLD, None), ("manual.pdf", NEW, None)]
    assert catalogue.hidden_versions() == (("manual.pdf", OLD), ("manual.pdf", NEW))


def test_document_frequencies_add_up_over_documents_and_go_with_them(catalogue: SqlCatalogue) -> None:
    top = 2**32 - 1
    ingest(catalogue, record("a.pdf"), {1: 3, 2: 1, top: 1})
    ingest(catalogue, record("b.pdf", NEW), {1: 4})
    assert catalogue.document_frequencies([1, 2, 3, top]) == {1: 7, 2: 1, top: 1}
    ingest(catalogue, record("a.pdf", "c" * 64), {2: 5})
    assert catalogue.document_frequencies([1, 2, top]) == {1: 4, 2: 5}
    catalogue.begin_removal("b.pdf")
    assert catalogue.document_frequencies([1, 2]) == {2: 5}


def test_a_document_of_many_terms_is_counted_whole(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {term: term % 9 + 1 for term in range(5_000)})
    ingest(catalogue, record(version=NEW), dict.fromkeys(range(2500), 1))
    assert catalogue.document_frequencies(range(5_000)) == dict.fromkeys(range(2500), 1)


def test_chunk_count_and_fingerprint_follow_every_commit(catalogue: SqlCatalogue) -> None:
    empty = catalogue.fingerprint()
    ingest(catalogue, record("a.pdf", chunks=3), {})
    one = catalogue.fingerprint()
    ingest(catalogue, record("b.pdf", chunks=4), {})
    assert catalogue.chunk_count() == 7
    assert len({empty, one, catalogue.fingerprint()}) == 3
    catalogue.begin_removal("b.pdf")
    assert (catalogue.chunk_count(), catalogue.fingerprint()) == (3, one)


def test_versions_are_the_names_and_hashes_of_what_is_indexed(catalogue: SqlCatalogue) -> None:
    assert catalogue.versions() == []
    for name in ("b.md", "a.md"):
        ingest(catalogue, record(name, f"hash of {name}"), {})
    assert catalogue.versions() == [("a.md", "hash of a.md"), ("b.md", "hash of b.md")]


def test_the_fingerprint_does_not_depend_on_the_order_of_ingestion(tmp_path: Path) -> None:
    names = ["a.pdf", "b.pdf"]
    found = set()
    for order in (names, names[::-1]):
        opened = SqlCatalogue(sqlite_url(tmp_path / f"{order[0]}.db"))
        for name in order:
            ingest(opened, record(name), {})
        found.add(opened.fingerprint())
        opened.close()
    assert len(found) == 1


def test_meta_is_stored_and_replaced(catalogue: SqlCatalogue) -> None:
    assert catalogue.get_meta("embedding") is None
    catalogue.set_meta("embedding", "one")
    catalogue.set_meta("embedding", "two")
    assert catalogue.get_meta("embedding") == "two"


def test_what_is_noted_once_stays_also_for_one_that_has_not_seen_it(url: str, catalogue: SqlCatalogue) -> None:
    assert catalogue.note_once("index_id", "one") == "one"
    assert catalogue.note_once("index_id", "two") == catalogue.get_meta("index_id") == "one"
    if url != "sqlite://":
        other = SqlCatalogue(url)
        catalogue.set_meta("other", "three")
        assert other.note_once("other", "four") == other.get_meta("other") == "three"
        other.close()


def test_what_is_released_stays_hidden_and_is_whoevers_takes_it_over_next(url: str, catalogue: SqlCatalogue) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    ingest(catalogue, record(), {})
    catalogue.begin("manual.pdf", OLD)
    other = SqlCatalogue(url)
    assert other.take_over() == []
    catalogue.release("manual.pdf")
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert other.take_over() == [("manual.pdf", OLD, OLD)]
    other.close()


def test_all_is_there_again_after_opening(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "catalogue.db")
    first = SqlCatalogue(url)
    ingest(first, record(), {5: 2})
    first.begin("manual.pdf", NEW)
    first.close()
    again = SqlCatalogue(url)
    assert again.get("manual.pdf") == record()
    assert again.document_frequencies([5]) == {5: 2}
    assert again.hidden_versions() == (("manual.pdf", NEW),)
    again.close()


def test_another_process_sees_a_change_within_a_second(url: str) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    writer, reader = SqlCatalogue(url), SqlCatalogue(url)
    assert reader.document_frequencies([1]) == {}
    ingest(writer, record(), {1: 3})
    writer.begin("other.pdf", NEW)
    time.sleep(module.STALE_AFTER_S + 0.1)
    assert reader.hidden_versions() == (("other.pdf", NEW),)
    assert reader.document_frequencies([1]) == {1: 3}
    assert reader.chunk_count() == 3
    writer.close()
    reader.close()


def test_writers_and_readers_in_eight_threads_lose_no_count(catalogue: SqlCatalogue) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(6):
                ingest(catalogue, record(f"{number}.pdf", f"{number}{turn}".ljust(64, "x")), {1: turn + 1, number: 1})
                assert catalogue.document_frequencies([1])[1] >= 1
                catalogue.hidden_versions()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(100 + number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert catalogue.document_frequencies([1]) == {1: 8 * 6}
    assert (len(catalogue.documents()), catalogue.hidden_versions()) == (8, ())


def test_two_processes_that_write_at_once_lose_no_count(url: str) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    opened = [SqlCatalogue(url) for _ in range(3)]
    threads = [
        threading.Thread(
            target=lambda c, n: [ingest(c, record(f"{n}-{i}.pdf"), {1: 1, 2: 1}) for i in range(8)], args=p
        )
        for p in zip(opened, range(3), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = SqlCatalogue(url)
    assert last.document_frequencies([1, 2]) == {1: 24, 2: 24}
    for each in (*opened, last):
        each.close()


def test_a_commit_that_fails_midway_leaves_the_old_version_and_its_counts(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {1: 3})
    catalogue.begin("manual.pdf", NEW)
    with pytest.raises(OverflowError):
        catalogue.commit(record(version=NEW), {1: 1, 2**40: 1})
    assert catalogue.get("manual.pdf") == record()
    assert catalogue.document_frequencies([1, 2**40]) == {1: 3}


# --- several processes on one database ----------------------------------------------------------------------------

FIRST = Process("one", "a boot", "a space", 11, "1")
SECOND = Process("two", "a boot", "another space", 22, "2")


@pytest.fixture
def two(url: str) -> Iterator[tuple[SqlCatalogue, SqlCatalogue]]:
    """The catalogues of two processes that cannot see whether the other one lives."""
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    opened = SqlCatalogue(url, process=FIRST), SqlCatalogue(url, process=SECOND)
    yield opened
    for each in opened:
        each.close()


def silence(catalogue: SqlCatalogue, seconds: int) -> None:
    """Let every owner have been heard of so long ago."""
    with catalogue._engine.begin() as connection:
        connection.execute(sqlalchemy.update(owners).values(seen_at=owners.c.seen_at - seconds))


def test_what_a_process_has_begun_is_refused_to_another_by_name_and_left_to_it(
    two: tuple[SqlCatalogue, SqlCatalogue],
) -> None:
    first, second = two
    ingest(first, record(), {1: 3})
    first.begin("manual.pdf", NEW)
    assert (first.held_elsewhere(), second.held_elsewhere()) == ({}, {"manual.pdf": "process 11 on 'one'"})
    for refused in (lambda: second.begin("manual.pdf", "c" * 64), lambda: second.begin_removal("manual.pdf")):
        with pytest.raises(InvalidDocument, match=r"'manual\.pdf' was left as it is: process 11 on 'one' is writing"):
            refused()
    assert second.take_over() == []
    second.finish("manual.pdf")
    assert second.unfinished() == [("manual.pdf", NEW, OLD)]
    ingest(second, record("other.pdf"), {})
    first.check_held("manual.pdf", NEW)
    assert first.commit(record(version=NEW), {1: 2}) == OLD
    assert second.get("manual.pdf") == record(version=NEW)
    with pytest.raises(InvalidDocument, match="process 11"):  # the old version is not yet taken out of the store
        second.begin("manual.pdf", OLD)
    first.finish("manual.pdf")
    second.begin("manual.pdf", OLD)


def test_a_process_takes_over_its_own_work_and_that_of_one_that_was_silent_too_long(
    two: tuple[SqlCatalogue, SqlCatalogue],
) -> None:
    first, second = two
    first.begin("manual.pdf", NEW)
    second.begin("other.pdf", OLD)
    assert second.take_over() == [("other.pdf", OLD, None)]
    silence(second, LEASE_S - 60)
    assert second.take_over() == [("other.pdf", OLD, None)]
    first.renew()
    silence(second, LEASE_S - 60)
    assert second.held_elsewhere() == {"manual.pdf": "process 11 on 'one'"}
    silence(second, 120)
    assert second.take_over() == [("manual.pdf", NEW, None), ("other.pdf", OLD, None)]
    assert first.held_elsewhere() == {"manual.pdf": "process 22 on 'two'", "other.pdf": "process 22 on 'two'"}


def test_a_version_that_was_taken_over_is_not_committed(two: tuple[SqlCatalogue, SqlCatalogue]) -> None:
    first, second = two
    ingest(first, record(), {1: 3})
    first.begin("manual.pdf", NEW)
    assert second.take_over(alone=True) == [("manual.pdf", NEW, OLD)]
    for late in (lambda: first.check_held("manual.pdf", NEW), lambda: first.commit(record(version=NEW), {1: 9})):
        with pytest.raises(InvalidDocument, match=r"'manual\.pdf' was not ingested.*Ingest it again"):
            late()
    second.finish("manual.pdf")
    with pytest.raises(InvalidDocument, match="Ingest it again"):
        first.commit(record(version=NEW), {1: 9})
    assert (second.get("manual.pdf"), second.unfinished()) == (record(), [])
    assert first.document_frequencies([1]) == {1: 3}


def test_a_catalogue_of_before_there_were_owners_is_opened_and_its_open_work_taken_over(
    two: tuple[SqlCatalogue, SqlCatalogue], url: str
) -> None:
    first, second = two
    first.begin("manual.pdf", NEW)
    with second._engine.begin() as connection:
        owners.drop(connection)
    third = SqlCatalogue(url, process=SECOND)
    assert third.take_over() == [("manual.pdf", NEW, None)]
    third.finish("manual.pdf")
    assert third.unfinished() == []
    third.close()


# --- broken databases --------------------------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.db"
    path.write_bytes(b"not a database, but long enough to be looked at as one. " * 40)
    with pytest.raises(ConfigurationError, match=r"catalogue\.db.*restore it and the index from one copy"):
        SqlCatalogue(sqlite_url(path))


def test_a_locked_database_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.adapters.sql.BUSY_TIMEOUT_S", 0.1)
    path = tmp_path / "catalogue.db"
    opened = SqlCatalogue(sqlite_url(path))
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="Another process is writing"):
        opened.begin("manual.pdf", NEW)
    assert opened.hidden_versions() == ()
    other.close()
    opened.close()


def test_a_full_disk_is_unavailable_and_nothing_is_half_written(tmp_path: Path) -> None:
    opened = SqlCatalogue(sqlite_url(tmp_path / "catalogue.db"))
    ingest(opened, record(), {1: 3})
    opened.begin("manual.pdf", NEW)
    with opened._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreUnavailable, match="The disk is full: free space"):
        opened.commit(record(version=NEW), dict.fromkeys(range(20_000), 1))
    assert opened.documents() == [record()]
    assert opened.document_frequencies([1, 2]) == {1: 3}
    opened.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigurationError):
        SqlCatalogue(sqlite_url(tmp_path / "catalogue.db"))


def test_a_folder_in_place_of_the_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        SqlCatalogue(sqlite_url(tmp_path))


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x@y/z", "mysql://me:secret@host/db"])
def test_an_address_that_cannot_be_used_is_a_configuration_error_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError, match="CANDOR_DATABASE_URL") as caught:
        SqlCatalogue(url)
    assert "secret" not in caught.value.message


def test_a_server_that_does_not_answer_is_unavailable_and_its_password_is_not_shown() -> None:
    with pytest.raises(StoreUnavailable, match="does not answer") as caught:
        SqlCatalogue("postgres://me:secret@127.0.0.1:1/db")
    assert "secret" not in caught.value.message


def test_a_catalogue_of_another_form_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "catalogue.db")
    opened = SqlCatalogue(url)
    with opened._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE catalogue_state SET schema = 99")
    opened.close()
    with pytest.raises(ConfigurationError, match="99"):
        SqlCatalogue(url)
