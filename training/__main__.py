"""From data to weights that ship, in one command: examples, training, export, the gate's thresholds, and what came out.

    python -m training --work DIR --base FOLDER --everyday FOLDER --public FILE --claims FOLDER --public-claims FILE \\
        --minutes 90 [--start rag/weights] [--hold-out rules software] [--judge DATASET ...]

What was made before is kept, and a training that was cut off goes on: the same command again. Folders held out choose
the thresholds; `--judge` names data sets for `candor evaluate`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

WEIGHTS = Path(__file__).parents[1] / "rag" / "weights"


def main() -> None:
    """Run each step as its own command; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "base", "everyday", "public", "claims", "public-claims"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--minutes", required=True)
    parser.add_argument("--start", metavar="FOLDER")
    parser.add_argument("--hold-out", nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--judge", nargs="*", default=[], metavar="DATASET")
    for step in steps(parser.parse_args()):
        sys.stderr.write(f"{' '.join(step)}\n")
        if status := subprocess.run([sys.executable, *step], check=False).returncode:  # noqa: S603 (our own commands)
            sys.exit(status)


def steps(options: argparse.Namespace) -> list[list[str]]:
    """Return the arguments of each step, in order."""
    work = Path(options.work)
    data = ["--claims", options.claims, "--public-claims", options.public_claims]
    start = ["--start", options.start] if options.start else []
    held_out = [str(Path(options.everyday) / name) for name in options.hold_out]
    given = ["--work", str(work)]
    shown = [["-m", "rag", "evaluate", each, "--fresh"] for each in options.judge]
    prepared = ["-m", "training.prepare", *given, "--everyday", options.everyday, "--public", options.public]
    trained = ["-m", "training.train", *given, "--base", options.base, *data, "--minutes", options.minutes, *start]
    exported = ["-m", "training.export", "--checkpoint", str(work / "checkpoint.pt"), "--base", options.base]
    fitted = ["scripts/fit_gate.py", *held_out, *given]
    return [
        prepared,
        [*trained, "--hold-out", *options.hold_out],
        [*exported, "--out", str(WEIGHTS)],
        *([fitted] if held_out else []),
        *shown,
    ]


if __name__ == "__main__":
    main()
