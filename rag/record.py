"""What happened, kept: one structured log line per stage, and every whole answer so that it can be replayed.

    data_dir/logs/candor.jsonl              seed 000's log line; rotated; no text of a question unless asked for
    data_dir/answers/YYYY-MM-DD.jsonl       whole answers, prompt and draft included
    data_dir/requests/YYYY-MM-DD.jsonl      a short line for each answer: what lists, charts and what-ifs read
    data_dir/feedback.jsonl                 what people thought of an answer

Recording never fails a request: a full disk makes lines wait in memory, and past a limit they are counted as lost.
"""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO, Literal

from pydantic_core import to_json

from rag.errors import ServiceUnavailable
from rag.models import Answer
from rag.protocols import Asked, Observer
from rag.records.answerfiles import (
    Judgement,
    answer_line,
    day_files,
    files_of,
    id_of,
    judgement,
    last_of_each,
    likely_first,
    line_of,
    newest_requests,
    parse_answer,
)
from rag.records.linefile import LineFile, find_last_line, lines_with, one_line, read_lines, rewrite
from rag.records.logline import Component, Level, json_bytes, log_line, timestamp
from rag.records.replacing import sweep
from rag.records.requests import RecordedRequest, recorded_request

_log = logging.getLogger(__name__)
Verdict = Literal["good", "bad"]
Feedback = Literal["good", "bad", "withdrawn"]  # a verdict, or that what was said of the answer before counts no more
Reason = Literal["", "wrong", "not_what_i_asked", "incomplete", "should_have_refused", "should_have_answered"]
"""Why a verdict is bad, as its giver chose it; empty: nothing was chosen."""


class Recorder:
    """Writes the log and the answers of one data folder; any number of threads and processes may share the folder.

    Args:
        data_dir: Where everything that Candor writes lives; made when missing.
        log_questions: Whether the text of questions may stand in the log (`CANDOR_LOG_QUESTIONS`).
        log_max_mb: Size at which the log is rotated, in MB.
        log_backups: Rotated logs to keep.
        record_answers: Whether whole answers are kept; without them nothing can be inspected or replayed.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        log_questions: bool = False,
        log_max_mb: float = 50,
        log_backups: int = 5,
        record_answers: bool = True,
    ) -> None:
        self.data_dir = Path(data_dir)
        self._record_answers = record_answers
        self._log = self._file("logs/candor.jsonl", max_bytes=int(log_max_mb * 1_000_000), backups=log_backups)
        self._feedback = self._file("feedback.jsonl", backlog_bytes=0)
        self._dismissed = self._file("dismissed.jsonl", backlog_bytes=0)
        self._days: dict[str, LineFile] = {}
        self._days_lock = Lock()
        self._lost = 0
        self._log_questions = log_questions
        self._repeated_to: IO[bytes] | None = None
        self._repeating = Lock()
        self._observers: tuple[Observer, ...] = ()

    @property
    def log_path(self) -> Path:
        """The log that is written now; rotated ones have `.1`, `.2` and so on behind the name."""
        return self._log.path

    @property
    def lost_lines(self) -> int:
        """Lines, of the log and of answers, that could not be kept since this recorder was made."""
        with self._days_lock:
            return self._lost + self._log.lost + sum(file.lost for file in self._days.values())

    def repeat_log(self, stream: IO[bytes]) -> None:
        """Write each log line to a stream too, whole, for whoever collects what processes print."""
        self._repeated_to = stream

    def event(
        self,
        component: Component,
        event: str,
        *,
        request_id: str,
        level: Level = "INFO",
        data: Mapping[str, object] | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Write one log line: exactly seed 000's seven keys, in its order. Never raises.

        Args:
            component: The part of Candor that speaks.
            event: What happened, in snake_case; a stage's line has `data["processing_time_ms"]`.
            request_id: Whose request it belongs to; empty for what belongs to none.
            level: INFO, WARNING or ERROR; an error makes an INFO line an ERROR line.
            data: Facts. The text under `question`, `context` and `history` is replaced by its length unless
                questions may be logged.
            error: What went wrong.
        """
        facts, asked = data or {}, self._log_questions
        try:
            line = log_line(
                component, event, request_id=request_id, level=level, data=facts, error=error, log_questions=asked
            )
        except Exception:  # a value that cannot be written as JSON must not cost the person the answer
            self._lost += 1
            _log.exception("The line %r of request %r was not written", event, request_id)
            return
        self._log.append(line)
        if self._repeated_to is not None:
            with self._repeating, suppress(OSError, ValueError):  # where nobody reads any more, the file has the line
                self._repeated_to.write(line)
                self._repeated_to.flush()

    def observe_with(self, observer: Observer) -> None:
        """Tell somebody of each question from now on; closed with the recorder."""
        self._observers = (*self._observers, observer)

    def asked(self, question: Asked) -> None:
        """Tell whoever observes of a question that has ended. Never raises."""
        for observer in self._observers:
            try:
                observer.asked(question)
            except Exception:  # as for the log: the answer is worth more
                _log.exception("A question was not observed")

    def answer(self, answer: Answer) -> None:
        """Keep a whole answer, prompt and draft included, and its short line. Never raises."""
        if not self._record_answers:
            return
        try:
            day = f"{answer.timestamp.astimezone(UTC):%Y-%m-%d}.jsonl"
            self._day_file(f"answers/{day}").append(one_line(answer_line(answer)))
            self._day_file(f"requests/{day}").append(one_line(recorded_request(answer).model_dump_json().encode()))
        except Exception:  # as above: the answer is worth more than its record
            self._lost += 1
            _log.exception("The answer to request %r was not recorded", answer.request_id)

    def read_answer(self, request_id: str) -> Answer | None:
        """Return a recorded answer, or None where none is kept; the newest where a client used an id twice.

        Raises:
            ServiceUnavailable: A file of answers is there and cannot be read. So from all that read what is recorded.
        """
        with self._readable():
            for path in likely_first(request_id, day_files(self.data_dir / "answers")):
                if line := find_last_line(path, line_of(request_id)):
                    return parse_answer(line)
        return None

    def has_answer(self, request_id: str) -> bool:
        """Return whether an answer is kept under an id; the short lines tell, a hundredth of the answers' size."""
        with self._readable():
            days = likely_first(request_id, day_files(self.data_dir / "requests"))
            return any(find_last_line(path, line_of(request_id)) is not None for path in days)

    def requests(self, *, limit: int | None = None, since: datetime | None = None) -> Iterator[RecordedRequest]:
        """Yield the short lines of recorded answers, newest first: a hundredth of the size of the answers."""
        with self._readable():
            yield from islice(newest_requests(self.data_dir / "requests", since=since), limit)

    def feedback(
        self, request_id: str, verdict: Feedback, note: str = "", by: str = "", *, reason: Reason = ""
    ) -> None:
        """Keep what somebody thought of an answer, or that it is taken back.

        Raises:
            ServiceUnavailable: It could not be written.
        """
        told = {"verdict": verdict, "reason": reason, "note": note, "by": by}
        _say(self._feedback, request_id, told, f"The feedback on {request_id!r}", "send it again")

    def verdict(self, request_id: str) -> Verdict | None:
        """Return what somebody thought of an answer, the last where they changed their mind.

        None where nobody told, or where it was taken back.
        """
        with self._readable():
            told = lines_with(self._feedback.path, b'"request_id":' + to_json(request_id) + b",")
        last = last_of_each(reversed(told)).get(request_id, {})
        return judgement(last).verdict or None

    def judgements(self) -> dict[str, Judgement]:
        """Return what people thought of answers, by request id: the last of each; nothing where it was taken back."""
        with self._readable():
            told = last_of_each(read_lines(self._feedback.path))
        return {request_id: judgement(line) for request_id, line in told.items()}

    def dismiss(self, request_ids: Collection[str], *, by: str = "", dismissed: bool = True) -> None:
        """Set unanswered questions aside, or take that back.

        Raises:
            ServiceUnavailable: It could not be written; the person should know.
        """
        for request_id in request_ids:
            told = {"dismissed": dismissed, "by": by}
            _say(self._dismissed, request_id, told, f"Setting {request_id!r} aside", "try again")

    def dismissed(self) -> frozenset[str]:
        """Return the ids of the unanswered questions that were set aside."""
        with self._readable():
            told = last_of_each(read_lines(self._dismissed.path))
        return frozenset(request_id for request_id, line in told.items() if line.get("dismissed"))

    def forget(self, request_ids: Collection[str]) -> int:
        """Remove recorded answers and the feedback on them for good; return how many answers there were.

        Raises:
            ServiceUnavailable: A file could not be rewritten; nothing of it was removed.
        """
        gone = {to_json(request_id) for request_id in request_ids}
        removed = 0
        what = f"{len(request_ids)} recorded answers could not be removed from {str(self.data_dir)!r}"
        with _told(what, "Free some disk space or make the folder writable, then delete again."):
            for path in files_of(request_ids, self.data_dir / "answers", self.data_dir / "requests"):
                removed += rewrite(path, lambda line: id_of(line) not in gone)
            for path in (*day_files(self.data_dir / "requests"), self._feedback.path, self._dismissed.path):
                rewrite(path, lambda line: id_of(line) not in gone)
        return removed

    def forget_before(self, day: date) -> int:
        """Remove the answers of all days before `day` (UTC), as retention asks for; return how many days.

        Raises:
            ServiceUnavailable: A file could not be removed.
        """
        old = [path for path in day_files(self.data_dir / "answers") if path.stem < f"{day:%Y-%m-%d}"]
        what = f"Recorded answers from before {day} could not be removed from {str(self.data_dir)!r}"
        with _told(what, "Make the folder writable; it is tried again in a few hours."):
            for path in old:
                for one in (self.data_dir / "requests" / path.name, path):
                    sweep(one)
                    one.unlink(missing_ok=True)
        return len(old)

    def close(self) -> None:
        """Write what waits; the recorder may be used again."""
        with self._days_lock:
            files = [self._log, self._feedback, self._dismissed, *self._days.values()]
        for file in files:
            file.close()
        for observer in self._observers:
            observer.close()

    def _readable(self) -> AbstractContextManager[None]:
        what = f"What is recorded in {str(self.data_dir)!r} cannot be read"
        return _told(what, "Make it readable for the user that runs Candor, and try again.")

    def _day_file(self, name: str) -> LineFile:
        with self._days_lock:
            if name not in self._days:
                self._days[name] = self._file(name, backlog_bytes=32_000_000)
            return self._days[name]

    def _file(self, name: str, **limits: int) -> LineFile:
        return LineFile(self.data_dir / name, home=self.data_dir, **limits)


@contextmanager
def _told(what: str, then: str) -> Iterator[None]:
    """Say what could not be done with files, and what to do, where that is so."""
    try:
        yield
    except OSError as error:
        raise ServiceUnavailable(f"{what}: {error}. {then}") from error


def _say(file: LineFile, request_id: str, told: Mapping[str, object], what: str, then: str) -> None:
    """Append what somebody said of an answer, or raise: the person should know."""
    if not file.append(one_line(json_bytes({"timestamp": timestamp(), "request_id": request_id, **told}))):
        raise ServiceUnavailable(
            f"{what} could not be written to {str(file.path)!r}. Free some disk space or make the folder writable, "
            f"then {then}."
        )


class Unrecorded(Recorder):
    """A recorder that keeps nothing: what is only looked at is no traffic, and Monitor counts every line."""

    def event(self, *_args: object, **_facts: object) -> None:
        """Keep nothing."""

    def answer(self, *_args: object) -> None:
        """Keep nothing."""


def answer_data(answer: Answer) -> dict[str, object]:
    """Return the `data` of an `answer_returned` line: what the monitor reads, and no text of the question."""
    short = recorded_request(answer)
    same = ("confidence", "threshold", "unsure_threshold", "estimator", "refusal_stage", "refusal_code", "generator")
    return {
        "outcome": answer.outcome,
        "processing_time_ms": short.total_ms,
        **{name: getattr(short, name) for name in same},
        "question_length": len(answer.query.question),
        "chunks_retrieved": len(answer.retrieved),
        "citations": len(answer.citations),
        "sentences": len(answer.sentences),
        "documents": list(short.documents),
        "collection": short.collection,
        "house_words": len(short.house_words),
    }
