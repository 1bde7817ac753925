"""A run on disk: the lines, and beside them `NAME.run.json` with what they depend on and what they amount to.

The lines hold what METRICS defines and nothing else; labels and fingerprints stand in the second file, so that a run
can be resumed, compared and shown without the data set at hand; a third holds the whole answers (`held`).
"""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from rag.errors import ConfigurationError
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import Ingestion, Summary
from rag.models import Fingerprints, Value
from rag.recording.replacing import replace


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


def fingerprint_of(dataset_fingerprint: str, fingerprints: Fingerprints | None) -> str:
    """Return a hash over data set, index, embedding, settings, gate and prompt."""
    parts = f"{dataset_fingerprint}\n{fingerprints.model_dump_json() if fingerprints else ''}"
    return hashlib.sha256(parts.encode()).hexdigest()


def run_name(lines: Path) -> str:
    """Return what a run is called: the name of its lines, without `.jsonl`; a dot inside it ends nothing.

    >>> run_name(Path("runs/base.jsonl")), run_name(Path("runs/v1.2"))
    ('base', 'v1.2')
    """
    return lines.name.removesuffix(".jsonl") or lines.name


def beside(lines: Path, ending: str) -> Path:
    """Return where another file of a run stands, so that no two runs share one.

    >>> beside(Path("runs/v1.2"), ".run.json").as_posix()
    'runs/v1.2.run.json'
    """
    return lines.with_name(f"{run_name(lines)}{ending}")


def run_path(lines: Path) -> Path:
    """Return where the second file of a run stands.

    >>> run_path(Path("runs/base.jsonl")).as_posix()
    'runs/base.run.json'
    """
    return beside(lines, ".run.json")


def write_run(run: Run, lines: Path) -> None:
    """Write the second file of a run; a reader sees the old or the new one, never half of it."""
    replace_text(run_path(lines), run.model_dump_json())


def replace_text(path: Path, text: str) -> None:
    """Put a file with this text at `path`, in one step and on disk."""
    replace(path, text.encode())


def read_run(lines: Path) -> Run | None:
    """Return the second file of a run; None where there is none or it is of another version of Candor."""
    try:
        return Run.model_validate_json(run_path(lines).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def why_unread(second: Path) -> str:
    """Return what is wrong with the second file of a run that cannot be read, and where."""
    try:
        Run.model_validate_json(second.read_bytes())
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return f"is damaged: {first['ctx']['error']}"
        field = ".".join(str(part) for part in first["loc"])
        return f"is of another version of Candor, or was changed: {field or 'the whole'} is not as it must be"
    return "could not be read a moment ago"


def load_run(lines: Path) -> Run:
    """Return a finished run, for comparing and showing.

    Raises:
        ConfigurationError: No such run, or it was not finished.
    """
    run = read_run(lines)
    if run is None:
        raise ConfigurationError(_why_no_run(lines))
    if run.summary is None:
        raise ConfigurationError(f"The run {str(lines)!r} is not finished. Run the same `candor evaluate` again.")
    return run


def _why_no_run(lines: Path) -> str:
    """Return why there is no run that can be read, and what to do."""
    second = run_path(lines)
    if lines.name.endswith(".run.json") and lines.is_file():
        return f"{str(lines)!r} is the second file of a run. Name {run_name(lines).removesuffix('.run.json')}.jsonl."
    if second.is_file():
        return (
            f"{str(second)!r} {why_unread(second)}. Run the same `candor evaluate` again with --fresh; the lines that "
            f"stand there are kept as {lines.name}.previous."
        )
    if lines.is_file():
        return (
            f"{str(lines)!r} is no run: {second.name!r} is not there beside it. A run is what "
            "`candor evaluate DATASET --out FILE` writes; both files belong together."
        )
    return (
        f"{str(second)!r} is not there. Write the run with `candor evaluate DATASET --out {lines}`; both files belong "
        "together."
    )
