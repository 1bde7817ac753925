"""The benchmarks' command lines: what cannot be measured is said in one line, before anything runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from log_lines import make_folder
from recorded import answered, refused

from rag.record import answer_data

ROOT = Path(__file__).parents[1]


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


def test_the_last_log_line_of_a_made_request_has_what_that_of_a_real_one_has(tmp_path: Path) -> None:
    make_folder(tmp_path, lines=200, recorded=0)
    lines = map(json.loads, (tmp_path / "logs" / "candor.jsonl").read_text().splitlines())
    returned = {line["data"]["outcome"]: line["data"] for line in lines if line["event"] == "answer_returned"}
    assert set(returned) == {"answered", "refused"}
    for answer in (answered(), refused()):
        real = answer_data(answer)
        assert set(returned[answer.outcome]) == set(real)
        assert (real["refusal_code"] is None) is (returned[answer.outcome]["refusal_code"] is None)
