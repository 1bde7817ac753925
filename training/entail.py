"""Train the entailment, with a checkpoint every ten minutes; the same command goes on where it was cut off.

    python -m training.entail --work DIR --base FOLDER --reader rag/weights --written FOLDER --public FILE --minutes 90

It stands on the reader's lower layers as they ship, and begins with the reader's upper layers. One group in ten is not
seen (`training.claims.is_held_out`).
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from rag.adapters.packaged_model import packaged_model
from rag.reader.pieces import PieceReader
from training.claims import NOT_SUPPORTED, SUPPORTED, Claim, batches, own_claims, public_claims, steps, written_claims
from training.loop import Figures, Loop, copy_into, exported
from training.network import ENTAILMENT_HEADS, READER_HEADS, EntailmentNetwork

SEED = 20261129


def main() -> None:
    """Train until the minutes are spent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "base", "reader", "written", "public"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    options.work.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(options.base, options.reader)
    loop = Loop(options.work, trainer.network, heads=ENTAILMENT_HEADS, minutes=options.minutes)
    data = written_claims(options.written), public_claims(options.public), own_claims()
    loop.run(steps(*data, SEED + loop.step), trainer.take)


class Trainer:
    """The loss, and the network that it is of."""

    def __init__(self, base: Path, reader: Path) -> None:
        self.pieces = PieceReader(packaged_model() / "tokenizer.json")
        self.network = EntailmentNetwork(base)
        copy_into(self.network, exported(reader, READER_HEADS))

    def take(self, claims: Sequence[Claim]) -> tuple[Tensor, Figures]:
        """Return the loss of one step, and its figures."""
        logits = self.judge(claims)
        labels = torch.tensor([one.label for one in claims])
        loss = entailment_loss(logits, labels)
        supported = logits.softmax(dim=1)[:, SUPPORTED] >= 0.5
        right = (supported == (labels == SUPPORTED)).float().mean()
        return loss, {"loss": round(loss.item(), 4), "right": round(right.item(), 3)}

    def judge(self, claims: Sequence[Claim]) -> Tensor:
        """Return the logits of each claim, in the order given: shape `(n, 3)`."""
        logits: dict[int, Tensor] = {}
        for places, ids, mask in batches(self.pieces, claims):
            found = self.network(ids, mask).float()
            logits.update(zip(places, found, strict=True))
        return torch.stack([logits[place] for place in range(len(claims))])


def entailment_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean negative log-likelihood; of a claim that is not supported either of two labels will do."""
    likely = functional.log_softmax(logits, dim=1)
    unsupported = torch.logsumexp(likely[:, 1:], dim=1)
    known = likely.gather(1, labels.clamp(max=NOT_SUPPORTED - 1)[:, None]).squeeze(1)
    return -torch.where(labels == NOT_SUPPORTED, unsupported, known).mean()


if __name__ == "__main__":
    main()
