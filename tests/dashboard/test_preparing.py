"""What is loaded while nobody waits: once, whether the dashboard is served alone or together with the API."""

from contextlib import nullcontext
from threading import enumerate as threads

import pytest
import streamlit as st
from fastapi.testclient import TestClient

from api.app import create_api
from dashboard import resources
from rag.candor import Candor


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The Candor that the dashboard opens."""
    st.cache_resource.clear()
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as opened:
        monkeypatch.setattr(Candor, "open", lambda: opened)
        yield opened
    st.cache_resource.clear()


@pytest.mark.parametrize("served", ["with the API", "alone"])
def test_the_models_are_warmed_once_also_by_a_server_of_dashboard_and_api(own, monkeypatch, served):
    embedded: list[list[str]] = []
    real = own.wiring.embedder.embed
    monkeypatch.setattr(own.wiring.embedder, "embed", lambda given: embedded.append(list(given)) or real(given))
    with TestClient(create_api(lambda: resources.get_candor(), own.settings)) if served != "alone" else nullcontext():
        assert resources.get_candor() is own
        for thread in threads():
            if thread.name == "candor-prepare":
                thread.join(120)
    assert embedded == [["ready"]]
