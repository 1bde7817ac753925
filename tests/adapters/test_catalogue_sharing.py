"""A catalogue that several threads and processes share: what each sees, has begun and takes over."""

import time
from collections.abc import Iterator
from functools import partial

import pytest
import sqlalchemy
from at_once import at_once
from catalogue_samples import NEW, OLD, ingest, record

from rag.adapters import catalogue as module
from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process
from rag.errors import InvalidDocument


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
    def work(number: int) -> None:
        for turn in range(6):
            ingest(catalogue, record(f"{number}.pdf", f"{number}{turn}".ljust(64, "x")), {1: turn + 1, number: 1})
            assert catalogue.document_frequencies([1])[1] >= 1
            catalogue.hidden_versions()

    at_once(*(partial(work, 100 + number) for number in range(8)))
    assert catalogue.document_frequencies([1]) == {1: 8 * 6}
    assert (len(catalogue.documents()), catalogue.hidden_versions()) == (8, ())


def test_two_processes_that_write_at_once_lose_no_count(url: str) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    opened = [SqlCatalogue(url) for _ in range(3)]

    def work(catalogue: SqlCatalogue, number: int) -> None:
        for each in range(8):
            ingest(catalogue, record(f"{number}-{each}.pdf"), {1: 1, 2: 1})

    at_once(*(partial(work, catalogue, number) for number, catalogue in enumerate(opened)))
    last = SqlCatalogue(url)
    assert last.document_frequencies([1, 2]) == {1: 24, 2: 24}
    for each in (*opened, last):
        each.close()


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
        with pytest.raises(InvalidDocument, match=r"'manual\.pdf' was not changed: process 11 on 'one' is writing"):
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


def test_a_process_takes_over_its_own_work_what_was_released_and_that_of_one_silent_too_long(
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
    second.release("manual.pdf")
    assert ("manual.pdf", NEW) in second.hidden_versions()
    assert ("manual.pdf", NEW, None) in first.take_over()


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
