"""Which words belong to which of several numbers of a sentence. Ground floor."""

from collections.abc import Sequence
from itertools import pairwise

from rag.grounding.reading import Reading, Token, stems_of
from rag.grounding.words import BOUNDARIES, OPENERS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import comparable, same_quantity
from rag.language.units import dimension

_JOINING = word_set("and or to but while whereas") | {","}
_COUNTED_WORDS = 3
_OVER = word_set("over above older more higher longer greater under below younger less fewer lower shorter")
_NEW_TOPIC = word_set("the a an that those")


def are_rivals(one: Quantity, other: Quantity) -> bool:
    """Return whether two numbers could be confused; how long something takes may be said in any unit of time.

    A number before a noun, as in `a two-hour course`, is a part of its name.
    """
    if comparable(one, other):
        return True
    names = bool(one.following) and bool(polarity.stem_of(one.following[0]))
    return not names and all(_is_duration(quantity) for quantity in (one, other))


def _is_duration(quantity: Quantity) -> bool:
    known = dimension(quantity.unit)
    return quantity.kind in ("number", "range") and known is not None and known[0] in ("time", "months")


def belongs_elsewhere(
    claim: Reading, index: int, sentence: Reading, equal: Sequence[int], rivals: Sequence[int]
) -> bool:
    """Return whether the claim's words around a pivot stand, in the sentence, around a rival of the pivot instead.

    The sentence is cut into one stretch for each pivot. Words that stand only in a rival's stretch count against the
    claim when they come after that rival, or when the pivot's own stretch has none of the claim's words to itself, or
    none of those around its number.
    """
    stretches = _stretches(sentence, sorted({*equal, *rivals}))
    wanted = _around(claim, index, sentence)
    if _respectively(sentence):
        return not any(wanted & _paired(sentence, place, sorted({*equal, *rivals})) for place in equal)
    own = frozenset().union(*(stretches[place] for place in equal)) & wanted
    local = _segment(claim, index) if index >= 0 else frozenset()
    for rival in rivals:
        if local & stretches[rival] and not local & own and not _is_plain_list(sentence, *sorted((rival, equal[0]))):
            return True
        elsewhere = (stretches[rival] & wanted) - own
        if index >= 0:
            elsewhere -= _on_the_way(claim, index, sentence, rival)
        if not elsewhere:
            continue
        mine = own - stretches[rival]
        if not mine:
            return True
        if rival > max(equal):
            if not (index >= 0 and _is_shared(sentence, max(equal), rival, wanted, elsewhere)):
                return True
        elif index >= 0 and (
            (_is_parallel(sentence, rival, min(equal)) and _tail(sentence, rival) & elsewhere)
            or _has_own_subject(sentence, rival, min(equal), wanted, elsewhere)
        ):
            return True
    return False


def _segment(claim: Reading, index: int) -> frozenset[str]:
    """Return the stems around a number of a claim, between two boundary words, where it is the only number there."""
    start, end = start_of_lead(claim, index), end_of_tail(claim, index)
    alone = not any(start <= at < end for at, _ in claim.quantities if at != index)
    return stems_of(claim.tokens[start:end]) if alone else frozenset()


def _on_the_way(claim: Reading, index: int, sentence: Reading, rival: int) -> frozenset[str]:
    """Return the stems between a number and a later rival, no boundary between them, that lead to the rival there too.

    `The fee of 20 is reduced to 10` says no more of the 20 than `The fee is 20, reduced to 10` does.
    """
    stated = sentence.tokens[rival].quantity
    later = [at for at, said in claim.quantities if at > index and stated and same_quantity(said, stated)]
    if not later or any(token.word in BOUNDARIES for token in claim.tokens[index : later[0]]):
        return frozenset()
    way = {token.stem for token in claim.tokens[index : later[0]] if token.stem}
    return _terms(sentence, start_of_lead(sentence, rival), rival) & way


def _around(claim: Reading, index: int, sentence: Reading) -> frozenset[str]:
    """Return what belongs with a pivot of the claim: all, or its own stretch where it has several like numbers.

    Other numbers belong with it as words do; `#` and their place in the sentence stand for them.
    """
    row = sentence.text.startswith("|")
    pivots = [at for at, quantity in claim.quantities if (row and index >= 0) or _alike(claim, index, quantity)]
    span = range(len(claim.tokens))
    if index in pivots and len(pivots) > 1:
        span = _spans(claim, pivots)[index]
    others = [quantity for place, quantity in claim.quantities if place in span and place not in pivots]
    return frozenset(claim.tokens[at].stem for at in span if claim.tokens[at].stem) | {
        f"#{place}" for place, stated in sentence.quantities for other in others if same_quantity(other, stated)
    }


def _alike(claim: Reading, index: int, other: Quantity) -> bool:
    quantity = claim.tokens[index].quantity if index >= 0 else None
    return quantity is not None and are_rivals(quantity, other)


def _stretches(reading: Reading, pivots: Sequence[int]) -> dict[int, frozenset[str]]:
    """Return for each pivot the stems of its stretch, and `#` with the places of its other numbers."""
    tokens = reading.tokens
    return {
        pivot: frozenset(
            tokens[at].stem or f"#{at}" for at in span if tokens[at].stem or (tokens[at].quantity and at not in pivots)
        )
        for pivot, span in _spans(reading, pivots).items()
    }


def _spans(reading: Reading, pivots: Sequence[int]) -> dict[int, range]:
    """Cut a sentence between its pivots: at the first boundary word before the next one, else before it.

    What stands before it belongs with it from `to` on: `from 3 t in 2019 | to 5 t in 2020`.
    """
    tokens = reading.tokens
    edges = [0]
    for left, right in pairwise(pivots):
        cuts = [at for at in range(left + 1, right) if tokens[at].word in BOUNDARIES and not _is_of_bound(tokens, at)]
        cuts = [at for at in cuts if tokens[at].word == ";"] or cuts
        leads = [at for at in range(left + 1, right) if tokens[at].word == "to" and tokens[at + 1].quantity]
        edges.append(cuts[0] if cuts else leads[-1] if leads else right)
    edges.append(len(tokens))
    return {pivot: range(edges[place], edges[place + 1]) for place, pivot in enumerate(pivots)}


def _is_of_bound(tokens: Sequence[Token], place: int) -> bool:
    """Return whether an `and` or `or` belongs to the bound of the number before it: `aged 16 and over`."""
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return bool(tokens[place - 1].quantity) and tokens[place].word in ("and", "or") and after in _OVER


def _is_shared(sentence: Reading, place: int, rival: int, wanted: frozenset[str], elsewhere: frozenset[str]) -> bool:
    """Return whether what a claim says of a number is said, after a later rival, of both of them.

    It is where the two are listed: `5 or 10 days after receipt`, `3 cats and 2 dogs of the farm`. Where each has words
    of its own (`12 mg for adults and 5 mg for children, in two doses`), only what a comma parts from the rival is, for
    a claim that has the number's own. What stands before the rival's own words says nothing of the rival.
    """
    before = sentence.tokens[rival - 1].word
    if not (before in ("or", "and", "to") or (before == "," and rival + 1 < len(sentence.tokens))):
        return False
    if _is_plain_list(sentence, place, rival):
        return True
    start = start_of_lead(sentence, rival)
    between = _terms(sentence, place + 1, _start_of_next_topic(sentence, place, start))
    late, own = elsewhere - between, between & wanted
    return not late or (bool(own) and not late & _terms(sentence, start, end_of_tail(sentence, rival)))


def _start_of_next_topic(sentence: Reading, place: int, end: int) -> int:
    """Return where another thing with numbers of its own begins before a place: `20 euros, the short tour 2 hours`."""
    tokens = sentence.tokens
    for at in range(place + 1, end - 1):
        numbered = any(at < index < end for index, _ in sentence.quantities)
        if numbered and tokens[at].word == "," and tokens[at + 1].word in _NEW_TOPIC:
            return at
    return end


def _is_plain_list(sentence: Reading, place: int, rival: int) -> bool:
    """Return whether only numbers, what they count, commas and `and`, `or`, `to` stand from one number to another."""
    counted = 0
    for token in sentence.tokens[place:rival]:
        if token.quantity:
            counted = 0 if token.quantity.unit or token.quantity.kind != "number" else _COUNTED_WORDS
        elif token.stem and counted:
            counted -= 1
        elif token.word in _JOINING or token.word in OPENERS:
            counted = 0
        else:
            return False
    return all(
        comparable(stated, sentence.tokens[rival].quantity or stated)
        for between, stated in sentence.quantities
        if place < between < rival
    )


def _is_parallel(sentence: Reading, place: int, later: int) -> bool:
    """Return whether two numbers each have words of their own, joined: `12 mg for adults and 5 mg for children`."""
    end = end_of_tail(sentence, place)
    joined = end < later and all(token.word in _JOINING for token in sentence.tokens[end:later])
    return joined and bool(_tail(sentence, place)) and not _is_plain_list(sentence, place, later)


def _has_own_subject(
    sentence: Reading, rival: int, place: int, wanted: frozenset[str], elsewhere: frozenset[str]
) -> bool:
    """Return whether another thing has a number than the one that a claim says it of, which leads an earlier rival.

    `The mast is 40 m high and the well 60 m deep`: the 60 m are the well's.
    """
    own = _lead(sentence, place)
    begins = start_of_lead(sentence, place)
    joined = begins > rival and sentence.tokens[begins - 1].word in ("and", "but", "while", "whereas")
    return joined and bool(own) and not own & wanted and bool(_lead(sentence, rival) & elsewhere)


def words_around(sentence: Reading, place: int) -> frozenset[str]:
    """Return the terms between the boundary words before and behind a number."""
    return _lead(sentence, place) | _tail(sentence, place)


def _lead(sentence: Reading, place: int) -> frozenset[str]:
    """Return the terms that lead to a number, after the last boundary word before it."""
    return _terms(sentence, start_of_lead(sentence, place), place)


def end_of_tail(sentence: Reading, place: int) -> int:
    """Return where the words that follow a number end: at the next boundary word, or with the sentence."""
    tokens = sentence.tokens
    return next((at for at in range(place + 1, len(tokens)) if tokens[at].word in BOUNDARIES), len(tokens))


def start_of_lead(sentence: Reading, place: int) -> int:
    """Return where the words that lead to a number begin: after the last boundary word before it."""
    tokens = sentence.tokens
    return next((at + 1 for at in range(place - 1, -1, -1) if tokens[at].word in BOUNDARIES), 0)


def _tail(sentence: Reading, place: int) -> frozenset[str]:
    """Return the terms that follow a number up to the next boundary word."""
    return _terms(sentence, place + 1, end_of_tail(sentence, place))


def _terms(sentence: Reading, start: int, end: int) -> frozenset[str]:
    """Return the stems, and `#` with the places of numbers, of a part of a sentence."""
    return frozenset(
        token.stem or f"#{at}"
        for at, token in enumerate(sentence.tokens[start:end], start)
        if token.stem or token.quantity
    )


def _respectively(sentence: Reading) -> bool:
    return "respectively" in sentence.words


def _paired(sentence: Reading, place: int, pivots: Sequence[int]) -> frozenset[str]:
    """Return the stem that `respectively` pairs with a number: the n-th of the items listed before the numbers."""
    tokens = sentence.tokens
    before = [index for index in range(pivots[0]) if tokens[index].stem]
    marks = [index for index in range(pivots[0]) if tokens[index].word in ("and", ",")]
    items = [max((index for index in before if index < mark), default=-1) for mark in marks]
    if marks:
        items.append(min((index for index in before if index > marks[-1]), default=-1))
    listed = [tokens[index].stem for index in dict.fromkeys(items) if index >= 0][-len(pivots) :]
    return frozenset(listed[pivots.index(place) : pivots.index(place) + 1])
