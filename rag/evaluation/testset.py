"""Test sets of one's own, kept as data sets that `candor evaluate` and the page Evaluate can run.

data_dir/datasets/NAME/questions.jsonl      one question a line; what is indexed is asked
"""

import re
from pathlib import Path

from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, Question, load_dataset
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


def add_question(data_dir: Path, name: str, question: Question) -> DataSet:
    """Add a question to a data set, made where there is none; one with the same words takes the old one's place.

    Args:
        data_dir: The data folder.
        name: Of the data set.
        question: The question with what is known of it.

    Raises:
        ConfigurationError: Nothing of the name is left as the name of a folder.
    """
    if not file_name(name):
        raise ConfigurationError(f"The test set needs a name; {name!r} has no letter and no digit. Give another.")
    folder = data_dir / "datasets" / file_name(name)
    words = words_and_label(question.question, None)[0]
    before = load_dataset(folder).questions if folder.exists() else ()
    others = [one for one in before if words_and_label(one.question, None)[0] != words and one.qid != question.qid]
    folder.mkdir(parents=True, exist_ok=True)
    lines = [one.model_dump_json() + "\n" for one in [*others, question]]
    replace_text(folder / "questions.jsonl", "".join(lines))
    return load_dataset(folder)
