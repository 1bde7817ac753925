"""The router: six pages with their titles, and the frame on every one of them."""

import pytest
from seen import ROOT, Open, text_of
from streamlit.testing.v1 import AppTest

TITLES = {
    "ask": "Ask",
    "documents": "Documents",
    "inspector": "Inspect",
    "tune": "Tune",
    "evaluate": "Evaluate",
    "monitor": "Monitor",
}


@pytest.mark.parametrize("page", TITLES)
def test_a_page_that_is_opened_before_the_router_ran_or_on_its_own_has_its_title_once_and_no_error(
    open_empty: Open, page: str
) -> None:
    linked, alone = (
        AppTest.from_file(str(ROOT / name), default_timeout=120) for name in ("app.py", f"pages/{page}.py")
    )
    if page != "ask":
        linked.switch_page(f"pages/{page}.py")
    for test in (linked, alone):
        assert text_of(test.run())
        assert [title.value for title in test.title] == [TITLES[page]]
