"""What tests of the command line share: an option, a process that is begun, what a command printed and logged."""

import json
import subprocess
import sys

from library import ROOT, clean_environment

SURE = ("--confidence-threshold", "0")


def begun(*arguments, data_dir, **streams):
    """Begin a command in a process of its own."""
    command = [sys.executable, "-c", "from rag.cli import main; main()", *map(str, arguments)]
    environment = {**clean_environment(data_dir), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, text=True, **streams)


def clear(ran):
    """Whether a command failed with one clear line, without a traceback."""
    return ran.code != 0 and "Traceback" not in ran.err and ran.err.strip().count("\n") == 0


def lines_of(data_dir):
    return [json.loads(line) for line in (data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()]
