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
from rag.grounding.twists.number.places import are_rivals
from rag.grounding.words import ARTICLES, DETERMINERS, OBJECT_PRONOUNS, PREPOSITIONS
from rag.language.polarity import is_past, word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity
from rag.language.units import dimension

CUTS = word_set(", and but while whereas")
_ENDS = word_set("; : ( ) | — –")
ELSEWHERE = word_set("who which that whose whom when where if because unless although since than or not neither nor")
"""Words of a clause inside a part, which makes it no plain one."""
_OTHERS = word_set("other others rest else remaining everyone everybody")
_PLURALS = frozenset(("child", "man", "woman", "person"))
"""Stems of plurals without an `s`."""
_CONDITIONS = word_set("if when unless until once")
_UNITS = frozenset(("second", "minut", "hour", "day", "night", "week", "month", "year"))
_CLOCK = word_set("at before after until till by between from")
LEADS = PREPOSITIONS | _CLOCK | word_set("during up beside alongside around")


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
    """Yield words of one of two parallel parts with the phrase of the other, or with the object of the other."""
    if sentence.text.startswith("|"):
        return
    tests = (
        _crosses_parts,
        _crosses_names,
        _crosses_ones,
        _is_of_others,
        _crosses_alternatives,
    )
    for start, end in statements_of(sentence.tokens):
        if any(test(claim, sentence.tokens[start:end]) for test in tests):
            yield "it is said of another of two parts there"
            return


def statements_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return where the stretches between semicolons, colons and brackets begin and end."""
    edges = [-1, *(at for at, token in enumerate(tokens) if token.word in _ENDS), len(tokens)]
    return [(start + 1, end) for start, end in pairwise(edges) if end > start + 1]


# --- men six times a year, women four times ------------------------------------------------------------------------


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
    slots = _slots(tokens)
    place = next((at for at, token in enumerate(tokens) if token.word in LEADS), len(tokens))
    close = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in LEADS), len(tokens))
    leading = tuple(token.stem for token in tokens[place + 1 : close] if token.stem)
    like_first = tokens[0].word in ("those", "that") and place == 1 and len(slots) > 1
    slots = slots[1:] if like_first else slots
    own = stems_of(tokens) - frozenset(stem for slot in slots for stem in slot.stems)
    subject, verb = (frozenset[str](), frozenset[str]()) if verbal else subject_and_verb(tokens)
    return _Part(own, subject, verb, slots, stems_of(tokens), verbal, leading, like_first)


def begins_with_verb(tokens: Sequence[Token]) -> bool:
    """Return whether a part begins with its verb: an auxiliary, a past, or a word with an object right behind it."""
    if tokens[0].word in AUXILIARIES or (is_past(tokens[0].word) and not tokens[0].name):
        return True
    after = tokens[1] if len(tokens) > 1 else None
    if not tokens[0].stem or after is None:
        return False
    return after.word in DETERMINERS | OBJECT_PRONOUNS or bool(after.quantity and not is_plural(tokens[0]))


def is_plural(token: Token) -> bool:
    """Return whether a word may be a plural by its form."""
    return bool(token.stem) and not token.name and (token.word.endswith("s") or token.stem in _PLURALS)


def subject_and_verb(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the subject that a part begins with, and of its verb or what stands behind its auxiliary."""
    if not tokens:
        return frozenset(), frozenset()
    end = next((at for at, token in enumerate(tokens) if at and _ends_subject(token)), len(tokens))
    run = [token.stem for token in tokens[:end] if token.stem]
    if end < len(tokens) and tokens[end].word in AUXILIARIES:
        return frozenset(run), frozenset([token.stem for token in tokens[end:] if token.stem][:1])
    cut = 1 if is_plural(tokens[0]) else max(1, len(run) - 1)
    return frozenset(run[:cut]), frozenset(run[cut : cut + 1])


def _ends_subject(token: Token) -> bool:
    return token.word in AUXILIARIES | LEADS | DETERMINERS or token.quantity is not None


def _slots(tokens: Sequence[Token]) -> tuple[_Slot, ...]:
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


# --- boys a green card, girls a red one ----------------------------------------------------------------------------


def _crosses_ones(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has `a red card` for whom there is `a green card`, behind which stands `a red one`."""
    for comma, token in enumerate(tokens):
        end = next((at for at in range(comma + 1, len(tokens)) if tokens[at].word in CUTS), len(tokens))
        place = end - 3
        if token.word not in (",", "and") or place <= comma + 1 or tokens[place].word not in ("a", "an", "the"):
            continue
        if tokens[end - 1].word != "one" and not tokens[end - 1].quantity:
            continue
        kind = next((at for at in range(comma - 1, 0, -1) if tokens[at].word in ARTICLES), 0)
        whose, first = stems_of(tokens[comma + 1 : place]), subject_and_verb(tokens[:comma])[0]
        mine, theirs = {tokens[kind + 1].stem} - {""}, {tokens[end - 2].stem} - {""}
        wanted = claim.positions.keys()
        for own, said, rival, other in ((first, theirs, mine, whose), (whose, mine, theirs, first)):
            if kind and wanted & (own - other) and wanted & said and not wanted & rival and not wanted & (other - own):
                return True
    return False


# --- Ms Tanaka teaches maths, Mr Osei biology ----------------------------------------------------------------------


def _crosses_names(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim gives the object of one name to another: `Dr Weiss sees children and Dr Amato adults`."""
    for cut, token in enumerate(tokens):
        if token.word not in (",", "and", "but") or cut < 3:
            continue
        named = cut + 1 + (tokens[cut + 1].word in ("and", "but") if cut + 1 < len(tokens) else 0)
        subject = _names(tokens, named)
        first = _names(tokens, 0) or 1
        if subject == named or not tokens[0].stem or first >= cut - 1:
            continue
        end = next((at for at in range(named, len(tokens)) if tokens[at].word in ("but", "while")), len(tokens))
        rest, before = tokens[subject:end], tokens[first + 1 : cut]
        if not _is_object(rest) or not _is_object(before) or not _is_present(tokens[first]):
            continue
        objects, others = stems_of(before), stems_of(rest)
        one, other = stems_of(tokens[:first]), stems_of(tokens[named:subject])
        wanted = claim.positions.keys()
        for own, rival, said in (
            (one - other, other - one, others - objects),
            (other - one, one - other, objects - others),
        ):
            if wanted & own and wanted & said and not wanted & rival:
                return True
    return False


def _names(tokens: Sequence[Token], start: int) -> int:
    """Return where a run of names that begins here ends; the first word of a statement is one before a name."""
    end = start
    while (
        end < len(tokens)
        and tokens[end].stem
        and (tokens[end].name or (end == 0 and len(tokens) > 1 and tokens[1].name))
    ):
        end += 1
    return end


def _is_present(token: Token) -> bool:
    return bool(token.stem) and not token.name and (token.word.endswith("s") or is_past(token.word))


def _is_object(tokens: Sequence[Token]) -> bool:
    """Return whether words are nouns alone, a list of them at most: no verb that a form tells, no preposition."""
    plain = [token for token in tokens if token.word not in (",", "and") and token.word not in ARTICLES]
    return bool(plain) and all(token.stem and not token.name and not is_past(token.word) for token in plain)


# --- all others within a week --------------------------------------------------------------------------------------


def _is_of_others(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of its subject what is said of all others: `these at once, all others in a week`."""
    if claim.words & _OTHERS:
        return False
    for cut, token in enumerate(tokens):
        if token.word not in (",", "and", "but", "while"):
            continue
        opening = [at for at in range(cut + 1, min(cut + 5, len(tokens))) if tokens[at].word in _OTHERS]
        between = tokens[cut + 1 : opening[0]] if opening else ()
        if not opening or not all(one.word in DETERMINERS | {"and", "but"} for one in between):
            continue
        rest, before = tokens[opening[0] + 1 :], tokens[:cut]
        said = stems_of(rest) - stems_of(before)
        numbers = [one.quantity for one in rest if one.quantity]
        wanted = claim.positions.keys()
        known = any(same_quantity(one, number) for _, one in claim.quantities for number in numbers)
        if (wanted & said or known) and wanted & (stems_of(before) - stems_of(rest)):
            return True
    return False


# --- for four hours at 25 °C, or overnight in the fridge -----------------------------------------------------------


def _crosses_alternatives(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has a piece of the alternative behind `, or`, with a phrase of the one before it."""
    for comma, token in enumerate(tokens[:-2]):
        if token.word != "," or tokens[comma + 1].word != "or":
            continue
        before, after = tokens[:comma], tokens[comma + 2 :]
        if any(one.word in ELSEWHERE | {",", "and"} | AUXILIARIES for one in after):
            continue
        phrases = _slots(before)
        stems, others = stems_of(after) - stems_of(before), stems_of(before)
        numbers = [one.quantity for one in after if one.quantity]
        stated = [one.quantity for one in before if one.quantity]
        said = [one for _, one in claim.quantities]
        wanted = claim.positions.keys()
        missing = stems - wanted or [one for one in numbers if not any(same_quantity(one, own) for own in said)]
        of_first = any(wanted & slot.stems - stems_of(after) for slot in phrases) or any(
            same_quantity(one, own) for one in stated for own in said
        )
        if wanted & stems and missing and of_first and others:
            return True
    return False
