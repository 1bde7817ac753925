"""The benchmarks' command lines: what cannot be measured is said in one line, before anything runs."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest
from log_lines import make_folder
from recorded import answered, refused

from benchmarks.entailment import load_pairs
from benchmarks.options import at_least, setting
from benchmarks.peers.__main__ import _copied, _questions
from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset
from rag.record import answer_data
from training.claims import NEITHER, SUPPORTED, Claim

ROOT = Path(__file__).parents[1]


def made(folder: Path, *rows: dict[str, object], documents: dict[str, str]) -> Path:
    (folder / "documents").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def question(number: int, document: str = "manual.md", *, answerable: bool = True) -> dict[str, object]:
    gold = [{"document": document}] if answerable else []
    return {"qid": f"q{number}", "question": f"What is worn in room {number}?", "answerable": answerable, "gold": gold}


@pytest.mark.parametrize(("lowest", "given"), [(1, "0"), (1, "-3"), (1, "many"), (1, "1.5"), (100, "99"), (0, "-1")])
def test_a_number_below_its_range_is_no_option(lowest: int, given: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"{given!r} is no whole number from {lowest} on"):
        at_least(lowest)(given)


def test_a_number_in_its_range_is_one() -> None:
    assert (at_least(1)("1"), at_least(0)("0"), at_least(100)("1000000")) == (1, 0, 1_000_000)


def test_a_setting_has_a_name_and_a_value_that_may_hold_the_sign() -> None:
    assert setting("CANDOR_TOP_K=3") == ("CANDOR_TOP_K", "3")
    assert setting("URL=http://host/?a=b") == ("URL", "http://host/?a=b")
    assert setting("EMPTY=") == ("EMPTY", "")
    for wrong in ("CANDOR_TOP_K", "=3", ""):
        with pytest.raises(argparse.ArgumentTypeError, match="NAME=VALUE"):
            setting(wrong)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["benchmarks.peers", "--questions", "0"], "argument --questions: '0' is no whole number from 1 on"),
        (["benchmarks.million", "--chunks", "0"], "argument --chunks: '0' is no whole number from 100 on"),
        (["benchmarks.peers", "FOLDER"], "is not a data set"),
        (["benchmarks.entailment", "--scifact", "FOLDER"], "does not exist"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line_and_no_traceback(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    named = [str(tmp_path) if one == "FOLDER" else one for one in arguments]
    done = subprocess.run([sys.executable, "-m", *named], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_peers_ask_the_answerable_questions_about_the_files_that_take_part(tmp_path: Path) -> None:
    rows = [*map(question, range(5)), question(5, "sheet.pdf"), question(6, answerable=False)]
    folder = made(tmp_path / "set", *rows, documents={"manual.md": "Wear gloves.", "sheet.pdf": "%PDF"})
    dataset = load_dataset(folder)
    chosen = _copied(dataset.documents, tmp_path / "copied", 0)
    assert chosen == {"manual.md": "Wear gloves."}
    assert sorted(one.qid for one in _questions(dataset, set(chosen), 200)) == ["q0", "q1", "q2", "q3", "q4"]
    assert len(_questions(dataset, set(chosen), 2)) == 2


def test_peers_without_a_file_or_a_question_that_fits_say_so(tmp_path: Path) -> None:
    folder = made(tmp_path / "set", question(1, "sheet.pdf"), documents={"sheet.pdf": "%PDF"})
    dataset = load_dataset(folder)
    with pytest.raises(ConfigurationError, match=r"None of 1 document ends in \.md or \.txt"):
        _copied(dataset.documents, tmp_path / "copied", 0)
    with pytest.raises(ConfigurationError, match="None of 1 question of 'set' is answerable from 1 document"):
        _questions(dataset, {"manual.md"}, 200)


def test_the_last_log_line_of_a_made_request_has_what_that_of_a_real_one_has(tmp_path: Path) -> None:
    make_folder(tmp_path, lines=200, recorded=0)
    lines = map(json.loads, (tmp_path / "logs" / "candor.jsonl").read_text().splitlines())
    returned = {line["data"]["outcome"]: line["data"] for line in lines if line["event"] == "answer_returned"}
    assert set(returned) == {"answered", "refused"}
    for answer in (answered(), refused()):
        real = answer_data(answer)
        assert set(returned[answer.outcome]) == set(real)
        assert (real["refusal_code"] is None) is (returned[answer.outcome]["refusal_code"] is None)


def written(folder: Path, *rows: object) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_pairs_are_read_and_the_short_name_of_a_label_too(tmp_path: Path) -> None:
    row = {"claim": "It is wet.", "evidence": "It rained.", "label": "NOINFO", "split": "train"}
    assert load_pairs(written(tmp_path, row, "", {**row, "label": "SUPPORT"})) == [
        Claim("It is wet.", "It rained.", NEITHER, "scifact"),
        Claim("It is wet.", "It rained.", SUPPORTED, "scifact"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 1: not JSON"),
        ([1], "line 1: the texts 'claim', 'evidence' and 'label' are needed"),
        ({"claim": "a", "evidence": "b"}, "line 1: the texts"),
        ({"claim": "a", "evidence": "b", "label": "MAYBE"}, "line 1: the label is 'MAYBE'"),
        ("", "is empty"),
    ],
)
def test_a_file_that_holds_no_pairs_is_named_with_its_line(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load_pairs(written(tmp_path, row))
