"""A run on disk: the lines, and beside them what they depend on and amount to, and the whole answers.

    NAME.run.json            labels and fingerprints: to go on with, compare and show a run without its data set
    NAME.answers.jsonl.gz    a line for each question: its id, the short form that what-ifs read, the whole answer

The answers are what the recorder keeps of a request, so that the same functions try other settings on both. Each is a
gzip member of its own: `zcat` reads the file, and a run that is killed loses no more than the line it was writing.
"""

import gzip
import json
import os
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pydantic import AwareDatetime, ConfigDict, Field, ValidationError

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import Ingestion, Summary
from rag.models import Answer, Fingerprints, Value
from rag.records.answerfiles import answer_line, parse_answer
from rag.records.replacing import replace
from rag.records.requests import RecordedRequest, recorded_line, recorded_request


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
        return "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror or error}"
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return f"is damaged: {first['ctx']['error']}"
        field = ".".join(map(str, first["loc"]))
        return f"is of another version of Candor, or was changed: {field or 'the whole'} is not as it must be"


def load_run(lines: Path) -> Run:
    """Return a finished run, for comparing and showing.

    Raises:
        ConfigurationError: No such run, or it was not finished.
    """
    run = _read(run_path(lines))
    if isinstance(run, str):
        raise ConfigurationError(
            f"{str(lines)!r} cannot be used as a run: {str(run_path(lines))!r} {run}. Name the lines that `candor "
            "evaluate DATASET --out FILE` wrote; both files belong together. With --fresh it asks all again."
        )
    if run.summary is None:
        raise ConfigurationError(f"The run {str(lines)!r} is not finished. Run the same `candor evaluate` again.")
    return run


def check_target(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse a target that cannot be a run's file, or that holds something else than a run.

    Raises:
        ConfigurationError: It is a folder, a device or the like, a file that is no run, among the files of the data
            set, or cannot be looked at; or the run there is over another data set.
    """
    try:
        _require_apart(out, dataset)
        if os.path.lexists(out):
            _require_run(out, dataset, resume=resume)
        else:
            _require_unshared(out)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        raise unwritable(out, error) from error


def unwritable(out: Path, error: Exception) -> ConfigurationError:
    """Return the error of a target that cannot be written."""
    return ConfigurationError(f"The run cannot be written to {str(out)!r}: {error}. Choose another --out.")


def _require_apart(out: Path, dataset: DataSet) -> None:
    """Refuse a file of the data set, and a place where a run's files would be taken for its documents."""
    place, folder, inside = out.resolve(), dataset.folder, dataset.folder / "documents"
    if inside.is_dir():
        is_among = place.is_relative_to(inside.resolve())
    else:
        is_among = bool(dataset.documents) and place.parent == folder.resolve()
    is_own = place in {path.resolve() for path in (folder / "questions.jsonl", *dataset.documents)}
    if is_own or (is_among and not out.is_dir()):
        raise ConfigurationError(
            f"--out {str(out)!r} is a file of the data set {dataset.name!r}, or the run's files would be taken for "
            "documents there. Name a file outside of it."
        )


def _require_run(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse what stands there, unless it is a run that may be gone on with or replaced, or an empty file."""
    if not out.is_file():
        raise ConfigurationError(
            f"--out {str(out)!r} is no regular file (a folder, a device, a pipe, or a link that leads nowhere). "
            "Name a file, as 'run.jsonl'."
        )
    if not out.is_symlink() and not out.stat().st_size:
        return
    before = _read(run_path(out))
    if isinstance(before, str) and not _begins_as_run(out):
        raise ConfigurationError(
            f"{str(out)!r} exists and is not an evaluation run. Choose another --out, or remove it."
        )
    why = f"{str(run_path(out))!r} {before}"
    if isinstance(before, Run):
        why = f"it is over {before.dataset!r}, and this one is over {dataset.name!r}"
    if resume and (isinstance(before, str) or before.dataset != dataset.name):
        raise ConfigurationError(
            f"{str(out)!r} holds an evaluation run that cannot be continued: {why}. Choose another --out, or ask all "
            f"again with --fresh; the lines are kept as {out.name}.previous."
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


VERSION = 1  # of the lines of whole answers; those of a later version are left alone, as if they were not there


class _Short(Value):
    """What of a line is read for all questions at once."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # the whole answer is not parsed

    version: int = Field(le=VERSION, description="Version of the line.")
    qid: str = Field(description="Id of the question.")
    request: RecordedRequest = Field(description="The short form of the answer.")


def held_path(lines: Path) -> Path:
    """Return where the whole answers of a run stand.

    >>> held_path(Path("runs/base.jsonl")).as_posix()
    'runs/base.answers.jsonl.gz'
    """
    return beside(lines, ".answers.jsonl.gz")


def held_line(qid: str, answer: Answer) -> bytes:
    """Return the line for an answer, compressed; the short form goes by the question's own id."""
    request = recorded_request(answer).model_copy(update={"request_id": qid})
    short = json.dumps({"version": VERSION, "qid": qid, "request": request.model_dump(mode="json")})
    return gzip.compress(short.encode()[:-1] + b', "answer": ' + answer_line(answer) + b"}\n", 6, mtime=0)


@contextmanager
def holding(lines: Path, *, keep: Collection[str]) -> Iterator[BinaryIO]:
    """Yield the file that answers are added to, with those of `keep` in it and nothing else, or raise `OSError`."""
    path = held_path(lines)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        for short, line in _held(path) if keep else ():
            if short.qid in keep:
                file.write(gzip.compress(line, 6, mtime=0))
    part.replace(path)
    with path.open("ab") as file:
        yield file


def _held(path: Path, *, having: bytes = b"") -> Iterator[tuple[_Short, bytes]]:
    """Yield what is short of each whole line that has these bytes, and the line, up to where the file is torn."""
    with suppress(OSError, EOFError, zlib.error), gzip.open(path, "rb") as file:
        for line in file:
            with suppress(ValidationError):
                if line.endswith(b"\n") and having in line:
                    yield _Short.model_validate_json(line), line


def held_requests(path: Path, lines: Sequence[EvaluationLine]) -> list[RecordedRequest]:
    """Return the short form of every line; of one whose answer is not held, what the line itself says."""
    found = {short.qid: short.request for short, _ in _held(held_path(path))}
    held = [(found.get(line.qid), line) for line in lines]
    return [one if one and _belongs(one, line) else recorded_line(line.model_dump(mode="json")) for one, line in held]


def _belongs(request: RecordedRequest, line: EvaluationLine) -> bool:
    """Return whether an answer is that of a line: one of a run before may have been left beside it."""
    return (request.answer, request.decision, request.confidence) == (line.answer, line.decision, line.confidence)


def held_answer(path: Path, line: EvaluationLine) -> Answer | None:
    """Return the whole answer behind a line; None where it is not held."""
    marker = json.dumps({"qid": line.qid})[1:-1].encode()
    for short, raw in _held(held_path(path), having=marker):
        if short.qid == line.qid and _belongs(short.request, line):
            return parse_answer(json.dumps(json.loads(raw)["answer"]).encode())
    return None
