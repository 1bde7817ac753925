"""The runs that pages list and remove: those in the data folder, and those written somewhere else.

    data_dir/runs/NAME.jsonl         the lines of a run, `NAME.run.json` beside them
    data_dir/runs/elsewhere.json     where `candor evaluate --out` wrote others: paths, noted when each was finished

Lines that stand somewhere else are read where they are; nothing is copied, and what is not there any more is said.
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

import pandas as pd

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet
from rag.evaluation.runs import Run, held_path, read_run, replace_text, run_name, run_path

_REGISTER = "elsewhere.json"


def run_files(folder: Path) -> dict[str, Path]:
    """Return the lines of every run by the name that it goes by; those of the folder first.

    A name that is taken gets the name of its folder behind it, and where that is taken too, the whole path.
    `ConfigurationError`: the list of runs elsewhere cannot be read.
    """
    found = {run_name(path): path for path in sorted(folder.glob("*.jsonl"))}
    for path in noted_runs(folder):
        names = (run_name(path), f"{run_name(path)} ({path.parent.name})", str(path))
        found[next((name for name in names if name not in found), str(path))] = path
    return found


def runs_in(folder: Path) -> list[tuple[Path, Run]]:
    """Return the finished runs of `run_files`, the latest first: path of the lines, and the run."""
    read = [(path, read_run(path)) for path in run_files(folder).values()]
    found = [(path, run) for path, run in read if run is not None and run.summary is not None]
    return sorted(found, key=lambda pair: pair[1].started_at, reverse=True)


def lost_runs(folder: Path) -> list[Path]:
    """Return the lines of runs elsewhere that were noted and are not there any more, or lack their second file."""
    return [path for path in noted_runs(folder) if not is_there(path) or read_run(path) is None]


def is_there(path: Path) -> bool:
    """Return whether a file is there for this user; one in a folder that may not be entered is not."""
    return os.path.isfile(path)  # noqa: PTH113 (Path.is_file raises in a folder that may not be entered)


def noted_runs(folder: Path) -> list[Path]:
    """Return the lines of the runs elsewhere, as they were noted. `ConfigurationError`: the list cannot be read."""
    register = folder / _REGISTER
    try:
        return [Path(path) for path in json.loads(register.read_text(encoding="utf-8"))]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError, TypeError) as error:
        raise ConfigurationError(
            f"The list of evaluation runs {str(register)!r} cannot be read: {error}. Remove it; later runs are listed."
        ) from error


def note_run(folder: Path, lines: Path) -> None:
    """Let pages list a run wherever it stands; one in the folder itself that ends in `.jsonl` needs no note.

    `ConfigurationError`: the note cannot be written; the run itself is not touched.
    """
    path, noted = lines.resolve(), noted_runs(folder)
    if not (is_in(folder, path) and path.suffix == ".jsonl") and path not in noted:
        _write(folder, [*noted, path])


def forget_run(folder: Path, lines: Path) -> None:
    """Take a run elsewhere off the list; its files stay. `ConfigurationError`: the list cannot be written."""
    noted = noted_runs(folder)
    if lines in noted:
        _write(folder, [path for path in noted if path != lines])


def _write(folder: Path, paths: Sequence[Path]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(folder / _REGISTER, json.dumps([str(path) for path in paths], ensure_ascii=False))
    except OSError as error:
        raise ConfigurationError(
            f"The list of evaluation runs in {str(folder)!r} cannot be written: {error}. Make the folder writable and "
            "run the same command again; the run itself is complete."
        ) from error


_COLUMNS = {
    "name": "str", "dataset": "str", "started_at": "datetime64[us, UTC]",
    **dict.fromkeys(("questions", "answerable", "unanswerable"), "int64"),
    **dict.fromkeys(("coverage", "false_answer_rate", "false_answer_upper", "auroc"), "float64"),
    "path": "str",
}  # fmt: skip


def runs_table(folder: Path) -> pd.DataFrame:
    """Return the finished runs, in the folder or noted there, the latest first; the columns are there without any."""
    names, rows = {path: name for name, path in run_files(folder).items()}, []
    for path, run in runs_in(folder):
        if (summary := run.summary) is not None:
            false = summary.figures.false_answer_rate
            rows.append(
                [names.get(path, run_name(path)), run.dataset, run.started_at, summary.questions, summary.answerable,
                 summary.unanswerable, summary.figures.coverage.value, false.value, false.upper_bound,
                 summary.auroc.value, str(path)]
            )  # fmt: skip
    return pd.DataFrame(rows, columns=[*_COLUMNS]).astype(_COLUMNS)


def files_of_run(lines: Path) -> list[Path]:
    """Return the files of a run that are there, the lines first: without them it is no run any more.

    Among them are the lines of an earlier run of the name that were set aside.
    """
    named = [lines, held_path(lines), lines.with_name(f"{lines.name}.previous"), run_path(lines)]
    return [path for path in named if path.is_file() or path.is_symlink()]


def is_in(folder: Path, lines: Path) -> bool:
    """Return whether a run stands in a folder itself; those elsewhere are only noted there."""
    return lines.parent.resolve() == folder.resolve()


def remove_run(folder: Path, lines: Path) -> None:
    """Remove a finished run of a folder.

    Raises:
        ConfigurationError: It stands somewhere else, is not finished (then it is being written, or was cut off and can
            be gone on with), or cannot be removed.
    """
    run, name = read_run(lines), run_name(lines)
    if not is_in(folder, lines) or run is None or run.summary is None:
        raise ConfigurationError(
            f"The run {name!r} is outside of the data folder or has no figures: it is being written, was cut off and "
            "can be gone on with under its name, or is gone. Try again when it is finished, or take it off the list."
        )
    try:
        for path in files_of_run(lines):
            path.unlink(missing_ok=True)
        forget_run(folder, lines.resolve())  # it is noted where its name does not end in `.jsonl`
    except OSError as error:
        left = ", ".join(path.name for path in files_of_run(lines))
        raise ConfigurationError(
            f"The run {name!r} could not be removed from {str(folder)!r}: {error}. Make the folder writable, and "
            f"remove what is left of it: {left}."
        ) from error


def runs_of(dataset: DataSet, folder: Path) -> list[Path]:
    """Return the lines of the finished runs in a folder that are over this very data set: its name and its content."""
    return sorted(
        lines
        for lines, run in runs_in(folder)
        if is_in(folder, lines) and (run.dataset, run.dataset_fingerprint) == (dataset.name, dataset.fingerprint)
    )


def remove_folder(path: Path) -> None:
    """Remove a folder: it is gone under its name at once, or stays whole and `ConfigurationError` says why."""
    aside = path.with_name(f".{token_hex(8)}.removed")
    try:
        path.rename(aside)
        shutil.rmtree(aside)
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} could not be removed: {error}. Make the folder writable; what is left of it has a name "
            "that ends in .removed."
        ) from error
