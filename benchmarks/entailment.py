"""What the entailment makes of labelled claims that it was not trained on.

    python -m benchmarks.entailment --written FOLDER --public FILE --scifact FOLDER [--most 1500]

`--written` and `--public` are what `training.train` takes as claims; judged are the groups that it leaves out.
`--scifact` holds `pairs.jsonl`: lines with `claim`, `evidence` and `label`, which is SUPPORT, CONTRADICT or
NOT_ENOUGH_INFO (or NOINFO). Printed are the AUROC of support, supported against the rest, and how many of the supported
are kept at the threshold that lets 5% of the others pass; 95% intervals.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.figures import table
from benchmarks.options import plain_mistakes
from rag.adapters.mpnet_pairs import SHIPPED, MpnetPairs
from rag.adapters.reader import MpnetEntailment
from rag.errors import ConfigurationError
from rag.evaluation.intervals import rate
from rag.evaluation.selective import auroc
from rag.protocols import Evidence
from rag.speaking.entailment import THRESHOLD as SUPPORTED
from rag.speaking.entailment import EntailmentCheck
from training import claims as data
from training.claims import Claim

OF_PASSAGES = ("fm2", "sufficient-facts", "feverous-dev", "factcg-doc", "summedits")
"""Public sources whose evidence is a passage."""
LABELS = {"SUPPORT": data.SUPPORTED, "CONTRADICT": data.CONTRADICTED, "NOT_ENOUGH_INFO": data.NEITHER}
ALIASES = {"NOINFO": "NOT_ENOUGH_INFO"}
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
    with plain_mistakes(parser):
        sets = _sets(options)
    check = EntailmentCheck(MpnetEntailment(MpnetPairs(options.weights)))
    rows: list[tuple[str, object]] = []
    for name, found in sets.items():
        chosen = random.Random(SEED).sample(found, min(options.most, len(found)))
        support = np.array([check.judge(one.claim, [Evidence(one.evidence)])[0].value for one in chosen])
        _keep(options.keep, name, chosen, support)
        rows += [(f"{name}: {what}", value) for what, value in figures(chosen, support).items()]
    sys.stdout.write(f"{check.name}\n\n{table(['', 'figure'], rows)}\n")


def load_pairs(path: Path) -> list[Claim]:
    """Return the claims of a file of pairs.

    Raises:
        ConfigurationError: No such file, no pair in it, or a line that is no pair; the message names it.
    """
    if not path.is_file():
        raise ConfigurationError(f"{str(path)!r} does not exist. Name a folder with pairs.jsonl, one pair a line.")
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
                label = LABELS[ALIASES.get(row["label"], row["label"])]
                pairs.append(Claim(row["claim"], row["evidence"], label, "scifact"))
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigurationError(
                    f"{path}, line {number}: an object with claim, evidence and label ({', '.join(LABELS)}) was "
                    f"expected, and this is none: {error!r}."
                ) from error
    if not pairs:
        raise ConfigurationError(f"{str(path)!r} is empty. Write one pair a line.")
    return pairs


def _sets(options: argparse.Namespace) -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    if options.written:
        found["written claims"] = data.written_claims(options.written, held_out=True)
    if options.public:
        public = data.public_claims(options.public, held_out=True)
        found["passages"] = [one for one in public if one.source in OF_PASSAGES]
    if options.scifact:
        found["scifact"] = load_pairs(options.scifact / "pairs.jsonl")
    return found


def figures(claims: Sequence[Claim], support: np.ndarray) -> dict[str, str]:
    """Return the figures of a set by what they are called."""
    labels = np.array([one.label == data.SUPPORTED for one in claims])
    kept, others = support[labels], np.sort(support[~labels])[::-1]
    area = auroc(support.tolist(), labels.tolist())
    threshold = others[int(PASSED * len(others))]
    return {
        f"AUROC ({len(kept)} supported, {len(others)} not)": f"{area.value:.3f} ({area.low:.3f} to {area.high:.3f})",
        f"kept at {PASSED:.0%} passed (above {threshold:.3f})": _told(kept > threshold),
        f"kept from {SUPPORTED}": _told(kept >= SUPPORTED),
        f"passed from {SUPPORTED}": _told(others >= SUPPORTED),
    }


def _told(passed: np.ndarray) -> str:
    one = rate(int(passed.sum()), len(passed))
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f}; {one.numerator:g} of {one.denominator})"


def _keep(path: Path | None, name: str, claims: Sequence[Claim], support: np.ndarray) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            for one, value in zip(claims, support.tolist(), strict=True):
                row = {"set": name, "source": one.source, "label": one.label, "support": value}
                file.write(json.dumps({**row, "claim": one.claim, "evidence": one.evidence}) + "\n")


if __name__ == "__main__":
    main()
