"""The lines that `candor evaluate --out` writes: one question each, complete enough for anyone to score again."""

import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import from_json

from rag.errors import ConfigurationError
from rag.evaluation.datasets import Question
from rag.models import Answer, AnswerSentence, Score, Value

RETRIEVED = 20  # how many retrieved chunks a line holds
STAGES = ("embed", "retrieve", "read", "gate", "generate", "ground", "total")  # the stages that a line times
RefusalStage = Literal["validation", "gate", "grounding", "error"]
Decision = Literal["answered", "unsure", "refused"]
_log = logging.getLogger(__name__)


class LineCitation(Value):
    """A source of the answer."""

    document: str = Field(description="File name of the document.")
    page: int | None = Field(None, description="Page that holds the excerpt, from 1.")
    chapter: int | None = Field(None, description="Chapter number.")
    section: str | None = Field(None, description="Number and title of the section.")
    chunk_id: str = Field(description="Id of a retrieved chunk.")
    excerpt: str = Field(description="Verbatim text of the document.")
    similarity_score: Score = Field(description="Cosine similarity of question and chunk, clamped.")


class LineChunk(Value):
    """A retrieved chunk."""

    rank: int = Field(ge=1, description="Rank as shown, from 1.")
    retrieval_rank: int | None = Field(None, ge=1, description="Rank before reading; null: not known.")
    chunk_id: str = Field(description="Id of the chunk.")
    document: str = Field(description="File name of the document.")
    page: int | None = Field(None, description="Page on which it begins, from 1.")
    chapter: int | None = Field(None, description="Chapter number.")
    section: str | None = Field(None, description="Number and title of the section.")
    similarity_score: Score = Field(description="Cosine similarity of question and chunk, clamped.")
    content: str = Field(description="The whole bare chunk.")


class LineTimings(Value):
    """Milliseconds per stage; null where a stage did not run."""

    embed: float | None = Field(None, description="Embedding the question.")
    retrieve: float | None = Field(None, description="Search and fusion.")
    read: float | None = Field(None, description="Reading the best windows.")
    gate: float | None = Field(None, description="Estimate and decision.")
    generate: float | None = Field(None, description="Writing the draft.")
    ground: float | None = Field(None, description="Checking it.")
    total: float = Field(0.0, ge=0.0, description="From validation to answer.")


class EvaluationLine(Value):
    """One question and what came of it."""

    qid: str = Field(description="Id of the question.")
    question: str = Field(description="The question.")
    answerable: bool | None = Field(None, description="The label; null: none.")
    kind: str | None = Field(None, description="The question's kind.")
    decision: Decision = Field(description="How it ended.")
    refusal_stage: RefusalStage | None = Field(None, description="Where no answer came of it; null for an answer.")
    answer: str | None = Field(None, description="The shown text; null unless answered.")
    by_model: bool = Field(False, exclude=True, description="Whether a model wrote it; not written into the file.")
    confidence: Score = Field(description="As computed, whatever was decided.")
    sentences: tuple[AnswerSentence, ...] = Field((), description="Every part of the answer.")
    citations: tuple[LineCitation, ...] = Field((), description="Its sources.")
    retrieved: tuple[LineChunk, ...] = Field((), description="Twenty chunks, and any cited one that ranks below.")
    timings_ms: LineTimings = Field(default_factory=LineTimings, description="Wall clock per stage.")

    model_config = ConfigDict(extra="ignore")


def line_of(question: Question, answer: Answer) -> EvaluationLine:
    """Return the line for an answer; chunks beyond the twentieth only where it cites them, talk as refused."""
    cited = {citation.chunk_id for citation in answer.citations}
    return EvaluationLine(
        **_asked(question),
        decision="refused" if answer.outcome == "talk" else answer.outcome,
        refusal_stage=answer.refusal.stage if answer.refusal else None,
        answer=answer.answer,
        by_model=answer.generator.is_model,
        confidence=answer.confidence,
        sentences=answer.sentences,
        citations=tuple(LineCitation.model_validate(item, from_attributes=True) for item in answer.citations),
        retrieved=tuple(
            LineChunk.model_validate(chunk, from_attributes=True)
            for position, chunk in enumerate(answer.retrieved)
            if position < RETRIEVED or chunk.chunk_id in cited
        ),
        timings_ms=LineTimings.model_validate(answer.timings_ms, from_attributes=True),
    )


def refused_line(question: Question, stage: RefusalStage, *, total_ms: float) -> EvaluationLine:
    """Return the line for a question that never became an answer: it failed validation, or something broke."""
    timings = LineTimings(total=total_ms)
    return EvaluationLine(
        **_asked(question), decision="refused", refusal_stage=stage, confidence=0.0, timings_ms=timings
    )


def _asked(question: Question) -> dict[str, object]:  # keyword arguments, not data
    return question.model_dump(include={"qid", "question", "answerable", "kind"})


def dump_line(line: EvaluationLine) -> str:
    """Return a line as ASCII JSON, without the line feed: no character inside it ends a line for any reader."""
    return json.dumps(line.model_dump(mode="json"))


def read_questions(path: Path) -> dict[str, str]:
    """Return the questions of a run by id, without checking the rest of its lines; what cannot be read is left out."""
    found = {}
    with suppress(OSError), path.open("rb") as file:
        for text in file:
            with suppress(ValueError, KeyError, TypeError):  # a torn line, or one that is not ours
                line = from_json(text)
                found[str(line["qid"])] = str(line["question"])
    return found


def read_lines(path: Path) -> list[EvaluationLine]:
    """Return the lines of a run, in file order. A torn last line, as a killed run leaves it, is skipped.

    Raises:
        ConfigurationError: The file cannot be read, or a line other than the last is not one of ours.
    """
    try:
        texts = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The run {str(path)!r} cannot be read: {error}.") from error
    while texts and not texts[-1].strip():
        texts.pop()
    lines = []
    for number, text in enumerate(texts, start=1):
        try:
            lines.append(EvaluationLine.model_validate_json(text))
        except ValidationError as error:
            if number < len(texts):
                why = f"was not written by `candor evaluate`: {error.errors()[0]['msg']}"
                raise ConfigurationError(f"{path}, line {number} {why}.") from error
            _log.warning("%s, line %d is torn and was skipped.", path, number)
    return lines
