"""Training one network on chosen pairs, on top of a logistic regression over their features."""

import logging
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from rag.adapters.reader_judge import CLIP
from training.network import Network
from training.pairs import GOLD, Found, Pair
from training.states import States

log = logging.getLogger("training")
WEIGHT = {0: 1.0, 1: 0.6, 2: 0.0, GOLD: 1.0}
"""What a pair counts by the rank of its window."""
EPOCHS, BATCH, RATE = 5, 64, 1e-3
BATCHES_SORTED = 40


class Trainer:
    """Pairs, states and features of one data set, in batches."""

    def __init__(self, found: Found, states: States, given: NDArray[np.float32], twice: Sequence[str] = ()) -> None:
        self.found, self.states, self.given = found, states, given
        self.pairs: list[Pair] = found.pairs
        self.words = torch.from_numpy(np.array(states.words, dtype=np.float32))
        self.of = np.array([pair.question for pair in self.pairs])
        self.labels = np.array([pair.label for pair in self.pairs])
        self.ranks = np.array([pair.rank for pair in self.pairs])
        counts = [2.0 if group.split("/")[0] in twice else 1.0 for group in found.groups]
        self.weights = np.array([WEIGHT[pair.rank] * counts[pair.question] for pair in self.pairs], dtype=np.float32)

    def side(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return texts as padded tensors."""
        rows = [self.states.where[text] for text in texts]
        longest = max(len(ids) for _, ids, _ in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        mask = torch.zeros(len(rows), longest)
        raw = np.zeros((len(rows), longest, 384 * len(self.states.raw)), dtype=np.float32)
        for row, (begin, own, _) in enumerate(rows):
            ids[row, : len(own)] = torch.from_numpy(own)
            mask[row, : len(own)] = 1
            for part, layer in enumerate(self.states.raw):
                raw[row, : len(own), part * 384 : (part + 1) * 384] = self.states.raw[layer][begin : begin + len(own)]
        tensor = torch.from_numpy(raw)
        parts = [self.words[ids], *tensor.split(384, -1)]
        rare = torch.log1p((ids - 1996).clamp(min=0).float()) / 10.3
        states = [functional.normalize(part, dim=-1) for part in parts]
        return {"mask": mask, "raw": tensor, "states": states, "rare": rare}

    def batch(self, chosen: Sequence[int], given: NDArray[np.float32]) -> tuple[Any, Any, torch.Tensor, torch.Tensor]:
        """Return question side, passage side, features, and the first and last piece of the answer (0: none)."""
        pairs = [self.pairs[index] for index in chosen]
        ends = torch.zeros(len(pairs), 2, dtype=torch.long)
        for row, pair in enumerate(pairs):
            spans = self.states.where[pair.text][2]
            inside = [
                k for k, (a, b) in enumerate(spans, start=1) if pair.label == 1 and a < pair.end and b > pair.start
            ]
            if inside:
                ends[row] = torch.tensor([inside[0], inside[-1]])
        questions = self.side([self.found.questions[pair.question].question for pair in pairs])
        return questions, self.side([pair.text for pair in pairs]), torch.from_numpy(given[list(chosen)]), ends

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

    def base(self, chosen: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
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

    def standardised(self, base: dict[str, NDArray[np.float32]], given: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return features as the network takes them."""
        return np.clip((given - base["mean"]) / base["scale"], -CLIP, CLIP).astype(np.float32)

    def train(
        self, chosen: NDArray[np.int64], base: dict[str, NDArray[np.float32]], *, seed: int = 0, epochs: int = EPOCHS
    ) -> Network:
        """Return a network trained on the chosen pairs, on top of the logistic regression."""
        random.seed(seed)
        torch.manual_seed(seed)
        network = Network()
        given = self.standardised(base, self.given)
        offset = torch.from_numpy((given @ base["base.weight"] + base["base.bias"]).astype(np.float32))
        optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.05)
        steps = epochs * (len(list(self.batches(chosen))) + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
        for epoch in range(epochs):
            network.train()
            losses = []
            for rows in self.batches(chosen):
                question, passage, extra, ends = self.batch(rows, given)
                spans, answers = network(question, passage, extra)
                span_loss = sum(functional.cross_entropy(spans[..., k], ends[:, k]) for k in (0, 1)) / 2
                each = functional.binary_cross_entropy_with_logits(
                    answers + offset[rows], torch.tensor(self.labels[rows]).float(), reduction="none"
                )
                loss = 0.5 * span_loss + (each * torch.from_numpy(self.weights[rows])).mean()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 2.0)
                optimiser.step()
                schedule.step()
                losses.append((span_loss.item(), each.mean().item()))
            log.info("  epoch %d: span %.3f answer %.3f", epoch, *np.mean(losses, axis=0))
        return network

    @torch.no_grad()
    def predict(
        self, network: Network, base: dict[str, NDArray[np.float32]], chosen: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return for each chosen pair the log-odds of an answer and the lead of the best span: shape `(n, 2)`."""
        network.eval()
        given = self.standardised(base, self.given)
        offset = given @ base["base.weight"] + base["base.bias"]
        found = np.zeros((len(self.pairs), 2), dtype=np.float32)
        for rows in self.batches(chosen, shuffle=False):
            question, passage, extra, _ = self.batch(rows, given)
            spans, answers = network(question, passage, extra)
            found[rows, 0] = answers.numpy() + offset[rows]
            found[rows, 1] = (spans[:, 1:].amax(1) - spans[:, 0]).sum(1).numpy()
        return found[list(chosen)]
