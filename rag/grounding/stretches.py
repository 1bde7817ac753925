"""What follows a word in the same stretch of a sentence, and what of a claim stands in a stretch. Ground floor."""

from collections.abc import Sequence

from rag.grounding.reading import Reading, Token
from rag.grounding.words import BOUNDARIES

REACH = 4
"""Words within which what belongs to a word follows it."""


def content_after(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the first content word or number after a place, at most four words on and in the same stretch."""
    for token in tokens[place + 1 : place + 1 + REACH]:
        if token.stem or token.quantity:
            return token
        if token.word in BOUNDARIES:
            return None
    return None


def own_and_after(claim: Reading, sentence: Reading, place: int, ends: frozenset[str]) -> tuple[int, int]:
    """Count the claim's words that stand only in the stretch that begins at a place, and those only after it.

    `formerly owned by Aldine and is now owned by Corvex`: of Aldine's claim one and none, of Corvex's none and one.
    """
    tokens = sentence.tokens
    end = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in ends), len(tokens))
    inside, after, before = (
        {token.stem for token in part if token.stem} for part in (tokens[place + 1 : end], tokens[end:], tokens[:place])
    )
    wanted = claim.positions.keys()
    return len(wanted & (inside - after - before)), len(wanted & (after - inside - before))
