"""What tests of the command line share: an option, and what a command printed and logged."""

import json

SURE = ("--confidence-threshold", "0")


def clear(ran):
    """Whether a command failed with one clear line, without a traceback."""
    return ran.code != 0 and "Traceback" not in ran.err and ran.err.strip().count("\n") == 0


def lines_of(data_dir):
    return [json.loads(line) for line in (data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()]
