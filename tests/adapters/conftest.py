"""What several tests of one adapter share: a prompt, a model server, a catalogue in each database."""

import pytest
from asking import scripted
from passages import hit
from postgres import empty_database, find_binaries, running_postgres
from store_samples import DIMENSION

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_store import EdgeStore
from rag.models import Query
from rag.prompt import build_prompt


@pytest.fixture
def prompt():
    hits = [hit("Nitrile gloves are worn. They last one shift.")]
    return build_prompt(Query(question="Which gloves?", max_tokens=100), hits, model=None, max_context=8192)


@pytest.fixture
def server():
    with scripted("ollama") as found:
        yield found


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """A server that is asked what it has gets the time that a busy machine takes, where a test does not say."""
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", 60.0)


@pytest.fixture(scope="session")
def postgres():
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with running_postgres(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request, tmp_path):
    return empty_database(request, tmp_path)


@pytest.fixture
def catalogue(url):
    opened = SqlCatalogue(url)
    yield opened
    opened.close()


@pytest.fixture
def edge(tmp_path):
    """Opens the index of a test, as often as it is asked for; what is open is closed at the end."""
    opened = []

    def open_index(path=tmp_path / "index", **given):
        opened.append(EdgeStore(path, **{"dimension": DIMENSION, **given}))
        return opened[-1]

    yield open_index
    for store in opened:
        store.close()
