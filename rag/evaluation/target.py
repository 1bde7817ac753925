"""Where a run is written: refused, before anything is asked, where something else would be lost or spoilt by it."""

import os
from pathlib import Path

from pydantic import ValidationError

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.runs import read_run, run_name, run_path, why_unread


def check_target(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse a target that cannot be a run's file, or that holds something else than a run.

    Args:
        out: Where the lines are to go.
        dataset: What is asked.
        resume: Whether lines that stand there are kept; else they may be those of another data set.

    Raises:
        ConfigurationError: It is a folder, a device or the like, a file that is no run, among the files of the data
            set, or cannot be looked at; or the run there is over another data set.
    """
    try:
        _require_apart(out, dataset)
        _require_run(out, dataset, resume=resume)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        raise unwritable(out, error) from error


def unwritable(out: Path, error: Exception) -> ConfigurationError:
    """Return the error of a target that cannot be written."""
    return ConfigurationError(f"The run cannot be written to {str(out)!r}: {error}. Choose another --out.")


def _require_apart(out: Path, dataset: DataSet) -> None:
    """Refuse a file of the data set, and a place where a run's files would be taken for its documents."""
    place, inside = out.resolve(), dataset.folder / "documents"
    own = {path.resolve() for path in (dataset.folder / "questions.jsonl", *dataset.documents)}
    if place in own:
        raise ConfigurationError(
            f"--out {str(out)!r} is a file of the data set {dataset.name!r} itself. Name another file, outside of it."
        )
    is_inside = inside.is_dir() and place.is_relative_to(inside.resolve())
    is_beside = not inside.is_dir() and bool(dataset.documents) and place.parent == dataset.folder.resolve()
    if (is_inside or is_beside) and not out.is_dir():
        raise ConfigurationError(
            f"--out {str(out)!r} lies among the documents of the data set {dataset.name!r}: the run's files would be "
            "taken for documents. Name a file outside of it."
        )


def _require_run(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse what stands there, unless it is a run that may be gone on with or replaced, or an empty file."""
    if out.is_dir():
        raise ConfigurationError(f"--out {str(out)!r} is a folder. Name a file in it, as {str(out / 'run.jsonl')!r}.")
    if not os.path.lexists(out):
        _require_unshared(out)
        return
    if not out.is_file():
        raise ConfigurationError(
            f"--out {str(out)!r} is no regular file (a device, a pipe, or a link that leads nowhere). "
            "Name a file, as 'run.jsonl'."
        )
    if not out.is_symlink() and not out.stat().st_size:
        return
    before = read_run(out)
    if before is None and (resume or not _begins_as_run(out)):
        raise ConfigurationError(_no_run(out))
    if resume and before is not None and before.dataset != dataset.name:
        raise ConfigurationError(
            f"{str(out)!r} holds a run over {before.dataset!r}, and this one is over {dataset.name!r}. "
            f"Choose another --out, or replace it with --fresh."
        )


def _no_run(out: Path) -> str:
    """Return why a file is no run that may be gone on with, and what to do."""
    if not _begins_as_run(out):
        return f"{str(out)!r} exists and is no evaluation run. Choose another --out, or remove it."
    second = run_path(out)
    why = why_unread(second) if second.is_file() else "is not there"
    return (
        f"{str(out)!r} holds lines of an evaluation run that cannot be gone on with: {str(second)!r} {why}. Choose "
        f"another --out, or ask all again with --fresh; the lines are kept as {out.name}.previous."
    )


def _require_unshared(out: Path) -> None:
    """Refuse `NAME` beside a run `NAME.jsonl`, and the other way round: the two would have one second file."""
    other = out.with_name(run_name(out) if out.suffix == ".jsonl" else f"{out.name}.jsonl")
    if other != out and run_path(out).is_file() and other.is_file():
        raise ConfigurationError(
            f"--out {str(out)!r} would share {str(run_path(out))!r} with the run {str(other)!r}. Name another file."
        )


def _begins_as_run(out: Path) -> bool:
    """Return whether the first line is that of a run, the second file of which is lost or of another version."""
    with out.open("rb") as file:
        try:
            EvaluationLine.model_validate_json(file.readline())
        except ValidationError:
            return False
    return True
