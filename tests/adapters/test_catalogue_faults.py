"""Databases that are broken, locked, full or unreachable, and addresses of none."""

import os
import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest
from catalogue_samples import NEW, ingest, record
from sqlalchemy import text

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import ConfigurationError, StoreUnavailable


def test_a_commit_that_fails_midway_leaves_the_old_version_and_its_counts(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {1: 3})
    catalogue.begin("manual.pdf", NEW)
    with pytest.raises(OverflowError):
        catalogue.commit(record(version=NEW), {1: 1, 2**40: 1})
    assert catalogue.get("manual.pdf") == record()
    assert catalogue.document_frequencies([1, 2**40]) == {1: 3}


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


def test_who_reads_waits_for_no_connection_of_those_that_wait_to_write(tmp_path: Path) -> None:
    engine = open_engine(sqlite_url(tmp_path / "kept.db"))
    with ExitStack() as held:
        connections = [held.enter_context(engine.connect()) for _ in range(30)]
        assert {connection.execute(text("SELECT 1")).scalar() for connection in connections} == {1}
    engine.dispose()
