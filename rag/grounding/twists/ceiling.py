"""A limit without a bound of its own: `The limit is 50 ppm` allows no more, and not `at least 50`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_CEILINGS = word_set("limit limits limited ceiling ceilings cap caps capped maximum maximal quota quotas")
_FLOORS = word_set("minimum minimal threshold thresholds floor")
_LOWER = word_set("lower minimum minimal least bottom")
_UPWARD, _DOWNWARD = ("least", "more"), ("most", "less")


def ceiling_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `at least` of what is the most there may be, and `at most` of what there must be."""
    for _, quantity in claim.quantities:
        stated = [other for _, other in sentence.quantities if same_quantity(quantity, other)]
        if not stated or any(other.bound for other in stated):
            continue
        most = _names(claim.tokens, sentence.tokens, _CEILINGS) and not _LOWER & sentence.words
        least = _names(claim.tokens, sentence.tokens, _FLOORS)
        if (most and quantity.bound in _UPWARD) or (least and quantity.bound in _DOWNWARD):
            yield "a limit is turned round"
            return


def _names(said: Sequence[Token], stated: Sequence[Token], words: frozenset[str]) -> bool:
    """Return whether two sentences have one of some words."""
    return bool({token.word for token in said} & {token.word for token in stated} & words)
