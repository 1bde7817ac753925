"""Data sets: a folder with `questions.jsonl` and documents, in `documents/` or beside it, read into frozen values."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError, field_validator

from rag.errors import ConfigurationError
from rag.models import Value
from rag.models.complaints import reason_of, shown, why_no_json
from rag.text.counted import several

NAMED = 5  # how many documents a message names


class Gold(Value):
    """Where an answer stands, as far as the label says; null means not given."""

    document: str = Field(min_length=1, description="File name of the document.")
    page: int | None = Field(None, ge=1, description="Page, counted from 1.")
    chapter: int | str | None = Field(None, description="Chapter number; not part of relevance.")
    section: str | None = Field(None, coerce_numbers_to_str=True, description="Section number, or number and title.")
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


class Question(Value):
    """One line of `questions.jsonl`; fields that are not listed here are ignored."""

    qid: str = Field(min_length=1, coerce_numbers_to_str=True, description="Id, unique in the data set.")
    question: str = Field(description="The question; whether it is valid is for the pipeline to say.")
    answerable: bool | None = Field(
        None, strict=True, description="Whether the documents answer it; null: not labelled."
    )
    kind: str | None = Field(None, description="What sort of question it is; figures are given per kind.")
    answers: tuple[str, ...] = Field((), description="Acceptable answers, each sufficient.")
    gold: tuple[Gold, ...] = Field((), description="Places that hold an answer, each sufficient.")

    model_config = ConfigDict(extra="ignore")

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
    """Read a data set: a folder that holds `questions.jsonl` and `documents/`, or the documents themselves.

    Raises:
        ConfigurationError: No such folder or file, a line that is not a question, or an id that occurs twice.
    """
    path, inside = folder / "questions.jsonl", folder / "documents"
    if not path.is_file():
        raise ConfigurationError(
            f"{str(folder)!r} is not a data set: {str(path)!r} does not exist. Name a folder with documents/ and "
            "questions.jsonl, one JSON object a line."
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{str(path)!r} cannot be read: {error}.") from error
    numbered, unread = read_lines_of(text_in(data, called=str(path)), called=str(path))
    return DataSet(
        name=folder.resolve().name,
        folder=folder,
        questions=tuple(numbered.values()),
        documents=tuple(sorted(_documents(inside if inside.is_dir() else folder, deep=inside.is_dir()))),
        unread=unread,
    )


def text_in(data: bytes, *, called: str) -> str:
    """Return the text of a file; raises `ConfigurationError` where it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{called!r} cannot be read as UTF-8 text: {error}. Save it as UTF-8.") from error


def _documents(home: Path, *, deep: bool) -> Iterator[Path]:
    """Yield the files that ingestion would look at: neither they nor a folder above them, below `home`, is hidden."""
    for path in home.rglob("*") if deep else (one for one in home.iterdir() if one.suffix != ".jsonl"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(home).parts):
            yield path


def unlabelled(dataset: DataSet) -> str:
    """Return what is missing where no question says whether it is answerable, not even null; empty where one does."""
    if any("answerable" in one.model_fields_set for one in dataset.questions):
        return ""
    unread = f"; fields that nothing reads: {_listed(dataset.unread)}" if dataset.unread else ""
    return (
        f"No question has 'answerable'{unread}. Coverage, false answers and what is figured over them need it: write "
        "true or false, or null where nobody knows."
    )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:NAMED]))}{' ...' if len(names) > NAMED else ''}"


def misnamed_gold(dataset: DataSet, questions: Sequence[Question]) -> str:
    """Return what labels that name a document which the data set does not have do to the figures; empty without any.

    Of a data set without documents, whose questions are asked of another index, nothing is known.
    """
    there = {path.name for path in dataset.documents}
    asked = [{place.document for place in one.gold} for one in questions if one.answerable]
    missing = sorted(set().union(*asked) - there) if there else []
    if not missing:
        return ""
    touched = sum(not named <= there for named in asked)
    return (
        f"The labels name {several(len(missing), 'document')} that the data set does not have: {_listed(missing)}. "
        f"These places of {several(touched, 'answerable question')} count as missed in hit@k, MRR@10 and nDCG@10, and "
        "no citation as right there. Correct `document` in the labels (the file's name, without its folder), or add "
        "the files."
    )


def read_lines_of(text: str, *, called: str) -> tuple[dict[int, Question], tuple[str, ...]]:
    """Return the questions of a text, one JSON object a line, by their line, and the fields that nothing reads.

    Raises:
        ConfigurationError: A line is not a question, or an id occurs twice; the message names the line.
    """
    questions, fields, known = dict[int, Question](), set[str](), set[str]()
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{called}, line {number}"
        try:
            value = json.loads(line)
            questions[number] = question = _as_question(value, where=where)
        except (ValueError, RecursionError) as error:  # RecursionError: also of a value that is shown
            raise ConfigurationError(
                f"{where}: not JSON that can be read ({why_no_json(error)}). Each line must be one JSON object."
            ) from error
        if question.qid in known:
            raise ConfigurationError(f"{where}: the qid {question.qid!r} occurs twice. Give each question its own.")
        known.add(question.qid)
        fields |= {*value}
    return questions, tuple(sorted(fields - Question.model_fields.keys()))


def _as_question(value: object, *, where: str) -> Question:
    """Return the question that a line's value is, or say what is wrong with it."""
    if not isinstance(value, dict):
        raise ConfigurationError(
            f"{where}: {type(value).__name__} where an object was expected, with qid, question and answerable."
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
        field = ".".join(map(str, first["loc"]))
        why = f"is {shown(first.get('input'))}: {reason_of(first)}. Correct"
        if first["type"] == "missing":
            why = "is missing. Add it to"
        raise ConfigurationError(f"{where}: field {field!r} {why} this line.") from error


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
