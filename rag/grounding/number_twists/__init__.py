"""Values that belong to something else: numbers, spans against lists, letters and numbers as names. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rag.grounding.number_twists.uses import (
    DETERMINERS,
    claim_number,
    is_end_of_change,
    make_a_share,
    share_twists,
    use_twists,
)
from rag.grounding.number_twists.written import is_turned, url_twists
from rag.grounding.reading import Reading, Token
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantities import Kind, Quantity, comparable, same_quantity
from rag.language.units import units_named

BOUNDARIES = frozenset(("and", "but", "or", "while", "whereas", ",", ";", "|", "(", ")", ":"))
"""What ends a stretch of words that belong together."""
_SPANNING = frozenset(("to", "through", "until", "–", "—"))
_LISTING = frozenset(("and", "or", ","))
_PASSED = frozenset(("on", "in", "at", "the"))
_JOINING = word_set("and or to but while whereas") | {","}
_COUNTED_WORDS = 3


# --- numbers -----------------------------------------------------------------------------------------------------


def number_twists(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> Iterator[str]:
    """Yield numbers of the claim that the sentence does not state, or states of something else."""
    yield from share_twists(claim, sentence)
    yield from url_twists(claim, sentence)
    stated = sentence.quantities
    named = None
    row = sentence.text.startswith("|")  # in a table every other cell is a rival, whatever its unit
    counts = Counter(_key_of(quantity) for _, quantity in claim.quantities)
    for index, quantity in claim.quantities:
        equal = [place for place, other in stated if same_quantity(quantity, other)]
        span = len(quantity.values) == 2
        if not equal and span and not is_turned(quantity, sentence):
            kind: Kind = "time" if quantity.kind == "time" else "number"
            ends = [replace(quantity, kind=kind, values=(value,), bound="", following=()) for value in quantity.values]
            found = [[place for place, other in stated if same_quantity(end, other)] for end in ends]
            equal = [place for places in found for place in places] if all(found) else []
        equal = equal or [place for place, other in stated if is_end_of_change(claim, index, sentence, other)]
        if not equal or (len(equal) < counts[_key_of(quantity)] and not span):
            yield f"another number than {claim_number(quantity)}"
            continue
        if quantity.unit and not any(_unit_of(sentence, place) for place in equal):
            named = named or units_named(tuple(word for reading in (sentence, *context) for word in reading.words))
            if quantity.unit not in named:
                yield f"no unit {quantity.unit!r} with {claim_number(quantity)}"
        yield from use_twists(claim, index, sentence, equal)
        rivals = [place for place, other in stated if place not in equal and (row or comparable(quantity, other))]
        rivals = [place for place in rivals if not any(make_a_share(sentence, place, other) for other in equal)]
        if rivals and belongs_elsewhere(claim, index, sentence, equal, rivals):
            yield f"{claim_number(quantity)} is said of something else"


def _key_of(quantity: Quantity) -> tuple[str, tuple[float, ...], str]:
    return quantity.kind, quantity.values, quantity.unit


def _unit_of(sentence: Reading, place: int) -> str:
    quantity = sentence.tokens[place].quantity
    return quantity.unit if quantity else ""


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
    start, end = _start_of_lead(claim, index), _end_of_tail(claim, index)
    alone = not any(start <= at < end for at, _ in claim.quantities if at != index)
    return frozenset(token.stem for token in claim.tokens[start:end] if token.stem) if alone else frozenset()


def _on_the_way(claim: Reading, index: int, sentence: Reading, rival: int) -> frozenset[str]:
    """Return the stems between a number and a later rival, no boundary between them, that lead to the rival there too.

    `The fee of 20 is reduced to 10` says no more of the 20 than `The fee is 20, reduced to 10` does.
    """
    stated = sentence.tokens[rival].quantity
    later = [at for at, said in claim.quantities if at > index and stated and same_quantity(said, stated)]
    if not later or any(token.word in BOUNDARIES for token in claim.tokens[index : later[0]]):
        return frozenset()
    way = {token.stem for token in claim.tokens[index : later[0]] if token.stem}
    return _terms(sentence, _start_of_lead(sentence, rival), rival) & way


def _around(claim: Reading, index: int, sentence: Reading) -> frozenset[str]:
    """Return what belongs with a pivot of the claim: all, or its own stretch where it has several like numbers.

    Other numbers belong with it as words do; `#` and their place in the sentence stand for them.
    """
    pivots = [place for place, quantity in claim.quantities if _alike(claim, index, quantity)]
    span = range(len(claim.tokens))
    if index in pivots and len(pivots) > 1:
        span = _spans(claim, pivots)[index]
    others = [quantity for place, quantity in claim.quantities if place in span and place not in pivots]
    return frozenset(claim.tokens[at].stem for at in span if claim.tokens[at].stem) | {
        f"#{place}" for place, stated in sentence.quantities for other in others if same_quantity(other, stated)
    }


def _alike(claim: Reading, index: int, other: Quantity) -> bool:
    quantity = claim.tokens[index].quantity if index >= 0 else None
    return quantity is not None and comparable(quantity, other)


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
        cuts = [place for place in range(left + 1, right) if tokens[place].word in BOUNDARIES]
        leads = [at for at in range(left + 1, right) if tokens[at].word == "to" and tokens[at + 1].quantity]
        edges.append(cuts[0] if cuts else leads[-1] if leads else right)
    edges.append(len(tokens))
    return {pivot: range(edges[place], edges[place + 1]) for place, pivot in enumerate(pivots)}


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
    start = _start_of_lead(sentence, rival)
    late = elsewhere - _terms(sentence, place + 1, start)
    own = _terms(sentence, place + 1, start) & wanted
    return not late or (bool(own) and not late & _terms(sentence, start, _end_of_tail(sentence, rival)))


def _is_plain_list(sentence: Reading, place: int, rival: int) -> bool:
    """Return whether only numbers, what they count, commas and `and`, `or`, `to` stand from one number to another."""
    counted = 0
    for token in sentence.tokens[place:rival]:
        if token.quantity:
            counted = 0 if token.quantity.unit or token.quantity.kind != "number" else _COUNTED_WORDS
        elif token.stem and counted:
            counted -= 1
        elif token.word in _JOINING or token.word in DETERMINERS:
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
    end = _end_of_tail(sentence, place)
    joined = end < later and all(token.word in _JOINING for token in sentence.tokens[end:later])
    return joined and bool(_tail(sentence, place)) and not _is_plain_list(sentence, place, later)


def _has_own_subject(
    sentence: Reading, rival: int, place: int, wanted: frozenset[str], elsewhere: frozenset[str]
) -> bool:
    """Return whether another thing has a number than the one that a claim says it of, which leads an earlier rival.

    `The mast is 40 m high and the well 60 m deep`: the 60 m are the well's.
    """
    own = _lead(sentence, place)
    begins = _start_of_lead(sentence, place)
    joined = begins > rival and sentence.tokens[begins - 1].word in ("and", "but", "while", "whereas")
    return joined and bool(own) and not own & wanted and bool(_lead(sentence, rival) & elsewhere)


def _lead(sentence: Reading, place: int) -> frozenset[str]:
    """Return the terms that lead to a number, after the last boundary word before it."""
    return _terms(sentence, _start_of_lead(sentence, place), place)


def _end_of_tail(sentence: Reading, place: int) -> int:
    """Return where the words that follow a number end: at the next boundary word, or with the sentence."""
    tokens = sentence.tokens
    return next((at for at in range(place + 1, len(tokens)) if tokens[at].word in BOUNDARIES), len(tokens))


def _start_of_lead(sentence: Reading, place: int) -> int:
    """Return where the words that lead to a number begin: after the last boundary word before it."""
    tokens = sentence.tokens
    return next((at + 1 for at in range(place - 1, -1, -1) if tokens[at].word in BOUNDARIES), 0)


def _tail(sentence: Reading, place: int) -> frozenset[str]:
    """Return the terms that follow a number up to the next boundary word."""
    return _terms(sentence, place + 1, _end_of_tail(sentence, place))


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


def joint_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the ends of a span that the sentence lists, or the reverse: `May to June` for `May and June`."""
    said = _joints(claim)
    stated = _joints(sentence) if said else {}
    for pair, kind in said.items():
        if pair in stated and stated[pair] != kind:
            yield "a span is said of what is only listed" if kind == "span" else "a list is said of the ends of a span"


def _joints(reading: Reading) -> dict[frozenset[object], str]:
    """Return for each two neighbours, words or numbers, whether they are listed or are the ends of a span."""
    found: dict[frozenset[object], str] = {}
    places = [place for place, token in enumerate(reading.tokens) if token.stem or token.quantity]
    for _, quantity in reading.quantities:
        if quantity.kind == "range":
            found[frozenset(quantity.values)] = "span"
    for one, other in pairwise(places):
        kind = _joint(reading, one, other)
        if kind:
            found[frozenset((_end_of(reading, one), _end_of(reading, other)))] = kind
    return found


def _end_of(reading: Reading, place: int) -> object:
    quantity = reading.tokens[place].quantity
    return quantity.values[0] if quantity and quantity.kind == "number" else reading.tokens[place].stem or place


def _joint(reading: Reading, one: int, other: int) -> str:
    left, right = reading.tokens[one], reading.tokens[other]
    between = {token.word for token in reading.tokens[one + 1 : other]}
    before = {token.word for token in reading.tokens[max(0, one - 2) : one]}
    alike = (left.name and right.name) or right.stem in polarity.opposites_of(left.stem)
    if between & _SPANNING and between <= _SPANNING | _PASSED and (alike or "from" in before):
        return "span"
    if not between and right.stem in polarity.opposites_of(left.stem):
        return "span"  # Monday-Friday: a hyphen is no word
    if between & _LISTING and between <= _LISTING | _PASSED:
        return "span" if "between" in before else "list"
    return ""


# --- letters and numbers as names ---------------------------------------------------------------------------------


def label_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a letter or number that the sentence gives to something else: `Gate A` where only a route is A."""
    for place, token in enumerate(claim.tokens):
        if not place or not ((_is_letter(token) and token.stem in sentence.positions) or _is_label(claim, place)):
            continue
        bearer = claim.tokens[place - 1].stem
        bearers = sentence.positions.get(bearer, ())
        labels = [label for index in bearers for label in _labels_after(sentence, index)]
        if labels and not any(_same_label(token, label) for label in labels):
            name = claim_number(token.quantity) if token.quantity else token.word.upper()
            yield f"{bearer!r} is not {name!r} there"
        elif not labels and token.quantity and _only_labels_others(token.quantity, claim, place, sentence):
            yield f"{claim_number(token.quantity)} is the name of something else"


def _is_label(reading: Reading, place: int) -> bool:
    """Return whether a bare number names or counts off what stands before it: `platform 4`, with no noun after it."""
    quantity, after = reading.tokens[place].quantity, reading.tokens[place + 1 : place + 2]
    bare = quantity is not None and quantity.kind == "number" and not quantity.unit and not quantity.bound
    return bare and not (after and (after[0].stem or after[0].quantity))


def _same_label(token: Token, label: Token) -> bool:
    """Return whether two labels are one; a span may hold any."""
    if token.quantity and label.quantity:
        return label.quantity.kind != "number" or same_quantity(token.quantity, label.quantity)
    return bool(token.stem) and token.stem == label.stem


def _only_labels_others(quantity: Quantity, claim: Reading, place: int, sentence: Reading) -> bool:
    """Return whether a number after `at` only names a noun (`platform 7`) where another number follows that `at`."""
    before = claim.tokens[place - 1]
    if before.stem or not before.word.isalpha():
        return False
    equal = [index for index, stated in sentence.quantities if same_quantity(quantity, stated)]
    rivals = [index for index, stated in sentence.quantities if index not in equal and comparable(quantity, stated)]
    names = all(index and sentence.tokens[index - 1].stem and _is_label(sentence, index) for index in equal)
    return bool(equal) and names and any(index and sentence.tokens[index - 1].word == before.word for index in rivals)


def _labels_after(reading: Reading, place: int) -> Iterator[Token]:
    """Yield the letters and numbers that name a word: A, B and 3 of `Gates A, B and 3`; none that counts a noun."""
    for index, token in enumerate(reading.tokens[place + 1 :], place + 1):
        if _is_letter(token) or (token.quantity and (token.quantity.kind == "range" or _is_label(reading, index))):
            yield token
        elif token.word not in ("and", "or", ",", "to"):
            return


def _is_letter(token: Token) -> bool:
    return len(token.word) == 1 and bool(token.stem) and token.word.isalpha()
