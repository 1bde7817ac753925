"""Asks every question of a data set, writes a line for each, and can go on where it was interrupted."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from rag.errors import CandorError, ConfigurationError, IndexNotReady, InvalidQuery, ServiceUnavailable
from rag.evaluation.datasets import DataSet, Question, misnamed_gold, unlabelled
from rag.evaluation.independent import TextOf
from rag.evaluation.lines import EvaluationLine, RefusalStage, dump_line, line_of, read_lines, refused_line
from rag.evaluation.runs import Run, check_target, held_line, holding, read_run, replace_text, unwritable, write_run
from rag.evaluation.scores import score_lines
from rag.evaluation.summary import Ingestion, Summary, summarise
from rag.models import Answer, Fingerprints, Value
from rag.text.counted import several

Ask = Callable[[str], Answer]  # validates and answers one question with the settings that are to be measured
Progress = Callable[[int, int], None]  # called with how many questions are done, and how many there are
_log = logging.getLogger(__name__)
_OUTAGES = (ServiceUnavailable, IndexNotReady, ConfigurationError)


class _Asked(NamedTuple):
    """What came of one question: its line, and the whole answer or the error where there is one."""

    line: EvaluationLine
    answer: Answer | None = None
    error: Exception | None = None


class Evaluation(Value):
    """A finished run."""

    lines: tuple[EvaluationLine, ...] = Field(description="One for each question, in the data set's order.")
    run: Run = Field(description="What it depends on, and its scores.")
    summary: Summary = Field(description="The figures.")
    resumed: int = Field(0, description="How many lines were kept from an earlier, interrupted run.")
    decided: tuple[str, ...] = Field((), description="What decided, with which threshold, and warnings, in words.")
    beyond: int = Field(0, description="How many more lines of that run, beyond the limit, stay in the file.")


def evaluate(
    dataset: DataSet, *, ask: Ask, out: Path, text_of: TextOf | None = None, ingestion: Ingestion | None = None,
    limit: int | None = None, resume: bool = True, progress: Progress | None = None, dense_weight: float | None = None,
) -> Evaluation:  # fmt: skip
    """Ask the questions in file order, write a line each, and sum them up.

    The first question is asked in any case: it shows whether the pipeline works and under which fingerprints. Lines of
    an earlier run in `out` are kept when its fingerprints are the same, except those that ended in an error. Lines
    beyond `limit` stay in the file, and its scores and figures are over all of its lines; what is returned is over the
    questions within the limit. What is wrong with the labels is a warning in the log.

    Args:
        dataset: The questions and labels.
        ask: Answers one question.
        out: Where the lines go, flushed one by one; `NAME.run.json` beside it holds scores and figures, and
            `NAME.answers.jsonl.gz` the whole answers.
        text_of: The whole text of a document, to find excerpts in; None leaves that figure null.
        ingestion: What building the index took, for the figures.
        limit: Only the first so many questions.
        resume: False: begin anew; lines that stood there are kept beside it, as `NAME.jsonl.previous`.
        progress: Told how far it is.
        dense_weight: The weight of similarity in fusion, 0..1, that `ask` ranks with.

    Raises:
        ServiceUnavailable, IndexNotReady, ConfigurationError: The pipeline cannot answer at all: the first question
            that reached it failed. Any later failure is a line with `refusal_stage` `error`.
        ConfigurationError: `limit` is below 1, or `out` cannot be written, holds the run of another data set or
            something else than a run, or is among the files of the data set.
    """
    questions = limited(dataset, limit)
    check_target(out, dataset, resume=resume)
    for wrong in filter(None, (unlabelled(dataset), misnamed_gold(dataset, questions))):
        _log.warning("%s", wrong)
    first, fingerprints = _probe(questions, ask)
    parts = f"{dataset.fingerprint}\n{fingerprints.model_dump_json() if fingerprints else ''}"
    run = Run(
        dataset=dataset.name,
        dataset_fingerprint=dataset.fingerprint,
        fingerprint=hashlib.sha256(parts.encode()).hexdigest(),
        fingerprints=fingerprints,
        ingestion=ingestion,
        dense_weight=dense_weight,
    )
    kept = _kept(out, run) if resume else {}
    lines = _ask_all(questions, ask, run=run, kept=kept, first=first, out=out, progress=progress)
    return _finished(dataset, run, lines, kept=kept, out=out, text_of=text_of)


def limited(dataset: DataSet, limit: int | None) -> tuple[Question, ...]:
    """Return the questions that are asked; raise `ConfigurationError` where `limit` is below 1."""
    if limit is not None and limit < 1:
        raise ConfigurationError(f"limit is {limit}: at least one question must be asked. Leave it out to ask all.")
    return dataset.questions[:limit]


def _finished(
    dataset: DataSet, run: Run, lines: Sequence[EvaluationLine], *, kept: dict[str, EvaluationLine],
    out: Path, text_of: TextOf | None,
) -> Evaluation:  # fmt: skip
    """Score the lines, one for each question from the first on, and write the run together with the lines beyond."""

    def scored(lines: Sequence[EvaluationLine]) -> tuple[Run, Summary]:
        scores = score_lines(lines, dataset.questions, text_of=text_of)
        summary = summarise(scores, ingestion=run.ingestion)
        finished = {"summary": summary, "scores": tuple(scores), "finished_at": datetime.now(UTC)}
        return run.model_copy(update=finished), summary

    beyond = [kept[one.qid] for one in dataset.questions[len(lines) :] if one.qid in kept]
    found, summary = scored(lines)
    replace_text(out, _text([*lines, *beyond]))
    write_run(scored([*lines, *beyond])[0] if beyond else found, out)
    kept_of = {"resumed": len(kept) - len(beyond), "beyond": len(beyond)}
    return Evaluation(lines=tuple(lines), run=found, summary=summary, **kept_of)


def _probe(questions: Sequence[Question], ask: Ask) -> tuple[list[_Asked], Fingerprints | None]:
    """Ask until one question comes back as an answer or refusal; an outage before that is raised."""
    asked = []
    for question in questions:
        asked.append(one := _ask_one(question, ask))
        if isinstance(one.error, _OUTAGES):
            raise one.error
        if one.answer is not None:
            return asked, one.answer.fingerprints
    return asked, None


def _ask_one(question: Question, ask: Ask) -> _Asked:
    started = time.perf_counter()

    def failed(stage: RefusalStage, error: Exception) -> _Asked:
        return _Asked(refused_line(question, stage, total_ms=(time.perf_counter() - started) * 1000), error=error)

    try:
        answer = ask(question.question)
    except InvalidQuery as error:
        return failed("validation", error)
    except CandorError as error:
        _log.warning("Question %r failed: %s", question.qid, error.message)
        return failed("error", error)
    except Exception as error:  # one broken question must not cost a run of hours; the traceback goes to the log
        _log.exception("Question %r failed unexpectedly.", question.qid)
        return failed("error", error)
    return _Asked(line_of(question, answer), answer)


def _kept(out: Path, run: Run) -> dict[str, EvaluationLine]:
    """Return the lines of an earlier run that need not be asked again, by id."""
    before = read_run(out)
    if before is None or before.fingerprint != run.fingerprint or not out.is_file():
        return {}
    return {line.qid: line for line in read_lines(out) if line.refusal_stage != "error"}


def _ask_all(
    questions: Sequence[Question], ask: Ask, *, run: Run, kept: dict[str, EvaluationLine],
    first: Sequence[_Asked], out: Path, progress: Progress | None,
) -> list[EvaluationLine]:  # fmt: skip
    """Return the lines in the order of the questions; those that are missing are asked and written one by one."""
    ready, lines = {one.line.qid: one for one in first}, []
    with _adding(out, run, kept=kept, fresh=len(ready.keys() - kept.keys())) as add:
        for number, question in enumerate(questions, start=1):
            line = kept.get(question.qid)
            if line is None:
                asked = ready.get(question.qid) or _ask_one(question, ask)
                add(asked)
                line = asked.line
            lines.append(line)
            if progress is not None:
                progress(number, len(questions))
    return lines


@contextmanager
def _adding(out: Path, run: Run, *, kept: dict[str, EvaluationLine], fresh: int) -> Iterator[Callable[[_Asked], None]]:
    """Write what is kept, so that nothing of another run or a torn line is left, and yield what adds to the files."""
    with ExitStack() as stack:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            if out.is_file() and (held := out.read_bytes().count(b"\n")) > len(kept) + fresh:
                previous = out.replace(out.with_name(f"{out.name}.previous"))
                told = "Of the %s in %s not all are taken over: as it was, it is kept as %s."
                _log.warning(told, several(held, "line"), out, previous)
            replace_text(out, _text(kept.values()))
            write_run(run, out)
            lines = stack.enter_context(out.open("a", encoding="utf-8"))
            answers = stack.enter_context(holding(out, keep=kept))
        except OSError as error:
            raise unwritable(out, error) from error

        def add(asked: _Asked) -> None:
            lines.write(_text([asked.line]))
            lines.flush()
            if asked.answer is not None:
                answers.write(held_line(asked.line.qid, asked.answer))
                answers.flush()

        yield add


def _text(lines: Iterable[EvaluationLine]) -> str:
    return "".join(dump_line(line) + "\n" for line in lines)
