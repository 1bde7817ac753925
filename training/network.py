"""The reader's network: all-mpnet-base-v2 as a cross-encoder with two heads, its upper layers trained."""

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MPNetModel

FROZEN = 6
"""The lowest layers stay as published: no gradient has to pass through them, which saves a third of the time."""


class ReaderNetwork(nn.Module):
    """Gives each text one logit, that it answers, and each of its word pieces one, that it is part of the answer."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.body = MPNetModel.from_pretrained(base, attn_implementation="eager", add_pooling_layer=False)
        width = self.body.config.hidden_size
        self.answers = nn.Linear(2 * width, 1)
        self.marks = nn.Linear(width, 1)
        for module in (
            self.body.embeddings,
            *self.body.encoder.layer[:FROZEN],
            self.body.encoder.relative_attention_bias,
        ):
            module.requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits of the texts `(n,)`, of their pieces `(n, length)`, and the pooled vectors `(n, 1536)`."""
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = torch.cat([states[:, 0], (states * weights).sum(1) / weights.sum(1)], dim=1)
        return self.answers(pooled).squeeze(-1), self.marks(states).squeeze(-1), pooled

    def trained(self) -> dict[str, nn.Parameter]:
        """Return what training changes, by name: the upper layers and both heads."""
        return {name: one for name, one in self.named_parameters() if one.requires_grad}
