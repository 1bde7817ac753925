"""Train the reader, with a checkpoint every ten minutes; the same command goes on where it was cut off.

    python -m training.train --work DIR --base FOLDER --minutes 90 [--start rag/weights] [--hold-out rules software]

`--start` takes the upper layers and heads of exported weights as they are, where there is no checkpoint yet; without
it they begin as the base has them. `--work` holds `examples/` (by `python -m training.prepare`) and gets
`checkpoint.pt` and `train.jsonl`.
"""

import argparse
import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn import functional

from rag.adapters.packaged_model import packaged_model
from rag.reader.pieces import PieceReader
from training.batches import Encoder, Row, grouped, steps
from training.examples import Example
from training.loop import Figures, Loop, copy_into, exported
from training.network import READER_HEADS, ReaderNetwork

LISTS_WEIGHT, MARKS_WEIGHT = 0.5, 1.0
"""What order within a list, and marks, count beside the decision on each text."""
SEED = 20261128


def main() -> None:
    """Train until the minutes are spent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, metavar="FOLDER", help="exported weights to go on from")
    parser.add_argument("--hold-out", nargs="*", default=[], metavar="FOLDER", help="everyday folders not seen")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    trainer = Trainer(options.base, options.start)
    loop = Loop(options.work, trainer.network, heads=READER_HEADS, minutes=options.minutes)
    loop.run(steps(*load_examples(options.work / "examples", options.hold_out), SEED + loop.step), trainer.take)


class Trainer:
    """The reader's losses, and the network that they are of."""

    def __init__(self, base: Path, start: Path | None) -> None:
        self.encoder = Encoder(PieceReader(packaged_model() / "tokenizer.json"))
        self.network = ReaderNetwork(base)
        if start is not None:
            copy_into(self.network, exported(start, READER_HEADS))

    def take(self, rows: Sequence[Row]) -> tuple[torch.Tensor, Figures]:
        """Return the loss of one step, and its figures."""
        every, marked = self.judge(rows)
        pairs = functional.binary_cross_entropy_with_logits(every, torch.tensor([float(row.right) for row in rows]))
        ranked = [every[places] for places in grouped(rows).values()]
        right = torch.zeros(1, dtype=torch.long)
        lists = [functional.cross_entropy(one[None], right) for one in ranked]
        ordered = torch.stack(lists).mean() if lists else torch.zeros(())
        return pairs + LISTS_WEIGHT * ordered + MARKS_WEIGHT * marked, {
            "pairs": round(pairs.item(), 4),
            "lists": round(ordered.item(), 4),
            "marks": round(marked.item(), 4),
            "first": sum(bool(one[0] >= one.max()) for one in ranked),
            "of": len(ranked),
        }

    def judge(self, rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logit of each row, in the order given, and the mean loss of the marks of right ones."""
        logits: dict[int, torch.Tensor] = {}
        marked, texts = torch.zeros(()), 0
        for batch in self.encoder.batches(rows):
            answers, marks, _ = self.network(batch.ids, batch.mask)
            for line, index in enumerate(batch.rows):
                logits[index] = answers[line].float()
            lines = (batch.marks >= 0).any(dim=1)
            if lines.any():
                marked = marked + _marks_loss(marks.float()[lines], batch.marks[lines])
                texts += int(lines.sum())
        return torch.stack([logits[index] for index in range(len(rows))]), marked / max(texts, 1)


def _marks_loss(logits: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
    """Return the loss of the marks of some texts, summed over the texts.

    Binary cross-entropy says how likely each piece is part of the answer; the second term, the negative log of the
    share of softmax that falls on the answer's pieces, says which part of the text it is.
    """
    known, gold = marks >= 0, marks > 0
    each = functional.binary_cross_entropy_with_logits(logits, marks.clamp(min=0), reduction="none")
    lowest = torch.finfo(logits.dtype).min
    every = torch.logsumexp(logits.masked_fill(~known, lowest), dim=1)
    inside = torch.logsumexp(logits.masked_fill(~gold, lowest), dim=1)
    return ((each * known).sum(1) / known.sum(1)).sum() + (every - inside)[gold.any(1)].sum()


def load_examples(folder: Path, hold_out: Sequence[str]) -> tuple[list[Example], list[Example], list[Example]]:
    """Return everyday, public and own examples; folders held out are left away."""
    parts: dict[str, list[Example]] = {"everyday": [], "public": [], "own": []}
    for path in sorted(folder.glob("*.pickle")):
        kind, _, name = path.stem.partition("_")
        if name not in hold_out:
            parts[kind] += pickle.loads(path.read_bytes())  # noqa: S301 (written by training.prepare)
    return parts["everyday"], parts["public"], parts["own"]


if __name__ == "__main__":
    main()
