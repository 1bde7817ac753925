"""Train the reader, with a checkpoint every ten minutes; the same command goes on where it was cut off.

    python -m training.train --work DIR --base FOLDER --minutes 90 [--start rag/weights] [--hold-out rules software]

`--start` takes the upper layers and heads of exported weights as they are, where there is no checkpoint yet; without
it they begin as the base has them. `--work` holds `examples/` (by `python -m training.prepare`) and gets `checkpoint.pt` and `train.jsonl`. The learning
rate follows the time spent in all runs together, so a slow machine only sees fewer examples.
"""

import argparse
import json
import os
import pickle
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn import functional

from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader_weights import describe, load_weights
from rag.reader.pieces import PieceReader
from training.batches import Encoder, Row, grouped, steps
from training.examples import Example
from training.network import ReaderNetwork

RATE, HEADS_RATE = 5e-5, 5e-4
"""Learning rates of the layers and of the two heads, which begin from nothing."""
WARM_UP = 0.06
"""The share of the time in which the rates rise; then they fall to nothing."""
LISTS_WEIGHT, MARKS_WEIGHT = 0.5, 1.0
"""What order within a list, and marks, count beside the decision on each text."""
HEADS = ("answers.", "marks.")
CHECKPOINT_S = 600
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
    trainer = Trainer(
        options.work, options.base, minutes=options.minutes, start=options.start, hold_out=options.hold_out
    )
    trainer.run()


class Trainer:
    """A run: network in the type that is faster here, float32 masters of what is trained, AdamW."""

    def __init__(self, work: Path, base: Path, *, minutes: float, start: Path | None, hold_out: Sequence[str]) -> None:
        self.work, self.seconds = work, minutes * 60
        self.encoder = Encoder(PieceReader(packaged_model() / "tokenizer.json"))
        self.network = ReaderNetwork(base)
        self.masters = {name: one.detach().clone().float() for name, one in self.network.trained().items()}
        if start is not None:
            for name, value in exported(start).items():
                if name in self.masters:
                    self.masters[name].copy_(value)
        self.network.to(faster_type())
        self.parameters = self.network.trained()
        is_head = {name: name.startswith(HEADS) for name in self.masters}
        groups = [
            {
                "params": [self.masters[n] for n in self.masters if is_head[n] is heads],
                "rate": rate,
                "weight_decay": 0.01,
            }
            for heads, rate in ((False, RATE), (True, HEADS_RATE))
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98))
        self.step, self.spent = 0, 0.0
        self.examples = load_examples(work / "examples", hold_out)
        self.restore()

    def restore(self) -> None:
        """Go on from the checkpoint, where there is one."""
        path = self.work / "checkpoint.pt"
        if path.is_file():
            kept = torch.load(path, weights_only=True)
            for name, value in kept["masters"].items():
                self.masters[name].copy_(value)
            self.optimizer.load_state_dict(kept["optimizer"])
            self.step, self.spent = kept["step"], kept["spent"]
        self.copy_masters()

    def save(self) -> None:
        """Write the checkpoint; a run that is killed meanwhile keeps the one before."""
        kept = {
            "masters": self.masters,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "spent": self.spent,
        }
        torch.save(kept, self.work / "checkpoint.new")
        (self.work / "checkpoint.new").replace(self.work / "checkpoint.pt")

    def copy_masters(self) -> None:
        """Give the network the masters' values."""
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(self.masters[name])

    def run(self) -> None:
        """Take steps until the time is spent."""
        saved = time.monotonic()
        everyday, public, own = self.examples
        with (self.work / "train.jsonl").open("a", encoding="utf-8") as log:
            for rows in steps(everyday, public, own, SEED + self.step):
                begun = time.monotonic()
                progress = self.spent / self.seconds
                if progress >= 1:
                    break
                scale = min(progress / WARM_UP, (1 - progress) / (1 - WARM_UP))
                for group in self.optimizer.param_groups:
                    group["lr"] = group["rate"] * max(scale, 0.02)
                figures = self.take(rows)
                self.step += 1
                self.spent += time.monotonic() - begun
                line = {"step": self.step, "spent_s": round(self.spent, 1), "texts": len(rows), **figures}
                log.write(json.dumps(line) + "\n")
                log.flush()
                if time.monotonic() - saved > CHECKPOINT_S:
                    self.save()
                    saved = time.monotonic()
        self.save()

    def take(self, rows: Sequence[Row]) -> dict[str, float]:
        """Take one step and return its figures."""
        every, marked = self.judge(rows)
        pairs = functional.binary_cross_entropy_with_logits(every, torch.tensor([float(row.right) for row in rows]))
        ranked = [every[places] for places in grouped(rows).values()]
        right = torch.zeros(1, dtype=torch.long)
        lists = [functional.cross_entropy(one[None], right) for one in ranked]
        ordered = torch.stack(lists).mean() if lists else torch.zeros(())
        torch.autograd.backward(pairs + LISTS_WEIGHT * ordered + MARKS_WEIGHT * marked)
        self.move()
        return {
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

    def move(self) -> None:
        """Move the masters by what was learned, and the network after them."""
        for name, one in self.parameters.items():
            self.masters[name].grad = one.grad.float() if one.grad is not None else None
            one.grad = None
        torch.nn.utils.clip_grad_norm_(list(self.masters.values()), 1.0)
        self.optimizer.step()
        self.copy_masters()


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


def faster_type() -> torch.dtype:
    """Return bfloat16 where this processor multiplies matrices faster in it, else float32."""
    seconds = {}
    for kind in (torch.float32, torch.bfloat16):
        one, other = torch.ones(1024, 768, dtype=kind), torch.ones(768, 3072, dtype=kind)
        one @ other  # the first is slower
        begun = time.perf_counter()
        for _ in range(5):
            one @ other
        seconds[kind] = time.perf_counter() - begun
    return min(seconds, key=lambda kind: seconds[kind])


def exported(folder: Path) -> dict[str, torch.Tensor]:
    """Return the weights that `training.export` wrote, in float32, under the names of the network."""
    tensors = load_weights(folder, describe(folder))
    found = {}
    for name, value in tensors.items():
        if not name.endswith(".scale"):
            scale = tensors.get(f"{name}.scale")
            wide = torch.from_numpy(value).float()
            own = name if name.startswith(HEADS) else f"body.{name}"
            found[own] = wide if scale is None else wide * torch.from_numpy(scale)[:, None]
    return found


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
