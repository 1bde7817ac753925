"""The benchmarks' command lines: what cannot be measured is said in one line, before anything runs."""

import subprocess
import sys
from pathlib import Path

import pytest

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
def test_a_mistake_on_the_command_line_is_one_line_and_no_traceback(tmp_path, arguments, said):
    named = [str(tmp_path) if one == "FOLDER" else one for one in arguments]
    done = subprocess.run([sys.executable, "-m", *named], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
