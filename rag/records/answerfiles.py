"""Recorded answers as lines of files, one for each day, and what people said of them: written, found, read again."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_json

from rag.models import Answer
from rag.records.linefile import read_lines
from rag.records.requests import RecordedRequest

_DAY = re.compile(r"^req_(\d{4})(\d{2})(\d{2})_")
_ID = re.compile(rb'"request_id":("(?:[^"\\]|\\.)*"),')


class Judgement(NamedTuple):
    """What somebody thought of an answer."""

    verdict: Literal["good", "bad", ""] = ""  # empty: nobody told, or it was taken back
    reason: str = ""  # why it is bad, as its giver chose it; empty: nothing was chosen
    note: str = ""


def judgement(line: dict[str, Any]) -> Judgement:
    """Return what a line of the feedback says."""
    verdict = line.get("verdict")
    if verdict not in ("good", "bad"):
        return Judgement()
    return Judgement(verdict, str(line.get("reason") or ""), str(line.get("note") or ""))


def last_of_each(lines: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    """Return the last line about each request by its id, of lines the last of which comes first; without torn ones."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):  # torn
            told = from_json(line)
            found.setdefault(str(told["request_id"]), told)
    return found


def answer_line(answer: Answer) -> bytes:
    """Return a whole answer as one JSON line, with what its usual form leaves out, as prompt, draft and cuts."""
    whole = answer.model_dump(mode="json", round_trip=True)
    for name in ("prompt", "draft", "replaced", "cuts"):
        part: BaseModel | None = getattr(answer, name)
        is_sparse = name == "cuts"  # most of a dropped candidate's fields are empty
        whole[name] = part.model_dump(mode="json", round_trip=True, exclude_defaults=is_sparse) if part else None
    whole |= {name: getattr(answer, name) for name in ("other_confidence", "asks_for_list")}
    return to_json(whole, inf_nan_mode="null")


def parse_answer(line: bytes) -> Answer | None:
    """Return the answer of a line, fields of other versions left out; None where the line is torn or not an answer."""
    with suppress(ValueError):
        content = from_json(line)
        for _ in range(3):  # a field inside a field that was unknown itself shows up in the next round
            try:
                return Answer.model_validate(content)
            except ValidationError as error:
                for wrong in error.errors(include_url=False):
                    if wrong["type"] == "extra_forbidden":
                        *path, name = wrong["loc"]
                        del reduce(getitem, path, content)[name]
    return None


def id_of(line: bytes) -> bytes | None:
    """Return the request id that a line is about, as JSON: the first, for all that follows is part of the record.

    >>> id_of(b'{"request_id":"req_1","question":"Who?"}'), id_of(b'{"question":"Who?"}')
    (b'"req_1"', None)
    """
    found = _ID.search(line)
    return found.group(1) if found else None


def line_of(request_id: str) -> bytes:
    """Return what the line of an answer, whole or short, begins with."""
    return b'{"request_id":' + to_json(request_id) + b","


def likely_first(request_id: str, files: Sequence[Path]) -> list[Path]:
    """Return the files, those likely to hold the request first: its own day, the next, the rest."""
    likely = _likely_names(request_id)
    return sorted(files, key=lambda path: path.name not in likely)


def _likely_names(request_id: str) -> set[str]:
    """Return the names of the files of the day that an id of Candor's own names, and of the next; else none."""
    if not (match := _DAY.match(request_id)):
        return set()
    try:
        day = date(*map(int, match.groups()))
        return {f"{day + timedelta(days=more):%Y-%m-%d}.jsonl" for more in (0, 1)}
    except (ValueError, OverflowError):  # no day, or the last that there is
        return set()


def files_of(request_ids: Collection[str], answers: Path, requests: Path) -> list[Path]:
    """Return the files of whole answers in which any of these may stand, without reading one of them.

    The short lines in `requests` tell, and the ids themselves where a short line could not be kept. An id that a client
    named may stand on any day, and on several where it was sent again; so may any on a day without short lines.
    """
    wanted = {to_json(request_id) for request_id in request_ids}
    likely = [_likely_names(request_id) for request_id in request_ids]
    if not all(likely):
        return day_files(answers)
    names = set[str]().union(*likely)
    names |= {path.name for path in day_files(requests) if any(id_of(line) in wanted for line in read_lines(path))}
    return [path for path in day_files(answers) if path.name in names or not (requests / path.name).exists()]


def day_files(folder: Path) -> list[Path]:
    """Return the `YYYY-MM-DD.jsonl` files of a folder, newest first; none where there is no folder."""
    return sorted(folder.glob("????-??-??.jsonl"), reverse=True)


def newest_requests(folder: Path, *, since: datetime | None) -> Iterator[RecordedRequest]:
    """Yield the short lines of a folder of days, newest first; those that are torn are left out."""
    for path in day_files(folder):
        if since is not None and path.stem < f"{since.astimezone(UTC):%Y-%m-%d}":
            return
        for line in read_lines(path):
            with suppress(ValidationError):
                request = RecordedRequest.model_validate_json(line)
                if since is None or (request.timestamp and request.timestamp >= since):
                    yield request
