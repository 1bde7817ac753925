"""Runs and data sets removed for good: every file of one, and nothing else."""

from pathlib import Path

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset
from rag.evaluation.held import held_path
from rag.evaluation.removal import files_of_run, remove_folder, remove_run, runs_of
from rag.evaluation.runlist import note_run, noted_runs
from rag.evaluation.runs import Run, run_path, write_run
from rag.evaluation.summary import summarise

QUESTION = '{"qid": "1", "question": "Which gloves?", "answerable": true}\n'


def unfinished(lines: Path) -> Path:
    """Write a run that has no figures yet, and return its lines."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.touch()
    write_run(Run(dataset="made", dataset_fingerprint="d", fingerprint="f"), lines)
    return lines


def finished(lines: Path, *, dataset: str = "made", fingerprint: str = "d") -> Path:
    """Write a finished run with whole answers, and return its lines."""
    unfinished(lines)
    run = Run(dataset=dataset, dataset_fingerprint=fingerprint, fingerprint="f", summary=summarise([]))
    write_run(run, lines)
    held_path(lines).write_bytes(b"")
    return lines


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_goes_with_all_its_files_and_its_neighbours_stay(tmp_path):
    runs = tmp_path / "runs"
    gone = finished(runs / "base.jsonl")
    finished(runs / "base2.jsonl")
    (runs / "base.jsonl.previous").write_text("{}\n")
    assert len(files_of_run(gone)) == 4
    remove_run(runs, gone)
    assert names(runs) == ["base2.answers.jsonl.gz", "base2.jsonl", "base2.run.json"]


def test_a_run_that_is_being_written_or_was_cut_off_is_not_removed(tmp_path):
    lines = unfinished(tmp_path / "runs" / "base.jsonl")
    with pytest.raises(ConfigurationError, match="has no figures: it is being written"):
        remove_run(tmp_path / "runs", lines)
    assert names(tmp_path / "runs") == ["base.jsonl", "base.run.json"]


def test_a_run_elsewhere_is_not_removed(tmp_path):
    lines = finished(tmp_path / "mine.jsonl")
    note_run(tmp_path / "runs", lines)
    with pytest.raises(ConfigurationError, match="outside of the data folder"):
        remove_run(tmp_path / "runs", lines)
    assert lines.is_file()
    assert run_path(lines).is_file()
    assert noted_runs(tmp_path / "runs") == [lines]


def test_a_run_of_the_folder_that_is_noted_for_its_name_leaves_no_note(tmp_path):
    lines = finished(tmp_path / "runs" / "v1.0")
    note_run(tmp_path / "runs", lines)
    remove_run(tmp_path / "runs", lines)
    assert noted_runs(tmp_path / "runs") == []
    assert names(tmp_path / "runs") == ["elsewhere.json"]


def test_runs_of_a_data_set_are_those_of_its_name_and_content_in_the_folder(tmp_path):
    folder, runs = tmp_path / "sets" / "made", tmp_path / "runs"
    folder.mkdir(parents=True)
    (folder / "questions.jsonl").write_text(QUESTION)
    dataset = load_dataset(folder)
    own = finished(runs / "own.jsonl", fingerprint=dataset.fingerprint)
    finished(runs / "earlier.jsonl", fingerprint="another content")
    finished(runs / "other.jsonl", dataset="other", fingerprint=dataset.fingerprint)
    unfinished(runs / "cut.jsonl")
    note_run(runs, finished(tmp_path / "elsewhere.jsonl", fingerprint=dataset.fingerprint))
    assert runs_of(dataset, runs) == [own]


def test_a_folder_that_cannot_be_removed_stays_whole_and_says_so(tmp_path, monkeypatch):
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "questions.jsonl").write_text(QUESTION)

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ConfigurationError, match="could not be removed"):
        remove_folder(folder)
    monkeypatch.undo()
    assert names(folder) == ["questions.jsonl"]
    remove_folder(folder)
    assert names(tmp_path) == []
