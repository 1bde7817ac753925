"""Labelling without a mouse: from the top of the page to a judged answer with nothing but keys."""

from pathlib import Path

import pytest
from watched import Watched

from rag.adapters.sessions import SqlSessions
from rag.adapters.sql import sqlite_url

pytestmark = pytest.mark.e2e
ASKED = ("Which gloves are required for dichloromethane?", "Who won the football world cup in 1998?")


def test_an_evaluator_judges_with_the_keyboard_alone(wide: Watched, data_dir: Path) -> None:
    keys, page = wide.page.keyboard, wide.page
    wide.open()
    for question in ASKED:
        wide.ask(question)
    wide.open("evaluate")
    for name in ("New run", "Compare", "Label"):
        # An arrow chooses the next view; Streamlit locks them while it draws, and what is locked loses the focus.
        if not page.evaluate("document.activeElement.matches('[role=tab]')"):
            wide.tab_to("[role=tab][aria-selected=true]")
        wide.press("ArrowRight")
        page.locator("[role=tab][aria-selected=true]", has_text=name).wait_for()
    wide.tab_to('input[aria-label="Your name"]')
    keys.type("Keyboard")
    wide.press("Enter")
    wide.sees("0 judged by you")
    wide.sees(ASKED[1])
    wide.press("1")  # the field is locked: no key goes into the name
    wide.sees("1 judged by you")
    wide.sees(ASKED[0])
    wide.press("a")
    wide.screenshot("label-keys")
    wide.press("1")
    wide.sees("2 judged by you")
    sessions = SqlSessions(sqlite_url(data_dir / "sessions.db"))
    kept = [label for label in sessions.labels.list() if label.labeller == "Keyboard"]
    sessions.close()
    assert sorted(label.verdict for label in kept if label.aspect == "answer") == ["correct", "correct"]
    assert any(label.aspect == "chunk" for label in kept)  # what the key a judged
