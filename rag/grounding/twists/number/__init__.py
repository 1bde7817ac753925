"""Values that belong to something else: numbers, spans against lists, letters and numbers as names. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rag.grounding.further import has_amount_of_other
from rag.grounding.normal import normal_form
from rag.grounding.paired import stands_paired
from rag.grounding.reading import Reading, Token
from rag.grounding.twists.number.places import are_rivals, belongs_elsewhere, end_of_tail, start_of_lead, words_around
from rag.grounding.twists.number.uses import (
    claim_number,
    is_end_of_change,
    make_a_share,
    part_twists,
    use_twists,
)
from rag.grounding.twists.number.written import is_turned, url_twists
from rag.grounding.verbs import is_with_own_verb
from rag.grounding.words import PREPOSITIONS, stems_named
from rag.language import polarity
from rag.language.quantities import Kind, Quantity
from rag.language.quantity_equality import comparable, is_rate_of, same_quantity
from rag.language.units import units_named

_SPANNING = frozenset(("to", "through", "until", "–", "—"))
_ENDING = frozenset(("to", "until", "till"))
_LISTING = frozenset(("and", "or", ","))
_CHOOSING = stems_named("choose choice decide select")
"""What makes a list of `between A and B`."""
_LASTING = frozenset(("for", "after", "within"))
"""Prepositions of a length of time: `for 18 months, the other after six`."""
_PASSED = frozenset(("on", "in", "at", "the"))


# --- numbers -----------------------------------------------------------------------------------------------------


def number_twists(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> Iterator[str]:
    """Yield numbers of the claim that the sentence does not state, or states of something else."""
    yield from part_twists(claim, sentence)
    yield from url_twists(claim, sentence)
    stated = sentence.quantities
    named = None
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
        equal = equal or [place for place, _ in stated if _takes_up_rate(sentence, place, quantity)]
        equal = equal or [place for place, _ in stated if _takes_up_period(claim, quantity, sentence, place)]
        if not equal or (len(equal) < counts[_key_of(quantity)] and not span):
            yield f"another number than {claim_number(quantity)}"
            continue
        if quantity.unit and not any(_has_unit(sentence, place, quantity.unit) for place in equal):
            named = named or units_named(tuple(word for reading in (sentence, *context) for word in reading.words))
            if quantity.unit not in named:
                yield f"no unit {quantity.unit!r} with {claim_number(quantity)}"
        yield from use_twists(claim, index, sentence, equal)
        rivals = _rivals(claim, index, sentence, equal)
        if rivals and _is_elsewhere(claim, index, sentence, equal, rivals):
            yield f"{claim_number(quantity)} is said of something else"


def _is_elsewhere(claim: Reading, index: int, sentence: Reading, equal: Sequence[int], rivals: Sequence[int]) -> bool:
    """Return whether a number belongs to something else, and stands neither with its own verb nor in its own pair."""
    if not belongs_elsewhere(claim, index, sentence, equal, rivals):
        return False
    if has_amount_of_other(claim, sentence) is False:
        return False
    return not (stands_paired(claim, sentence) or is_with_own_verb(claim, sentence, equal, rivals))


def _rivals(claim: Reading, index: int, sentence: Reading, equal: Sequence[int]) -> list[int]:
    """Return where a sentence has numbers that could be confused with one of the claim's, which stands at `equal`.

    In a table every other cell is one, whatever its unit; a part of a share and the other end of a span are none.
    """
    quantity = claim.tokens[index].quantity
    if quantity is None:
        return []
    row = sentence.text.startswith("|")
    return [
        place
        for place, other in sentence.quantities
        if place not in equal
        and (row or (are_rivals(quantity, other) and _stands_near(claim, quantity, sentence, place)))
        and not any(make_a_share(sentence, place, one) for one in equal)
        and not any(_is_other_end(claim, index, sentence, one, place) for one in equal)
    ]


def _takes_up_rate(sentence: Reading, place: int, quantity: Quantity) -> bool:
    """Return whether a number takes up the rate of one before it: `tents pay 14 euros a night and vans 22 euros`."""
    stated = sentence.tokens[place].quantity
    if stated is None or not is_rate_of(quantity, stated) or quantity.values != stated.values:
        return False
    return any(at < place and other.unit == quantity.unit for at, other in sentence.quantities)


def _takes_up_period(claim: Reading, quantity: Quantity, sentence: Reading, place: int) -> bool:
    """Return whether a number of times takes up the period of one before it: `puppies four times a day, dogs twice`."""
    stated = sentence.tokens[place].quantity
    if stated is None or quantity.kind != "frequency" or stated.unit != "times" or sentence.text.startswith("|"):
        return False
    before = [one for at, one in sentence.quantities if at < place and one.kind == "frequency"]
    there = normal_form(sentence.text)
    said = normal_form(claim.text)[quantity.start : quantity.end].casefold().split()
    period = there[before[-1].start : before[-1].end].casefold().split()[-1] if before else ""
    return said[-1:] == [period] and said[: len(said) - 2] == there[stated.start : stated.end].casefold().split()


def _stands_near(claim: Reading, quantity: Quantity, sentence: Reading, rival: int) -> bool:
    """Return whether a rival is of a like unit or has words of the claim right around it."""
    other = sentence.tokens[rival].quantity
    near = words_around(sentence, rival) & claim.positions.keys()
    return other is None or comparable(quantity, other) or bool(near)


def _is_other_end(claim: Reading, index: int, sentence: Reading, place: int, rival: int) -> bool:
    """Return whether two numbers are the ends of one span, and the claim has its own with the preposition of there.

    `Open until 4 October` is carried by `open from 2 March until 4 October`.
    """
    start, end = sorted((place, rival))
    between = [token.word for token in sentence.tokens[start + 1 : end]]
    spans = bool(between) and set(between) <= _ENDING | {"the"} and sentence.tokens[start - 1].word in ("from", "since")
    words = {claim.tokens[index - 1].word, sentence.tokens[place - 1].word} if index and place else set()
    return spans and (len(words) == 1 or words <= _ENDING)


def _key_of(quantity: Quantity) -> tuple[str, tuple[float, ...], str]:
    return quantity.kind, quantity.values, quantity.unit


def _unit_of(sentence: Reading, place: int) -> str:
    quantity = sentence.tokens[place].quantity
    return quantity.unit if quantity else ""


def _has_unit(sentence: Reading, place: int, unit: str) -> bool:
    """Return whether a number has a unit or, bare, takes up this one of the number before it.

    It does behind the same preposition (`books for 28 days and films for 7`), or after `that of`, and with no word of
    its own behind it.
    """
    tokens = sentence.tokens
    if _unit_of(sentence, place):
        return True
    before = next((at for at, _ in reversed(sentence.quantities) if at < place), 0)
    if not before or _unit_of(sentence, before) != unit or end_of_tail(sentence, place) > place + 1:
        return False
    leads = {tokens[place - 1].word, tokens[before - 1].word}
    alike = leads <= _LASTING or (len(leads) == 1 and leads <= PREPOSITIONS)
    start = start_of_lead(sentence, place)
    return alike or (start > before and tokens[start].word in ("that", "those"))


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
        chosen = "between" in before and not _CHOOSING.isdisjoint(token.stem for token in reading.tokens[:one])
        return "span" if "between" in before and not chosen else "list"
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
