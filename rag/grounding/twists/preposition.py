"""The same thing under another preposition: near for in, under for above, until for after. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.governors import INSIDE, NEARBY, OTHER, governor
from rag.grounding.reading import Reading, Token, is_negation
from rag.grounding.words import ARTICLES, DETERMINERS, stems_named
from rag.language.polarity import is_past, word_set

_SIDES = {
    **dict.fromkeys(("in", "inside", "within", "on", "at"), "in"),
    **dict.fromkeys(("under", "below", "beneath", "underneath"), "under"),
    **dict.fromkeys(("above",), "above"),
    **dict.fromkeys(("behind",), "behind"),
    **dict.fromkeys(("beside", "near", "alongside"), "beside"),
    **dict.fromkeys(("outside",), "outside"),
}
_RULES = (
    "act law section article rule contract agreement treaty condition regulation clause lease policy age year minute "
    "hour name control circumstance"
)
"""What something is under and not below: `under the contract`, also said as `in the contract`."""
_ENDS, _BEGINNINGS = word_set("until till"), word_set("after from since")


def preposition_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why a thing stands under another preposition: elsewhere, or before a time and not after it."""
    if not sentence.text.startswith("|"):
        yield from _nearness_twists(claim, sentence)
        yield from _time_twists(claim, sentence)


def _nearness_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is `in` a place by the claim and only near, outside or beyond it by the sentence."""
    for stem, places in claim.positions.items():
        if stem not in sentence.positions:
            continue
        here = {governor(claim.tokens, place) for place in places}
        there = {governor(sentence.tokens, place) for place in sentence.positions[stem]}
        if here and here <= INSIDE and there and there <= NEARBY:
            yield f"{min(here)!r} for {min(there)!r}"
            return
        said = {_side(claim.tokens, place) for place in places}
        stated = {_side(sentence.tokens, place) for place in sentence.positions[stem]}
        if "" not in said | stated and not said & stated and stem not in stems_named(_RULES):
            yield f"{min(said)!r} for {min(stated)!r}"
            return


def _side(tokens: Sequence[Token], place: int) -> str:
    """Return on which side of a thing something is: the preposition right before its noun phrase, like ones as one.

    Empty where another stands there, before a name or number (`under 18`, `under Mr Voss`), and in a compound.
    """
    start = place
    while start and tokens[start - 1].word not in _SIDES and (tokens[start - 1].stem or _is_article(tokens[start - 1])):
        start -= 1
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    apart = INSIDE | NEARBY | OTHER | _SIDES.keys()
    inside = following is not None and following.stem and not is_past(following.word) and following.word not in apart
    if not start or inside or any(token.name for token in tokens[start : place + 1]):
        return ""
    if any(is_past(token.word) for token in tokens[start + 1 : place]):
        return ""
    return _SIDES.get(tokens[start - 1].word, "")


def _is_article(token: Token) -> bool:
    return token.word in DETERMINERS


def _time_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is so after a time by the claim and only until then by the sentence, and the reverse."""
    denials = [sum(is_negation(token.word) for token in reading.tokens) % 2 for reading in (claim, sentence)]
    if denials[0] != denials[1]:
        return  # `is not admitted until noon` and `is admitted after noon`
    stated = [(place, _time_word(sentence.tokens, place)) for place in range(len(sentence.tokens))]
    for place, token in enumerate(claim.tokens):
        word = _time_word(claim.tokens, place)
        there = {other for at, other in stated if _is_same(token, sentence.tokens[at])} if word else set()
        if there and (there <= _ENDS if word in _BEGINNINGS else there <= _BEGINNINGS):
            yield f"{word!r} for {min(there)!r}"
            return


def _time_word(tokens: Sequence[Token], place: int) -> str:
    """Return the `until`, `after` or the like right before a word or number, an article passed over."""
    start = place - 1
    while start >= 0 and tokens[start].word in ARTICLES:
        start -= 1
    known = start >= 0 and (tokens[place].stem or tokens[place].quantity)
    return tokens[start].word if known and tokens[start].word in _ENDS | _BEGINNINGS else ""


def _is_same(one: Token, other: Token) -> bool:
    """Return whether two are the same word, or the same time."""
    if one.quantity and other.quantity:
        return one.quantity.values == other.quantity.values and one.quantity.kind == other.quantity.kind
    return bool(one.stem) and one.stem == other.stem
