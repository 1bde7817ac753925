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
    wide.tab_to("[role=tab]")
    for name in ("New run", "Compare", "Label"):
        keys.press("ArrowRight")
        page.wait_for_function("name => document.activeElement.innerText.trim() === name", arg=name)
    keys.press("Enter")
    wide.settle()
    wide.tab_to('input[aria-label="Your name"]')
    keys.type("Keyboard")
    keys.press("Enter")
    wide.settle()
    wide.sees("0 judged by you")
    wide.sees(ASKED[1])
    keys.press("1")  # the field is locked: no key goes into the name
    wide.settle()
    wide.sees("1 judged by you")
    wide.sees(ASKED[0])
    keys.press("a")
    wide.settle()
    wide.screenshot("label-keys")
    keys.press("1")
    wide.settle()
    wide.sees("2 judged by you")
    sessions = SqlSessions(sqlite_url(data_dir / "sessions.db"))
    kept = [label for label in sessions.labels.list() if label.labeller == "Keyboard"]
    sessions.close()
    assert sorted(label.verdict for label in kept if label.aspect == "answer") == ["correct", "correct"]
    assert any(label.aspect == "chunk" for label in kept)  # what the key a judged
