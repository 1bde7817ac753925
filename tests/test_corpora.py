"""The data sets that a reader can be trained on are what their README says: verbatim, balanced and in pairs."""

from collections import Counter

import pytest
from library import ROOT

from rag.evaluation.datasets import load_dataset

CORPORA = sorted(path.parent for path in (ROOT / "training" / "corpora").glob("*/questions.jsonl"))
HELD_OUT = ROOT / "training" / "held_out" / "lessons"


def test_there_are_forty_seven_sets_of_ten_documents() -> None:
    assert len(CORPORA) == 47
    assert {len(list((folder / "documents").glob("*.md"))) for folder in CORPORA} == {10}


@pytest.mark.parametrize("folder", [*CORPORA, HELD_OUT], ids=lambda folder: folder.name)
def test_gold_stands_verbatim_in_its_document_half_is_answered_and_a_twin_has_the_other_label(folder) -> None:
    dataset = load_dataset(folder)
    texts = {path.name: path.read_text(encoding="utf-8") for path in dataset.documents}
    for question in dataset.questions:
        (gold,) = question.gold
        assert bool(question.answers) == bool(gold.text) == question.answerable, question.qid
        assert (gold.text or "") in texts[gold.document], question.qid
        assert all(answer in gold.text for answer in question.answers), question.qid
    counts = Counter((question.gold[0].document, question.answerable) for question in dataset.questions)
    assert all(abs(counts[document, True] - counts[document, False]) <= 4 for document in texts)
    labels = {question.qid: question.answerable for question in dataset.questions}
    twins = [labels[qid] != labels[f"{qid}t"] for qid in labels if f"{qid}t" in labels]
    assert all(twins)
    assert len(twins) >= 0.48 * len(labels)


def test_no_document_and_no_question_of_the_set_held_out_is_trained_on() -> None:
    held, seen = load_dataset(HELD_OUT), [load_dataset(folder) for folder in CORPORA]
    assert not {path.name for path in held.documents} & {path.name for each in seen for path in each.documents}
    asked = {question.question.casefold() for question in held.questions}
    assert not asked & {question.question.casefold() for each in seen for question in each.questions}
