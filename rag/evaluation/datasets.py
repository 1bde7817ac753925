"""Data sets: a folder with `questions.jsonl` and documents, in `documents/` or beside it, read into frozen values."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError, field_validator

from rag.errors import ConfigurationError
from rag.language.counted import several
from rag.models import Value
from rag.models.complaints import reason_of, shown, why_no_json

NAMED = 5
"""How many documents a message names."""


class Gold(Value):
    """Where an answer stands, as far as the label says; null means not given."""

    document: str = Field(min_length=1, description="File name of the document.")
    page: int | None = Field(None, ge=1, description="Page, counted from 1.")
    chapter: int | str | None = Field(None, description="Chapter number; not part of relevance.")
    section: str | None = Field(None, description="Section number, or number and title.")
    text: str | None = Field(None, description="A passage that holds the answer.")
    quote: str | None = Field(None, description="The sentence that answers, as the document has it.")
    quote_plain: str | None = Field(None, description="The same without markup.")

    model_config = ConfigDict(extra="ignore")

    @property
    def sentence(self) -> str:
        """What answers, as closely as the label says: the sentence, else the passage; empty where neither is given."""
        return self.quote_plain or self.text or self.quote or ""

    @property
    def passage(self) -> str:
        """What a relevant chunk overlaps with; empty where the label gives no text."""
        return self.text or self.sentence

    @field_validator("section", mode="before")
    @classmethod
    def _number_as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class Question(Value):
    """One line of `questions.jsonl`; fields that are not listed here are ignored."""

    qid: str = Field(min_length=1, description="Id, unique in the data set.")
    question: str = Field(description="The question; whether it is valid is for the pipeline to say.")
    answerable: bool | None = Field(
        None, strict=True, description="Whether the documents answer it; null: not labelled."
    )
    kind: str | None = Field(None, description="What sort of question it is; figures are given per kind.")
    answers: tuple[str, ...] = Field((), description="Acceptable answers, each sufficient.")
    gold: tuple[Gold, ...] = Field((), description="Places that hold an answer, each sufficient.")

    model_config = ConfigDict(extra="ignore")

    @field_validator("qid", mode="before")
    @classmethod
    def _id_as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("answers", "gold", mode="before")
    @classmethod
    def _nothing_is_empty(cls, value: object) -> object:
        return () if value is None else value


class DataSet(Value):
    """A folder of documents and the questions about them, in file order."""

    name: str = Field(description="Name of the folder.")
    folder: Path = Field(description="Where it was read from.")
    questions: tuple[Question, ...] = Field(description="All questions, in file order.")
    documents: tuple[Path, ...] = Field(
        (), description="The files under `documents/`, or beside the questions, by name."
    )
    unread: tuple[str, ...] = Field((), description="Fields of the questions that nothing reads, by name.")

    @property
    def sources(self) -> tuple[Path, ...]:
        """What an index of it is made from: `documents/`, or where there is none the documents one by one."""
        inside = self.folder / "documents"
        return (inside,) if inside.is_dir() or not self.documents else self.documents

    def question(self, qid: str) -> Question | None:
        """Return the question with this id, or None."""
        return self._by_id.get(qid)

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {question.qid: question for question in self.questions}

    @cached_property
    def documents_fingerprint(self) -> str:
        """SHA-256 over names and bytes of all documents: an index of them may be used again while this is the same."""
        digest = hashlib.sha256()
        for path in self.documents:
            digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over documents and questions."""
        digest = hashlib.sha256(self.documents_fingerprint.encode())
        for question in self.questions:
            digest.update(question.model_dump_json().encode() + b"\n")
        return digest.hexdigest()


def load_dataset(folder: Path) -> DataSet:
    """Read a data set.

    Args:
        folder: Holds `questions.jsonl` and `documents/`, or the documents themselves.

    Returns:
        The questions in file order and the paths of the documents, by name.

    Raises:
        ConfigurationError: No such folder or file, a line that is not a question, or an id that occurs twice; the
            message names file and line.
    """
    path = folder / "questions.jsonl"
    if not folder.exists():
        raise ConfigurationError(
            f"{str(folder)!r} does not exist. Name the folder of a data set: with documents/ and questions.jsonl, one "
            "JSON object a line."
        )
    if folder.is_file():
        raise ConfigurationError(
            f"{str(folder)!r} is a file, and a data set is a folder with documents/ and questions.jsonl, one JSON "
            f"object a line. Name the folder that holds it: {str(folder.parent)!r}."
        )
    if not path.is_file():
        raise ConfigurationError(
            f"{str(folder)!r} is not a data set: {str(path)!r} does not exist. "
            f"A data set is a folder with documents/ and questions.jsonl, one JSON object a line."
        )
    inside = folder / "documents"
    home = inside if inside.is_dir() else folder
    found = inside.rglob("*") if inside.is_dir() else (one for one in folder.iterdir() if one.suffix != ".jsonl")
    documents = sorted(item for item in found if _is_document(item, home))
    questions, unread = _read_questions(path)
    return DataSet(
        name=folder.resolve().name, folder=folder, questions=questions, documents=tuple(documents), unread=unread
    )


def unlabelled(dataset: DataSet) -> str:
    """Return what is missing where no question says whether it is answerable, not even null; empty where one does."""
    if any("answerable" in one.model_fields_set for one in dataset.questions):
        return ""
    names = f"{', '.join(map(repr, dataset.unread[:NAMED]))}{' ...' if len(dataset.unread) > NAMED else ''}"
    return (
        f"No question has 'answerable'{f'; fields that nothing reads: {names}' if names else ''}. Coverage, false "
        "answers and what is figured over them need it: write true or false, or null where nobody knows."
    )


def misnamed_gold(dataset: DataSet, questions: Sequence[Question]) -> str:
    """Return what labels that name a document which the data set does not have do to the figures; empty without any.

    Only answerable questions count: the places of others are in no figure. Of a data set without documents, whose
    questions are asked of another index, nothing is known.

    Args:
        dataset: Whose documents.
        questions: Those that are asked.
    """
    there = {path.name for path in dataset.documents}
    asked = [{place.document for place in one.gold} for one in questions if one.answerable and one.gold]
    missing = sorted(set().union(*asked) - there) if there else []
    if not missing:
        return ""
    names = f"{', '.join(map(repr, missing[:NAMED]))}{' ...' if len(missing) > NAMED else ''}"
    return (
        f"The labels name {several(len(missing), 'document')} that the data set does not have: {names}. "
        f"{_lost(asked, there)} "
        "Correct `document` in the labels (the file's name, without its folder), or add the files."
    )


def _lost(asked: Sequence[set[str]], there: set[str]) -> str:
    """Return how many questions no passage can be right for, and how many it can for a part of their places."""
    wholly = sum(named.isdisjoint(there) for named in asked)
    partly = sum(not named.isdisjoint(there) and not named <= there for named in asked)
    sentences = []
    if wholly:
        sentences.append(
            f"Every place of {several(wholly, 'answerable question')} is in such a document: whatever is found counts "
            "as missed in hit@k, MRR@10 and nDCG@10, and every citation as wrong."
        )
    if partly:
        sentences.append(
            f"Some places of {several(partly, 'answerable question')} are: they count as missed in nDCG@10."
        )
    return " ".join(sentences)


def _is_document(path: Path, home: Path) -> bool:
    """Return whether ingestion would look at a file: neither it nor a folder above it, below `home`, is hidden."""
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(home).parts)


def _read_questions(path: Path) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """Return the questions of a file, and the fields of them that nothing reads; blank lines are skipped."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{str(path)!r} cannot be read as UTF-8 text: {error}. Save it as UTF-8.") from error
    numbered, unread = read_lines_of(text, called=str(path))
    return tuple(numbered.values()), unread


def read_lines_of(text: str, *, called: str) -> tuple[dict[int, Question], tuple[str, ...]]:
    """Return the questions of a text by the number of their line, and the fields of them that nothing reads.

    Args:
        text: One JSON object a line; blank lines are skipped.
        called: The file's name, for messages.

    Raises:
        ConfigurationError: A line is not a question, or an id occurs twice; the message names the line.
    """
    questions: dict[int, Question] = {}
    fields: set[str] = set()
    known: set[str] = set()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            question, names = _read_question(line, where=f"{called}, line {number}")
            fields |= names
            if question.qid in known:
                raise ConfigurationError(
                    f"{called}, line {number}: the qid {question.qid!r} occurs twice. Give each question its own."
                )
            known.add(question.qid)
            questions[number] = question
    return questions, tuple(sorted(fields - Question.model_fields.keys()))


def _read_question(line: str, *, where: str) -> tuple[Question, set[str]]:
    """Return one question and the names of its line's fields, or say what is wrong with it and where."""
    try:
        value = json.loads(line)
        return _as_question(value, where=where), {*value}
    except (ValueError, RecursionError) as error:  # RecursionError: also of a value that is shown
        raise ConfigurationError(
            f"{where}: not JSON that can be read ({why_no_json(error)}). Each line must be one JSON object."
        ) from error


def _as_question(value: object, *, where: str) -> Question:
    """Return the question that a line's value is, or say what is wrong with it."""
    if not isinstance(value, dict):
        raise ConfigurationError(
            f"{where}: {type(value).__name__} where an object was expected. "
            f"Write one object a line, with qid, question and answerable."
        )
    if meant := _mistyped(value):
        given, field = meant
        raise ConfigurationError(
            f"{where}: there is {given!r} and no {field!r}, so its value would count for nothing. Write {field!r}."
        )
    try:
        return Question.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"{where}: field {field!r} is missing. Add it to this line."
            if first["type"] == "missing"
            else f"{where}: field {field!r} is {shown(first.get('input'))}: {reason_of(first)}. Correct this line."
        ) from error


def _mistyped(value: dict[str, object]) -> tuple[str, str] | None:
    """Return a field that stands there by nearly its name, and that name; None where all stand as they are called.

    >>> _mistyped({"qid": "1", "question": "When?", "Is_Answerable": True})
    ('Is_Answerable', 'answerable')
    """
    missing = Question.model_fields.keys() - value.keys()
    for given in value.keys() - Question.model_fields.keys():
        bare = "".join(letter for letter in given.casefold() if letter.isalpha()).removeprefix("is")
        if bare in missing:
            return given, bare
    return None
