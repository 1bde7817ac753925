"""What stands in one of two parallel parts put to the other: `Workers live for six weeks, the queen up to five years`.

Two parts of a statement are parallel where each has a phrase of the same kind, a number or a preposition, besides words
of its own: `men six times a year, women four times`, `is fed in autumn and treated in December`. What one part says
stays with its own words. Each function compares a claim with one sentence of the evidence and yields a plain reason for
every twist it finds. Ground floor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.statements import (
    CUTS,
    ELSEWHERE,
    LEADS,
    begins_with_verb,
    is_any_in,
    is_plural,
    subject_and_verb,
)
from rag.grounding.twists.number.places import are_rivals
from rag.grounding.words import DETERMINERS
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity
from rag.language.units import dimension

_UNITS = frozenset(("second", "minut", "hour", "day", "night", "week", "month", "year"))
_CLOCK = word_set("at before after until till by between from")


@dataclass(frozen=True, slots=True)
class _Slot:
    """A phrase behind a preposition, or a number with none: what it is of, its words and its numbers."""

    preposition: str
    stems: frozenset[str]
    numbers: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a statement: its words outside its phrases (`own`), its subject, its verb where told, its phrases.

    `verbal`: it begins with a verb, and its subject is that of the part before it. `like_first`: it begins with `those`
    and a phrase, whose words are `leading`.
    """

    own: frozenset[str]
    subject: frozenset[str]
    verb: frozenset[str]
    slots: tuple[_Slot, ...]
    stems: frozenset[str]
    verbal: bool
    leading: tuple[str, ...]
    like_first: bool


def parallel_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield words of one of two parallel parts with the phrase of the other."""
    if is_any_in((_crosses_parts,), claim, sentence):
        yield "it is said of another of two parts there"


def _crosses_parts(claim: Reading, tokens: Sequence[Token]) -> bool:
    parts = _parts(tokens)
    for (at, one), (to, other) in combinations(enumerate(parts), 2):
        if one is None or other is None:
            continue
        if _is_crossed(claim, one, other):
            return True
        between = [part for part in parts[at + 1 : to] if part is not None and not (part.slots or part.verbal)]
        if between and not other.verbal and any(_is_of_one_between(claim, one, other, part) for part in between):
            return True
    return False


def _parts(tokens: Sequence[Token]) -> list[_Part | None]:
    """Return the parts between commas and the words that join statements of equal rank, None for one not told."""
    edges = [-1, *(at for at, token in enumerate(tokens) if token.word in CUTS), len(tokens)]
    found = []
    for start, end in pairwise(edges):
        if end > start + 1:
            told = start < 1 or tokens[start].word != "," or not _is_apposition(tokens, start)
            part = tokens[start + 1 : end]
            noun = is_plural(tokens[0]) and is_plural(part[0])  # no verb of it: `workers live ..., drones a little`
            found.append(_part(part, verbal=start > 0 and not noun and begins_with_verb(part)) if told else None)
    return found


def _is_apposition(tokens: Sequence[Token], comma: int) -> bool:
    """Return whether what stands behind a comma may say what stands before it is: `in Bern, a city in the west`."""
    after = tokens[comma + 1].word
    return after in ("a", "an") or (after == "the" and tokens[comma - 1].name)


def _part(tokens: Sequence[Token], *, verbal: bool) -> _Part | None:
    """Return a part read, None where it has a clause inside or begins with a preposition or a number."""
    if any(token.word in ELSEWHERE for token in tokens):
        return None
    if not (tokens[0].stem or tokens[0].word in DETERMINERS | AUXILIARIES) or tokens[0].word in LEADS:
        return None
    slots = phrases_of(tokens)
    place = next((at for at, token in enumerate(tokens) if token.word in LEADS), len(tokens))
    close = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in LEADS), len(tokens))
    leading = tuple(token.stem for token in tokens[place + 1 : close] if token.stem)
    like_first = tokens[0].word in ("those", "that") and place == 1 and len(slots) > 1
    slots = slots[1:] if like_first else slots
    own = stems_of(tokens) - frozenset(stem for slot in slots for stem in slot.stems)
    subject, verb = (frozenset[str](), frozenset[str]()) if verbal else subject_and_verb(tokens)
    return _Part(own, subject, verb, slots, stems_of(tokens), verbal, leading, like_first)


def phrases_of(tokens: Sequence[Token]) -> tuple[_Slot, ...]:
    """Return the phrases of a part: a preposition with all up to the next one, a number that stands without."""
    leads = [
        at for at, token in enumerate(tokens) if at and (token.word in LEADS - {"of"} or _is_bare_number(tokens, at))
    ]
    found = []
    for start, end in pairwise([*leads, len(tokens)]):
        inside = tokens[start : start + 1 if tokens[start].quantity else end]
        numbers = tuple(token.quantity for token in inside if token.quantity)
        found.append(_Slot("" if tokens[start].quantity else tokens[start].word, stems_of(inside), numbers))
    return tuple(found)


def _is_bare_number(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].quantity is not None and not any(
        token.word in LEADS for token in tokens[max(0, place - 2) : place]
    )


def _is_crossed(claim: Reading, one: _Part, other: _Part) -> bool:
    """Return whether a claim has words of one part with a phrase of the other that has a counterpart in the first."""
    wanted = claim.positions.keys()
    for first in one.slots:
        for second in other.slots:
            if not _are_alike(first, second):
                continue
            own, theirs = one.own - other.stems, other.own - one.stems
            if not own or not theirs:
                continue
            has_first, has_second = _has(claim, first, second, one, other), _has(claim, second, first, other, one)
            if has_second and not has_first and wanted & own and not wanted & theirs:
                return True
            rivals = (one.verb if other.verbal else one.subject) - other.stems
            if other.like_first:
                rivals = frozenset(one.leading[: len(other.leading)]) - other.stems
            if has_first and not has_second and rivals and wanted & theirs and not wanted & rivals:
                return True
    return False


def _is_of_one_between(claim: Reading, one: _Part, other: _Part, between: _Part) -> bool:
    """Return whether a claim says of a part between two parallel ones what the first says: `drones a little longer`."""
    wanted = claim.positions.keys()
    alike = [(first, second) for first in one.slots for second in other.slots if _are_alike(first, second)]
    return any(
        _has(claim, first, second, one, other)
        and bool(wanted & (between.subject - one.stems))
        and not wanted & (one.subject | other.subject)
        for first, second in alike
    )


def _are_alike(one: _Slot, other: _Slot) -> bool:
    """Return whether two phrases are of one kind: numbers that could be confused, times of day, else a preposition."""
    if one.numbers and other.numbers:
        if any(
            are_rivals(first, second) or _are_counts(first, second) for first in one.numbers for second in other.numbers
        ):
            return True
        return one.preposition in _CLOCK and other.preposition in _CLOCK and _are_hours(one) and _are_hours(other)
    if one.preposition != other.preposition or not one.preposition:
        return False
    return not (one.numbers or other.numbers) or (_lasts(one) and _lasts(other))


def _lasts(slot: _Slot) -> bool:
    """Return whether a phrase tells a time by its unit: `for two days`, `for a week`."""
    return bool(slot.stems & _UNITS) or any((dimension(one.unit) or ("",))[0] == "time" for one in slot.numbers)


def _are_counts(one: Quantity, other: Quantity) -> bool:
    """Return whether two numbers tell how often something is done: `six times a year`, `four times`."""
    return all(quantity.kind == "frequency" or quantity.unit == "times" for quantity in (one, other))


def _are_hours(slot: _Slot) -> bool:
    return all(one.kind == "time" or (one.kind in ("range", "number") and not one.unit) for one in slot.numbers)


def _has(claim: Reading, slot: _Slot, counterpart: _Slot, part: _Part, other: _Part) -> bool:
    """Return whether a claim has words or numbers of a phrase that the other part has not."""
    if claim.positions.keys() & (slot.stems - other.stems - part.own):
        return True
    mine = [one for one in slot.numbers if not any(same_quantity(one, there) for there in counterpart.numbers)]
    return any(same_quantity(said, one) for _, said in claim.quantities for one in mine)
