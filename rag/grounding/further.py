"""The amount of the first and of each further one: `20 the first year, 15 each further year`. Ground floor."""

from collections.abc import Sequence

from rag.grounding.reading import Reading, Token
from rag.grounding.statements import CUTS
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity

_FURTHER = word_set("further additional other following subsequent next later extra")
_EACH = word_set("each every any all")
_CUTS = CUTS | {";"}


def has_amount_of_other(claim: Reading, sentence: Reading) -> bool | None:
    """Return whether a claim has the amount of the first with `each further`, or the reverse.

    None where the sentence has no such two amounts, or the claim is not about one of the two.
    """
    here, there = _marks(claim.tokens), _marks(sentence.tokens)
    if len(there) != 2 or len(here) != 1 or len({kind for kind, _ in there}) != 2:
        return None
    sides = _sides(sentence.tokens, there[0][1], there[1][1])
    if sides is None:
        return None
    own, other = sides if there[0][0] == here[0][0] else sides[::-1]
    said = [quantity for _, quantity in claim.quantities if quantity.kind != "ordinal"]
    if len(said) != 1 or _is_among(said[0], own) == _is_among(said[0], other):
        return None
    return _is_among(said[0], other)


def _marks(tokens: Sequence[Token]) -> list[tuple[str, int]]:
    """Return where `first` and `each further` stand, each by its kind."""
    found = []
    for at, token in enumerate(tokens):
        ordinal = token.quantity is not None and token.quantity.kind == "ordinal" and token.quantity.values == (1.0,)
        if ordinal or token.word == "first":
            found.append(("first", at))
        elif token.word in _FURTHER and at and tokens[at - 1].word in _EACH:
            found.append(("further", at))
    return found


def _sides(tokens: Sequence[Token], one: int, other: int) -> tuple[list[Quantity], list[Quantity]] | None:
    """Return the amounts on either side of the last joint between two words that has some on both."""
    for cut in range(other - 1, one, -1):
        if tokens[cut].word not in _CUTS:
            continue
        left, right = _amounts(tokens[:cut]), _amounts(tokens[cut:])
        if left and right:
            return left, right
    return None


def _amounts(tokens: Sequence[Token]) -> list[Quantity]:
    return [token.quantity for token in tokens if token.quantity and token.quantity.kind != "ordinal"]


def _is_among(said: Quantity, amounts: Sequence[Quantity]) -> bool:
    return any(same_quantity(said, one) for one in amounts)
