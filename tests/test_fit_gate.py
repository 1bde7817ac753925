"""The script that fits the shipped gate asks about no document that the reader was trained on."""

import hashlib
import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from rag.evaluation.datasets import load_dataset

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("fit_gate", ROOT / "scripts" / "fit_gate.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def everyday(folder, count=4):
    """A folder of everyday questions: the even ones are answerable."""
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "lamps.md").write_text("# Lamps\n\nA lamp is switched off.\n", encoding="utf-8")
    lines = [
        {
            "id": f"la-{number}",
            "question": f"do i turn lamp {number} off",
            "variants": ["lamp off?", "lamp left on"],
            "answerable": not number % 2,
            "kind": "yesno",
            "document": "lamps.md",
            "gold": [] if number % 2 else ["A lamp is switched off.", "It cools."],
            "answer": "" if number % 2 else "Yes.",
            "near": [],
        }
        for number in range(count)
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_only_documents_that_training_left_out_are_asked_about(script, tmp_path):
    names = [f"{number}.md" for number in range(40)]
    left_out = [name for name in names if int(hashlib.md5(name.encode()).hexdigest(), 16) % 10 == 0]
    assert [name for name in names if script.is_left_out(name)] == left_out
    assert left_out

    dataset = load_dataset(script.everyday(everyday(tmp_path / "lamps"), tmp_path / "work"))
    picked = script.chosen(dataset, sample=None, seed=7, only_fold=True)
    # of the unanswerable ones no document is known yet
    assert [one.qid for one in picked.questions] == [
        one.qid for one in dataset.questions if not one.gold or script.is_left_out("lamps.md")
    ]
