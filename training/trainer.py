"""Training one network on chosen pairs, on top of a logistic regression over their features."""

import logging
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from rag.adapters.reader_features import LAYERS
from rag.adapters.reader_judge import CLIP
from training.network import Batch, Networks
from training.pairs import GOLD, Found, Pair
from training.states import Matches, States

log = logging.getLogger("training")
WEIGHT = {0: 1.0, 1: 0.6, 2: 0.0, GOLD: 1.0}
"""What a pair counts by the rank of its window."""
EPOCHS, BATCH, RATE = 5, 64, 1e-3
BATCHES_SORTED = 40
LENGTH = 2.0
"""The longest step's gradient."""

Regression = dict[str, NDArray[np.float32]]
"""A logistic regression over the features, and what standardises them."""


class Trainer:
    """Pairs, states and features of one data set, in batches."""

    def __init__(
        self,
        found: Found,
        states: States,
        matches: Matches,
        given: NDArray[np.float32],
        times: Mapping[str, float] | None = None,
    ) -> None:
        self.found, self.states, self.matches, self.given = found, states, matches, given
        self.pairs: list[Pair] = found.pairs
        self.of = np.array([pair.question for pair in self.pairs])
        self.labels = np.array([pair.label for pair in self.pairs])
        self.ranks = np.array([pair.rank for pair in self.pairs])
        counts = [(times or {}).get(group.split("/")[0], 1.0) for group in found.groups]
        self.weights = np.array([WEIGHT[pair.rank] * counts[pair.question] for pair in self.pairs], dtype=np.float32)

    def batch(self, chosen: Sequence[int], base: Regression) -> Batch:
        """Return pairs, padded."""
        where, questions = self.states.where, self.found.questions
        pairs = [self.pairs[index] for index in chosen]
        rows = [(where[questions[pair.question].question], where[pair.text]) for pair in pairs]
        longest = max(len(asked[1]) + len(said[1]) for asked, said in rows)
        raw = np.zeros((len(rows), longest, 384 * len(self.states.raw)), dtype=np.float32)
        beside = np.zeros((len(rows), longest, len(LAYERS) + 1), dtype=np.float32)
        side = np.zeros((len(rows), longest, 2), dtype=np.float32)
        ends = np.full((len(rows), 2), -1)
        for row, (index, (asked, said)) in enumerate(zip(chosen, rows, strict=True)):
            first, end = len(asked[1]), len(asked[1]) + len(said[1])
            side[row, :first, 0] = side[row, first:end, 1] = 1
            beside[row, :end] = self.matches.of(index)
            for part, layer in enumerate(self.states.raw.values()):
                columns = slice(part * 384, (part + 1) * 384)
                raw[row, :first, columns] = layer[asked[0] : asked[0] + first]
                raw[row, first:end, columns] = layer[said[0] : said[0] + end - first]
            inside = first + np.array(_answering(pairs[row], said[2]), dtype=np.int64)
            ends[row] = (inside[0], inside[-1]) if len(inside) else -1
        given = self.standardised(base, self.given[list(chosen)])
        offset = given @ base["base.weight"] + base["base.bias"]
        return Batch(*(torch.from_numpy(each) for each in (raw, beside, side, given, offset.astype(np.float32), ends)))

    def batches(self, chosen: Sequence[int], *, shuffle: bool = True) -> Iterator[list[int]]:
        """Yield batches of similar length."""
        order = list(chosen)
        if shuffle:
            random.shuffle(order)
        found = []
        for begin in range(0, len(order), BATCH * BATCHES_SORTED):
            pool = sorted(order[begin : begin + BATCH * BATCHES_SORTED], key=lambda i: len(self.pairs[i].text))
            found += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
        if shuffle:
            random.shuffle(found)
        yield from found

    def base(self, chosen: NDArray[np.int64]) -> Regression:
        """Return the logistic regression over the features, fitted on the chosen pairs."""
        from sklearn.linear_model import LogisticRegression

        mean = self.given[chosen].mean(axis=0)
        scale = self.given[chosen].std(axis=0) + 1e-6
        fit = LogisticRegression(C=0.05, max_iter=500).fit(
            np.clip((self.given[chosen] - mean) / scale, -CLIP, CLIP), self.labels[chosen], self.weights[chosen]
        )
        return {
            "mean": mean,
            "scale": scale,
            "base.weight": fit.coef_[0].astype(np.float32),
            "base.bias": fit.intercept_.astype(np.float32)[0],
        }

    def standardised(self, base: Regression, given: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return features as the network takes them."""
        return np.clip((given - base["mean"]) / base["scale"], -CLIP, CLIP).astype(np.float32)

    def train(self, chosen: NDArray[np.int64], base: Regression, *, seeds: range, epochs: int = EPOCHS) -> Networks:
        """Return networks trained on the chosen pairs, on top of the logistic regression, one for each seed."""
        random.seed(seeds.start)
        torch.manual_seed(seeds.start)
        networks = Networks(seeds)
        optimiser = torch.optim.AdamW(networks.weights.values(), lr=RATE, weight_decay=0.05, foreach=True)
        steps = epochs * (len(list(self.batches(chosen))) + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
        networks.training = True
        for epoch in range(epochs):
            losses = []
            for rows in self.batches(chosen):
                labels, weights = (torch.from_numpy(of[rows]) for of in (self.labels.astype(np.float32), self.weights))
                span_loss, each = _losses(networks, self.batch(rows, base), labels)
                optimiser.zero_grad()
                (0.5 * span_loss + (each * weights).mean(1)).sum().backward()
                _clip(networks.weights)
                optimiser.step()
                schedule.step()
                losses.append((span_loss.mean().item(), each.mean().item()))
            log.info("  epoch %d: span %.3f answer %.3f", epoch, *np.mean(losses, axis=0))
        networks.training = False
        return networks

    @torch.no_grad()
    def predict(self, networks: Networks, base: Regression, chosen: Sequence[int]) -> NDArray[np.float32]:
        """Return what every network makes of each chosen pair: log-odds of an answer and the lead of the best span.

        Returns:
            Shape `(n, networks, 2)`.
        """
        found = np.zeros((len(self.pairs), len(networks.weights["side"]), 2), dtype=np.float32)
        for rows in self.batches(chosen, shuffle=False):
            batch = self.batch(rows, base)
            spans, answers = networks(batch)
            found[rows, :, 0] = (answers + batch.offset).T.numpy()
            found[rows, :, 1] = (spans[:, :, 1:].amax(2) - spans[:, :, 0]).sum(-1).T.numpy()
        return found[list(chosen)]


def _losses(networks: Networks, batch: Batch, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return of every network what it misses of the spans `(n,)`, and of the answers of each pair `(n, b)`."""
    spans, answers = networks(batch)
    chances = torch.log_softmax(spans, 2)
    at = (batch.ends + 1)[None, :, None, :].expand(len(spans), -1, -1, -1)
    span_loss = -chances.gather(2, at).mean((1, 2, 3))
    each = functional.binary_cross_entropy_with_logits(
        answers + batch.offset, labels.expand_as(answers), reduction="none"
    )
    return span_loss, each


def _clip(weights: Mapping[str, torch.Tensor]) -> None:
    """Scale every network's gradients down to the length `LENGTH` where they are longer."""
    gradients = [value.grad for value in weights.values() if value.grad is not None]
    lengths = torch.stack([each.flatten(1).square().sum(1) for each in gradients]).sum(0).sqrt()
    scale = (LENGTH / lengths.clamp(min=1e-6)).clamp(max=1)
    for each in gradients:
        each.mul_(scale.view(-1, *[1] * (each.dim() - 1)))


def _answering(pair: Pair, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the pieces of a passage that the answer covers."""
    return [k for k, (a, b) in enumerate(spans) if pair.label == 1 and a < pair.end and b > pair.start]
