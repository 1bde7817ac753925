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


def test_a_server_of_dashboard_and_api_warms_the_models_once(own: Candor, embedded: list[list[str]]) -> None:
    with TestClient(create_api(lambda: resources.get_candor(), own.settings)):
        prepared()
    assert embedded == [["ready"]]


def test_the_dashboard_alone_warms_the_models_too(own: Candor, embedded: list[list[str]]) -> None:
    assert resources.get_candor() is own
    prepared()
    assert embedded == [["ready"]]


def test_a_model_that_could_not_be_loaded_is_tried_again(own: Candor, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tried = own.wiring.embedder.embed, []

    def fails_once(given: list[str]) -> object:
        tried.append(given)
        if len(tried) == 1:
            raise OSError("away")
        return real(given)

    monkeypatch.setattr(own.wiring.embedder, "embed", fails_once)
    with pytest.raises(OSError, match="away"):
        own.load()
    own.load()
    own.load()
    assert len(tried) == 2
