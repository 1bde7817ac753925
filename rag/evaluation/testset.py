"""Test sets of one's own, kept as data sets that `candor evaluate` and the page Evaluate can run.

data_dir/datasets/NAME/questions.jsonl      one question a line
data_dir/datasets/NAME/documents/           the files it asks; where there are none, what is indexed is asked
"""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation.datasets import DataSet, Question, load_dataset
from rag.evaluation.entries import as_lines, entry_of
from rag.evaluation.repeated import words_and_label
from rag.evaluation.runs import replace_text


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
                f"Free some disk space or make the folder writable, then try again."
            ) from error
        raise
    return load_dataset(folder)


def change_dataset(folder: Path, questions: Sequence[Question]) -> DataSet:
    """Put questions in the place of those of a data set; one whose entry is the same keeps all that its line holds.

    Args:
        folder: The data set.
        questions: All of its questions from now on.
    """
    before = {one.qid: one for one in load_dataset(folder).questions}
    replace_text(folder / "questions.jsonl", as_lines(_with_the_rest(one, before.get(one.qid)) for one in questions))
    return load_dataset(folder)


def add_question(data_dir: Path, name: str, question: Question) -> DataSet:
    """Add a question to a data set, made where there is none; one with the same words takes the old one's place.

    Args:
        data_dir: The data folder.
        name: Of the data set.
        question: The question with what is known of it.
    """
    folder = data_dir / "datasets" / file_name(name)
    if not folder.exists():
        return keep_dataset(data_dir, name, as_lines([question]))
    words = words_and_label(question.question, None)[0]
    others = [one for one in load_dataset(folder).questions if words_and_label(one.question, None)[0] != words]
    return change_dataset(folder, [*(one for one in others if one.qid != question.qid), question])


def _with_the_rest(question: Question, before: Question | None) -> Question:
    if before is None:
        return question
    if entry_of(before, 0) == entry_of(question, 0):
        return before
    return question.model_copy(update={"kind": before.kind})
