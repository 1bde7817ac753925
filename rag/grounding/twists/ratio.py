"""`Twice as much as`, `half as long as`, `not as tall as`: the two sides stay where they are. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, is_negation, stems_of
from rag.grounding.words import BOUNDARIES


def ratio_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the two sides of `twice as ... as` that have changed places; `as ... as` alone holds both ways."""
    said, stated = _sides(claim.tokens), _sides(sentence.tokens)
    if said is None or stated is None:
        return
    left, right = stated[0] - stated[1], stated[1] - stated[0]
    here = said[0] - said[1], said[1] - said[0]
    turned = (here[0] & right and not here[0] & left) or (here[1] & left and not here[1] & right)
    if turned:
        yield "the two sides of 'as ... as' have changed places"


def _sides(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems on either side of an `as ... as` that stands once and behind a number or `not`; else None."""
    places = [at for at, token in enumerate(tokens) if token.word == "as"]
    if len(places) != 2 or not places[0]:
        return None
    first, second = places
    if not (_is_multiple(tokens, first) or is_negation(tokens[first - 1].word)):
        return None
    start = max((at + 1 for at in range(first) if tokens[at].word in BOUNDARIES), default=0)
    end = next((at for at in range(second, len(tokens)) if tokens[at].word in BOUNDARIES), len(tokens))
    return stems_of(tokens[start:first]), stems_of(tokens[second:end])


def _is_multiple(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a multiple stands right before a place: `twice`, `half`, `three times`."""
    before = tokens[place - 1]
    if before.quantity:
        return before.quantity.unit == "times" or before.quantity.values == (0.5,)
    return before.word == "times" and place > 1 and tokens[place - 2].quantity is not None
