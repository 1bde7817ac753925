"""Test sets of one's own: kept as data sets, changed, added to, and asked of what is indexed."""

import errno
import json
from pathlib import Path

import pytest
from library import quiet_settings
from readers import ScriptedReader

from rag.candor import Candor
from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation.datasets import Gold, Question, load_dataset
from rag.evaluation.entries import as_lines
from rag.evaluation.own_index import run
from rag.evaluation.testset import add_question, change_dataset, datasets_in, keep_dataset

FIRST = Question(qid="1", question="Who lights the lantern?", answerable=True, kind="fact", answers=("Marta",),
                 gold=(Gold(document="a.md", text="The lantern is lit by Marta."), Gold(document="b.md")))  # fmt: skip
LINE = as_lines([FIRST])


def test_a_test_set_is_a_data_set_folder(tmp_path: Path) -> None:
    kept = keep_dataset(tmp_path, "my set", LINE, [("folder/a.md", b"# A\n")])
    assert (kept.name, [path.name for path in kept.documents]) == ("my_set", ["a.md"])
    assert datasets_in(tmp_path) == [kept.folder]
    assert load_dataset(kept.folder).questions == (FIRST,)


def test_a_name_that_is_taken_and_lines_that_are_none_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    keep_dataset(tmp_path, "mine", LINE)
    with pytest.raises(ConfigurationError, match="is empty or taken"):
        keep_dataset(tmp_path, "mine", LINE)
    with pytest.raises(ConfigurationError, match="line 1: not JSON"):
        keep_dataset(tmp_path, "other", "no json\n")
    assert [path.name for path in (tmp_path / "datasets").iterdir()] == ["mine"]


def test_what_the_disk_has_no_room_for_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "second.md":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ServiceUnavailable, match="No space left on device"):
        keep_dataset(tmp_path, "mine", LINE, [("first.md", b"# Old"), ("second.md", b"# More")])
    assert [*(tmp_path / "datasets").iterdir()] == []


def test_a_question_whose_words_stay_keeps_all_that_its_line_held(tmp_path: Path) -> None:
    folder = keep_dataset(tmp_path, "mine", LINE).folder
    place = Gold(document="a.md", quote="The lantern is lit by Marta.")
    same, other = FIRST.model_copy(update={"gold": (place,), "kind": None}), Question(qid="2", question="And who else?")
    assert change_dataset(folder, [same, other]).questions == (FIRST, other)
    reworded = same.model_copy(update={"question": "Who lights it?"})
    (changed,) = change_dataset(folder, [reworded]).questions
    assert (changed.question, changed.kind, len(changed.gold)) == ("Who lights it?", "fact", 1)


def test_a_question_is_added_to_a_set_that_is_made_for_it_and_replaced_where_its_words_are_there(
    tmp_path: Path,
) -> None:
    add_question(tmp_path, "from people", Question(qid="a", question="Who pays?"))
    add_question(tmp_path, "from people", Question(qid="b", question="Who sleeps?"))
    kept = add_question(tmp_path, "from people", Question(qid="c", question="who  PAYS?", answerable=False))
    assert [(one.qid, one.answerable) for one in kept.questions] == [("b", None), ("c", False)]


def test_questions_without_documents_are_asked_of_what_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = quiet_settings(tmp_path / "data")
    with Candor.open(settings) as candor:
        candor.wiring.reader = ScriptedReader(lambda *_: 0.9, lambda *_: True)
        candor.ingest_bytes("lamps.md", b"# Lamps\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n")
    folder = keep_dataset(tmp_path / "data", "mine", LINE).folder
    out = tmp_path / "data" / "runs" / "mine.jsonl"
    found = run(folder, settings, out=out)
    (line,) = [json.loads(one) for one in out.read_text(encoding="utf-8").splitlines()]
    assert [one["document"] for one in line["retrieved"]] == ["lamps.md"]
    assert found.summary.questions == 1
    assert found.decided
