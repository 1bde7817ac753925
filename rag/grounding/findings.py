"""How the sentences of a text bear on one statement: what they carry of it, what they say otherwise. Ground floor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.grounding.antecedents import joins_on, refers_back, subject_stems
from rag.grounding.excuses import is_excused
from rag.grounding.matching import displaces, matches
from rag.grounding.reading import Reading
from rag.grounding.twists import twists
from rag.grounding.twists.polarity import cancels
from rag.grounding.words import PREPOSITIONS
from rag.language import polarity
from rag.language.quantity_equality import same_quantity

TWISTED = 0.45
"""The most support there is for what a sentence says otherwise."""
HALF = 0.49
"""The most support there is for what lacks words."""
_RELATED = 0.4


@dataclass(frozen=True, slots=True)
class Finding:
    """How a window of the evidence, named by its last sentence (`anchor`, from 0), bears on a claim."""

    coverage: float
    missing: tuple[str, ...]
    twists: tuple[str, ...]
    support: float
    anchor: int = -1
    leans: bool = False
    """Whether words of the claim stand only in the sentences before it, other than those of its subject."""


def best_finding(claim: Reading, sentences: Sequence[Reading]) -> Finding:
    """Return the finding of the window that supports the claim best."""
    best = Finding(0.0, claim.content, (), 0.0)
    weights = _weights(claim)
    if not weights and not claim.quantities:
        return best
    shares = [_coverage(claim, sentence, weights) for sentence in sentences]
    for place in sorted(range(len(sentences)), key=lambda index: -shares[index])[:4]:
        for context in ((), sentences[max(0, place - 2) : place]):
            finding = replace(_examine(claim, sentences[place], context, weights), anchor=place)
            best = max(best, finding, key=lambda found: found.support)
            if finding.support >= 0.5 or finding.twists or place == 0:
                break
    return best


def _weights(claim: Reading) -> dict[str, float]:
    """Return how much each stem of the claim counts: names 2, light words a quarter."""
    weights = {}
    for stem, places in claim.positions.items():
        light = all(claim.tokens[place].word in polarity.LIGHT for place in places)
        weights[stem] = 2.0 if stem in claim.names else 0.25 if light else 1.0
    return weights


def _coverage(claim: Reading, sentence: Reading, weights: dict[str, float]) -> float:
    """Return the weighted share of the claim's words and numbers that stand in the sentence."""
    found = matches(claim, sentence)
    numbers = [
        any(same_quantity(quantity, other) for _, other in sentence.quantities) for _, quantity in claim.quantities
    ]
    total = sum(weights.values()) + len(numbers)
    return (sum(weights[stem] for stem in found) + sum(numbers)) / total


def _examine(claim: Reading, sentence: Reading, context: Sequence[Reading], weights: dict[str, float]) -> Finding:
    """Return how one sentence, with the sentences before it as context, bears on the claim."""
    claim, weights = _in_words_of(sentence, claim, weights)
    excused = _excused(claim, sentence)
    joining = _cell_verbs(claim, sentence) | excused
    weights = {**weights, **dict.fromkeys(joining, 0.25)}
    coverage = _coverage(claim, sentence, weights)
    missing = [stem for stem in _missing(claim, sentence) if stem not in excused]
    quality, leans = 0.95, False
    if context and missing and coverage >= _RELATED and refers_back(claim, sentence, context):
        before = {stem for reading in context for stem in matches(claim, reading)}
        joined = joins_on(claim, sentence, context)
        given = [
            stem
            for stem in missing
            if stem in before and not _is_relation(claim, stem) and (joined or not displaces(claim, sentence, stem))
        ]
        missing = [stem for stem in missing if stem not in given]
        quality, leans = 0.85, not frozenset(given) <= subject_stems(claim)
        coverage = 1.0 - sum(weights[stem] for stem in missing) / (sum(weights.values()) + len(claim.quantities))
    heavy = [
        stem for stem in missing if stem not in joining and (weights[stem] >= 1.0 or displaces(claim, sentence, stem))
    ]
    if heavy and coverage < _RELATED:
        return Finding(coverage, tuple(missing), (), HALF * coverage)
    reasons = tuple(twists(claim, sentence, context))
    if reasons:
        return Finding(coverage, tuple(missing), reasons, TWISTED * coverage * 0.8 ** (len(reasons) - 1))
    if heavy and not _may_miss(claim, sentence, heavy, weights):
        return Finding(coverage, tuple(missing), (), HALF * coverage)
    return Finding(coverage, tuple(missing), (), max(0.5, quality - 3.0 * (1.0 - coverage)), leans=leans)


def _is_relation(claim: Reading, stem: str) -> bool:
    """Return whether a word is a preposition, which relates words of its own sentence: `before`, `within`."""
    return all(claim.tokens[place].word in PREPOSITIONS for place in claim.positions[stem])


def _in_words_of(sentence: Reading, claim: Reading, weights: dict[str, float]) -> tuple[Reading, dict[str, float]]:
    """Return the claim and its weights with the sentence's own word where that has a synonym or a word that says more.

    Then whatever compares the two sees one word: `rose` in the sentence is the `increased` of the claim, and `fell`
    the opposite of either.
    """
    said = {
        stem: min(polarity.implying(stem) & sentence.positions.keys(), default=stem)
        for stem in claim.content
        if stem not in sentence.positions
    }
    if all(stem == other for stem, other in said.items()):
        return claim, weights
    tokens = (replace(token, stem=said.get(token.stem, token.stem)) for token in claim.tokens)
    renamed: dict[str, float] = {}
    for stem, weight in weights.items():
        renamed[said.get(stem, stem)] = max(weight, renamed.get(said.get(stem, stem), 0.0))
    return Reading(claim.text, tuple(tokens)), renamed


def _excused(claim: Reading, sentence: Reading) -> frozenset[str]:
    return frozenset(
        stem for stem in claim.content if stem not in sentence.positions and is_excused(claim, sentence, stem)
    )


def _cell_verbs(claim: Reading, sentence: Reading) -> frozenset[str]:
    """Return the claim's verbs that only join cells (`is reached at`), where the sentence is a table's row."""
    if not sentence.text.startswith("|"):
        return frozenset()
    return frozenset(token.stem for token in claim.tokens if token.word in polarity.CELL_VERBS and token.stem)


def _missing(claim: Reading, sentence: Reading) -> list[str]:
    """Return the claim's stems that the sentence lacks or has less often: a word in another's place is repeated."""
    found = matches(claim, sentence)
    return [
        stem
        for stem, places in claim.positions.items()
        if len(found.get(stem, ())) < len(places) and not cancels(claim, sentence, stem)
    ]


def _may_miss(claim: Reading, sentence: Reading, heavy: Sequence[str], weights: dict[str, float]) -> bool:
    """Return whether one missing word is forgiven: in a long claim, no name, and nothing else in its place."""
    if len(heavy) > 1 or heavy[0] in claim.names or sum(weight >= 1.0 for weight in weights.values()) < 8:
        return False
    return heavy[0] not in sentence.positions and not displaces(claim, sentence, heavy[0])
