"""Removing runs and data sets for good: every file of one, and nothing that another needs or that is being written."""

import shutil
from pathlib import Path
from secrets import token_hex

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet
from rag.evaluation.held import held_path
from rag.evaluation.runlist import forget_run, noted_runs, runs_in
from rag.evaluation.runs import read_run, run_name, run_path


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

    Args:
        folder: `data_dir/runs`.
        lines: The run's lines.

    Raises:
        ConfigurationError: It stands somewhere else, is not finished (then it is being written, or was cut off and can
            be gone on with), or cannot be removed.
    """
    run, name = read_run(lines), run_name(lines)
    if not is_in(folder, lines):
        raise ConfigurationError(
            f"The run {name!r} was written to {str(lines)!r}, outside of the data folder. Take it off the list, or "
            "remove its files there."
        )
    if run is None or run.summary is None:
        raise ConfigurationError(
            f"The run {name!r} has no figures: it is being written, was cut off and can be gone on with under its "
            "name, or is gone. Try again when it is finished."
        )
    try:
        for path in files_of_run(lines):
            path.unlink(missing_ok=True)
        if lines.resolve() in noted_runs(folder):  # one whose name does not end in `.jsonl`
            forget_run(folder, lines.resolve())
    except OSError as error:
        left = ", ".join(path.name for path in files_of_run(lines))
        raise ConfigurationError(
            f"The run {name!r} could not be removed from {str(folder)!r}: {error}. Make the folder writable, and "
            f"remove what is left of it: {left}."
        ) from error


def runs_of(dataset: DataSet, folder: Path) -> list[Path]:
    """Return the lines of the finished runs in a folder that are over this very data set: its name and its content."""
    wanted = (dataset.name, dataset.fingerprint)
    inside = [(lines, run) for lines, run in runs_in(folder) if is_in(folder, lines)]
    return sorted(lines for lines, run in inside if (run.dataset, run.dataset_fingerprint) == wanted)


def remove_folder(path: Path) -> None:
    """Remove a folder: it is gone under its name at once, or stays whole.

    Raises:
        ConfigurationError: It cannot be removed.
    """
    aside = path.with_name(f".{token_hex(8)}.removed")
    try:
        path.rename(aside)
        shutil.rmtree(aside)
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} could not be removed: {error}. Make the folder writable; what is left of it has a name "
            "that ends in .removed."
        ) from error
