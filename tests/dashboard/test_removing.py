"""Removing runs and uploaded data sets on Evaluate, and notices of jobs that each person dismisses for themselves."""

import json
import shutil

import pytest
from seen import KNOWN, ROOT, button, logged_in, text_of

from dashboard import resources, running
from dashboard.jobs import Job
from dashboard.running import RunOptions
from rag.evaluation.testset import keep_dataset

LINE = json.dumps({"qid": "1", "question": KNOWN, "answerable": True})


@pytest.fixture
def kept(library):
    """An uploaded data set without documents, with a run over it, `of_mine`, and one over the samples, `of_samples`."""
    dataset = keep_dataset(library.settings.data_dir, "mine", LINE)
    for folder, name in ((dataset.folder, "of_mine"), (ROOT / "samples", "of_samples")):
        running.run_dataset(library, folder, options=RunOptions(name, limit=1), job=Job("evaluate", name))
    yield dataset
    shutil.rmtree(dataset.folder, ignore_errors=True)
    for path in (library.settings.data_dir / "runs").glob("*.json*"):
        path.unlink()


def run_names(candor):
    return sorted(path.stem for path in (candor.settings.data_dir / "runs").glob("*.jsonl"))


def test_a_run_is_removed_after_a_confirmation_that_names_its_files(open_page, library, kept):
    test = open_page("evaluate", run="of_mine")
    test.button(key="remove-run").click().run()
    assert "of_mine.answers.jsonl.gz" in text_of(test)
    test.button(key="remove-run-refused").click().run()
    assert run_names(library) == ["of_mine", "of_samples"]
    test.button(key="remove-run").click().run()
    test.button(key="remove-run-confirmed").click().run()
    assert run_names(library) == ["of_samples"]
    assert [one.value for one in test.toast] == ["Removed the run of\\_mine."]
    assert test.selectbox(key="run").value == "of_samples"


@pytest.mark.parametrize(
    ("where", "button_key", "said"),
    [
        ({"run": "of_mine"}, "remove-run", "The run 'of_mine' is being written now."),
        ({"view": "Test sets"}, "remove-dataset", "A job needs the data set 'mine' now."),
    ],
    ids=["run", "data set"],
)
def test_what_a_job_writes_or_needs_is_not_removed(open_page, library, kept, where, button_key, said):
    test = open_page("evaluate", **where)
    test.button(key=button_key).click().run()
    held = [library.settings.data_dir / "runs" / "of_mine.jsonl", kept.folder]
    job = resources.get_jobs().start("elsewhere", "x", lambda job: job.cancel.wait(60), holds=held)
    test.button(key=f"{button_key}-confirmed").click().run()
    assert said in text_of(test)
    job.cancel.set()
    assert run_names(library) == ["of_mine", "of_samples"]
    assert kept.folder.is_dir()


def test_a_data_set_goes_without_its_runs(open_page, library, kept):
    test = open_page("evaluate", view="Test sets").button(key="remove-dataset").click().run()
    assert test.selectbox(key="dataset_removed").options == ["mine"]  # the samples are no choice
    assert test.checkbox(key="remove-runs-of-mine").value is False
    test.button(key="remove-dataset-confirmed").click().run()
    assert (kept.folder.exists(), run_names(library)) == (False, ["of_mine", "of_samples"])
    assert "No data set was uploaded." in text_of(open_page("evaluate", view="Test sets"))


def test_a_data_set_takes_its_runs_along_where_that_is_ticked_and_the_index_of_its_documents(open_page, library):
    hood = ("hood.md", f"# Hoods\n\n{KNOWN} 0.4 and 0.6.\n".encode())
    dataset = keep_dataset(library.settings.data_dir, "own", LINE, [hood])
    running.run_dataset(library, dataset.folder, options=RunOptions("of_own"), job=Job("evaluate", "own"))
    made = library.settings.data_dir / "evaluation"
    assert len([*made.glob("own-*")]) == 1
    test = open_page("evaluate", view="Test sets").button(key="remove-dataset").click().run()
    assert "with the index that its runs used" in text_of(test)
    test.checkbox(key="remove-runs-of-own").check()
    test.button(key="remove-dataset-confirmed").click().run()
    assert [*made.glob("own-*")] == run_names(library) == []


def test_a_notice_is_dismissed_by_account_where_people_log_in(open_page, monkeypatch):
    told = "The run over notice is done"
    resources.get_jobs().start(running.KIND, "notice", lambda job: None).thread.join(10)
    logged_in(monkeypatch, "ada", "admin", "ada")
    button(open_page("evaluate", view="New run"), "Dismiss").click().run()
    assert told not in text_of(open_page("evaluate", view="New run"))
    logged_in(monkeypatch, "bo", "admin", "bo")
    assert told in text_of(open_page("evaluate", view="New run"))
