"""How much a text leans towards a claim that it does not carry outright: orders what is below one half. Ground floor.

A logistic score over a few general signals; its weights were fitted once on labelled claims (cross-validated by text)
and rounded. It never decides: `rag.grounding.evidence` keeps it below 0.5, whatever it says.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from os.path import commonprefix

from rag.grounding.matching import main_clauses, matches
from rag.grounding.reading import Reading
from rag.grounding.twists.number import number_twists
from rag.grounding.twists.opposite import opposite_twists
from rag.grounding.twists.polarity import polarity_twists
from rag.grounding.twists.quantifier import quantifier_twists
from rag.language import polarity

_PREFIX = 4
_SPELLINGS = (("ae", "e"), ("oe", "e"), ("our", "or"), ("yse", "yze"), ("ise", "ize"), ("α", "alpha"), ("β", "beta"))


@dataclass(frozen=True, slots=True)
class Signals:
    """What the score is computed from.

    `absent` counts the claim's words that stand nowhere in the text, `words` all of them; `covered` is the share of
    their letters that does stand, `best` the share of the words in the three best sentences; `opposed` and `denied` are
    such a share where that sentence has an opposite or another polarity; `misnumbered` and `quantified` mark another
    number or quantifier in the best sentence; `contrary` counts absent words whose opposite stands somewhere.
    """

    absent: float
    covered: float
    best: float
    opposed: float
    denied: float
    misnumbered: float
    quantified: float
    contrary: float
    words: float


_WEIGHTS = (-0.4, 0.8, 1.8, -1.7, -1.7, -0.6, -1.1, -0.45, 0.17)
_OFFSET = -1.2
_WEIGHTS_WITH_SIMILARITY = (-0.4, 0.7, 0.6, -1.7, -1.6, -0.6, -1.1, -0.5, 0.14)
_OFFSET_WITH_SIMILARITY = -2.2
_SIMILARITY_WEIGHT = 2.8


def leaning(found: Signals, cosines: Sequence[float] = ()) -> float:
    """Return how much a text leans towards a claim: 0..1.

    Args:
        found: The signals.
        cosines: Similarity of the claim and each sentence of the text, where an embedder is at hand.
    """
    values = astuple(found)
    if not cosines:
        return _logistic(_OFFSET + sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True)))
    nearest = sorted(cosines)[-2:]
    total = sum(weight * value for weight, value in zip(_WEIGHTS_WITH_SIMILARITY, values, strict=True))
    return _logistic(_OFFSET_WITH_SIMILARITY + total + _SIMILARITY_WEIGHT * sum(nearest) / len(nearest))


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))


def signals(claim: Reading, sentences: Sequence[Reading], vocabulary: "Vocabulary") -> Signals:
    """Return the signals of a claim against the sentences of a text."""
    likeness = {stem: vocabulary.likeness(stem) for stem in claim.content}
    letters = sum(map(len, likeness)) or 1
    shares = [_share(claim, likeness, sentence) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda place: -shares[place])[:3]
    opposed = max(shares[place] * _has(opposite_twists(claim, sentences[place])) for place in best[:2])
    denied = max(shares[place] * _is_denied(claim, sentences[place]) for place in best[:2])
    first = sentences[best[0]]
    clauses = main_clauses(matches(claim, first), first)
    return Signals(
        absent=sum(not like for like in likeness.values()),
        covered=sum(len(stem) * max(like.values(), default=0.0) for stem, like in likeness.items()) / letters,
        best=sum(shares[place] for place in best) / len(best),
        opposed=opposed,
        denied=denied,
        misnumbered=float(_has(number_twists(claim, first, ()))),
        quantified=float(_has(quantifier_twists(claim, first, clauses))),
        contrary=sum(
            bool(polarity.opposites_of(stem) & vocabulary.stems)
            for stem in claim.content
            if not polarity.synonyms(stem) & vocabulary.stems
        ),
        words=len(claim.content),
    )


def _has(twists: Iterator[str]) -> bool:
    return next(twists, None) is not None


def _is_denied(claim: Reading, sentence: Reading) -> bool:
    found = matches(claim, sentence)
    return _has(polarity_twists(claim, sentence, found, main_clauses(found, sentence)))


class Vocabulary:
    """The stems of a text, and which of them resemble a word: another spelling, or the same beginning."""

    def __init__(self, sentences: Sequence[Reading]) -> None:
        self.stems = frozenset(stem for sentence in sentences for stem in sentence.positions)
        self._buckets: dict[str, list[str]] = {}
        for stem in self.stems:
            self._buckets.setdefault(_spelled(stem)[:_PREFIX], []).append(stem)

    def likeness(self, stem: str) -> dict[str, float]:
        """Return the stems of the text that resemble this one, each with how much: 0..1."""
        found = dict.fromkeys(polarity.synonyms(stem) & self.stems, 1.0)
        for other in self._buckets.get(_spelled(stem)[:_PREFIX], ()):
            found.setdefault(other, _resemblance(stem, other))
        return {other: value for other, value in found.items() if value}


@lru_cache(maxsize=16384)
def _spelled(stem: str) -> str:
    for one, other in _SPELLINGS:
        stem = stem.replace(one, other)
    return stem


@lru_cache(maxsize=16384)
def _resemblance(one: str, other: str) -> float:
    one, other = _spelled(one), _spelled(other)
    if one == other:
        return 1.0
    common = len(commonprefix((one, other)))  # noqa: RUF071 - characters are meant
    if common < _PREFIX:
        return 0.0
    return 0.8 if common / max(len(one), len(other)) >= 0.6 else 0.6 if common == min(len(one), len(other)) else 0.0


def _share(claim: Reading, likeness: dict[str, dict[str, float]], sentence: Reading) -> float:
    """Return the share of the claim's words that a sentence has, resembling ones counted in part."""
    total = 0.0
    for like in likeness.values():
        total += max((value for other, value in like.items() if other in sentence.positions), default=0.0)
    return total / (len(claim.content) or 1)
