"""Train reader and entailment, with a checkpoint every ten minutes; the same command goes on where it was cut off.

    python -m training.train --work DIR --base FOLDER --claims FOLDER --public-claims FILE --minutes 90 \\
        [--start rag/weights] [--hold-out rules software]

`--start` takes the layers and heads of exported weights as they are, where there is no checkpoint yet; without it they
begin as the base has them. `--work` holds `examples/` (by `python -m training.prepare`) and gets `checkpoint.pt` and
`train.jsonl`. Of the claims one group in ten is not seen (`training.claims.is_held_out`).
"""

import argparse
import itertools
import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import torch

from rag.adapters.packaged_model import packaged_model
from rag.reader.pieces import PieceReader
from training.answer import Answering
from training.batches import steps as question_steps
from training.claims import own_claims, public_claims, written_claims
from training.claims import steps as claim_steps
from training.entail import Entailing
from training.examples import Example
from training.loop import Loop, Step, copy_into, exported
from training.network import HEADS, PairReader

CLAIMS, QUESTIONS = "claims", "questions"
ORDER = (CLAIMS, CLAIMS, QUESTIONS)
"""Whose steps follow one another, over and over."""
SEED = 20261129


def main() -> None:
    """Train until the minutes are spent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "base", "claims", "public-claims"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, metavar="FOLDER", help="exported weights to go on from")
    parser.add_argument("--hold-out", nargs="*", default=[], metavar="FOLDER", help="everyday folders not seen")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    network, pieces = PairReader(options.base), PieceReader(packaged_model() / "tokenizer.json")
    if options.start is not None:
        copy_into(network, exported(options.start))
    loop = Loop(options.work, network, heads=HEADS, minutes=options.minutes)
    questions = load_examples(options.work / "examples", options.hold_out)
    claims = written_claims(options.claims), public_claims(options.public_claims), own_claims()
    takers = {QUESTIONS: Answering(network, pieces).take, CLAIMS: Entailing(network, pieces).take}
    seed = SEED + loop.step
    dealt = {
        QUESTIONS: question_steps(*questions, seed),
        CLAIMS: claim_steps(*claims, seed, places=places_of(questions[0])),
    }
    loop.run(Step(takers[kind], next(dealt[kind])) for kind in itertools.cycle(ORDER))


def load_examples(folder: Path, hold_out: Sequence[str]) -> tuple[list[Example], list[Example], list[Example]]:
    """Return everyday, public and own examples; folders held out are left away."""
    parts: dict[str, list[Example]] = {"everyday": [], "public": [], "own": []}
    for path in sorted(folder.glob("*.pickle")):
        kind, _, name = path.stem.partition("_")
        if name not in hold_out:
            parts[kind] += pickle.loads(path.read_bytes())  # noqa: S301 (written by training.prepare)
    return parts["everyday"], parts["public"], parts["own"]


def places_of(examples: Sequence[Example]) -> list[str]:
    """Return titles with headings, as they stand in front of the texts of questions."""
    passages = (text.passage.partition("\n") for one in examples for text in one.right[:1])
    return sorted({first for first, line, _ in passages if line})


if __name__ == "__main__":
    main()
