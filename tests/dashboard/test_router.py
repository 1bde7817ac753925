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
def test_a_page_that_is_opened_before_the_router_ran_has_its_title_once_and_no_error(
    open_empty: Open, page: str
) -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if page != "ask":
        test.switch_page(f"pages/{page}.py")
    test.run()
    assert [title.value for title in test.title] == [TITLES[page]]
    assert text_of(test)


@pytest.mark.parametrize("page", TITLES)
def test_a_page_is_drawn_on_its_own_too(open_empty: Open, page: str) -> None:
    test = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=120).run()
    assert not test.exception
    assert [title.value for title in test.title] == [TITLES[page]]
