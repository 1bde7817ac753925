"""The reader's networks as they are trained; `rag.adapters.reader_network` is the same as they are run."""

import math
from dataclasses import dataclass

import torch
from torch.nn import functional

from rag.adapters.reader_features import FEATURES, LAYERS
from rag.adapters.reader_network import EPSILON, HEADS, HIDDEN

WIDTH, DEPTH, INNER = 96, 2, 4
"""Numbers of a piece, layers, and how many times as wide a layer is inside."""
ENTERING, WITHIN, JUDGING = 0.3, 0.2, 0.35
"""Shares that are left out at random while training: of what enters, within layers, before the last product."""
POOL = 1 << 25
"""Random numbers drawn once; what is left out is cut from them at a random place, which is faster than to draw anew."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs as the networks take them, padded: `b` pairs, `p` pieces.

    `raw` (b, p, 768), `beside` (b, p, 4), `side` (b, p, 2) and `features` (b, len(FEATURES)) as in `build_network`;
    `offset` (b,) the log-odds of the regression; `ends` (b, 2) the first and the last piece of the answer, -1: none.
    """

    raw: torch.Tensor
    beside: torch.Tensor
    side: torch.Tensor
    features: torch.Tensor
    offset: torch.Tensor
    ends: torch.Tensor


class Networks:
    """Several networks that differ by their seed, trained together on the same batches: the first axis of `weights`.

    Args:
        seeds: One for each network.
    """

    def __init__(self, seeds: range) -> None:
        each = [_fresh(torch.Generator().manual_seed(seed)) for seed in seeds]
        self.weights = {name: torch.stack([own[name] for own in each]).requires_grad_() for name in each[0]}
        self.training = False
        self._pools: dict[float, torch.Tensor] = {}

    def __call__(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what each of `n` networks makes of every pair.

        Returns:
            Logits of where the answer begins and ends `(n, b, 1 + p, 2)`, place 0 for nowhere; its log-odds `(n, b)`,
            the regression's not added.
        """
        pairs, pieces, _ = batch.raw.shape
        asked, said = batch.side[..., :1], batch.side[..., 1:]
        unseen = HIDDEN * (1 - asked - said)[:, None, None, :, 0]
        value = self._left_out(self._linear("enter", batch.raw.flatten(0, 1)[None]), ENTERING)
        value = value + self._linear("beside", batch.beside.flatten(0, 1)[None])
        value = value + batch.side.flatten(0, 1)[None] @ self.weights["side"]
        for number in range(DEPTH):
            value = self._block(f"blocks.layers.{number}", value, unseen)
        logits = self._linear("span", value).unflatten(1, (pairs, pieces)) + HIDDEN * (1 - said)
        value = value.unflatten(1, (pairs, pieces))
        pooled = (value * asked).sum(2) / asked.sum(1)
        ends = (torch.softmax(logits, 2).transpose(2, 3) @ value).flatten(2)
        given = batch.features.expand(len(pooled), -1, -1)
        inner = functional.gelu(self._linear("head.0", torch.cat([pooled, ends, given], -1)), approximate="tanh")
        answers = self._linear("head.3", self._left_out(inner, JUDGING))[..., 0]
        return torch.cat([self._linear("null", pooled)[:, :, None], logits], 2), answers

    def _block(self, name: str, value: torch.Tensor, unseen: torch.Tensor) -> torch.Tensor:
        """Return pieces after one layer: attention, then two linear layers, each added to them."""
        count, pairs, pieces = len(value), len(unseen), unseen.shape[-1]
        joint = self._linear(f"{name}.self_attn.in_proj", self._norm(f"{name}.norm1", value), joint="_")
        parts = joint.view(count * pairs, pieces, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, said = parts.unbind(0)
        seen = (query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS)).unflatten(0, (count, pairs)) + unseen
        looked = self._left_out(torch.softmax(seen, -1), WITHIN).flatten(0, 1)
        merged = (looked @ said).transpose(1, 2).reshape(count, pairs * pieces, WIDTH)
        value = value + self._left_out(self._linear(f"{name}.self_attn.out_proj", merged), WITHIN)
        inner = self._linear(f"{name}.linear1", self._norm(f"{name}.norm2", value))
        inner = self._left_out(functional.gelu(inner, approximate="tanh"), WITHIN)
        return value + self._left_out(self._linear(f"{name}.linear2", inner), WITHIN)

    def _linear(self, name: str, value: torch.Tensor, *, joint: str = ".") -> torch.Tensor:
        weight, bias = (self.weights[f"{name}{joint}{part}"] for part in ("weight", "bias"))
        return torch.baddbmm(bias[:, None], value.expand(len(weight), -1, -1), weight.transpose(1, 2))

    def _norm(self, name: str, value: torch.Tensor) -> torch.Tensor:
        scaled = functional.layer_norm(value, (WIDTH,), eps=EPSILON)
        return scaled * self.weights[f"{name}.weight"][:, None] + self.weights[f"{name}.bias"][:, None]

    def _left_out(self, value: torch.Tensor, share: float) -> torch.Tensor:
        """Return the values while training with a random share of them at 0 and the others scaled up (dropout)."""
        if not self.training:
            return value
        if share not in self._pools:
            self._pools[share] = (torch.rand(POOL) >= share).float() / (1 - share)
        pool = self._pools[share]
        begin = int(torch.randint(POOL // 2, ()))
        if begin + value.numel() > POOL:
            return functional.dropout(value, share)
        return value * pool[begin : begin + value.numel()].view(value.shape)


def _fresh(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Return the weights that one network begins with; its last product is 0, so that the regression alone counts."""
    found = {"side": torch.randn(2, WIDTH, generator=generator)}

    def uniform(bound: float, *shape: int) -> torch.Tensor:
        return (torch.rand(*shape, generator=generator) * 2 - 1) * bound

    def linear(name: str, inside: int, outside: int) -> None:
        """As PyTorch begins linear layers."""
        bound = 1 / math.sqrt(inside)
        found[f"{name}.weight"], found[f"{name}.bias"] = uniform(bound, outside, inside), uniform(bound, outside)

    linear("enter", 384 * len(LAYERS[1:]), WIDTH)
    linear("beside", len(LAYERS) + 1, WIDTH)
    for number in range(DEPTH):
        name = f"blocks.layers.{number}"
        found[f"{name}.self_attn.in_proj_weight"] = uniform(math.sqrt(6 / (4 * WIDTH)), 3 * WIDTH, WIDTH)  # Glorot
        found[f"{name}.self_attn.in_proj_bias"] = torch.zeros(3 * WIDTH)
        linear(f"{name}.self_attn.out_proj", WIDTH, WIDTH)
        found[f"{name}.self_attn.out_proj.bias"].zero_()
        linear(f"{name}.linear1", WIDTH, INNER * WIDTH)
        linear(f"{name}.linear2", INNER * WIDTH, WIDTH)
        for norm in ("norm1", "norm2"):
            found[f"{name}.{norm}.weight"], found[f"{name}.{norm}.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    linear("span", WIDTH, 2)
    linear("null", WIDTH, 2)
    linear("head.0", 3 * WIDTH + len(FEATURES), 64)
    found["head.3.weight"], found["head.3.bias"] = torch.zeros(1, 64), torch.zeros(1)
    return found
