"""Asks every question of a data set, writes a line for each, and can go on where it was interrupted."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from pydantic import Field

from rag.errors import CandorError, ConfigurationError, IndexNotReady, InvalidQuery, ServiceUnavailable
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.independent import TextOf
from rag.evaluation.lines import EvaluationLine, dump_line, line_of, read_lines, refused_line
from rag.evaluation.runs import Run, fingerprint_of, read_run, replace_text, write_run
from rag.evaluation.scores import score_lines
from rag.evaluation.summary import Ingestion, Summary, summarise
from rag.models import Answer, Fingerprints, Value

Ask = Callable[[str], Answer]
"""Validates and answers one question with the settings that are to be measured."""
Progress = Callable[[int, int], None]
"""Called with how many questions are done, and how many there are."""
_log = logging.getLogger(__name__)
_OUTAGES = (ServiceUnavailable, IndexNotReady, ConfigurationError)


class Evaluation(Value):
    """A finished run."""

    lines: tuple[EvaluationLine, ...] = Field(description="One for each question, in the data set's order.")
    run: Run = Field(description="What it depends on, and its scores.")
    summary: Summary = Field(description="The figures.")
    resumed: int = Field(0, description="How many lines were kept from an earlier, interrupted run.")


def evaluate(
    dataset: DataSet,
    *,
    ask: Ask,
    text_of: TextOf | None = None,
    ingestion: Ingestion | None = None,
    out: Path | None = None,
    limit: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask the questions in file order, write a line each, and sum them up.

    The first question is asked in any case: it shows whether the pipeline works and under which fingerprints. Lines of
    an earlier run in `out` are kept when its fingerprints are the same, except those that ended in an error.

    Args:
        dataset: The questions and labels.
        ask: Answers one question.
        text_of: The whole text of a document, to find excerpts in; None leaves that figure null.
        ingestion: What building the index took, for the figures.
        out: Where the lines go, flushed one by one; `NAME.run.json` beside it holds scores and figures.
        limit: Only the first so many questions.
        resume: False: begin anew; what stood there is kept beside it, as `NAME.jsonl.previous`.
        progress: Told how far it is.

    Raises:
        ServiceUnavailable, IndexNotReady, ConfigurationError: The pipeline cannot answer at all: the first question
            that reached it failed. Any later failure is a line with `refusal_stage` `error`.
        ConfigurationError: `limit` is below 1, or `out` cannot be written or holds the run of another data set.
    """
    if limit is not None and limit < 1:
        raise ConfigurationError(f"limit is {limit}: at least one question must be asked. Leave it out to ask all.")
    if out is not None:
        _check_target(out, dataset, resume=resume)
    questions = dataset.questions[:limit]
    first, fingerprints = _probe(questions, ask)
    run = Run(
        dataset=dataset.name,
        dataset_fingerprint=dataset.fingerprint,
        fingerprint=fingerprint_of(dataset.fingerprint, fingerprints),
        fingerprints=fingerprints,
        ingestion=ingestion,
    )
    kept = _kept(out, run) if resume and out is not None else {}
    fresh = {line.qid: line for line in first if line.qid not in kept}
    lines = _ask_all(questions, ask, run=run, done=kept | fresh, out=out, progress=progress)
    return _finish(run, lines, questions, text_of=text_of, out=out, resumed=len(kept))


def _check_target(out: Path, dataset: DataSet, *, resume: bool) -> None:
    """Refuse, before anything is asked, a target that cannot be a run's file or that holds something else."""
    if out.is_dir():
        raise ConfigurationError(f"--out {str(out)!r} is a folder. Name a file in it, as {str(out / 'run.jsonl')!r}.")
    if not resume or not out.is_file() or not out.stat().st_size:
        return
    before = read_run(out)
    if before is None:
        raise ConfigurationError(f"{str(out)!r} exists and is no evaluation run. Choose another --out, or remove it.")
    if before.dataset != dataset.name:
        raise ConfigurationError(
            f"{str(out)!r} holds a run over {before.dataset!r}, and this one is over {dataset.name!r}. "
            f"Choose another --out, or replace it with --fresh."
        )


def _set_aside(out: Path, done: int) -> None:
    """Keep lines of an earlier run that are not taken over, until the next time."""
    if out.is_file() and out.read_bytes().count(b"\n") > done:
        out.replace(out.with_name(f"{out.name}.previous"))


def _probe(questions: Sequence[Question], ask: Ask) -> tuple[list[EvaluationLine], Fingerprints | None]:
    """Ask until one question comes back as an answer or refusal of the pipeline; an outage before that is raised."""
    lines = []
    for question in questions:
        line, fingerprints, error = _ask_one(question, ask)
        if isinstance(error, _OUTAGES):
            raise error
        lines.append(line)
        if fingerprints is not None:
            return lines, fingerprints
    return lines, None


def _ask_one(question: Question, ask: Ask) -> tuple[EvaluationLine, Fingerprints | None, Exception | None]:
    """Return the line for a question and, where there is one, the fingerprints of its answer or the error."""
    started = time.perf_counter()
    try:
        answer = ask(question.question)
    except InvalidQuery:
        return refused_line(question, "validation", total_ms=_since(started)), None, None
    except CandorError as error:
        _log.warning("Question %r failed: %s", question.qid, error.message)
        return refused_line(question, "error", total_ms=_since(started)), None, error
    except Exception as error:  # one broken question must not cost a run of hours; the traceback goes to the log
        _log.exception("Question %r failed unexpectedly.", question.qid)
        return refused_line(question, "error", total_ms=_since(started)), None, error
    return line_of(question, answer), answer.fingerprints, None


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _kept(out: Path, run: Run) -> dict[str, EvaluationLine]:
    """Return the lines of an earlier run that need not be asked again, by id."""
    before = read_run(out)
    if before is None or before.fingerprint != run.fingerprint or not out.is_file():
        return {}
    return {line.qid: line for line in read_lines(out) if line.refusal_stage != "error"}


def _ask_all(
    questions: Sequence[Question],
    ask: Ask,
    *,
    run: Run,
    done: dict[str, EvaluationLine],
    out: Path | None,
    progress: Progress | None,
) -> list[EvaluationLine]:
    """Return the lines in the order of the questions; those that are missing are asked and written one by one."""
    with ExitStack() as stack:
        file = stack.enter_context(_opened(out, run, done)) if out is not None else None
        lines = []
        for number, question in enumerate(questions, start=1):
            line = done.get(question.qid)
            if line is None:
                line, _, _ = _ask_one(question, ask)
                _append(file, line)
            lines.append(line)
            if progress is not None:
                progress(number, len(questions))
    return lines


def _opened(out: Path, run: Run, done: dict[str, EvaluationLine]) -> TextIO:
    """Write what is done, so that nothing of another run or a torn line is left, and open the file to add to it."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _set_aside(out, len(done))
        replace_text(out, "".join(_rows(done.values())))
        write_run(run, out)
        return out.open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"The run cannot be written to {str(out)!r}: {error}. Choose another --out."
        ) from error


def _rows(lines: Iterable[EvaluationLine]) -> Iterator[str]:
    for line in lines:
        yield dump_line(line) + "\n"


def _append(file: TextIO | None, line: EvaluationLine) -> None:
    if file is not None:
        file.write(dump_line(line) + "\n")
        file.flush()


def _finish(
    run: Run,
    lines: Sequence[EvaluationLine],
    questions: Sequence[Question],
    *,
    text_of: TextOf | None,
    out: Path | None,
    resumed: int,
) -> Evaluation:
    """Score and sum up; put the lines on disk into the data set's order."""
    scores = score_lines(lines, questions, text_of=text_of)
    summary = summarise(scores, ingestion=run.ingestion)
    run = run.model_copy(update={"summary": summary, "scores": tuple(scores), "finished_at": datetime.now(UTC)})
    if out is not None:
        replace_text(out, "".join(_rows(lines)))
        write_run(run, out)
    return Evaluation(lines=tuple(lines), run=run, summary=summary, resumed=resumed)
