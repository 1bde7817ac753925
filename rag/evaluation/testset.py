"""Test sets of one's own, kept as data sets that `candor evaluate` and the page Evaluate can run.

data_dir/datasets/NAME/questions.jsonl      one question a line
data_dir/datasets/NAME/documents/           the files it asks; where there are none, what is indexed is asked

Questions that people type or import are held against the documents; a message about one names its line.
"""

import csv
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from secrets import token_hex

from pydantic import Field

from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation.datasets import NAMED, DataSet, Gold, Question, load_dataset, read_lines_of, text_in
from rag.evaluation.runs import replace_text
from rag.models import Chunk, Value
from rag.text.words import fold


def datasets_in(data_dir: Path) -> list[Path]:
    """Return the data sets that people made or uploaded."""
    found = sorted(path.parent for path in (data_dir / "datasets").glob("*/questions.jsonl"))
    return [folder for folder in found if not folder.name.startswith(".")]  # those are being written or removed


def file_name(name: str) -> str:
    """Return what a data set or a run is called on disk; empty where nothing of the name is left.

    >>> file_name(" top 3, April? ")
    'top_3_April'
    """
    return re.sub(r"[^\w-]+", "_", name).strip("_")


def keep_dataset(data_dir: Path, name: str, questions: str, documents: Sequence[tuple[str, bytes]] = ()) -> DataSet:
    """Keep a new data set and return it.

    Args:
        data_dir: The data folder.
        name: What to call it; letters, digits, `-` and `_` stay.
        questions: The text of `questions.jsonl`.
        documents: Names and contents; none: the questions are asked of what is indexed.

    Raises:
        ConfigurationError: The name is taken or empty; nothing is kept then.
        ServiceUnavailable: It could not be written; nothing is kept then.
    """
    chosen = file_name(name)
    folder = data_dir / "datasets" / chosen
    if not chosen or folder.exists():
        raise ConfigurationError(f"The data set needs a name of its own; {name!r} is empty or taken. Choose another.")
    trial = folder.with_name(f".{token_hex(8)}.part")  # a name that no other upload has
    try:
        trial.mkdir(parents=True)
        (trial / "questions.jsonl").write_text(questions, encoding="utf-8")
        for called, data in documents:
            (trial / "documents").mkdir(exist_ok=True)
            (trial / "documents" / Path(called.replace("\\", "/")).name).write_bytes(data)
        load_dataset(trial)
        trial.rename(folder)
    except BaseException as error:
        shutil.rmtree(trial, ignore_errors=True)
        if isinstance(error, OSError):
            raise ServiceUnavailable(
                f"The data set {name!r} could not be kept in {str(folder.parent)!r}: {error.strerror or error}. "
                "Free some disk space or make the folder writable, then try again."
            ) from error
        raise
    return load_dataset(folder)


def change_dataset(folder: Path, questions: Sequence[Question]) -> DataSet:
    """Put questions in the place of those of a data set; one whose entry is the same keeps all that its line holds."""
    before = {one.qid: one for one in load_dataset(folder).questions}

    def kept(one: Question) -> Question:
        former = before.get(one.qid, one)
        return former if entry_of(former, 0) == entry_of(one, 0) else one.model_copy(update={"kind": former.kind})

    replace_text(folder / "questions.jsonl", as_lines(map(kept, questions)))
    return load_dataset(folder)


def add_question(data_dir: Path, name: str, question: Question) -> DataSet:
    """Add a question to a data set, made where there is none; one with the same words takes the old one's place."""
    folder = data_dir / "datasets" / file_name(name)
    if not folder.exists():
        return keep_dataset(data_dir, name, as_lines([question]))
    before, words = load_dataset(folder).questions, fold(question.question)
    others = [one for one in before if one.qid != question.qid and fold(one.question) != words]
    return change_dataset(folder, [*others, question])


COLUMNS = ("qid", "question", "answerable", "sentence", "document", "page", "answers")
"""The columns of a CSV file; only `question` must be there."""
_YES, _NO = ("yes", "true", "1", "y"), ("no", "false", "0", "n")
_SHORTEST, _LONGEST = 3, 1000


class Entry(Value):
    """A question as somebody writes it down."""

    line: int = Field(description="Its line in the file or the table, from 1.")
    question: str = Field("", description="The question.")
    answerable: bool | None = Field(None, description="Whether the documents answer it; null: not known.")
    sentence: str = Field("", description="The sentence that answers, word for word; empty: not given.")
    document: str = Field("", description="The document that holds it; empty: to be found.")
    page: int | None = Field(None, description="Its page, from 1.")
    answers: tuple[str, ...] = Field((), description="Acceptable answers.")
    qid: str = Field("", description="Its id; empty: one is given.")


def read_entries(data: bytes, *, called: str) -> list[Entry]:
    """Return the questions of a file: CSV where its name ends so, with commas, semicolons or tabs; else JSONL.

    `ConfigurationError`: it is not that; the message names the line.
    """
    text = text_in(data, called=called)
    if called.lower().endswith(".csv"):
        return [*_csv_entries(text, called)]
    questions, _ = read_lines_of(text, called=called)
    return [entry_of(question, line) for line, question in questions.items()]


def _csv_entries(text: str, called: str) -> Iterator[Entry]:
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=head.count))
    names = {str(name).strip().lower(): name for name in rows.fieldnames or ()}
    if "question" not in names:
        raise ConfigurationError(
            f"{called}, line 1: there is no column 'question'. The first line names the columns: {', '.join(COLUMNS)}."
        )
    for row in rows:
        cells = dict.fromkeys(COLUMNS, "") | {name: (row.get(column) or "").strip() for name, column in names.items()}
        said, page, where = cells["answerable"].lower(), cells["page"], f"{called}, line {rows.line_num}"
        if said not in (*_YES, *_NO, ""):
            raise ConfigurationError(f"{where}: answerable is {said!r}. Write yes or no, or leave it empty.")
        if page and not (page.isdecimal() and len(page) < 10 and int(page)):
            raise ConfigurationError(f"{where}: page is {page!r}. Write a number from 1, or leave it empty.")
        if any(cells.values()):
            yield Entry(
                line=rows.line_num,
                answerable=None if not said else said in _YES,
                page=int(page) if page else None,
                answers=tuple(filter(None, map(str.strip, cells["answers"].split("|")))),
                **{name: cells[name] for name in ("qid", "question", "sentence", "document")},
            )


def entry_of(question: Question, line: int) -> Entry:
    """Return a question of a data set as an entry; of several places the first."""
    said = {name: getattr(question, name) for name in ("qid", "question", "answerable", "answers")}
    for place in question.gold[:1]:
        said |= {"sentence": place.sentence, "document": place.document, "page": place.page}
    return Entry(line=line, **said)


def as_lines(questions: Iterable[Question]) -> str:
    """Return questions as JSONL."""
    rows = (one.model_dump(mode="json", exclude_defaults=True) for one in questions)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(questions: Sequence[Question]) -> str:
    """Return questions as CSV, which `read_entries` reads again; of several places the first."""
    file = io.StringIO()
    rows = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
    rows.writeheader()
    for one in (entry_of(question, 0) for question in questions):
        said = {True: "yes", False: "no", None: ""}[one.answerable]
        rows.writerow({**dict(one), "answerable": said, "answers": " | ".join(one.answers)})
    return file.getvalue()


def checked(
    entries: Sequence[Entry], *, called: str, documents: Sequence[str], chunks: Iterable[Chunk] | None
) -> list[Question]:
    """Return entries as questions of a data set, each sentence with the place where it stands.

    Args:
        entries: What somebody wrote, for messages `called` so.
        documents: The names of the documents that are asked.
        chunks: Their chunks; None: they are not at hand, and sentences are not looked up.

    Raises:
        ConfigurationError: Something is wrong with one or more; each is named with its line.
    """
    wanted = {(_flat(one.sentence), one.document) for one in entries if one.sentence}
    places = _places(wanted, chunks) if chunks is not None and wanted else {}
    wrong, seen, questions = list[str](), dict[str, int](), list[Question]()
    taken = {one.qid for one in entries if one.qid}
    for one in entries:
        place = places.get((_flat(one.sentence), one.document))
        if found := _what_is_wrong(one, documents, place is not None or chunks is None, seen.get(fold(one.question))):
            wrong.append(f"line {one.line}: {found}")
            continue
        seen[fold(one.question)] = one.line
        qid = one.qid or next(name for n in range(one.line, 10**9) if (name := f"q{n}") not in taken)
        taken.add(qid)
        if place is None and (one.sentence or (one.document and one.answerable)):
            place = Gold(document=one.document, page=one.page, quote=one.sentence or None)
        said = one.model_dump(include={"question", "answerable", "answers"})
        questions.append(Question(qid=qid, **said, gold=(place,) if place else ()))
    if wrong or not questions:
        more = f" And {len(wrong) - NAMED} more." if len(wrong) > NAMED else ""
        told = " ".join(wrong[:NAMED]) or "there is no question. Write one."
        raise ConfigurationError(f"{called}, {told}{more}")
    return questions


def _what_is_wrong(entry: Entry, documents: Sequence[str], is_found: bool, before: int | None) -> str:
    """Return what is wrong with an entry, and what to do; empty where nothing is."""
    length = len(" ".join(entry.question.split()))
    if not _SHORTEST <= length <= _LONGEST:
        return f"the question has {length} characters. Write {_SHORTEST} to {_LONGEST}, or take the line out."
    if before is not None:
        return f"it repeats the question of line {before}. Take one of them out."
    if entry.document and entry.document not in documents:
        return f"there is no document {entry.document!r}. Write a name as the page Documents shows it."
    if entry.sentence and entry.answerable is False:
        return "it has a sentence that answers and is said not to be answerable. Take the sentence out, or write yes."
    if entry.sentence and not is_found:
        where = repr(entry.document) if entry.document else "no document"
        held = "does not hold" if entry.document else "holds"
        return f"{where} {held} the sentence {entry.sentence[:60]!r} word for word. Copy it from the document."
    return ""


def _places(wanted: Set[tuple[str, str]], chunks: Iterable[Chunk]) -> dict[tuple[str, str], Gold]:
    """Return where sentences stand, by sentence and document as they were given."""
    found: dict[tuple[str, str], Gold] = {}
    for chunk in chunks:
        text = _flat(chunk.content)
        for sentence, document in wanted - found.keys():
            if document in ("", chunk.document) and sentence in text:
                place = Gold(document=chunk.document, page=chunk.page, section=chunk.section_number, quote=sentence)
                found[sentence, document] = place
    return found


def _flat(text: str) -> str:
    return " ".join(text.split())
