"""Values that belong to something else: numbers, spans against lists, letters and numbers as names. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag import polarity
from rag.quantities import Quantity, comparable, same_quantity, units_named
from rag.reading import Reading, Token

BOUNDARIES = frozenset(("and", "but", "or", "while", "whereas", ",", ";", "|", "(", ")", ":"))
"""What ends a stretch of words that belong together."""
_SPANNING = frozenset(("to", "through", "until", "–", "—"))
_LISTING = frozenset(("and", "or", ","))
_PASSED = frozenset(("on", "in", "at", "the"))


# --- numbers -----------------------------------------------------------------------------------------------------


def number_twists(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> Iterator[str]:
    """Yield numbers of the claim that the sentence does not state, or states of something else."""
    stated = sentence.quantities
    named = None
    row = sentence.text.startswith("|")  # in a table every other cell is a rival, whatever its unit
    counts = Counter(_key_of(quantity) for _, quantity in claim.quantities)
    for index, quantity in claim.quantities:
        equal = [place for place, other in stated if same_quantity(quantity, other)]
        if not equal and quantity.kind == "range":
            ends = [Quantity("number", (value,), quantity.unit, "", 0, 0) for value in quantity.values]
            equal = [place for end in ends for place, other in stated if same_quantity(end, other)]
            equal = equal if len(equal) >= 2 else []
        if not equal or (len(equal) < counts[_key_of(quantity)] and quantity.kind != "range"):
            yield f"another number than {claim_number(quantity)}"
            continue
        if quantity.unit and not any(_unit_of(sentence, place) for place in equal):
            named = named or units_named(tuple(word for reading in (sentence, *context) for word in reading.words))
            if quantity.unit not in named:
                yield f"no unit {quantity.unit!r} with {claim_number(quantity)}"
        rivals = [place for place, other in stated if place not in equal and (row or comparable(quantity, other))]
        if rivals and belongs_elsewhere(claim, index, sentence, equal, rivals):
            yield f"{claim_number(quantity)} is said of something else"


def _key_of(quantity: Quantity) -> tuple[str, tuple[float, ...], str]:
    return quantity.kind, quantity.values, quantity.unit


def claim_number(quantity: Quantity) -> str:
    """Return a number for a message: `15 min`."""
    return " to ".join(f"{value:g}" for value in quantity.values) + (f" {quantity.unit}" if quantity.unit else "")


def _unit_of(sentence: Reading, place: int) -> str:
    quantity = sentence.tokens[place].quantity
    return quantity.unit if quantity else ""


def belongs_elsewhere(
    claim: Reading, index: int, sentence: Reading, equal: Sequence[int], rivals: Sequence[int]
) -> bool:
    """Return whether the claim's words around a pivot stand, in the sentence, around a rival of the pivot instead.

    The sentence is cut into one stretch for each pivot. Words that stand only in a rival's stretch count against the
    claim when they come after that rival, or when the pivot's own stretch has none of the claim's words to itself.
    """
    stretches = _stretches(sentence, sorted({*equal, *rivals}))
    wanted = _around(claim, index, sentence)
    if _respectively(sentence):
        return not any(wanted & _paired(sentence, place, sorted({*equal, *rivals})) for place in equal)
    own = frozenset().union(*(stretches[place] for place in equal)) & wanted
    for rival in rivals:
        elsewhere = (stretches[rival] & wanted) - own
        if not elsewhere:
            continue
        mine = own - stretches[rival]
        if not mine or (rival > max(equal) and not (index >= 0 and _is_shared(sentence, rival))):
            return True
    return False


def _around(claim: Reading, index: int, sentence: Reading) -> frozenset[str]:
    """Return what belongs with a pivot of the claim: all, or its own stretch where it has several like numbers.

    Other numbers belong with it as words do; `#` and their place in the sentence stand for them.
    """
    pivots = [place for place, quantity in claim.quantities if _alike(claim, index, quantity)]
    around = _stretches(claim, pivots)[index] if index in pivots and len(pivots) > 1 else frozenset(claim.content)
    others = [quantity for place, quantity in claim.quantities if place not in pivots]
    return around | {
        f"#{place}" for place, stated in sentence.quantities for other in others if same_quantity(other, stated)
    }


def _alike(claim: Reading, index: int, other: Quantity) -> bool:
    quantity = claim.tokens[index].quantity if index >= 0 else None
    return quantity is not None and comparable(quantity, other)


def _stretches(reading: Reading, pivots: Sequence[int]) -> dict[int, frozenset[str]]:
    """Cut a sentence between its pivots, at the last boundary word before the next one, and return stems for each."""
    tokens = reading.tokens
    edges = [0]
    for left, right in pairwise(pivots):
        cuts = [place for place in range(left + 1, right) if tokens[place].word in BOUNDARIES]
        edges.append(cuts[0] if cuts else right)
    edges.append(len(tokens))
    return {
        pivot: frozenset(
            tokens[index].stem or f"#{index}"
            for index in range(edges[place], edges[place + 1])
            if tokens[index].stem or (tokens[index].quantity and index not in pivots)
        )
        for place, pivot in enumerate(pivots)
    }


def _is_shared(sentence: Reading, rival: int) -> bool:
    """Return whether what follows a last number holds for all before it, as in `5 or 10 days after receipt`."""
    before = sentence.tokens[max(0, rival - 1)].word
    return before in ("or", "and", "to") or (before == "," and rival + 1 < len(sentence.tokens))


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
