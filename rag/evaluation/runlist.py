"""The runs that pages list: those in the data folder, and those that `candor evaluate --out` wrote somewhere else.

    data_dir/runs/NAME.jsonl         the lines of a run, `NAME.run.json` beside them
    data_dir/runs/elsewhere.json     where the others are: a list of paths, noted when each was finished

Lines that stand somewhere else are read where they are; nothing is copied, and what is not there any more is said.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from rag.errors import ConfigurationError
from rag.evaluation.runs import Run, read_run, replace_text, run_name

_REGISTER = "elsewhere.json"


def run_files(folder: Path) -> dict[str, Path]:
    """Return the lines of every run by the name that it goes by; those of the folder first.

    A name that is taken gets the name of its folder behind it, and where that is taken too, the whole path.

    Args:
        folder: `data_dir/runs`; may be missing.

    Raises:
        ConfigurationError: The list of runs elsewhere cannot be read.
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
    try:
        return path.is_file()
    except OSError:
        return False


def noted_runs(folder: Path) -> list[Path]:
    """Return the lines of the runs elsewhere, in the order in which they were noted.

    Raises:
        ConfigurationError: The list cannot be read.
    """
    register = folder / _REGISTER
    try:
        return [Path(path) for path in json.loads(register.read_text(encoding="utf-8"))]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError, TypeError) as error:
        raise ConfigurationError(
            f"The list of evaluation runs {str(register)!r} cannot be read: {error}. Remove it; runs that "
            f"`candor evaluate --out` writes from then on are listed again."
        ) from error


def note_run(folder: Path, lines: Path) -> None:
    """Let pages list a run wherever it stands; one in the folder itself that ends in `.jsonl` needs no note.

    Args:
        folder: `data_dir/runs`; made when missing.
        lines: What `candor evaluate --out` wrote.

    Raises:
        ConfigurationError: The note cannot be written; the run itself is not touched.
    """
    path, noted = lines.resolve(), noted_runs(folder)
    is_listed = path.parent == folder.resolve() and path.suffix == ".jsonl"
    if not is_listed and path not in noted:
        _write(folder, [*noted, path])


def forget_run(folder: Path, lines: Path) -> None:
    """Take a run elsewhere off the list; its files stay.

    Raises:
        ConfigurationError: The list cannot be written.
    """
    _write(folder, [path for path in noted_runs(folder) if path != lines])


def _write(folder: Path, paths: Sequence[Path]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(folder / _REGISTER, json.dumps([str(path) for path in paths], ensure_ascii=False))
    except OSError as error:
        raise ConfigurationError(
            f"The list of evaluation runs in {str(folder)!r} cannot be written: {error}. The run itself is complete; "
            f"make the folder writable and run the same command again, or put both files of the run there."
        ) from error
