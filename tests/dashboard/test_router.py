"""The router: six pages with their titles, and what each says where there is nothing yet."""

import pytest
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
