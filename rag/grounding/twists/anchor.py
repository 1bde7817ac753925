"""What a number of days is counted from, and what is made so: another thing there. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from rag.grounding.reading import Reading, Token, stems_of
from rag.grounding.words import BOUNDARIES, DETERMINERS, PREPOSITIONS, stems_named
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity
from rag.language.units import dimension

_COUNTED_FROM = word_set("after before from following of")
_MOMENTS = word_set("date day time moment point")
"""What names the very thing that it is the date of."""
_MAKING = "make render keep turn leave paint call elect appoint declare consider"
"""Verbs with an object and what that is or becomes."""
_DEGREES = word_set("too very so more most less quite")


def anchor_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a time counted from another thing, and a thing in the place of another."""
    yield from _counted_twists(claim, sentence)
    yield from _replaced_twists(claim, sentence)


def _counted_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the time is counted from, left out: `14 days after the order` for `after receipt of the order`."""
    for place, quantity in claim.quantities:
        known = dimension(quantity.unit)
        said = _anchor(claim.tokens, place)
        if known is None or known[0] not in ("time", "months") or not said:
            continue
        stated = [_anchor(sentence.tokens, at) for at, other in sentence.quantities if same_quantity(quantity, other)]
        if stated and all(_is_left_out(claim, sentence.tokens, said[0], anchor) for anchor in stated):
            yield f"it is counted from {sentence.tokens[stated[0][0]].word!r} there"
            return


def _anchor(tokens: Sequence[Token], place: int) -> list[int]:
    """Return where the content words stand that a time is counted from; none where it is not counted."""
    if place + 1 >= len(tokens) or tokens[place + 1].word not in _COUNTED_FROM:
        return []
    end = next((at for at in range(place + 2, len(tokens)) if tokens[at].word in BOUNDARIES), len(tokens))
    return [at for at in range(place + 2, end) if tokens[at].stem and tokens[at].word not in _MOMENTS]


def _is_left_out(claim: Reading, tokens: Sequence[Token], first: int, anchor: Sequence[int]) -> bool:
    """Return whether a claim lacks the first word of an anchor and counts from what depends on it."""
    if not anchor or tokens[anchor[0]].stem in claim.positions:
        return False
    place = next((at for at in anchor if tokens[at].stem == claim.tokens[first].stem), -1)
    between = [token.word for token in tokens[anchor[0] + 1 : place]] if place > 0 else []
    return any(word in PREPOSITIONS or word in ("that", "whether", "about") for word in between)


def _replaced_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the claim says is made so, where the sentence has another thing, and that thing elsewhere.

    `Traffic made the lake unsafe` for `It moved to the lake, because traffic had made the river unsafe`.
    """
    for verb, places in claim.positions.items():
        if verb not in stems_named(_MAKING):
            continue
        said = [_complement(claim.tokens, at) for at in places]
        stated = [_complement(sentence.tokens, at) for at in sentence.positions.get(verb, ())]
        for thing, state in (one for one in said if one):
            others = [other for other, alike in (one for one in stated if one) if alike == state]
            known = bool(others) and len(others) == len(stated) and thing <= sentence.positions.keys()
            if known and not any(other & claim.positions.keys() for other in others):
                yield f"another is {state!r} there"
                return


def _complement(tokens: Sequence[Token], verb: int) -> tuple[frozenset[str], str] | None:
    """Return the stems of what is made so, and how: of `made the old lake very unsafe` the lake, and `unsaf`."""
    start = verb + 1
    while start < len(tokens) and tokens[start].word in DETERMINERS:
        start += 1
    run = [*takewhile(lambda token: bool(token.stem) and token.word not in _DEGREES, tokens[start:])]
    behind = tokens[start + len(run) : start + len(run) + 2]
    if run and len(behind) == 2 and behind[0].word in _DEGREES and behind[1].stem:
        return stems_of(run), behind[1].stem
    return (stems_of(run[:-1]), run[-1].stem) if len(run) > 1 else None
