"""What is loaded while nobody waits: once, whether the dashboard is served alone or together with the API."""

from collections.abc import Iterator
from pathlib import Path
from threading import enumerate as threads

import pytest
import streamlit as st
from fastapi.testclient import TestClient

from api.app import create_api
from dashboard import resources
from rag.candor import Candor


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Candor]:
    """The Candor that the dashboard opens."""
    st.cache_resource.clear()
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as opened:
        monkeypatch.setattr(Candor, "open", lambda: opened)
        yield opened
    st.cache_resource.clear()


@pytest.fixture
def embedded(own: Candor, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was embedded."""
    texts: list[list[str]] = []
    real = own.wiring.embedder.embed
    monkeypatch.setattr(own.wiring.embedder, "embed", lambda given: texts.append(list(given)) or real(given))
    return texts


def prepared() -> None:
    """Wait until the dashboard has loaded what it loads."""
    for thread in threads():
        if thread.name == "candor-prepare":
            thread.join(120)


@pytest.mark.parametrize("served", ["with the API", "alone"])
def test_the_models_are_warmed_once_also_by_a_server_of_dashboard_and_api(
    own: Candor, embedded: list[list[str]], served: str
) -> None:
    if served == "alone":
        assert resources.get_candor() is own
        prepared()
    else:
        with TestClient(create_api(lambda: resources.get_candor(), own.settings)):
            prepared()
    assert embedded == [["ready"]]
