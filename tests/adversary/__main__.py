"""Ask an adversary hundreds of questions and print what got through. See `adversary.full_size`."""

import argparse
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from library import quiet_settings
from ollama_server.brains import Brain, Liar, SmolLM2

from adversary.full_size import face, report

SPEAKERS = ("liar", "half-liar", "smollm2")


def main() -> None:
    """Ask and report; what was shown and should not have been ends it with 1."""
    parser = argparse.ArgumentParser(prog="python -m adversary", description=__doc__)
    parser.add_argument("datasets", type=Path, nargs="+", help="folders with documents/ and questions.jsonl")
    parser.add_argument("--speaker", choices=SPEAKERS, default="liar")
    parser.add_argument("--questions", type=int, default=320, help="over all data sets, half of them unanswerable")
    parser.add_argument("--max-tokens", type=int, help="the most that the adversary may write")
    parser.add_argument("--threads", type=int, default=2, help="of SmolLM2; on a busy machine 1 is quicker")
    parser.add_argument("--top-k", type=int, default=5)
    parser.add_argument("--home", help="a data folder to use and keep; default: a new one")
    options = parser.parse_args()
    settings = quiet_settings(Path(options.home or tempfile.mkdtemp(prefix="candor-adversary-")))
    brain, each = _brain(options.speaker, options.threads), options.questions // len(options.datasets)
    asking = {"top_k": options.top_k} | ({"max_tokens": options.max_tokens} if options.max_tokens else {})
    begun = perf_counter()
    caught = []
    for folder in options.datasets:
        caught.append(face(brain, folder, settings, count=each, **asking))
        print(report(f"{options.speaker} on {folder.name}", caught[-1:]), flush=True)
    print(report(f"{options.speaker} in all", caught))
    print(f"{perf_counter() - begun:.0f} s, indexing included")
    sys.exit(any(one.trial.unsupported or one.trial.not_verbatim or one.lies_shown for one in caught))


def _brain(name: str, threads: int) -> Brain:
    return SmolLM2(threads=threads) if name == "smollm2" else Liar(seed=21, truths=0.5 if name == "half-liar" else 0.0)


if __name__ == "__main__":
    main()
