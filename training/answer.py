"""What the reader learns from: the loss of texts that answer a question, and of texts that do not."""

from collections.abc import Sequence

import torch
from torch.nn import functional

from rag.reader.pieces import PieceReader
from training.batches import Encoder, Row, grouped
from training.loop import Figures
from training.network import PairReader

LISTS_WEIGHT, MARKS_WEIGHT = 0.5, 1.0
"""What order within a list, and marks, count beside the decision on each text."""


class Answering:
    """The losses of rows: texts for questions.

    Args:
        network: What is trained.
        pieces: Cuts texts into word pieces.
    """

    def __init__(self, network: PairReader, pieces: PieceReader) -> None:
        self.network, self.encoder = network, Encoder(pieces)

    def take(self, rows: Sequence[Row]) -> tuple[torch.Tensor, Figures]:
        """Return the loss of one step, and its figures."""
        every, marked = self.judge(rows)
        pairs = functional.binary_cross_entropy_with_logits(every, torch.tensor([float(row.right) for row in rows]))
        ranked = [every[places] for places in grouped(rows).values()]
        right = torch.zeros(1, dtype=torch.long)
        lists = [functional.cross_entropy(one[None], right) for one in ranked]
        ordered = torch.stack(lists).mean() if lists else torch.zeros(())
        return pairs + LISTS_WEIGHT * ordered + MARKS_WEIGHT * marked, {
            "pairs": round(pairs.item(), 4),
            "lists": round(ordered.item(), 4),
            "marks": round(marked.item(), 4),
            "first": sum(bool(one[0] >= one.max()) for one in ranked),
            "of": len(ranked),
        }

    def judge(self, rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logit of each row, in the order given, and the mean loss of the marks of right ones."""
        logits: dict[int, torch.Tensor] = {}
        marked, texts = torch.zeros(()), 0
        for batch in self.encoder.batches(rows):
            answers, marks, *_ = self.network(batch.ids, batch.mask)
            for line, index in enumerate(batch.rows):
                logits[index] = answers[line].float()
            lines = (batch.marks >= 0).any(dim=1)
            if lines.any():
                marked = marked + _marks_loss(marks.float()[lines], batch.marks[lines])
                texts += int(lines.sum())
        return torch.stack([logits[index] for index in range(len(rows))]), marked / max(texts, 1)


def _marks_loss(logits: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
    """Return the loss of the marks of some texts, summed over the texts.

    Binary cross-entropy says how likely each piece is part of the answer; the second term, the negative log of the
    share of softmax that falls on the answer's pieces, says which part of the text it is.
    """
    known, gold = marks >= 0, marks > 0
    each = functional.binary_cross_entropy_with_logits(logits, marks.clamp(min=0), reduction="none")
    lowest = torch.finfo(logits.dtype).min
    every = torch.logsumexp(logits.masked_fill(~known, lowest), dim=1)
    inside = torch.logsumexp(logits.masked_fill(~gold, lowest), dim=1)
    return ((each * known).sum(1) / known.sum(1)).sum() + (every - inside)[gold.any(1)].sum()
