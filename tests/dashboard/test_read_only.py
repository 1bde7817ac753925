"""A data folder that cannot be written, in the dashboard."""

import shutil

import pytest
import streamlit as st
from library import NOBODY, ROOT, read_only
from seen import text_of
from streamlit.testing.v1 import AppTest


@pytest.mark.parametrize("page", ["ask", "monitor"])
def test_a_page_says_that_the_folder_is_read_only_in_one_error_box(library_home, tmp_path, page, monkeypatch):
    home = tmp_path / "data"
    shutil.copytree(library_home, home)
    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    monkeypatch.setenv("CANDOR_DATA_DIR", str(home))
    st.cache_resource.clear()
    with read_only(home):
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
        if page != "ask":
            test.switch_page(f"pages/{page}.py").run()
    st.cache_resource.clear()
    told = f"The data folder {str(home)!r} cannot be written: {str(home)!r} is mounted read-only."
    assert text_of(test).startswith(told)
    assert len(test.error) == 1
