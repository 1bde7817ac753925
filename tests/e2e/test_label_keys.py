"""Labelling without a mouse: from the top of the page to a judged answer with nothing but keys."""

from pathlib import Path

import pytest
from watched import Watched

from rag.adapters.sessions import SqlSessions
from rag.adapters.sql import sqlite_url

pytestmark = pytest.mark.e2e
ASKED = ("Which gloves are required for dichloromethane?", "Who won the football world cup in 1998?")


def test_an_evaluator_judges_with_the_keyboard_alone(wide: Watched, data_dir: Path) -> None:
    keys = wide.page.keyboard
    wide.open()
    for question in ASKED:
        wide.ask(question)
    wide.open("inspector?part=Label")
    wide.sees("Who is judging?")
    wide.tab_to('input[aria-label="Your name"]')
    keys.type("Keyboard")
    wide.press("Enter")
    wide.sees("You judged 0 requests so far")
    wide.sees(ASKED[1])
    wide.press("1")  # the field is locked: no key goes into the name
    wide.sees("You judged 1 request so far")
    wide.sees(ASKED[0])
    wide.press("a")
    wide.screenshot("label-keys")
    wide.press("1")
    wide.sees("You judged 2 requests so far")
    sessions = SqlSessions(sqlite_url(data_dir / "sessions.db"))
    kept = [label for label in sessions.labels.list() if label.labeller == "Keyboard"]
    sessions.close()
    assert sorted(label.verdict for label in kept if label.aspect == "answer") == ["correct", "correct"]
    assert any(label.aspect == "chunk" for label in kept)  # what the key a judged
