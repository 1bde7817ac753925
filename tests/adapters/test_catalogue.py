"""One suite over every database: what the catalogue remembers, hides and counts, and databases that are broken."""

import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest
from catalogue_samples import NEW, OLD, ingest, record
from sqlalchemy import text

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import ConfigurationError, StoreUnavailable


def test_the_new_version_is_hidden_before_commit_and_the_old_one_after_it(catalogue: SqlCatalogue) -> None:
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, None)]
    catalogue.commit(record(version=OLD), {})
    assert (catalogue.hidden_versions(), catalogue.unfinished()) == ((), [])
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.hidden_versions() == (("manual.pdf", NEW),)
    assert catalogue.unfinished() == [("manual.pdf", NEW, OLD)]
    catalogue.commit(record(version=NEW), {})
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, NEW)]
    catalogue.finish("manual.pdf")
    assert catalogue.hidden_versions() == ()


def test_writing_the_same_version_again_hides_it_until_commit(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(version=OLD), {1: 3})
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, OLD)]
    catalogue.commit(record(version=OLD), {1: 2})
    assert catalogue.hidden_versions() == ()
    assert catalogue.document_frequencies([1]) == {1: 2}
    catalogue.finish("manual.pdf")
    catalogue.begin("manual.pdf", NEW)
    catalogue.begin("manual.pdf", "c" * 64)  # both were interrupted
    assert catalogue.hidden_versions() == (("manual.pdf", NEW), ("manual.pdf", "c" * 64))


def test_chunk_count_versions_and_fingerprint_follow_every_commit(catalogue: SqlCatalogue, tmp_path: Path) -> None:
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
    other = SqlCatalogue(sqlite_url(tmp_path / "other.db"))
    for each in (first, second):
        ingest(other, each, {})
    assert other.fingerprint() == catalogue.fingerprint()  # whatever came first
    other.close()
    catalogue.begin_removal("A.pdf")
    assert (catalogue.chunk_count(), catalogue.fingerprint()) == (3, one)


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


def test_document_frequencies_add_up_over_documents_and_go_with_them(catalogue: SqlCatalogue) -> None:
    top = 2**32 - 1
    ingest(catalogue, record("a.pdf"), {1: 3, 2: 1, top: 1})
    ingest(catalogue, record("b.pdf", NEW), {1: 4})
    assert catalogue.document_frequencies([1, 2, 3, top]) == {1: 7, 2: 1, top: 1}
    ingest(catalogue, record("a.pdf", "c" * 64), {2: 5})
    assert catalogue.document_frequencies([1, 2, top]) == {1: 4, 2: 5}
    catalogue.begin_removal("b.pdf")
    assert catalogue.document_frequencies([1, 2]) == {2: 5}


def test_what_is_noted_once_stays_also_for_one_that_has_not_seen_it(url: str, catalogue: SqlCatalogue) -> None:
    assert catalogue.get_meta("index_id") is None
    assert catalogue.note_once("index_id", "one") == "one"
    assert catalogue.note_once("index_id", "two") == catalogue.get_meta("index_id") == "one"
    catalogue.set_meta("index_id", "three")
    assert catalogue.get_meta("index_id") == "three"
    if url != "sqlite://":
        other = SqlCatalogue(url)
        catalogue.set_meta("other", "three")
        assert other.note_once("other", "four") == other.get_meta("other") == "three"
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


def test_a_commit_that_fails_midway_leaves_the_old_version_and_its_counts(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {1: 3})
    catalogue.begin("manual.pdf", NEW)
    with pytest.raises(OverflowError):
        catalogue.commit(record(version=NEW), {1: 1, 2**40: 1})
    assert catalogue.get("manual.pdf") == record()
    assert catalogue.document_frequencies([1, 2**40]) == {1: 3}


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


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x@y/z", "mysql://me:secret@host/db"])
def test_an_address_that_cannot_be_used_is_a_configuration_error_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError, match="CANDOR_DATABASE_URL") as caught:
        SqlCatalogue(url)
    assert "secret" not in caught.value.message


def test_a_catalogue_of_another_form_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "catalogue.db")
    opened = SqlCatalogue(url)
    with opened._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE catalogue_state SET schema = 99")
    opened.close()
    with pytest.raises(ConfigurationError, match="99"):
        SqlCatalogue(url)


def test_who_reads_waits_for_no_connection_of_those_that_wait_to_write(tmp_path: Path) -> None:
    engine = open_engine(sqlite_url(tmp_path / "kept.db"))
    with ExitStack() as held:
        connections = [held.enter_context(engine.connect()) for _ in range(30)]
        assert {connection.execute(text("SELECT 1")).scalar() for connection in connections} == {1}
    engine.dispose()
