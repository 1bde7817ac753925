"""What several tests of one adapter share: a prompt, a model server, a catalogue in each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy
from asking import scripted
from ollama_server.server import OllamaServer
from passages import hit
from postgres import find_binaries, running_postgres

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import open_engine, sqlite_url
from rag.models import PromptContext, Query
from rag.prompt import build_prompt


@pytest.fixture
def prompt() -> PromptContext:
    hits = [hit("Nitrile gloves are worn. They last one shift.")]
    return build_prompt(Query(question="Which gloves?", max_tokens=100), hits, model=None, max_context=8192)


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with scripted("ollama") as found:
        yield found


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is asked what it has gets the time that a busy machine takes, where a test does not say."""
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", 60.0)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with running_postgres(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
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
