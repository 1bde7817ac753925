"""What the entailment learns from: the loss of claims."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from rag.reader.pieces import PieceReader
from training.claims import NOT_SUPPORTED, SUPPORTED, Claim, batches
from training.loop import Figures
from training.network import PairReader


class Entailing:
    """The loss of claims.

    Args:
        network: What is trained.
        pieces: Cuts texts into word pieces.
    """

    def __init__(self, network: PairReader, pieces: PieceReader) -> None:
        self.network, self.pieces = network, pieces

    def take(self, claims: Sequence[Claim]) -> tuple[Tensor, Figures]:
        """Return the loss of one step, and its figures."""
        logits = self.judge(claims)
        labels = torch.tensor([one.label for one in claims])
        loss = entailment_loss(logits, labels)
        supported = logits.softmax(dim=1)[:, SUPPORTED] >= 0.5
        right = (supported == (labels == SUPPORTED)).float().mean()
        return loss, {"claims": round(loss.item(), 4), "right": round(right.item(), 3)}

    def judge(self, claims: Sequence[Claim]) -> Tensor:
        """Return the logits of each claim, in the order given: shape `(n, 3)`."""
        logits: dict[int, Tensor] = {}
        for places, ids, mask in batches(self.pieces, claims):
            found = self.network(ids, mask).entails.float()
            logits.update(zip(places, found, strict=True))
        return torch.stack([logits[place] for place in range(len(claims))])


def entailment_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean negative log-likelihood; of a claim that is not supported either of two labels will do."""
    likely = functional.log_softmax(logits, dim=1)
    unsupported = torch.logsumexp(likely[:, 1:], dim=1)
    known = likely.gather(1, labels.clamp(max=NOT_SUPPORTED - 1)[:, None]).squeeze(1)
    return -torch.where(labels == NOT_SUPPORTED, unsupported, known).mean()
