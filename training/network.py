"""The reader's network as it is trained; `rag.adapters.reader_network` is the same as it is run."""

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from rag.adapters.reader_features import FEATURES, LAYERS
from rag.adapters.reader_network import HEADS

GELU = partial(functional.gelu, approximate="tanh")


class Network(nn.Module):
    """As `rag.adapters.reader_judge` describes it, with dropout."""

    def __init__(self, width: int = 96, depth: int = 2) -> None:
        super().__init__()
        self.enter, self.drop = nn.Linear(768, width), nn.Dropout(0.3)
        self.side = nn.Parameter(torch.randn(2, width))
        self.beside = nn.Linear(len(LAYERS) + 1, width)
        block = nn.TransformerEncoderLayer(
            width, HEADS, 4 * width, dropout=0.2, activation=GELU, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, depth, enable_nested_tensor=False)
        self.span, self.null = nn.Linear(width, 2), nn.Linear(width, 2)
        self.head = nn.Sequential(
            nn.Linear(3 * width + len(FEATURES), 64), nn.GELU("tanh"), nn.Dropout(0.35), nn.Linear(64, 1)
        )
        nn.init.zeros_(self.head[3].weight)
        nn.init.zeros_(self.head[3].bias)

    def forward(self, question: Any, passage: Any, given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return span logits `(b, 1 + pieces, 2)`, place 0 for "no span", and the answer's log-odds `(b,)`."""
        asked_mask, said_mask = question["mask"], passage["mask"]
        both = asked_mask[:, :, None] * said_mask[:, None, :]
        layers = [question["states"][i] @ passage["states"][i].transpose(1, 2) for i in range(len(LAYERS))]
        aligned = torch.stack(layers, -1) - (1 - both)[..., None] * 2
        value = torch.cat([self._enter(0, question, aligned.amax(2)), self._enter(1, passage, aligned.amax(1))], 1)
        mask = torch.cat([asked_mask, said_mask], 1)
        value = self.blocks(value, src_key_padding_mask=mask < 0.5)
        asked, said = value.split([asked_mask.shape[1], said_mask.shape[1]], 1)
        pooled = (asked * asked_mask[..., None]).sum(1) / asked_mask.sum(1, keepdim=True)
        logits = self.span(said) - (1 - said_mask)[..., None] * 1e4
        chance = torch.softmax(logits, 1)
        ends = [(chance[..., end : end + 1] * said).sum(1) for end in (0, 1)]
        answers = self.head(torch.cat([pooled, *ends, given], -1))[:, 0]
        return torch.cat([self.null(pooled)[:, None], logits], 1), answers

    def _enter(self, side: int, text: Any, best: torch.Tensor) -> torch.Tensor:
        beside = self.beside(torch.cat([best, text["rare"][..., None]], -1))
        entered: torch.Tensor = self.drop(self.enter(text["raw"])) + self.side[side] + beside
        return entered
