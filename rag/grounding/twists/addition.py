"""What is added taken for the whole, and the first amount for each further one: `12 new galleries`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.further import has_amount_of_other
from rag.grounding.reading import Reading, Token, stems_of
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_ADDED = word_set("new further additional more extra other")
_WHOLE = word_set(
    "has have had having with contain contains contained comprise comprises comprised consists consisted includes "
    "is are was were of"
)
"""What stands before the number of all that there are."""


def addition_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the number of new ones as that of all, and the amount of the first as that of each further one."""
    if has_amount_of_other(claim, sentence):
        yield "its amount is that of the first, or of the others, there"
    for place, quantity in claim.quantities:
        if quantity.kind != "number" or not place or claim.tokens[place - 1].word not in _WHOLE:
            continue
        noun = _behind(claim.tokens, place)
        equal = [at for at, other in sentence.quantities if same_quantity(quantity, other)]
        added = [_added(sentence.tokens, at, noun) for at in equal]
        if noun and added and all(added) and not claim.words & _ADDED:
            yield f"{added[0]!r} is left out"
            return


def _behind(tokens: Sequence[Token], number: int) -> frozenset[str]:
    """Return the stem right behind a number."""
    return stems_of(tokens[number + 1 : number + 2])


def _added(tokens: Sequence[Token], number: int, noun: frozenset[str]) -> str:
    """Return the `new` or `further` between a number and a noun right behind it, empty where none stands there."""
    word = tokens[number + 1].word if number + 1 < len(tokens) else ""
    return word if word in _ADDED and noun <= stems_of(tokens[number + 2 : number + 4]) else ""
