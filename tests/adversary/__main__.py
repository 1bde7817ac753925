"""Ask an adversary hundreds of questions and print what got through. See `adversary.full_size`."""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

from library import quiet_settings
from ollama_server.brains import Liar, SmolLM2

from adversary.full_size import face, report

SPEAKERS = {"liar": partial(Liar, seed=21), "half-liar": partial(Liar, seed=21, truths=0.5), "smollm2": SmolLM2}


def main() -> None:
    """Ask and report; what was shown and should not have been ends it with 1."""
    parser = argparse.ArgumentParser(prog="python -m adversary", description=__doc__)
    parser.add_argument("datasets", type=Path, nargs="+", help="folders with documents/ and questions.jsonl")
    parser.add_argument("--speaker", choices=SPEAKERS, default="liar")
    parser.add_argument("--questions", type=int, default=320, help="over all data sets, half of them unanswerable")
    options = parser.parse_args()
    settings = quiet_settings(Path(tempfile.mkdtemp(prefix="candor-adversary-")))
    brain, each = SPEAKERS[options.speaker](), options.questions // len(options.datasets)
    begun, caught = perf_counter(), []
    for folder in options.datasets:
        caught.append(face(brain, folder, settings, count=each))
        print(report(f"{options.speaker} on {folder.name}", caught[-1:]), flush=True)
    print(report(f"{options.speaker} in all", caught))
    print(f"{perf_counter() - begun:.0f} s, indexing included")
    sys.exit(any(one.trial.unsupported or one.trial.not_verbatim or one.lies_shown for one in caught))


if __name__ == "__main__":
    main()
