"""What the grounding check makes of labelled claims: `python -m benchmarks.grounding FOLDER`.

FOLDER holds `pairs.jsonl`: lines with `claim`, `evidence` and `label`, which is SUPPORT, CONTRADICT or NOT_ENOUGH_INFO
(or NOINFO). Measured are how well support tells SUPPORT from the rest (AUROC), which share of each label is called
supported, and how many claims and verbatim sentences are still called supported once one of their numbers is changed,
to one that the evidence nowhere states, or to another one that it does state.
The check is that of `candor ground`, with the settings of the environment.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.figures import machine, table
from benchmarks.options import at_least, plain_mistakes
from rag import Candor
from rag.errors import ConfigurationError
from rag.evaluation.intervals import Rate, rate
from rag.evaluation.selective import auroc
from rag.exact.normal import bare, in_digits
from rag.exact.numbers import numbers
from rag.language.text import sentence_spans
from rag.protocols import Evidence, GroundingCheck
from rag.speaking.entailment import THRESHOLD as SUPPORTED

Check = Callable[[str, str], float]
"""Claim and evidence -> support, 0..1."""
Change = Callable[["Pair", random.Random], str | None]
"""A pair and chance -> its claim with another number in it; None where it has none to change."""
LABELS = ("SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO")
ALIASES = {"NOINFO": "NOT_ENOUGH_INFO"}
RESAMPLES = 2_000
SEED = 1
NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?!\w)")
"""A number in digits that stands by itself, and not in a name as `p53` or `IL-6`."""
LENGTHS = range(40, 301)
"""How many characters a verbatim sentence may have."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim with the text that it is checked against."""

    claim: str
    evidence: str
    label: str


@dataclass(frozen=True, slots=True)
class Area:
    """An AUROC with the 95% interval of the percentile bootstrap, evidence by evidence."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        return "-" if self.value is None else f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured.

    Attributes:
        check: Name of the grounding check.
        against_rest: AUROC of support, SUPPORT against the other two labels.
        against_contradict: SUPPORT against CONTRADICT alone.
        supported: Called supported, of each label.
        claims_changed: Called supported, of the supported claims with one number changed.
        sentences: Called supported, of sentences of the evidence, word for word, with a number.
        sentences_changed: Called supported, of those that were, with one number changed.
        sentences_exchanged: The same with another number of the same evidence in its place.
        cpu_ms: Processor time of one check, mean over the pairs, model loaded.
    """

    check: str
    against_rest: Area
    against_contradict: Area
    supported: dict[str, Rate]
    claims_changed: Rate
    sentences: Rate
    sentences_changed: Rate
    sentences_exchanged: Rate
    cpu_ms: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Check the pairs and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grounding", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--sentences", type=at_least(1), default=400, help="verbatim sentences, drawn with a fixed seed"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    with plain_mistakes(parser):
        pairs = load_pairs(options.folder / "pairs.jsonl")
        with Candor.open() as candor:
            check = candor.wiring.check
            found = measure(pairs, support_by(check), options.sentences, check.name)
    sys.stdout.write((json.dumps(_plain(found), indent=1) if options.json else text_of(found, len(pairs))) + "\n")


def support_by(check: GroundingCheck) -> Check:
    """Return what a grounding check says of one claim and one text, as a number."""
    return lambda claim, evidence: check.judge(claim, [Evidence(evidence)])[0].value


def load_pairs(path: Path) -> list[Pair]:
    """Return the pairs of a file.

    Raises:
        ConfigurationError: No such file, or a line that is no pair; the message names it.
    """
    if not path.is_file():
        raise ConfigurationError(f"{str(path)!r} does not exist. Name a folder with pairs.jsonl, one pair a line.")
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{str(path)!r} cannot be read as UTF-8 text: {error}.") from error
    pairs = [_pair(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not pairs:
        raise ConfigurationError(f"{str(path)!r} is empty. Write one pair a line.")
    return pairs


def _pair(line: str, where: str) -> Pair:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{where}: not JSON ({error.msg} at column {error.colno}).") from error
    values = [row.get(name) for name in ("claim", "evidence", "label")] if isinstance(row, dict) else [None]
    if not all(isinstance(value, str) for value in values):
        raise ConfigurationError(f"{where}: the texts 'claim', 'evidence' and 'label' are needed.")
    claim, evidence, label = values
    label = ALIASES.get(label, label)
    if label not in LABELS:
        raise ConfigurationError(f"{where}: the label is {label!r}: one of {', '.join(LABELS)} was expected.")
    return Pair(claim, evidence, label)


def measure(pairs: Sequence[Pair], check: Check, sentences: int, name: str = "") -> Report:
    """Return the figures of a check.

    Args:
        pairs: Labelled claims.
        check: Claim and evidence -> support.
        sentences: At most so many verbatim sentences.
        name: Name of the check.
    """
    check(pairs[0].claim, pairs[0].evidence)  # loads the model
    begun = process_time()
    support = np.array([check(pair.claim, pair.evidence) for pair in pairs])
    spent = (process_time() - begun) * 1000 / len(pairs)
    holds = [pair for pair, value in zip(pairs, support, strict=True) if _is_supported(pair, value)]
    verbatim = list(numbered_sentences(pairs))
    random.Random(SEED).shuffle(verbatim)
    verbatim = verbatim[:sentences]
    kept = [one for one in verbatim if check(one.claim, one.evidence) >= SUPPORTED]
    return Report(
        check=name,
        against_rest=_area(pairs, support, LABELS),
        against_contradict=_area(pairs, support, LABELS[:2]),
        supported={label: _share(pairs, support, label) for label in LABELS},
        claims_changed=_still_supported(holds, check, changed_number),
        sentences=rate(len(kept), len(verbatim)),
        sentences_changed=_still_supported(kept, check, changed_number),
        sentences_exchanged=_still_supported(kept, check, exchanged_number),
        cpu_ms=spent,
    )


def _is_supported(pair: Pair, support: float) -> bool:
    return pair.label == "SUPPORT" and support >= SUPPORTED


def _share(pairs: Sequence[Pair], support: np.ndarray, label: str) -> Rate:
    chosen = [value >= SUPPORTED for pair, value in zip(pairs, support, strict=True) if pair.label == label]
    return rate(sum(chosen), len(chosen))


def _still_supported(pairs: Sequence[Pair], check: Check, change: Change) -> Rate:
    """Return how many of the pairs are called supported with one number changed; those without one do not count."""
    chance = random.Random(SEED)
    changed = [(text, pair.evidence) for pair in pairs if (text := change(pair, chance)) is not None]
    return rate(sum(check(text, evidence) >= SUPPORTED for text, evidence in changed), len(changed))


# --- AUROC -------------------------------------------------------------------------------------------------------


def _area(pairs: Sequence[Pair], support: np.ndarray, labels: Sequence[str]) -> Area:
    """Return the AUROC of support, SUPPORT against the other labels, with its interval.

    What is drawn anew are the pieces of evidence, each with all of its claims: claims about one text resemble each
    other. Null where a kind is missing.
    """
    rows = [number for number, pair in enumerate(pairs) if pair.label in labels]
    scores, positive = support[rows], np.array([pairs[row].label == "SUPPORT" for row in rows], dtype=bool)
    value = auroc(scores.tolist(), positive.tolist()).value
    if value is None:
        return Area(None, None, None)
    groups = np.unique([pairs[row].evidence for row in rows], return_inverse=True)[1]
    count, chance = int(groups.max()) + 1, np.random.default_rng(SEED)
    drawn = (np.bincount(chance.integers(0, count, count), minlength=count)[groups] for _ in range(RESAMPLES))
    areas = [weighted_auroc(scores, positive, weights) for weights in drawn]
    low, high = np.nanquantile(areas, [0.025, 0.975])
    return Area(value, float(low), float(high))


def weighted_auroc(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> float:
    """Return the AUROC where each score counts so often; NaN where a kind has no weight. Ties count half."""
    places = np.unique(scores, return_inverse=True)[1]
    above = np.bincount(places, weights * positive)
    below = np.bincount(places, weights * ~positive)
    pairs = above.sum() * below.sum()
    return float((above * (np.cumsum(below) - below / 2)).sum() / pairs) if pairs else float("nan")


# --- changed numbers ---------------------------------------------------------------------------------------------


def numbered_sentences(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the sentences of each piece of evidence that have a number, each against its own text."""
    for evidence in dict.fromkeys(pair.evidence for pair in pairs):
        for start, end in sentence_spans(evidence):
            text = evidence[start:end]
            if len(text) in LENGTHS and NUMBER.search(text):
                yield Pair(text, evidence, "SUPPORT")


def changed_number(pair: Pair, chance: random.Random) -> str | None:
    """Return the claim with one digit of one number changed, so that the evidence nowhere states that number.

    None where the claim has no number in digits, or every change of the number drawn is stated there.
    """
    found = list(NUMBER.finditer(pair.claim))
    if not found:
        return None
    number = chance.choice(found)
    stated = {value for one in numbers(in_digits(bare(pair.evidence))) for value in one.values}
    stated |= {_value(other[0]) for other in NUMBER.finditer(pair.evidence)}
    others = [one for one in _variants(number[0]) if _value(one) not in stated]
    if not others:
        return None
    return pair.claim[: number.start()] + chance.choice(others) + pair.claim[number.end() :]


def exchanged_number(pair: Pair, chance: random.Random) -> str | None:
    """Return the claim with one of its numbers replaced by another that the evidence states of something.

    None where the claim has no number in digits, or the evidence no number beside those of the claim.
    """
    found = list(NUMBER.finditer(pair.claim))
    own = {_value(number[0]) for number in found}
    others = sorted({other[0] for other in NUMBER.finditer(pair.evidence) if _value(other[0]) not in own})
    if not found or not others:
        return None
    number = chance.choice(found)
    return pair.claim[: number.start()] + chance.choice(others) + pair.claim[number.end() :]


def _variants(number: str) -> Iterator[str]:
    """Yield the number with each of its digits changed into each other one but 0."""
    for place, digit in enumerate(number):
        if digit.isdigit():
            yield from (f"{number[:place]}{other}{number[place + 1 :]}" for other in "123456789" if other != digit)


def _value(number: str) -> float:
    """Return what a number in digits is worth; commas group thousands."""
    whole, point, part = number.replace(",", "").partition(".")
    return float(f"{whole}{point}{part.replace('.', '')}")


# --- output ------------------------------------------------------------------------------------------------------


def text_of(found: Report, count: int) -> str:
    """Return the figures as a Markdown table, and under which load they were taken."""
    rows: list[tuple[str, object]] = [
        ("AUROC of support, SUPPORT against the rest", found.against_rest),
        ("AUROC of support, SUPPORT against CONTRADICT", found.against_contradict),
        *((f"called supported, {label}", _counted(one)) for label, one in found.supported.items()),
        ("called supported, supported claims with one number changed", _counted(found.claims_changed)),
        ("called supported, verbatim sentences with a number", _counted(found.sentences)),
        ("called supported, those with one number changed", _counted(found.sentences_changed)),
        ("called supported, those with another number of their text", _counted(found.sentences_exchanged)),
    ]
    head = f"{count} pairs; supported from {SUPPORTED}; check {found.check}; {found.cpu_ms:.1f} CPU ms a claim"
    note = "AUROC: 95% bootstrap over pieces of evidence; shares: 95% Wilson."
    return f"{head}; {machine()}\n\n{table(['', 'figure'], rows)}\n\n{note}"


def _counted(one: Rate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return "-"
    return f"{one.value:.1%} ({one.numerator:.0f} of {one.denominator}; {one.low:.1%} to {one.high:.1%})"


def _plain(found: Report) -> dict[str, object]:
    """Return the report as JSON takes it."""
    shares = ("claims_changed", "sentences", "sentences_changed", "sentences_exchanged")
    rates = {name: getattr(found, name).model_dump() for name in shares}
    labels = {label: one.model_dump() for label, one in found.supported.items()}
    areas = {name: asdict(getattr(found, name)) for name in ("against_rest", "against_contradict")}
    return {"check": found.check, **areas, "supported": labels, **rates, "cpu_ms": found.cpu_ms}


if __name__ == "__main__":
    main()
