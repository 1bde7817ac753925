"""Where a sentence has the words of a claim, and what it has in the place of one that it lacks. Ground floor."""

from rag.grounding.reading import Reading
from rag.language import polarity


def matches(claim: Reading, sentence: Reading) -> dict[str, list[int]]:
    """Return for each of the claim's stems that stands in the sentence, itself or by a synonym, where it does."""
    found = {}
    for stem in claim.content:
        places = sentence.positions.get(stem) or [
            place for other in polarity.synonyms(stem) for place in sentence.positions.get(other, ())
        ]
        if places:
            found[stem] = places
    return found


def displaces(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether the sentence has another word where the claim has this one: between the same neighbours."""
    return any(_is_displaced(claim, sentence, place) for place in claim.positions[stem])


def _is_displaced(claim: Reading, sentence: Reading, place: int) -> bool:
    left = next((token.stem for token in reversed(claim.tokens[:place]) if token.stem in sentence.positions), "")
    right = next((token.stem for token in claim.tokens[place + 1 :] if token.stem in sentence.positions), "")
    start = sentence.positions[left][0] if left else -1
    end = next((index for index in sentence.positions.get(right, ()) if index > start), len(sentence.tokens))
    return any(
        token.quantity
        or (token.stem and len(sentence.positions[token.stem]) > len(claim.positions.get(token.stem, ())))
        for token in sentence.tokens[start + 1 : end]
    )


def main_clauses(matched: dict[str, list[int]], sentence: Reading) -> frozenset[int]:
    """Return the clauses that hold the claim's words, those with one stray word left out."""
    counts: dict[int, int] = {}
    for places in matched.values():
        for clause in {sentence.tokens[place].clause for place in places}:
            counts[clause] = counts.get(clause, 0) + 1
    most = max(counts.values(), default=0)
    return frozenset(clause for clause, count in counts.items() if count >= min(2, most))
