"""The network: all-mpnet-base-v2 as a cross-encoder with the heads of reader and entailment."""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from transformers import MPNetModel

FROZEN = 2
"""The lowest layers stay as published: no gradient has to pass through them."""
HEADS = ("answers.", "marks.", "entails.")
LABELS = ("supported", "contradicted", "neither")


class Found(NamedTuple):
    """What the network says of some pairs of texts.

    Attributes:
        answers: The logit that each text answers: shape `(n,)`.
        marks: The logit of each piece that it is part of the answer: `(n, length)`.
        entails: The logits of `LABELS`: `(n, 3)`.
        pooled: The first state beside the mean of all: `(n, 1536)`.
    """

    answers: Tensor
    marks: Tensor
    entails: Tensor
    pooled: Tensor


class PairReader(nn.Module):
    """Reads a question or a claim together with a text."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.body = MPNetModel.from_pretrained(base, attn_implementation="eager", add_pooling_layer=False)
        lowest = self.body.encoder.layer[:FROZEN]
        for module in (self.body.embeddings, *lowest, self.body.encoder.relative_attention_bias):
            module.requires_grad_(False)
        width = self.body.config.hidden_size
        self.answers = nn.Linear(2 * width, 1)
        self.marks = nn.Linear(width, 1)
        self.entails = nn.Linear(2 * width, len(LABELS))

    def forward(self, ids: Tensor, mask: Tensor) -> Found:
        """Return what all heads say."""
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = torch.cat([states[:, 0], (states * weights).sum(1) / weights.sum(1)], dim=1)
        return Found(self.answers(pooled).squeeze(-1), self.marks(states).squeeze(-1), self.entails(pooled), pooled)


def trained(network: nn.Module) -> dict[str, nn.Parameter]:
    """Return what training changes, by name: the upper layers and the heads."""
    return {name: one for name, one in network.named_parameters() if one.requires_grad}
