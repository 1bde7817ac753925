"""The runs that pages list, and runs and data sets removed for good: every file of one, and nothing else."""

from pathlib import Path

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset
from rag.evaluation.held import held_path
from rag.evaluation.runlist import (
    files_of_run,
    forget_run,
    is_there,
    lost_runs,
    note_run,
    noted_runs,
    remove_folder,
    remove_run,
    run_files,
    runs_of,
)
from rag.evaluation.runs import Run, run_path, write_run
from rag.evaluation.summary import summarise


def unfinished(lines: Path) -> Path:
    """Write a run that has no figures yet, and return its lines."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.touch()
    write_run(Run(dataset="made", dataset_fingerprint="d", fingerprint="f"), lines)
    return lines


def test_runs_are_listed_once_by_name_and_those_of_one_name_by_their_folders_and_paths(tmp_path):
    runs = tmp_path / "runs"
    own, dotted = unfinished(runs / "base.jsonl"), unfinished(tmp_path / "v1.1")
    first, second = unfinished(tmp_path / "a" / "new" / "base.jsonl"), unfinished(tmp_path / "b" / "new" / "base.jsonl")
    for lines in (own, dotted, dotted, first, second):
        note_run(runs, lines)
    assert noted_runs(runs) == [dotted, first, second]  # one in the folder needs no note
    assert run_files(runs) == {"base": own, "v1.1": dotted, "base (new)": first, str(second): second}


def test_a_run_is_lost_where_its_lines_or_the_file_beside_them_are_missing(tmp_path):
    kept, halved, removed = (unfinished(tmp_path / name) for name in ("kept.jsonl", "halved.jsonl", "removed.jsonl"))
    for lines in (kept, halved, removed):
        note_run(tmp_path / "runs", lines)
    halved.with_suffix(".run.json").unlink()
    removed.unlink()
    assert lost_runs(tmp_path / "runs") == [halved, removed]
    forget_run(tmp_path / "runs", halved)
    assert lost_runs(tmp_path / "runs") == [removed]
    assert halved.is_file()


def test_a_run_in_a_folder_that_may_not_be_entered_is_lost_and_breaks_no_list(monkeypatch, tmp_path):
    def closed(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    note_run(tmp_path / "runs", tmp_path / "closed" / "one.jsonl")
    monkeypatch.setattr("os.stat", closed)
    assert is_there(tmp_path) is False
    monkeypatch.undo()
    assert lost_runs(tmp_path / "runs") == [(tmp_path / "closed" / "one.jsonl").resolve()]


@pytest.mark.parametrize("content", ["no json", "3", "[3]"])
def test_a_list_that_cannot_be_read_is_named_with_what_to_do(tmp_path, content):
    (tmp_path / "elsewhere.json").write_text(content)
    with pytest.raises(ConfigurationError, match=r"elsewhere\.json.*Remove it"):
        run_files(tmp_path)


QUESTION = '{"qid": "1", "question": "Which gloves?", "answerable": true}\n'


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


def test_a_run_that_is_being_written_or_stands_elsewhere_is_not_removed(tmp_path):
    written, elsewhere = unfinished(tmp_path / "runs" / "base.jsonl"), finished(tmp_path / "mine.jsonl")
    note_run(tmp_path / "runs", elsewhere)
    for lines, why in ((written, "has no figures: it is being written"), (elsewhere, "outside of the data folder")):
        with pytest.raises(ConfigurationError, match=why):
            remove_run(tmp_path / "runs", lines)
        assert lines.is_file()
        assert run_path(lines).is_file()
    assert noted_runs(tmp_path / "runs") == [elsewhere]


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
