"""The sample library keeps its promises."""

import json
import sys
from pathlib import Path

import pytest
from loader_checks import SAMPLES, check, page_of

from rag.ingest.finding import find
from rag.ingest.loaders import load
from rag.text.words import fold

SCRIPTS = Path(__file__).parents[3] / "scripts"
QUESTIONS = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
DOCUMENTS = {path.name: check(load(path)) for path in find([SAMPLES]).files if path.name != "README.md"}


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one["answerable"]], ids=lambda one: one["qid"])
def test_answer_stands_where_the_question_says(question: dict) -> None:  # type: ignore[type-arg]
    gold = question["gold"][0]
    document = DOCUMENTS[gold["document"]]
    at = document.text.index(gold["text"])
    section = next(one for one in document.sections if one.start <= at < one.end)
    assert (section.chapter, section.section_number) == (gold["chapter"], gold["section"])
    assert gold["page"] == (page_of(document, gold["text"]) if document.pages else None)
    assert any(fold(answer) in fold(document.text) for answer in question["answers"])


def test_generated_files_come_out_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("reportlab")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import make_samples

    make_samples.write_manual(tmp_path / "safety_manual.pdf")
    make_samples.write_policy(tmp_path / "travel_policy.docx")
    del sys.modules["make_samples"]
    for name in ("safety_manual.pdf", "travel_policy.docx"):
        assert (tmp_path / name).read_bytes() == (SAMPLES / name).read_bytes()
