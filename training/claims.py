"""Claims with evidence and labels: what entailment is trained on, dealt to steps and batches.

Some sources do not tell a contradicted claim from one that the evidence leaves open: there only *supported or not* is
learned.
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from rag.reader.pieces import PieceReader, pad, pair

SUPPORTED, CONTRADICTED, NEITHER, NOT_SUPPORTED = range(4)
"""Labels; the last is one of the two before it, it is not known which."""
WORTH = {
    "fm2": 3.0,
    "sufficient-facts": 3.0,
    "feverous-dev": 1.5,
    "summedits": 2.0,
    "factcg-doc": 1.0,
    "mnli-dev": 2.0,
    "counterfactual-nli": 1.5,
    "fever-symmetric": 1.5,
    "begin": 1.0,
    "negation-nli": 1.0,
    "evidence-inference": 0.7,
    "qa-claims": 1.0,
    "snli-devtest": 0.7,
    "tabfact-pairs": 0.7,
    "entailmentbank": 0.7,
    "scitail-dev": 0.5,
    "med": 0.5,
    "scone": 0.5,
    "fetaqa-claims": 0.5,
    "conjnli": 0.3,
    "folio": 0.3,
    "breaking-nli": 0.2,
}
"""How often a public source is drawn from, relative to the others; those not named are left out."""
WRITTEN, PUBLIC, OWN = 16, 12, 4
"""Claims of each kind in a step."""
LONGEST_EVIDENCE = 160
"""Words: of a longer text the end would be cut, and the label with it."""
BATCH = 8
OWN_FILE = Path(__file__).parent / "claims" / "twists.jsonl"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, what it is held against, and its label."""

    claim: str
    evidence: str
    label: int
    source: str = ""


def is_held_out(group: str) -> bool:
    """Return whether a group of claims is not trained on: one in ten, by its name."""
    return int(hashlib.md5(group.encode(), usedforsecurity=False).hexdigest(), 16) % 10 == 0


def written_claims(folder: Path, *, held_out: bool = False) -> list[Claim]:
    """Return the claims of `claims-*.jsonl`: of the groups that are held out, or of all others."""
    names = {"supported": SUPPORTED, "contradicted": CONTRADICTED, "not_supported": NEITHER}
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("claims-*.jsonl"))]
    lines = (line for text in texts for line in text.split("\n") if line)
    return list(_claims(lines, names, held_out=held_out))


def public_claims(path: Path, *, held_out: bool = False) -> list[Claim]:
    """Return the claims of a gzip file of JSON lines: of the groups that are held out, or of all others."""
    names = {
        "supported": SUPPORTED,
        "contradicted": CONTRADICTED,
        "unrelated": NEITHER,
        "not_supported": NOT_SUPPORTED,
    }
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = list(_claims(lines, names, held_out=held_out))
    return [one for one in found if one.source in WORTH and len(one.evidence.split()) <= LONGEST_EVIDENCE]


def own_claims() -> list[Claim]:
    """Return our own pairs: sentences, and what one word more or another word makes of them."""
    names = {"supported": SUPPORTED, "not_supported": NOT_SUPPORTED}
    with OWN_FILE.open(encoding="utf-8") as lines:
        return list(_claims(lines, names, held_out=False))


def _claims(lines: Iterable[str], names: dict[str, int], *, held_out: bool) -> Iterator[Claim]:
    for row in map(json.loads, lines):
        if is_held_out(row.get("group", "ours")) is held_out:
            yield Claim(row["claim"], row["evidence"], names[row["label"]], row.get("source", "ours"))


def steps(written: Sequence[Claim], public: Sequence[Claim], own: Sequence[Claim], seed: int) -> Iterator[list[Claim]]:
    """Yield the claims of one optimiser step after the other, without end.

    Claims that were written for this are gone through from first to last in an order drawn anew each time; the others
    are drawn.
    """
    chance = random.Random(seed)  # noqa: S311 (no secret)
    sources: dict[str, list[Claim]] = {}
    for one in public:
        sources.setdefault(one.source, []).append(one)
    names = list(sources)
    queue: list[Claim] = []
    while True:
        if len(queue) < WRITTEN:
            queue = list(written)
            chance.shuffle(queue)
        chosen = [queue.pop() for _ in range(min(WRITTEN, len(queue)))]
        for name in chance.choices(names, [WORTH[name] for name in names], k=PUBLIC):
            chosen.append(chance.choice(sources[name]))
        yield chosen + chance.choices(own, k=OWN)


def batches(
    pieces: PieceReader, claims: Sequence[Claim], size: int = BATCH
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield claims in batches of similar length: their places, ids and mask `(n, length)`."""
    said = pieces.read([one.claim for one in claims])
    read = pieces.read([one.evidence for one in claims])
    pairs = [pair(claim, text) for claim, text in zip(said, read, strict=True)]
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
    for places in (order[at : at + size] for at in range(0, len(order), size)):
        ids, mask = pad([pairs[place] for place in places])
        yield places, torch.from_numpy(ids), torch.from_numpy(mask)
