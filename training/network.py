"""The reader's network as it is trained; `rag.adapters.reader_judge` computes the same in numpy."""

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from rag.adapters.reader_features import FEATURES, LAYERS


class Network(nn.Module):
    """As `rag.adapters.reader_judge`, in batches and with dropout."""

    def __init__(self, width: int = 48, hidden: int = 64, dropout: float = 0.35) -> None:
        super().__init__()
        self.project, self.drop = nn.Linear(768, width), nn.Dropout(dropout)
        self.layer_weight = nn.Parameter(torch.tensor([4.0, 6.0, 4.0]))
        self.compare = nn.Sequential(
            nn.Linear(4 * width + 4, hidden), nn.GELU("tanh"), nn.Dropout(dropout), nn.Linear(hidden, hidden)
        )
        self.attend, self.read = nn.Linear(hidden, 1), nn.Linear(4 * width + 4, hidden)
        self.context = nn.Linear(hidden, hidden)
        self.near, self.far = (nn.Conv1d(hidden, hidden, 5, padding=2) for _ in range(2))
        self.span, self.null = nn.Linear(hidden, 2), nn.Linear(hidden, 2)
        self.head = nn.Sequential(
            nn.Linear(4 * hidden + len(FEATURES), 64), nn.GELU("tanh"), nn.Dropout(dropout), nn.Linear(64, 1)
        )
        nn.init.zeros_(self.head[3].weight)
        nn.init.zeros_(self.head[3].bias)

    def forward(self, question: Any, passage: Any, given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return span logits `(b, 1 + pieces, 2)`, place 0 for "no span", and the answer's log-odds `(b,)`."""
        asked_mask, said_mask = question["mask"], passage["mask"]
        both = asked_mask[:, :, None] * said_mask[:, None, :]
        layers = [question["states"][i] @ passage["states"][i].transpose(1, 2) for i in range(len(LAYERS))]
        aligned = torch.stack(layers, -1) * both[..., None]
        attention = (aligned * self.layer_weight).sum(-1) - (1 - both) * 1e4
        aligned = aligned - (1 - both)[..., None] * 2
        asked, said = (self.drop(self.project(side["raw"])) for side in (question, passage))
        value = _joined(asked, torch.softmax(attention, 2) @ said, aligned.amax(2), question["rare"])
        value = functional.gelu(self.compare(value), approximate="tanh")
        weight = torch.softmax(self.attend(value) - (1 - asked_mask)[..., None] * 1e4, 1)
        pooled = (weight * value).sum(1)
        strongest = (value - (1 - asked_mask)[..., None] * 1e4).amax(1)
        back = torch.softmax(attention, 1).transpose(1, 2) @ asked
        states = self.read(_joined(said, back, aligned.amax(1), passage["rare"])) + self.context(pooled)[:, None]
        states = functional.gelu(states, approximate="tanh") * said_mask[..., None]
        for convolution in (self.near, self.far):
            moved = functional.gelu(convolution(states.transpose(1, 2)).transpose(1, 2), approximate="tanh")
            states = states + self.drop(moved) * said_mask[..., None]
        logits = self.span(states) - (1 - said_mask)[..., None] * 1e4
        chance = torch.softmax(logits, 1)
        ends = [(chance[..., side : side + 1] * states).sum(1) for side in (0, 1)]
        answers = self.head(torch.cat([pooled, strongest, *ends, given], -1))[:, 0]
        return torch.cat([self.null(pooled)[:, None], logits], 1), answers


def _joined(one: torch.Tensor, other: torch.Tensor, best: torch.Tensor, rare: torch.Tensor) -> torch.Tensor:
    return torch.cat([one, other, (one - other).abs(), one * other, best, rare[..., None]], -1)
