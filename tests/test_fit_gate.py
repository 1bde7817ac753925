"""The script that fits the shipped gate: what it asks, what it keeps, and what it says, without an index or a model."""

import argparse
import hashlib
import json
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rag.confidence.signals import LOWEST, SIGNALS
from rag.evaluation.calibration import calibrate
from rag.evaluation.datasets import load_dataset
from rag.evaluation.labelled import Labelled
from rag.settings import Settings

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


def test_a_folder_of_everyday_questions_becomes_a_data_set_of_the_same_documents(script, tmp_path):
    dataset = load_dataset(script.everyday(everyday(tmp_path / "lamps"), tmp_path / "work"))
    yes, no = dataset.questions[:2]

    assert (dataset.name, [path.name for path in dataset.documents]) == ("lamps", ["lamps.md"])
    assert (yes.qid, yes.question, yes.answerable, yes.kind, yes.answers) == (
        "la-0", "do i turn lamp 0 off", True, "yesno", ("Yes.",)
    )  # fmt: skip
    assert [(place.document, place.text) for place in yes.gold] == [
        ("lamps.md", "A lamp is switched off."), ("lamps.md", "It cools.")
    ]  # fmt: skip
    assert (no.answerable, no.answers, no.gold) == (False, (), ())


def test_writing_it_again_takes_what_the_folder_holds_now(script, tmp_path):
    script.everyday(everyday(tmp_path / "lamps"), tmp_path / "work")
    (tmp_path / "lamps" / "documents" / "lamps.md").rename(tmp_path / "lamps" / "documents" / "torches.md")

    assert [path.name for path in load_dataset(script.everyday(tmp_path / "lamps", tmp_path / "work")).documents] == [
        "torches.md"
    ]


def test_a_sample_is_the_same_for_the_same_seed_and_no_larger_than_asked(script, tmp_path):
    dataset = load_dataset(script.everyday(everyday(tmp_path / "lamps", 20), tmp_path / "work"))
    one, again, other = (
        [question.qid for question in script.chosen(dataset, sample=5, seed=seed, only_fold=False).questions]
        for seed in (7, 7, 8)
    )

    assert one == again != other
    assert len(one) == len(set(one)) == 5
    assert len(script.chosen(dataset, sample=99, seed=7, only_fold=False).questions) == 20


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


class Pipeline:
    """Finds something for every question, and notes what was asked."""

    def __init__(self):
        self.asked, self.settings = [], Settings()
        self.wiring = SimpleNamespace(embedder=SimpleNamespace(fingerprint="mini@1"), reader_name="small@1")

    def retrieve(self, question, estimator):
        assert estimator == "calibrated"
        if len(self.asked) == 3:
            raise KeyboardInterrupt
        self.asked.append(question)
        hits = [SimpleNamespace(document="lamps.md", chapter=None, section=None)]
        decision = SimpleNamespace(inputs={**LOWEST, "best": 1.5})
        return SimpleNamespace(
            retrieval=SimpleNamespace(hits=hits), decision=decision, other=None, editions_searched=None
        )


def test_an_interrupted_run_goes_on_where_it_was_and_a_torn_line_is_asked_again(script, tmp_path, monkeypatch):
    folder = script.everyday(everyday(tmp_path / "lamps", 5), tmp_path / "work")
    candor = Pipeline()

    @contextmanager
    def opened(folder, settings):
        yield candor, load_dataset(folder), None

    monkeypatch.setattr(script, "opened", opened)
    options = argparse.Namespace(work=tmp_path / "work", sample=None, seed=7, only_fold=False)
    with pytest.raises(KeyboardInterrupt):
        script.gathered(folder, candor.settings, options, set())
    (kept,) = (tmp_path / "work" / "signals").iterdir()
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) == 3
    kept.write_text("".join(lines[:2]) + lines[2][:20], encoding="utf-8")

    candor = Pipeline()
    rows = script.gathered(folder, candor.settings, options, set())
    assert candor.asked == [f"do i turn lamp {number} off" for number in (2, 3, 4)]
    assert [(row.qid, row.answerable, row.signals[0]) for row in rows] == [
        (f"la-{number}", not number % 2, 1.5) for number in range(5)
    ]
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 5


def rows(dataset, *, apart, seed):
    dice = np.random.default_rng(seed)
    return [
        Labelled(
            dataset=dataset,
            group=f"{number % 6}.md",
            answerable=number % 10 < 7,
            qid=str(number),
            signals=tuple(dice.normal(apart if number % 10 < 7 else 0.0, 1.0, len(SIGNALS)).tolist()),
        )
        for number in range(200)
    ]


def test_figures_are_told_for_each_data_set_by_a_fit_on_the_others_and_without_each_signal(script):
    given = [*rows("near", apart=2.0, seed=1), *rows("far", apart=0.0, seed=2)]
    told = script.cross_fitted(given)

    assert [line.split(":")[0] for line in told.splitlines() if not line.startswith(" ")] == [
        "all", "near", "far", *(f"without {name}" for name in SIGNALS)
    ]  # fmt: skip
    assert "near: 140 answerable, 60 not. AUROC 0." in told
    assert told.count("coverage at 5% false: ") == 3


def test_a_blank_signal_gets_no_weight(script):
    given = script.without(rows("near", apart=2.0, seed=1), "clear")

    assert calibrate(given, max_false_answer_rate=0.1, horizon=None).fit.signals == ("best", "second", "agree")


def test_what_is_told_of_a_fit_are_its_thresholds_and_what_they_do_elsewhere(script):
    found = calibrate(rows("near", apart=2.0, seed=1), max_false_answer_rate=0.2, horizon=None)
    told, elsewhere = script.tell(found), script.judged(found.fit, rows("far", apart=2.0, seed=3))

    assert f"threshold {found.fit.threshold:.4f}. At {found.fit.threshold:.4f}" in told
    assert f"unsure_threshold {found.fit.unsure_threshold:.4f}: refused of the answerable" in told
    assert elsewhere.startswith("far, not fitted on: 140 answerable, 60 not. AUROC 0.")
    assert " of 140) of the answerable" in elsewhere
