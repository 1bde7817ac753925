import json
from pathlib import Path

import pytest

from rag.opening.english import is_foreign

ROWS = [line.split("\t") for line in Path(__file__).with_name("languages.tsv").read_text(encoding="utf-8").splitlines()]
FOREIGN, ENGLISH = ([text for kind, text in ROWS if kind == wanted] for wanted in ("foreign", "english"))


def test_nine_of_ten_questions_in_other_languages_are_foreign():
    missed = [text for text in FOREIGN if not is_foreign(text)]

    assert len(missed) <= len(FOREIGN) // 10, missed


def test_names_keywords_loan_words_typing_errors_and_signs_alone_are_not_foreign():
    assert [text for text in (*ENGLISH, "???", "42 + 17 = ?") if is_foreign(text)] == []


@pytest.mark.data
@pytest.mark.parametrize("name", ["everyday_dev", "squad2"])
def test_at_most_one_of_200_english_questions_is_foreign(shared_data, name):
    lines = (shared_data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    foreign = [text for text in asked if is_foreign(text)]

    assert len(foreign) <= len(asked) // 200, foreign
