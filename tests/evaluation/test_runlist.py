"""The runs that pages list, and runs and data sets removed for good: every file of one, and nothing else."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from rag.errors import ConfigurationError
from rag.evaluation import runlist
from rag.evaluation.runlist import lost_runs, note_run, noted_runs, remove_folder, remove_run, run_files
from rag.evaluation.runs import Run, held_path, run_path, write_run
from rag.evaluation.summary import summarise

from .made import data_set


def unfinished(lines, *, summary=None):
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.touch()
    write_run(Run(dataset="made", dataset_fingerprint="d", fingerprint="f", summary=summary), lines)
    return lines


def finished(lines):
    held_path(unfinished(lines, summary=summarise([]))).write_bytes(b"")
    return lines


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


def test_runs_are_listed_once_by_name_and_those_of_one_name_by_their_folders_and_paths(runs, tmp_path):
    own, dotted = unfinished(runs / "base.jsonl"), unfinished(tmp_path / "v1.1")
    first, second = (unfinished(tmp_path / name / "new" / "base.jsonl") for name in "ab")
    for lines in (own, dotted, dotted, first, second):
        note_run(runs, lines)
    assert noted_runs(runs) == [dotted, first, second]  # one in the folder needs no note
    assert run_files(runs) == {"base": own, "v1.1": dotted, "base (new)": first, str(second): second}
    (runs / "elsewhere.json").write_text("[3]")
    with pytest.raises(ConfigurationError, match=r"elsewhere\.json.*Remove it"):
        run_files(runs)


def test_a_run_is_lost_where_its_lines_or_the_file_beside_them_are_missing_or_may_not_be_looked_at(
    runs, tmp_path, monkeypatch
):
    kept, halved, removed = (unfinished(tmp_path / name) for name in ("kept.jsonl", "halved.jsonl", "removed.jsonl"))
    for lines in (kept, halved, removed):
        note_run(runs, lines)
    run_path(halved).unlink()
    removed.unlink()
    assert lost_runs(runs) == [halved, removed]
    runlist.forget_run(runs, halved)
    assert (lost_runs(runs), halved.is_file()) == ([removed], True)
    monkeypatch.setattr("os.stat", Mock(side_effect=PermissionError(13, "Permission denied")))
    assert runlist.is_there(kept) is False


def test_a_run_goes_with_all_its_files_and_one_that_is_being_written_or_stands_elsewhere_is_not_removed(runs, tmp_path):
    gone, written, elsewhere = finished(runs / "a.jsonl"), unfinished(runs / "b.jsonl"), finished(tmp_path / "c.jsonl")
    (runs / "a.jsonl.previous").write_text("{}\n")
    note_run(runs, elsewhere)
    remove_run(runs, gone)
    assert names(runs) == ["b.jsonl", "b.run.json", "elsewhere.json"]
    for lines in (written, elsewhere):
        with pytest.raises(ConfigurationError, match="outside of the data folder or has no figures"):
            remove_run(runs, lines)
        assert (lines.is_file(), run_path(lines).is_file()) == (True, True)
    assert noted_runs(runs) == [elsewhere]


def test_a_folder_that_cannot_be_removed_stays_whole_and_says_so(tmp_path, monkeypatch):
    folder = data_set(tmp_path / "made", {"qid": "1", "question": "Which gloves?"}, documents={}).folder
    monkeypatch.setattr(Path, "rename", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(ConfigurationError, match="could not be removed"):
        remove_folder(folder)
    monkeypatch.undo()
    assert names(folder) == ["documents", "questions.jsonl"]
    remove_folder(folder)
    assert names(tmp_path) == []
