"""Questions made from labelled ones are what they claim to be: answered by their passage, or one word away from it."""

import random
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from rag.evaluation.datasets import load_dataset

ROOT = Path(__file__).parents[1]
PASSAGE = "The pumps in the cellar are tested every March by Dr Ek. Valves are oiled twice a year. It is not known why."


@pytest.fixture(scope="module")
def vary():
    spec = spec_from_file_location("vary_questions", ROOT / "scripts" / "vary_questions.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def kin(vary):
    """`pumps` has a neighbour of its kind (.4), one that is nearly the same word (.8), and one of another kind (.1)."""
    words = ["pumps", "fans", "pumping", "clouds"]
    vectors = np.array([[1, 0], [0.4, 0.917], [0.8, 0.6], [0.1, 0.995]], dtype=np.float32)
    return vary.Kin(words, vectors, {word: row for row, word in enumerate(words)}, {"manual.md": ["Ek", "Lund"]})


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The pumps in the cellar are tested every March.", "Are the pumps in the cellar tested every March?"),
        ("After a year, valves must not be reused, because they leak.", "Must valves be reused?"),
        ("Valves have been oiled since 1990.", "Have Valves been oiled?"),
        ("It is not known why.", None),
        ("The pumps that leak are tested.", None),
        ("Test the pumps.", None),
        ("The pumps are old.", None),
    ],
)
def test_a_sentence_is_turned_around_where_its_subject_stands_alone(vary, sentence, question):
    assert vary.yes_no(sentence) == question


def test_a_word_that_the_passage_holds_is_replaced_by_one_of_its_kind_that_it_lacks(vary, kin):
    made = {
        vary.near_miss("When are the pumps tested?", PASSAGE, "manual.md", kin, random.Random(seed))
        for seed in range(20)
    }
    assert made == {"When are the fans tested?"}  # not `pumping` or `clouds`; `tested` has no neighbours


def test_a_name_is_replaced_by_another_of_its_document_and_a_number_by_another_number(vary, kin):
    name = vary.near_miss("What does Dr Ek do?", PASSAGE, "manual.md", kin, random.Random(1))
    number = vary.near_miss("Is it 25 bar?", "It is 25 bar.", "manual.md", kin, random.Random(1))

    assert name == "What does Dr Lund do?"
    assert number != "Is it 25 bar?"
    assert number.startswith("Is it ")
    assert number.endswith(" bar?")


def test_nothing_is_made_where_no_word_can_be_replaced(vary, kin):
    assert vary.near_miss("Why is that?", PASSAGE, "manual.md", kin, random.Random(1)) is None


def test_a_varied_data_set_holds_the_old_questions_and_labels_the_new_ones(vary, tmp_path, kin):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "manual.md").write_text(f"# Manual\n\n{PASSAGE}\n", encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(
        '{"qid": "1", "question": "When are the pumps tested?", "answerable": true, "answers": ["March"], '
        f'"gold": [{{"document": "manual.md", "text": "{PASSAGE}"}}]}}\n',
        encoding="utf-8",
    )
    lines = vary.varied(load_dataset(tmp_path), kin, polar=10, near=10, seed=1)
    made = {(line["kind"], line["question"]): line["answerable"] for line in lines}

    assert made.pop(("yes-no", "Are the pumps in the cellar tested every March by Dr Ek?"))
    assert made.pop(("yes-no", "Are Valves oiled twice a year?"))
    assert made.pop(("near-miss", "When are the fans tested?")) is False
    assert {kind: answerable for (kind, _), answerable in made.items()} == {"yes-no-miss": False}
