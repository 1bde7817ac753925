"""The loop of a training: steps until the time is spent, a checkpoint every ten minutes, a line of figures each step.

The network computes in the type that is faster on this processor; what is trained is kept in float32 (its masters).
The learning rate follows the time spent in all runs together, so a slow machine only sees fewer examples.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from rag.adapters.reader_weights import describe, load_weights
from training.network import HEADS, trained

RATE, HEADS_RATE = 5e-5, 5e-4
"""Learning rates of the layers and of the heads, which begin from nothing."""
WARM_UP = 0.06
"""The share of the time in which the rates rise; then they fall to nothing."""
LOWEST = 0.02
"""The least share of the rates that is used."""
CHECKPOINT_S = 600
LONGEST_STEP_S = 20
"""What a step counts at most: a run may be halted (SIGSTOP) while something else needs the cores."""

Figures = dict[str, float]


class Step(NamedTuple):
    """What one step learns from, and what returns the loss of it and the figures to log."""

    take: Callable[[Sequence[Any]], tuple[torch.Tensor, Figures]]
    rows: Sequence[Any]


class Loop:
    """A training that goes on from its checkpoint.

    Args:
        work: Gets `checkpoint.pt` and `train.jsonl`.
        network: What is trained; only parameters that require a gradient are.
        heads: How the names of the parameters begin that learn at `HEADS_RATE`.
        minutes: How long to train, all runs together.

    Attributes:
        step: How many steps were taken, in all runs together.
    """

    def __init__(self, work: Path, network: nn.Module, *, heads: tuple[str, ...], minutes: float) -> None:
        self.work, self.seconds = work, minutes * 60
        self.masters = {name: one.detach().clone().float() for name, one in trained(network).items()}
        self.parameters = trained(network.to(faster_type()))
        groups = [
            {"params": [self.masters[n] for n in self.masters if n.startswith(heads) is own], "rate": rate}
            for own, rate in ((False, RATE), (True, HEADS_RATE))
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
        self.step, self.spent = 0, 0.0
        self._restore()

    def run(self, steps: Iterator[Step]) -> None:
        """Take steps until the time is spent.

        Args:
            steps: Without end.
        """
        saved = time.monotonic()
        with (self.work / "train.jsonl").open("a", encoding="utf-8") as log:
            for take, rows in steps:
                if (progress := self.spent / self.seconds) >= 1:
                    break
                begun = time.monotonic()
                self._set_rates(min(progress / WARM_UP, (1 - progress) / (1 - WARM_UP)))
                loss, figures = take(rows)
                torch.autograd.backward(loss)
                self._move()
                self.step += 1
                self.spent += min(time.monotonic() - begun, LONGEST_STEP_S)
                line = {"step": self.step, "spent_s": round(self.spent, 1), "texts": len(rows), **figures}
                log.write(json.dumps(line) + "\n")
                log.flush()
                if time.monotonic() - saved > CHECKPOINT_S:
                    self._save()
                    saved = time.monotonic()
        self._save()

    def _set_rates(self, scale: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * max(scale, LOWEST)

    def _move(self) -> None:
        """Move the masters by what was learned, and the network after them."""
        for name, one in self.parameters.items():
            self.masters[name].grad = one.grad.float() if one.grad is not None else None
            one.grad = None
        torch.nn.utils.clip_grad_norm_(list(self.masters.values()), 1.0)
        self.optimizer.step()
        self._copy_masters()

    def _copy_masters(self) -> None:
        """Give the network the masters' values."""
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(self.masters[name])

    def _restore(self) -> None:
        """Go on from the checkpoint, where there is one."""
        path = self.work / "checkpoint.pt"
        if path.is_file():
            kept = torch.load(path, weights_only=True)
            for name, value in kept["masters"].items():
                self.masters[name].copy_(value)
            self.optimizer.load_state_dict(kept["optimizer"])
            self.step, self.spent = kept["step"], kept["spent"]
        self._copy_masters()

    def _save(self) -> None:
        """Write the checkpoint; a run that is killed meanwhile keeps the one before."""
        kept = {
            "masters": self.masters,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "spent": self.spent,
        }
        torch.save(kept, self.work / "checkpoint.new")
        (self.work / "checkpoint.new").replace(self.work / "checkpoint.pt")


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
    """Return the weights that `training.export` wrote, in float32, under the names of `training.network`."""
    tensors = load_weights(folder, describe(folder))
    found = {}
    for name, value in tensors.items():
        if not name.endswith(".scale"):
            scale = tensors.get(f"{name}.scale")
            wide = torch.from_numpy(value).float()
            own = name if name.startswith(HEADS) else f"body.{name}"
            found[own] = wide if scale is None else wide * torch.from_numpy(scale)[:, None]
    return found


def copy_into(network: nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """Give a network values by name; those it does not have are left out."""
    with torch.no_grad():
        for name, one in network.named_parameters():
            if name in values:
                one.copy_(values[name])
