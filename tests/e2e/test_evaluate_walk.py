"""Evaluate and Tune in a real browser: exports, runs compared question by question, labels, a promotion undone."""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from library import ROOT, quiet_settings
from watched import Watched

from rag.evaluation.datasets import load_dataset
from rag.evaluation.evaluating import run as evaluate
from rag.evaluation.lines import read_lines
from rag.evaluation.runs import load_run, write_run
from rag.evaluation.scores import score_lines

pytestmark = pytest.mark.e2e
QUESTIONS = 14
"""Of the samples."""


def downloaded(watched: Watched, label: str) -> str:
    """Return the text of what a download button gives."""
    with watched.page.expect_download() as waiting:
        watched.page.get_by_role("button", name=label, exact=True).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def tab(watched: Watched, name: str) -> None:
    watched.page.get_by_role("tab", name=name, exact=True).click()
    watched.settle()


@pytest.fixture(scope="module")
def run(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a run over the first sample questions, in an index of its own; one says it has no answer."""
    dataset, out = tmp_path_factory.mktemp("sets") / "library", data_dir / "runs" / "library.jsonl"
    shutil.copytree(ROOT / "samples", dataset / "documents", ignore=shutil.ignore_patterns("*.jsonl"))
    lines = (ROOT / "samples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0])
    wrong = {"qid": "mislabelled", "question": row["question"], "answerable": False, "kind": row["kind"]}
    asked = [*lines[: QUESTIONS - 1], json.dumps(wrong)]
    (dataset / "questions.jsonl").write_text("".join(f"{line}\n" for line in asked), encoding="utf-8")
    evaluate(dataset, quiet_settings(data_dir), out=out, limit=QUESTIONS)
    yield out.stem
    for path in out.parent.glob("library*"):
        path.unlink()


@pytest.fixture(scope="module")
def refusing(run: str, data_dir: Path) -> str:
    """The name of a copy of the run whose first answer is a refusal."""
    source, target = data_dir / "runs" / f"{run}.jsonl", data_dir / "runs" / f"{run}-refusing.jsonl"
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    changed = next(line for line in lines if line["decision"] == "answered")
    changed |= {"decision": "refused", "refusal_stage": "gate", "answer": None, "sentences": [], "citations": []}
    target.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    scores = score_lines(read_lines(target), load_dataset(ROOT / "samples").questions)
    write_run(load_run(source).model_copy(update={"scores": tuple(scores)}), target)
    return target.stem


def test_a_run_is_exported_as_it_stands_on_disk(wide: Watched, run: str, data_dir: Path) -> None:
    wide.open(f"evaluate?run={run}")
    tab(wide, "Export")
    on_disk = (data_dir / "runs" / f"{run}.jsonl").read_text(encoding="utf-8")
    assert downloaded(wide, "JSONL, everything") == on_disk
    rows = [*csv.DictReader(StringIO(downloaded(wide, "CSV, a row for each question")))]
    lines = [json.loads(line) for line in on_disk.splitlines()]
    assert [row["qid"] for row in rows] == [line["qid"] for line in lines]
    assert [row["answer"] for row in rows] == [line["answer"] or "" for line in lines]
    assert [float(row["confidence"]) for row in rows] == [line["confidence"] for line in lines]


def test_a_worst_case_opens_with_all_that_a_recorded_request_has(wide: Watched, run: str) -> None:
    wide.open(f"evaluate?run={run}")
    wide.screenshot("evaluate-run")
    wide.page.get_by_role("link", name="Open in Inspect").first.click()
    wide.page.get_by_role("heading", name="Inspect").wait_for()
    wide.settle()
    assert f"of_run={run}&qid=" in wide.page.url
    wide.sees(f"of run {run}")
    for part in ("Stages", "Passages", "Sentences", "Settings"):
        tab(wide, part)
        wide.screenshot(f"inspect-run-{part.lower()}")
    wide.sees("What the answer depended on")
    again = wide.page.get_by_role("link", name="Ask again with the run's settings")
    assert "estimator=Calibrated" in again.get_attribute("href")
    again.click()
    wide.page.get_by_role("heading", name="Ask").wait_for()
    wide.settle()
    assert "question=" in wide.page.url


def test_two_runs_are_compared_question_by_question(wide: Watched, run: str, refusing: str) -> None:
    wide.open(f"evaluate?before={run}&after={refusing}")
    tab(wide, "Compare")
    wide.sees(f"Questions that ended differently: 1 of {QUESTIONS}")
    wide.sees("Regressed (1)")
    wide.sees("Refused at gate")
    wide.page.get_by_text("Questions that ended differently").scroll_into_view_if_needed()
    wide.screenshot("compare")
    wide.page.get_by_role("tabpanel").get_by_role("link", name="Open in Inspect").last.click()
    wide.settle()
    assert f"of_run={refusing}" in wide.page.url


@pytest.fixture
def uploaded(run: str, data_dir: Path) -> Iterator[Path]:
    """The folder of an uploaded data set with a run over it, `of-set`."""
    folder, runs = data_dir / "datasets" / "set", data_dir / "runs"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "samples" / "questions.jsonl", folder)
    dataset = load_dataset(folder)
    shutil.copy(runs / f"{run}.jsonl", runs / "of-set.jsonl")
    of_set = {"dataset": dataset.name, "dataset_fingerprint": dataset.fingerprint}
    write_run(load_run(runs / f"{run}.jsonl").model_copy(update=of_set), runs / "of-set.jsonl")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
    for path in runs.glob("of-set*"):
        path.unlink()


def test_a_data_set_is_removed_with_its_run_where_that_is_ticked_and_asked_before(
    wide: Watched, uploaded: Path, run: str, data_dir: Path
) -> None:
    page, lines = wide.page, data_dir / "runs" / "of-set.jsonl"
    wide.open("evaluate?view=Test+sets")
    page.get_by_text("Remove a data set", exact=True).click()
    page.get_by_role("button", name="Remove this data set").click()
    wide.sees("Remove its 1 run, too: of-set")
    wide.settle()
    wide.screenshot("evaluate-remove-set")
    page.get_by_role("button", name="Keep it").click()
    wide.settle()
    assert (uploaded.is_dir(), lines.is_file()) == (True, True)
    page.get_by_role("button", name="Remove this data set").click()
    page.get_by_text("Remove its 1 run, too: of-set").click()
    wide.settle()
    page.get_by_role("button", name="Remove it", exact=True).click()
    wide.sees("Removed the data set set and 1 run of it.")
    wide.settle()
    assert (uploaded.exists(), lines.exists()) == (False, False)
    wide.open(f"evaluate?run={run}")
    page.get_by_role("button", name="Remove this run").click()
    wide.sees(f"{run}.answers.jsonl.gz")
    wide.settle()
    page.get_by_role("button", name="Keep it").click()
    wide.settle()
    assert (data_dir / "runs" / f"{run}.jsonl").is_file()


def test_one_slider_is_moved_by_keys_and_shows_what_it_changes_with_the_answers(wide: Watched, run: str) -> None:
    page = wide.page
    wide.open(f"tune?run={run}")
    wide.sees("No question changes")
    page.get_by_role("slider", name="How readily Candor answers").focus()
    page.keyboard.press("Home")
    wide.settle()
    wide.sees("questions would end otherwise")
    wide.sees("No longer given")
    assert "t_confidence=0.99" in page.url
    wide.screenshot("tune-careful")
    page.keyboard.press("ArrowRight")
    wide.settle()
    assert "t_confidence=0.98" in page.url  # what it changed took nothing of the focus


def test_a_promotion_keeps_its_note_and_is_undone(wide: Watched) -> None:
    page = wide.page
    note = "too many are refused"
    wide.open("tune?t_confidence=0.40")
    page.get_by_role("button", name="Put into production").click()
    page.get_by_label("Why?").fill(note)
    page.get_by_role("button", name="Put it into production").click()
    wide.sees("Give your name")
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.get_by_text("Put the threshold 0.40 in force without a guarantee", exact=True).click()
    page.get_by_role("button", name="Put it into production").click()
    wide.sees("In force from now on.")
    wide.settle()
    assert "Best similarity, answers from 0.40, no unsure." in wide.words()
    page.get_by_test_id("stDataFrame").last.scroll_into_view_if_needed()
    wide.screenshot("promoted")
    page.get_by_role("button", name="Undo promotion").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Undo it").click()
    wide.sees("Nothing was changed. Give your name")
    dialog.get_by_label("Your name").fill("Ada")
    dialog.get_by_role("button", name="Undo it").click()
    wide.sees("Taken back.")
    wide.settle()
    assert "Best similarity, answers from 0.50 (the estimator's own), no unsure." in wide.words()
    assert "t_confidence=0.40" not in page.url


def test_two_people_judge_with_keys_and_what_they_differ_on_is_settled(wide: Watched, data_dir: Path) -> None:
    page: Any = wide.page
    people = ("Agnes", "Boris")
    wide.open()
    wide.ask("Which gloves are required for dichloromethane?")
    for person, keys in zip(people, ("as1", "a1b2"), strict=True):  # Boris takes one back
        wide.open("inspector?part=Label")
        name = page.get_by_role("textbox", name="Your name")
        name.fill(person)
        name.press("Enter")
        wide.settle()
        page.get_by_text("You judged").first.click()  # out of the field: keys are judgements now
        for key in keys:
            page.keyboard.press(key)
            wide.settle()
            if key == "b":
                wide.sees("You judged this already")
                wide.screenshot("judged-again")
        wide.sees("You judged 1 request so far")
    wide.sees("Passages: kappa")
    wide.sees("the same verdict on 4 of 5")
    page.get_by_text("Agreement between labellers").scroll_into_view_if_needed()
    wide.screenshot("agreement")
    page.get_by_text("Disagreements:").scroll_into_view_if_needed()
    wide.screenshot("disagreements")
    rows = [json.loads(line) for line in downloaded(wide, "Judgements, JSONL").splitlines()]
    assert {row["labeller"] for row in rows} >= set(people)
    table = [*csv.DictReader(StringIO(downloaded(wide, "Judgements, CSV")))]
    assert [(row["target"], row["verdict"]) for row in table] == [(row["target"], row["verdict"]) for row in rows]
    questions = [json.loads(line) for line in downloaded(wide, "questions.jsonl").splitlines()]
    assert any(one["gold"] and one["answerable"] for one in questions)
    open_ones = _disagreements(wide)[0]
    page.get_by_role("button", name="Relevant", exact=True).click()
    wide.settle()
    assert _disagreements(wide) == (open_ones - 1, 1)
    table = [*csv.DictReader(StringIO(downloaded(wide, "Judgements, CSV")))]
    assert [(row["labeller"], row["verdict"], row["note"]) for row in table if row["labeller"] not in people][-1] == (
        "(settled)", "relevant", "by Boris",
    )  # fmt: skip


def _disagreements(watched: Watched) -> tuple[int, int]:
    """Return how many are open, and how many settled."""
    found = re.findall(r"Disagreements: (\d+) open, (\d+) settled", watched.words())
    return int(found[0][0]), int(found[0][1])
