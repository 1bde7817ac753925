"""What the entailment makes of labelled claims that it was not trained on.

    python -m benchmarks.entailment --written FOLDER --public FILE --scifact FOLDER [--most 1500]

`--written` and `--public` are what `training.train` takes as claims; judged are the groups that it leaves out.
`--scifact` holds `pairs.jsonl`, as `benchmarks.grounding` reads it. Printed are the AUROC of support, supported
against the rest, and how many of the supported are kept at the threshold that lets 5% of the others pass; 95%
intervals.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.figures import table
from benchmarks.grounding import load_pairs, support_by
from rag.adapters.entailment import MpnetEntailment
from rag.adapters.mpnet_pairs import SHIPPED, MpnetPairs
from rag.evaluation.intervals import Rate, rate
from rag.evaluation.selective import auroc
from rag.speaking.entailment import THRESHOLD as SUPPORTED
from rag.speaking.entailment import EntailmentCheck
from training import claims as data
from training.claims import Claim

OF_PASSAGES = ("fm2", "sufficient-facts", "feverous-dev", "factcg-doc", "summedits")
"""Public sources whose evidence is a passage."""
PASSED = 0.05
SEED = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge the claims and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment", description=__doc__)
    for name in ("written", "public", "scifact"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--weights", type=Path, default=SHIPPED, help="a folder that training.export wrote")
    parser.add_argument("--most", type=int, default=1500, help="claims of a set, drawn with a fixed seed")
    parser.add_argument("--keep", type=Path, help="a file for each claim's support, a JSON object a line")
    options = parser.parse_args(arguments)
    check = EntailmentCheck(MpnetEntailment(MpnetPairs(options.weights)))
    judge = support_by(check)
    rows: list[tuple[str, object]] = []
    for name, found in _sets(options).items():
        chosen = random.Random(SEED).sample(found, min(options.most, len(found)))
        support = np.array([judge(one.claim, one.evidence) for one in chosen])
        _keep(options.keep, name, chosen, support)
        rows += [(f"{name}: {what}", value) for what, value in figures(chosen, support)]
    sys.stdout.write(f"{check.name}\n\n{table(['', 'figure'], rows)}\n")


def _sets(options: argparse.Namespace) -> dict[str, list[Claim]]:
    """Return the sets that were named, each with its claims."""
    found: dict[str, list[Claim]] = {}
    if options.written:
        found["written claims"] = data.written_claims(options.written, held_out=True)
    if options.public:
        public = data.public_claims(options.public, held_out=True)
        found["passages"] = [one for one in public if one.source in OF_PASSAGES]
    if options.scifact:
        labels = {"SUPPORT": data.SUPPORTED, "CONTRADICT": data.CONTRADICTED, "NOT_ENOUGH_INFO": data.NEITHER}
        pairs = load_pairs(options.scifact / "pairs.jsonl")
        found["scifact"] = [Claim(one.claim, one.evidence, labels[one.label], "scifact") for one in pairs]
    return found


def figures(claims: Sequence[Claim], support: np.ndarray) -> Iterable[tuple[str, str]]:
    """Yield what is printed of a set, and its figure."""
    labels = np.array([one.label == data.SUPPORTED for one in claims])
    area = auroc(support.tolist(), labels.tolist())
    yield (
        f"AUROC ({labels.sum()} supported, {(~labels).sum()} not)",
        f"{area.value:.3f} ({area.low:.3f} to {area.high:.3f})",
    )
    others = np.sort(support[~labels])[::-1]
    threshold = others[int(PASSED * len(others))]
    yield (
        f"kept at {PASSED:.0%} passed (above {threshold:.3f})",
        _told(rate(int((support[labels] > threshold).sum()), int(labels.sum()))),
    )
    yield f"kept from {SUPPORTED}", _told(rate(int((support[labels] >= SUPPORTED).sum()), int(labels.sum())))
    yield f"passed from {SUPPORTED}", _told(rate(int((others >= SUPPORTED).sum()), len(others)))


def _told(one: Rate) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f}; {one.numerator:g} of {one.denominator})"


def _keep(path: Path | None, name: str, claims: Sequence[Claim], support: np.ndarray) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            for one, value in zip(claims, support.tolist(), strict=True):
                row = {"set": name, "source": one.source, "label": one.label, "support": value}
                file.write(json.dumps({**row, "claim": one.claim, "evidence": one.evidence}) + "\n")


if __name__ == "__main__":
    main()
