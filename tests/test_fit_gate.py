"""The script that chooses the shipped gate's thresholds: what it asks, what it keeps, and what it chooses."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from library import quiet_settings

from rag.candor import Candor

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("fit_gate", ROOT / "scripts" / "fit_gate.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ASKED = (
    ("Who oils the winches?", "winches"),
    ("What do the winches weigh?", "winches"),
    ("When are the lamps oiled?", "lamps"),
    ("Who oils the winches?", "lamps"),
)
"""Questions over two documents, the even ones answerable."""


def folder_of(home: Path) -> Path:
    (home / "documents").mkdir(parents=True)
    for name in ("lamps", "winches"):
        text = f"# {name}\n\nThe {name} are oiled in May by the foreman. Nobody touches them on Sundays."
        (home / "documents" / f"{name}.md").write_text(text, encoding="utf-8")
    rows = [
        {"id": str(number), "question": asked, "answerable": not number % 2, "document": f"{document}.md"}
        for number, (asked, document) in enumerate(ASKED)
    ]
    (home / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return home


def test_each_question_is_asked_of_its_own_document_once(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "load_settings", lambda **chosen: quiet_settings(chosen["data_dir"]))
    folder, work = folder_of(tmp_path / "yard"), tmp_path / "work"
    rows = script.asked_of(folder, work, 9)
    answered, others = ([row.confidence for row in rows if row.answerable is kind] for kind in (True, False))
    assert (len(answered), len(others)) == (2, 2)
    assert min(answered) > max(others)

    (kept,) = work.glob("yard-*.jsonl")
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:4], encoding="utf-8")  # as a killed run leaves it
    asked: list[str] = []
    nothing = SimpleNamespace(retrieval=SimpleNamespace(hits=()))
    monkeypatch.setattr(Candor, "retrieve", lambda self, question, **_: asked.append(question) or nothing)
    assert script.asked_of(folder, work, 9)[:3] == rows[:3]
    assert len(asked) == 1


def test_thresholds_keep_both_rates_and_are_no_stricter(script: ModuleType) -> None:
    """Of ten others at .05, .15 ... .95 one may be answered: from .86 on. Of ten answerable ones one may be refused."""
    places = [number / 10 + 0.05 for number in range(10)]
    rows = [script.Asked(answerable, one) for answerable in (True, False) for one in places]
    assert script.thresholds(rows, most_false=0.1, most_refused=0.1) == (0.86, 0.15)
    assert "answered 0.100" in script.told("all", rows, 0.86, 0.15)
