"""A run on disk: the lines, and beside them `NAME.run.json` with what they depend on and what they amount to.

The lines hold what METRICS defines and nothing else; labels and fingerprints stand in the second file, so that a run
can be resumed, compared and shown without the data set at hand; a third holds the whole answers (`held`).
A target is refused, before anything is asked, where something else would be lost or spoilt by a run.
"""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import Ingestion, Summary
from rag.models import Fingerprints, Value
from rag.records.replacing import replace


class Run(Value):
    """What a run depends on and, once it is complete, what it amounts to."""

    dataset: str = Field(description="Name of the data set.")
    dataset_fingerprint: str = Field(description="SHA-256 over its documents and questions.")
    fingerprint: str = Field(description="Hash over everything that decides an answer; equal: lines may be kept.")
    fingerprints: Fingerprints | None = Field(None, description="The parts of it; null: no question was answerable.")
    started_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="First start (UTC).")
    finished_at: AwareDatetime | None = Field(None, description="When all questions were asked; null: not yet.")
    ingestion: Ingestion | None = Field(None, description="What building the index took.")
    dense_weight: float | None = Field(None, ge=0, le=1, description="Weight of similarity in fusion; null: unknown.")
    summary: Summary | None = Field(None, description="The figures; null until finished.")
    scores: tuple[QuestionScore, ...] = Field((), description="One for each line, in order.")


def run_name(lines: Path) -> str:
    """Return what a run is called: the name of its lines, without `.jsonl`.

    >>> run_name(Path("runs/base.jsonl")), run_name(Path("runs/v1.2"))
    ('base', 'v1.2')
    """
    return lines.name.removesuffix(".jsonl") or lines.name


def beside(lines: Path, ending: str) -> Path:
    """Return where another file of a run stands, so that no two runs share one."""
    return lines.with_name(f"{run_name(lines)}{ending}")


def run_path(lines: Path) -> Path:
    """Return where the second file of a run stands."""
    return beside(lines, ".run.json")


def write_run(run: Run, lines: Path) -> None:
    """Write the second file of a run; a reader sees the old or the new one, never half of it."""
    replace_text(run_path(lines), run.model_dump_json())


def replace_text(path: Path, text: str) -> None:
    """Put a file with this text at `path`, in one step and on disk."""
    replace(path, text.encode())


def read_run(lines: Path) -> Run | None:
    """Return the second file of a run; None where there is none or it is of another version of Candor."""
    found = _read(run_path(lines))
    return found if isinstance(found, Run) else None


def _read(second: Path) -> Run | str:
    """Return the second file of a run, or what is wrong with it, and where."""
    try:
        return Run.model_validate_json(second.read_bytes())
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return f"is damaged: {first['ctx']['error']}"
        field = ".".join(str(part) for part in first["loc"])
        return f"is of another version of Candor, or was changed: {field or 'the whole'} is not as it must be"


def load_run(lines: Path) -> Run:
    """Return a finished run, for comparing and showing.

    Raises:
        ConfigurationError: No such run, or it was not finished.
    """
    run = _read(run_path(lines))
    if isinstance(run, str):
        raise ConfigurationError(_why_no_run(lines, run))
    if run.summary is None:
        raise ConfigurationError(f"The run {str(lines)!r} is not finished. Run the same `candor evaluate` again.")
    return run


def _why_no_run(lines: Path, why: str) -> str:
    second = run_path(lines)
    if lines.name.endswith(".run.json") and lines.is_file():
        return f"{str(lines)!r} is the second file of a run. Name {run_name(lines).removesuffix('.run.json')}.jsonl."
    if second.is_file():
        return (
            f"{str(second)!r} {why}. Run the same `candor evaluate` again with --fresh; the lines that "
            f"stand there are kept as {lines.name}.previous."
        )
    if lines.is_file():
        return (
            f"{str(lines)!r} is not a run: {second.name!r} is missing next to it. A run is what `candor evaluate "
            "DATASET --out FILE` writes; both files belong together."
        )
    return (
        f"{str(second)!r} is not there. Write the run with `candor evaluate DATASET --out {lines}`; both files belong "
        "together."
    )


def check_target(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse a target that cannot be a run's file, or that holds something else than a run.

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
    second = run_path(out)
    before = _read(second)
    if isinstance(before, str) and not _begins_as_run(out):
        raise ConfigurationError(
            f"{str(out)!r} exists and is not an evaluation run. Choose another --out, or remove it."
        )
    if resume and isinstance(before, str):
        raise ConfigurationError(
            f"{str(out)!r} holds lines of an evaluation run that cannot be continued: {str(second)!r} "
            f"{before if second.is_file() else 'is not there'}. Choose another --out, or ask all again with --fresh; "
            f"the lines are kept as {out.name}.previous."
        )
    if resume and isinstance(before, Run) and before.dataset != dataset.name:
        raise ConfigurationError(
            f"{str(out)!r} holds a run over {before.dataset!r}, and this one is over {dataset.name!r}. "
            f"Choose another --out, or replace it with --fresh."
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
    with out.open("rb") as file, suppress(ValidationError):
        EvaluationLine.model_validate_json(file.readline())
        return True
    return False
