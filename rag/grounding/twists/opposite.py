"""Opposites in each other's place: rose for fell, before for after, more for less. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from rag.grounding.reading import Reading
from rag.grounding.twists.number.places import belongs_elsewhere
from rag.grounding.twists.polarity import cancels, denials_in, is_excluded
from rag.language import polarity

_DEGREES = ("more", "less", "fewer", "most", "least", "up", "down", "with", "without")
_ALIKE = ("same", "different")
_RELATIONS = frozenset(("before", "after", "above", "below", "over", "under", *_DEGREES, *_ALIKE))


def opposite_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield words of the claim in whose place the sentence has the opposite."""
    foreign = sentence.positions.keys() - claim.positions.keys()
    for stem in claim.content:
        rivals = sorted((polarity.opposites_of(stem) & foreign) - polarity.synonyms(stem))
        if not rivals:
            continue
        if stem not in sentence.positions:
            if not cancels(claim, sentence, stem):
                yield f"{rivals[0]!r} instead of {stem!r}"
        else:
            places = [place for other in rivals for place in sentence.positions[other]]
            if is_excluded(claim, sentence, stem):
                continue
            if belongs_elsewhere(claim, -1, sentence, sentence.positions[stem], places):
                yield f"{stem!r} is said of something else"
    said, stated = _relations_of(claim), _relations_of(sentence)
    for word in said:
        others = sorted(stated & _contrary_relations(word))
        if word in _ALIKE and denials_in(claim) != denials_in(sentence):
            continue  # `not the same` and `different`
        if others and word not in stated:
            yield f"{others[0]!r} instead of {word!r}"
    yield from _degree_twists(claim, sentence)


def _degree_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `more`, `least` or another such word that stands more often than in the sentence, and its opposite less."""
    for stem in claim.content:
        if stem not in sentence.positions:
            for other in polarity.opposites_of(stem) & claim.positions.keys() & sentence.positions.keys():
                if len(sentence.positions[other]) > len(claim.positions[other]):
                    yield f"{stem!r} in the place of {other!r}"
    here, there = _relation_counts(claim), _relation_counts(sentence)
    for word in here:
        turned = word in _ALIKE and denials_in(claim) != denials_in(sentence)
        if (
            not turned
            and here[word] > there[word]
            and any(there[other] > here[other] for other in _contrary_relations(word))
        ):
            yield f"{word!r} in the place of its opposite"


def _relations_of(reading: Reading) -> frozenset[str]:
    """Return the relations of a sentence; `once it is closed` is said as `after`."""
    return (_RELATIONS & reading.words) | ({"after"} if "once" in reading.words else frozenset())


def _relation_counts(reading: Reading) -> Counter[str]:
    """Count the relations of a sentence, bounds of numbers (`at least 5`, `more than 5`) left out."""
    tokens = reading.tokens
    return Counter(
        token.word
        for place, token in enumerate(tokens)
        if token.word in _RELATIONS
        and not (place and tokens[place - 1].word == "at")
        and not any(later.quantity for later in tokens[place + 1 : place + 3])
    )


@lru_cache(maxsize=64)
def _contrary_relations(word: str) -> frozenset[str]:
    contrary = polarity.opposites_of(polarity.stem_of(word) or word)
    return frozenset(other for other in _RELATIONS if (polarity.stem_of(other) or other) in contrary)
