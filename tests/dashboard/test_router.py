"""The router: six pages with their titles, what each says where there is nothing yet, or nothing may be written."""

import shutil

import pytest
import streamlit as st
from library import NOBODY, read_only
from seen import ROOT, text_of
from streamlit.testing.v1 import AppTest


@pytest.mark.parametrize(
    ("page", "title", "empty"),
    [
        ("ask", "Ask", "Nothing is indexed yet"),
        ("documents", "Documents", "Nothing is indexed yet"),
        ("inspector", "Inspect", "No question is waiting"),
        ("tune", "Tune", "No recorded questions yet"),
        ("evaluate", "Evaluate", "No run yet"),
        ("monitor", "Monitor", "Nothing happened yet"),
    ],
)
def test_a_page_that_is_opened_before_the_router_ran_or_on_its_own_has_its_title_once_and_says_that_it_is_empty(
    open_empty, page, title, empty
):
    linked, alone = (
        AppTest.from_file(str(ROOT / name), default_timeout=120) for name in ("app.py", f"pages/{page}.py")
    )
    if page != "ask":
        linked.switch_page(f"pages/{page}.py")
    for test in (linked, alone):
        assert empty in text_of(test.run())
        assert [one.value for one in test.title] == [title]


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
