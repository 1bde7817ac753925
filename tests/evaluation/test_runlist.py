"""The runs that pages list, and runs and data sets removed for good: every file of one, and nothing else."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from rag.errors import ConfigurationError
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
from rag.evaluation.summary import Summary, summarise

from .made import data_set

QUESTION = {"qid": "1", "question": "Which gloves?", "answerable": True}


def unfinished(lines: Path, *, dataset: str = "made", data: str = "d", summary: Summary | None = None) -> Path:
    """Write a run, without figures unless they are given, and return its lines."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.touch()
    write_run(Run(dataset=dataset, dataset_fingerprint=data, fingerprint="f", summary=summary), lines)
    return lines


def finished(lines: Path, **fields: str) -> Path:
    """Write a finished run with whole answers, and return its lines."""
    held_path(unfinished(lines, summary=summarise([]), **fields)).write_bytes(b"")
    return lines


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def test_runs_are_listed_once_by_name_and_those_of_one_name_by_their_folders_and_paths(runs, tmp_path):
    own, dotted = unfinished(runs / "base.jsonl"), unfinished(tmp_path / "v1.1")
    first, second = unfinished(tmp_path / "a" / "new" / "base.jsonl"), unfinished(tmp_path / "b" / "new" / "base.jsonl")
    for lines in (own, dotted, dotted, first, second):
        note_run(runs, lines)
    assert noted_runs(runs) == [dotted, first, second]  # one in the folder needs no note
    assert run_files(runs) == {"base": own, "v1.1": dotted, "base (new)": first, str(second): second}


def test_a_run_is_lost_where_its_lines_or_the_file_beside_them_are_missing_or_may_not_be_looked_at(
    runs, tmp_path, monkeypatch
):
    kept, halved, removed = (unfinished(tmp_path / name) for name in ("kept.jsonl", "halved.jsonl", "removed.jsonl"))
    for lines in (kept, halved, removed):
        note_run(runs, lines)
    run_path(halved).unlink()
    removed.unlink()
    assert lost_runs(runs) == [halved, removed]
    forget_run(runs, halved)
    assert lost_runs(runs) == [removed]
    assert halved.is_file()
    monkeypatch.setattr("os.stat", Mock(side_effect=PermissionError(13, "Permission denied")))
    assert is_there(kept) is False


@pytest.mark.parametrize("content", ["no json", "3", "[3]"])
def test_a_list_that_cannot_be_read_is_named_with_what_to_do(tmp_path, content):
    (tmp_path / "elsewhere.json").write_text(content)
    with pytest.raises(ConfigurationError, match=r"elsewhere\.json.*Remove it"):
        run_files(tmp_path)


def test_a_run_goes_with_all_its_files_and_its_neighbours_stay(runs):
    gone = finished(runs / "base.jsonl")
    finished(runs / "base2.jsonl")
    (runs / "base.jsonl.previous").write_text("{}\n")
    assert len(files_of_run(gone)) == 4
    remove_run(runs, gone)
    assert names(runs) == ["base2.answers.jsonl.gz", "base2.jsonl", "base2.run.json"]


def test_a_run_that_is_being_written_or_stands_elsewhere_is_not_removed(runs, tmp_path):
    written, elsewhere = unfinished(runs / "base.jsonl"), finished(tmp_path / "mine.jsonl")
    note_run(runs, elsewhere)
    for lines, why in ((written, "has no figures: it is being written"), (elsewhere, "outside of the data folder")):
        with pytest.raises(ConfigurationError, match=why):
            remove_run(runs, lines)
        assert lines.is_file()
        assert run_path(lines).is_file()
    assert noted_runs(runs) == [elsewhere]


def test_runs_of_a_data_set_are_those_of_its_name_and_content_in_the_folder(runs, tmp_path):
    dataset = data_set(tmp_path / "made", QUESTION)
    own = finished(runs / "own.jsonl", data=dataset.fingerprint)
    finished(runs / "earlier.jsonl", data="another content")
    finished(runs / "other.jsonl", dataset="other", data=dataset.fingerprint)
    unfinished(runs / "cut.jsonl")
    note_run(runs, finished(tmp_path / "elsewhere.jsonl", data=dataset.fingerprint))
    assert runs_of(dataset, runs) == [own]


def test_a_folder_that_cannot_be_removed_stays_whole_and_says_so(tmp_path, monkeypatch):
    folder = data_set(tmp_path / "made", QUESTION, documents={}).folder
    monkeypatch.setattr(Path, "rename", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(ConfigurationError, match="could not be removed"):
        remove_folder(folder)
    monkeypatch.undo()
    assert names(folder) == ["documents", "questions.jsonl"]
    remove_folder(folder)
    assert names(tmp_path) == []
