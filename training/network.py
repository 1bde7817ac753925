"""The networks: all-mpnet-base-v2 as a cross-encoder, the reader with two heads and the entailment with one."""

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MPNetModel

FROZEN = 6
"""The lowest layers stay as published: no gradient has to pass through them, which saves a third of the time."""
SHARED = 8
"""Entailment reads with the reader's lowest layers, and has those above for itself."""
READER_HEADS, ENTAILMENT_HEADS = ("answers.", "marks."), ("entails.",)
LABELS = ("supported", "contradicted", "neither")


class ReaderNetwork(nn.Module):
    """Gives each text one logit, that it answers, and each of its word pieces one, that it is part of the answer."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.body = _body(base, FROZEN)
        width = self.body.config.hidden_size
        self.answers = nn.Linear(2 * width, 1)
        self.marks = nn.Linear(width, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits of the texts `(n,)`, of their pieces `(n, length)`, and the pooled vectors `(n, 1536)`."""
        states, pooled = _read(self.body, ids, mask)
        return self.answers(pooled).squeeze(-1), self.marks(states).squeeze(-1), pooled


class EntailmentNetwork(nn.Module):
    """Gives each claim, read together with a text, three logits: `LABELS`."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.body = _body(base, SHARED)
        self.entails = nn.Linear(2 * self.body.config.hidden_size, len(LABELS))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return logits `(n, 3)`."""
        logits: Tensor = self.entails(_read(self.body, ids, mask)[1])
        return logits


def _body(base: Path, frozen: int) -> MPNetModel:
    body = MPNetModel.from_pretrained(base, attn_implementation="eager", add_pooling_layer=False)
    for module in (body.embeddings, *body.encoder.layer[:frozen], body.encoder.relative_attention_bias):
        module.requires_grad_(False)
    return body


def _read(body: MPNetModel, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the state of each piece, and for each row the first state beside the mean of all."""
    states = body(input_ids=ids, attention_mask=mask).last_hidden_state
    weights = mask.unsqueeze(-1).to(states.dtype)
    return states, torch.cat([states[:, 0], (states * weights).sum(1) / weights.sum(1)], dim=1)


def trained(network: nn.Module) -> dict[str, nn.Parameter]:
    """Return what training changes, by name: the upper layers and the heads."""
    return {name: one for name, one in network.named_parameters() if one.requires_grad}
