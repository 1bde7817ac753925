"""Questions, Tests and Tune in a real browser: exports, runs compared, and judging and tuning with keys alone."""

import csv
import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from library import ROOT, quiet_settings
from watched import UNKNOWN

from rag.adapters.sessions import SqlSessions
from rag.adapters.sql import sqlite_url
from rag.evaluation.own_index import run as evaluate

pytestmark = pytest.mark.e2e
QUESTIONS = 10  # of the samples


def downloaded(watched, label):
    """Return the text of what a download button gives."""
    with watched.page.expect_download() as waiting:
        watched.page.get_by_role("button", name=label, exact=True).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def tab(watched, name):
    watched.page.get_by_role("tab", name=name, exact=True).click()
    watched.settle()


@pytest.fixture(scope="module")
def run(data_dir, tmp_path_factory):
    """The name of a run over the first sample questions, in an index of its own; the last says it has no answer."""
    dataset, out = tmp_path_factory.mktemp("sets") / "library", data_dir / "runs" / "library.jsonl"
    (dataset / "documents").mkdir(parents=True)
    shutil.copy(ROOT / "samples" / "safety_manual.pdf", dataset / "documents")
    lines = (ROOT / "samples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()[: QUESTIONS - 1]
    wrong = {"qid": "mislabelled", "question": json.loads(lines[0])["question"], "answerable": False}
    (dataset / "questions.jsonl").write_text("\n".join([*lines, json.dumps(wrong)]), encoding="utf-8")
    evaluate(dataset, quiet_settings(data_dir), out=out)
    yield out.stem
    for path in out.parent.glob("library*"):
        path.unlink()


def test_a_run_is_exported_as_it_stands_on_disk_and_its_worst_case_opens_with_all_that_a_request_has(
    wide, run, data_dir
):
    wide.open(f"evaluate?run={run}")
    wide.screenshot("evaluate-run")
    tab(wide, "Export")
    on_disk = (data_dir / "runs" / f"{run}.jsonl").read_text(encoding="utf-8")
    assert downloaded(wide, "JSONL, everything") == on_disk
    rows = [*csv.DictReader(StringIO(downloaded(wide, "CSV, a row for each question")))]
    assert [row["qid"] for row in rows] == [json.loads(line)["qid"] for line in on_disk.splitlines()]
    tab(wide, "Worst cases")
    wide.page.get_by_role("link", name="Open in Inspect").first.click()
    wide.page.get_by_role("heading", name="Inspect", exact=True).wait_for()
    wide.settle()
    assert f"of_run={run}&qid=" in wide.page.url
    for part in ("Stages", "Passages", "Sentences", "Settings"):
        tab(wide, part)
        wide.screenshot(f"inspect-run-{part.lower()}")
    wide.sees("What the answer depended on")


def test_one_slider_is_moved_by_keys_and_shows_what_it_changes_with_the_answers(wide, run):
    page = wide.page
    wide.open(f"tune?run={run}")
    wide.sees("No question changes")
    page.get_by_role("slider", name="How readily Candor answers").focus()
    page.keyboard.press("Home")
    wide.settle()
    wide.sees("would end differently")
    wide.sees("No longer given")
    assert "t_confidence=0.99" in page.url
    wide.screenshot("tune-careful")
    page.keyboard.press("ArrowRight")
    wide.settle()
    assert "t_confidence=0.98" in page.url  # what it changed took nothing of the focus


def test_an_evaluator_judges_with_the_keyboard_alone_and_what_was_judged_is_exported(wide, data_dir):
    keys, asked = wide.page.keyboard, ("Which gloves are required for dichloromethane?", UNKNOWN)
    wide.open()
    for question in asked:
        wide.ask(question)
    wide.open("inspector?part=Label")
    wide.sees("Who is judging?")
    wide.tab_to('input[aria-label="Your name"]')
    keys.type("Keyboard")
    wide.press("Enter")
    wide.sees("You judged 0 requests so far")
    wide.sees(asked[1])
    wide.press("1")  # the field is locked: no key goes into the name
    wide.sees("You judged 1 request so far")
    wide.sees(asked[0])
    wide.press("a")
    wide.screenshot("label-keys")
    wide.press("1")
    wide.sees("You judged 2 requests so far")
    sessions = SqlSessions(sqlite_url(data_dir / "sessions.db"))
    kept = sessions.labels.list(labeller="Keyboard")
    sessions.close()
    assert sorted(label.verdict for label in kept if label.aspect == "answer") == ["correct", "correct"]
    assert any(label.aspect == "chunk" for label in kept)  # what the key a judged
    rows = [json.loads(line) for line in downloaded(wide, "Judgements, JSONL").splitlines()]
    assert "Keyboard" in {row["labeller"] for row in rows}
    table = [*csv.DictReader(StringIO(downloaded(wide, "Judgements, CSV")))]
    assert [(row["target"], row["verdict"]) for row in table] == [(row["target"], row["verdict"]) for row in rows]
