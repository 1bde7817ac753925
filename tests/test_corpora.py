"""The data sets that a reader can be trained on are what their README says: verbatim, balanced and in pairs."""

from collections import Counter

import pytest
from library import ROOT

from rag.evaluation.datasets import DataSet, load_dataset

CORPORA = sorted(path.parent for path in (ROOT / "training" / "corpora").glob("*/questions.jsonl"))
HELD_OUT = ROOT / "training" / "held_out" / "lessons"


@pytest.fixture(scope="module", params=[*CORPORA, HELD_OUT], ids=lambda folder: folder.name)
def dataset(request: pytest.FixtureRequest) -> DataSet:
    return load_dataset(request.param)


@pytest.fixture(scope="module")
def texts(dataset: DataSet) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in dataset.documents}


def test_there_are_forty_seven_sets_of_ten_documents() -> None:
    assert len(CORPORA) == 47
    assert {len(list((folder / "documents").glob("*.md"))) for folder in CORPORA} == {10}


def test_every_gold_text_and_answer_stands_verbatim_in_its_document_and_half_of_its_questions_are_answered(
    dataset: DataSet, texts: dict[str, str]
) -> None:
    for question in dataset.questions:
        (gold,) = question.gold
        assert gold.document in texts, question.qid
        assert bool(question.answers) == question.answerable, question.qid
        if question.answerable:
            assert gold.text, question.qid
            assert gold.text in texts[gold.document], question.qid
            assert all(answer in gold.text for answer in question.answers), question.qid
    counts = Counter((question.gold[0].document, question.answerable) for question in dataset.questions)
    for document in {document for document, _ in counts}:
        assert abs(counts[document, True] - counts[document, False]) <= 4, document


def test_a_question_has_a_twin_of_the_other_label(dataset: DataSet) -> None:
    labels = {question.qid: question.answerable for question in dataset.questions}
    pairs = [(labels[qid], labels[f"{qid}t"]) for qid in labels if f"{qid}t" in labels]
    assert len(pairs) >= 0.48 * len(labels)
    assert all(one != other for one, other in pairs)


def test_no_document_and_no_question_of_the_set_held_out_is_trained_on() -> None:
    held, seen = load_dataset(HELD_OUT), [load_dataset(folder) for folder in CORPORA]
    assert not {path.name for path in held.documents} & {path.name for each in seen for path in each.documents}
    asked = {question.question.casefold() for question in held.questions}
    assert not asked & {question.question.casefold() for each in seen for question in each.questions}
