"""One suite over every database: what the catalogue remembers, hides, counts and shares; databases that are broken."""

import sqlite3
import time
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial

import pytest
import sqlalchemy
from at_once import at_once

from rag.adapters.catalogue import STALE_AFTER_S, SqlCatalogue
from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process
from rag.adapters.sql import sqlite_url
from rag.errors import ConfigurationError, StoreUnavailable
from rag.models import DocumentRecord

OLD, NEW = "a" * 64, "b" * 64


def record(document: str = "manual.pdf", version: str = OLD, chunks: int = 3) -> DocumentRecord:
    return DocumentRecord(
        document=document, chunks=chunks, chunk_ids=tuple(f"{document}-{index}" for index in range(chunks)),
        hash=version, size_bytes=10, media_type="application/pdf", characters=99,
        ingested_at=datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip


def ingest(catalogue: SqlCatalogue, entry: DocumentRecord, terms: dict[int, int]) -> None:
    catalogue.begin(entry.document, entry.hash)
    catalogue.commit(entry, terms)
    catalogue.finish(entry.document)


def test_the_new_version_is_hidden_before_commit_and_the_old_one_after_it(catalogue):
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, None)]
    catalogue.commit(record(version=OLD), {1: 3})
    assert (catalogue.hidden_versions(), catalogue.unfinished()) == ((), [])
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.hidden_versions() == (("manual.pdf", NEW),)
    assert catalogue.unfinished() == [("manual.pdf", NEW, OLD)]
    catalogue.commit(record(version=NEW), {1: 3})
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, NEW)]
    catalogue.finish("manual.pdf")
    assert catalogue.hidden_versions() == ()
    catalogue.begin("manual.pdf", NEW)  # the same version again
    assert catalogue.unfinished() == [("manual.pdf", NEW, NEW)]
    catalogue.commit(record(version=NEW), {1: 2})
    assert (catalogue.hidden_versions(), catalogue.document_frequencies([1])) == ((), {1: 2})
    for version in (OLD, "c" * 64):  # both were interrupted
        catalogue.begin("manual.pdf", version)
    assert catalogue.hidden_versions() == (("manual.pdf", OLD), ("manual.pdf", "c" * 64))


def test_chunk_count_versions_and_fingerprint_follow_every_commit(catalogue, tmp_path):
    empty = catalogue.fingerprint()
    assert (catalogue.documents(), catalogue.versions(), catalogue.get("b.pdf")) == ([], [], None)
    assert catalogue.begin_removal("nothing.pdf") is None
    first, second = record("A.pdf", NEW, chunks=4), record("b.pdf", chunks=3)
    ingest(catalogue, second, {})
    one = catalogue.fingerprint()
    ingest(catalogue, first, {})
    assert (catalogue.chunk_count(), catalogue.documents()) == (7, [first, second])
    assert (catalogue.get("b.pdf"), catalogue.versions()) == (second, [("A.pdf", NEW), ("b.pdf", OLD)])
    assert len({empty, one, catalogue.fingerprint()}) == 3
    with closing(SqlCatalogue(sqlite_url(tmp_path / "other.db"))) as other:
        for each in (first, second):
            ingest(other, each, {})
        assert other.fingerprint() == catalogue.fingerprint()  # whatever came first
    catalogue.begin_removal("A.pdf")
    assert (catalogue.chunk_count(), catalogue.fingerprint()) == (3, one)


def test_document_frequencies_add_up_over_documents_and_go_with_them(catalogue):
    top = 2**32 - 1
    ingest(catalogue, record("a.pdf"), {1: 3, 2: 1, top: 1})
    ingest(catalogue, record("b.pdf", NEW), {1: 4})
    assert catalogue.document_frequencies([1, 2, 3, top]) == {1: 7, 2: 1, top: 1}
    ingest(catalogue, record("a.pdf", "c" * 64), {2: 5})
    assert catalogue.document_frequencies([1, 2, top]) == {1: 4, 2: 5}
    catalogue.begin_removal("b.pdf")
    assert catalogue.document_frequencies([1, 2]) == {2: 5}


def test_a_locked_database_or_a_full_disk_is_unavailable_and_nothing_of_a_commit_is_half_written(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.adapters.sql.BUSY_TIMEOUT_S", 0.1)
    path = tmp_path / "catalogue.db"
    opened = SqlCatalogue(sqlite_url(path))
    ingest(opened, record(), {1: 3})
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="Another process is writing"):
        opened.begin("manual.pdf", NEW)
    assert opened.hidden_versions() == ()
    other.close()
    opened.begin("manual.pdf", NEW)
    with opened._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreUnavailable, match="The disk is full: free space"):
        opened.commit(record(version=NEW), dict.fromkeys(range(20_000), 1))
    with pytest.raises(OverflowError):
        opened.commit(record(version=NEW), {1: 1, 2**40: 1})
    opened.close()
    again = SqlCatalogue(sqlite_url(path))
    assert (again.documents(), again.document_frequencies([1, 2])) == ([record()], {1: 3})
    assert again.hidden_versions() == (("manual.pdf", NEW),)
    again.close()


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x@y/z", "mysql://me:secret@host/db"])
def test_an_address_that_cannot_be_used_is_a_configuration_error_without_its_password(url):
    with pytest.raises(ConfigurationError, match="CANDOR_DATABASE_URL") as caught:
        SqlCatalogue(url)
    assert "secret" not in caught.value.message


def test_a_catalogue_of_another_form_is_refused_and_who_reads_waits_for_no_connection_of_those_that_write(tmp_path):
    url = sqlite_url(tmp_path / "catalogue.db")
    with closing(SqlCatalogue(url)) as opened:
        with ExitStack() as held:
            connections = [held.enter_context(opened._engine.connect()) for _ in range(30)]
            assert {connection.execute(sqlalchemy.text("SELECT 1")).scalar() for connection in connections} == {1}
        with opened._engine.begin() as connection:
            connection.exec_driver_sql("UPDATE catalogue_state SET schema = 99")
    with pytest.raises(ConfigurationError, match="99"):
        SqlCatalogue(url)


shared = pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
"""A database in memory belongs to one process."""


def test_writers_and_readers_in_eight_threads_lose_no_count(catalogue):
    def work(number: int) -> None:
        for turn in range(6):
            ingest(catalogue, record(f"{number}.pdf", f"{number}{turn}".ljust(64, "x")), {1: turn + 1, number: 1})
            assert catalogue.document_frequencies([1])[1] >= 1
            catalogue.hidden_versions()

    at_once(*(partial(work, 100 + number) for number in range(8)))
    assert catalogue.document_frequencies([1]) == {1: 8 * 6}
    assert (len(catalogue.documents()), catalogue.hidden_versions()) == (8, ())


@shared
def test_processes_that_write_at_once_lose_no_count_and_another_sees_it_within_a_second(url):
    opened = [SqlCatalogue(url) for _ in range(3)]

    def work(catalogue: SqlCatalogue, number: int) -> None:
        for each in range(8):
            ingest(catalogue, record(f"{number}-{each}.pdf"), {1: 1, 2: 1})

    reader = SqlCatalogue(url)
    assert reader.document_frequencies([1]) == {}
    at_once(*(partial(work, catalogue, number) for number, catalogue in enumerate(opened)))
    opened[0].begin("other.pdf", NEW)
    time.sleep(STALE_AFTER_S + 0.1)
    assert (reader.document_frequencies([1, 2]), reader.chunk_count()) == ({1: 24, 2: 24}, 72)
    assert reader.hidden_versions() == (("other.pdf", NEW),)
    for each in (*opened, reader):
        each.close()


FIRST = Process("one", "a boot", "a space", 11, "1")
SECOND = Process("two", "a boot", "another space", 22, "2")


@pytest.fixture
def two(url):
    """The catalogues of two processes that cannot see whether the other one lives."""
    with closing(SqlCatalogue(url, process=FIRST)) as first, closing(SqlCatalogue(url, process=SECOND)) as second:
        yield first, second


def silence(catalogue: SqlCatalogue, seconds: int) -> None:
    """Let every owner have been heard of so long ago."""
    with catalogue._engine.begin() as connection:
        connection.execute(sqlalchemy.update(owners).values(seen_at=owners.c.seen_at - seconds))


@shared
def test_a_process_takes_over_its_own_work_what_was_released_and_that_of_one_silent_too_long(two):
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
    second.release("manual.pdf")
    assert ("manual.pdf", NEW) in second.hidden_versions()
    assert ("manual.pdf", NEW, None) in first.take_over()
