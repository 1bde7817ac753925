"""Whole answers of a run, beside its lines: what other settings, and a closer look, need.

    NAME.answers.jsonl.gz    a line for each question: its id, the short form that what-ifs read, the whole answer

The lines of a run hold what METRICS defines and nothing else; these are what the recorder keeps of a request, so that
the same functions try other settings on both. Each line is a gzip member of its own: `zcat` reads the file, and a run
that is killed loses no more than the line it was writing. Runs of older versions have no such file.
"""

import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pydantic import ConfigDict, Field, ValidationError

from rag.evaluation.lines import EvaluationLine
from rag.evaluation.runs import beside
from rag.models import Answer, Value
from rag.records.answerfiles import answer_line, parse_answer
from rag.records.requests import RecordedRequest, recorded_line, recorded_request

VERSION = 1
"""Of the lines; those of a later version are left alone, as if they were not there."""


class _Short(Value):
    """What of a line is read for all questions at once."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # the whole answer is not parsed

    version: int = Field(description="Version of the line.")
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
    return _packed(short.encode()[:-1] + b', "answer": ' + answer_line(answer) + b"}\n")


def _packed(line: bytes) -> bytes:
    return gzip.compress(line, compresslevel=6, mtime=0)


@contextmanager
def holding(lines: Path, *, keep: Collection[str]) -> Iterator[BinaryIO]:
    """Yield the file that answers are added to, with those of `keep` in it and nothing else.

    Raises:
        OSError: It cannot be written.
    """
    path = held_path(lines)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        for short, line in _read(path) if keep else ():
            if short.qid in keep:
                file.write(_packed(line))
    part.replace(path)
    with path.open("ab") as file:
        yield file


def _read(path: Path, *, having: bytes = b"") -> Iterator[tuple[_Short, bytes]]:
    """Yield what is short of each whole line that has these bytes, and the line, up to where the file is torn."""
    with suppress(OSError, EOFError, zlib.error), gzip.open(path, "rb") as file:
        for line in file:
            with suppress(ValidationError):
                if line.endswith(b"\n") and having in line:
                    yield _Short.model_validate_json(line), line


def held_requests(path: Path, lines: Sequence[EvaluationLine]) -> list[RecordedRequest]:
    """Return the short form of every line; of one whose answer is not held, what the line itself says.

    An answer counts as that of a line where text, decision and confidence agree: lines that another version wrote
    over may have left the answers of before beside them.
    """
    found = {short.qid: short.request for short, _ in _read(held_path(path)) if short.version <= VERSION}
    return [
        request
        if (request := found.get(line.qid)) is not None and _belongs(request, line)
        else recorded_line(line.model_dump(mode="json"))
        for line in lines
    ]


def _belongs(request: RecordedRequest, line: EvaluationLine) -> bool:
    return (request.answer, request.decision, request.confidence) == (line.answer, line.decision, line.confidence)


def held_answer(path: Path, line: EvaluationLine) -> Answer | None:
    """Return the whole answer behind a line; None where it is not held."""
    marker = json.dumps({"qid": line.qid})[1:-1].encode()
    for short, raw in _read(held_path(path), having=marker):
        if short.qid == line.qid and short.version <= VERSION and _belongs(short.request, line):
            return parse_answer(json.dumps(json.loads(raw)["answer"]).encode())
    return None
