"""Connections to the database."""

from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import text

from rag.adapters.sql import open_engine, sqlite_url


def test_who_reads_waits_for_no_connection_of_those_that_wait_to_write(tmp_path: Path) -> None:
    engine = open_engine(sqlite_url(tmp_path / "kept.db"))
    with ExitStack() as held:
        connections = [held.enter_context(engine.connect()) for _ in range(30)]
        assert {connection.execute(text("SELECT 1")).scalar() for connection in connections} == {1}
    engine.dispose()
