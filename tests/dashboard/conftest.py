"""Pages over a real index: the sample library, ingested once, and a few questions asked of it."""

import os
import sys
from functools import cache

import pytest
import streamlit as st
from seen import ROOT, sample_library, word_reader
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dashboard import resources, running
from dashboard.running import RunOptions
from rag.candor import Candor


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A Candor with the samples in it, one question answered and one refused, and no model server."""
    with sample_library(tmp_path_factory.mktemp("library")) as candor:
        yield candor


@pytest.fixture(scope="session", autouse=True)
def scanned_once():
    """Streamlit reads the metadata of all installed packages for each page that is opened: most of a test's time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def main_module():
    """A page that is drawn becomes this process's main module, which every process started later would run again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def open_over(monkeypatch):
    """Open pages of the dashboard over a Candor."""

    def over(candor):
        monkeypatch.setattr(resources, "get_candor", lambda: candor)
        monkeypatch.setitem(os.environ, "CANDOR_DATA_DIR", str(candor.settings.data_dir))
        forget()
        return open_page

    def forget():
        st.cache_resource.clear()
        st.cache_data.clear()

    def open_page(page="ask", **parameters):
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        if page != "ask":
            test.run()
            test.switch_page(f"pages/{page}.py")
        for name, value in parameters.items():
            test.query_params[name] = value
        return test.run()

    yield over
    forget()


@pytest.fixture
def open_page(open_over, library):
    return open_over(library)


@pytest.fixture
def open_empty(open_over, tmp_path):
    """Open a page of the dashboard over an empty data folder."""
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
        candor.wiring.reader = word_reader()
        yield open_over(candor)


@pytest.fixture
def run_of_three(library):
    """The name of a run over the first three sample questions."""
    folder = library.settings.data_dir / "runs"
    running.run_dataset(library, ROOT / "samples", options=RunOptions(limit=3), job=running.Job("evaluate", "samples"))
    yield sorted(path.stem for path in folder.glob("*.jsonl"))[-1]
    for path in folder.glob("*.json*"):
        path.unlink()
