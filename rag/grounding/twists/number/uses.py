"""What a number is used for: part or whole of a share, the exception, the most, a change by or to it. Ground floor."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from rag.grounding.reading import Reading, Token, is_negation
from rag.grounding.words import BE, OPENERS, stems_named
from rag.language import polarity
from rag.language.hours import clock_text
from rag.language.numerals import Written
from rag.language.polarity import word_set
from rag.language.quantities import Quantity, is_year
from rag.language.quantity_equality import same_quantity

_PARTS = word_set("one some many most several few none any majority minority part")
_LINKING = word_set("is are was were be been being become becomes became as including include includes") | {",", "("}
_EXCEPTING = word_set("except excluding excluded excludes save but apart exception exceptions other")
_ROUGHLY = word_set("about around roughly approximately nearly almost just over only some a the as much")
_AT_MOST = (("up", "to"), ("at", "most"), ("no", "more", "than"), ("not", "more", "than"))
_LIMITED = word_set(
    "up most maximum max limit limits limited cap capped within under until below exceed exceeds exceeding may can "
    "could might allow allows allowed permit permits permitted accept accepts accepted more longer less"
)
_CAPACITY = "hold seat room capacity accommodate carry store house support fit"
"""What holds up to 60 holds 60."""
_LESS, _MORE = word_set("less lower smaller below"), word_set("more higher larger greater")
_LONGEST_SHOWN = 40
_MEASURES = ("wide", "deep", "long", "high", "thick")
_CHANGES = (
    "rise increase grow climb gain jump surge fall drop decline decrease shrink reduce lower raise cut improve widen "
    "narrow expand shorten lengthen extend"
)


def claim_number(quantity: Quantity) -> str:
    """Return a number for a message: `15 min`, `more than 15 min`, a time of day as `20:15`, a date as `2024-03-12`."""
    if quantity.kind == "time":
        return " to ".join(clock_text(value) for value in quantity.values)
    if quantity.kind == "date":
        return "-".join(f"{int(value):02d}" for value in quantity.values if value)
    bound = {"more": "more than ", "less": "less than "}.get(quantity.bound, "")
    unit = f" {quantity.unit}" if quantity.unit else ""
    return bound + " to ".join(_shown(value) for value in quantity.values) + unit


def _shown(value: float) -> str:
    """Return a value for a message, a long one with its first 40 characters."""
    text = value.text if isinstance(value, Written) else f"{value:.15g}" if value.is_integer() else f"{value:g}"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def use_twists(claim: Reading, index: int, sentence: Reading, equal: Sequence[int]) -> Iterator[str]:
    """Yield why a number that stands in the sentence has another use there: of a share, an exception, a limit, a step.

    Args:
        claim: The claim.
        index: Where the number stands among the claim's tokens.
        sentence: A sentence of the evidence.
        equal: Where the same number stands among the sentence's tokens; at least one place.

    Yields:
        A plain reason for each.
    """
    quantity = claim.tokens[index].quantity
    if quantity is None:
        return
    number = claim_number(quantity)
    parts = [_part_of(sentence, place) for place in equal]
    if all(parts) and not any(_is_stated(claim, part, index) for part in parts):
        yield f"{number} is only what a part is taken of"
    wholes = [_whole_of(sentence, place) for place in equal]
    if all(wholes) and not any(_is_stated(claim, whole, index) for whole in wholes):
        yield f"{number} is only a share"
    denied = any(is_negation(token.word) for token in claim.tokens)
    if not denied and not claim.words & _EXCEPTING and all(_is_excepted(sentence, place) for place in equal):
        yield f"{number} is the exception"
    if not quantity.bound and not claim.words & _LIMITED and all(_is_most(sentence, place) for place in equal):
        yield f"{number} is only the most"
    measured = {_measure(token.stem) for token in claim.tokens} - {""}
    others = {_measure(token.stem) for place in equal for token in sentence.tokens[place + 1 : place + 2]}
    if len(measured) == 1 and others and "" not in others and not measured & others:
        yield f"{number} is how {min(others)} it is"
    if _is_other_predicate(claim, index, sentence, equal):
        yield f"{number} stands before what is something else there"
    if all(_is_turned_bound(claim, index, sentence, place) for place in equal):
        yield f"{number} is the other bound there"
    said, stated = _step(claim, index), {_step(sentence, place) for place in equal}
    if said and "" not in stated and said not in stated:
        yield f"{number} is not what it changed {said!r}"


def _is_other_predicate(claim: Reading, index: int, sentence: Reading, equal: Sequence[int]) -> bool:
    """Return whether a claim says that something `is` a number which stands only before it in the sentence.

    There `is` tells something else of it: `Pay by 31 July; if she pays, the deadline is the end of May`.
    """
    subject = claim.tokens[index - 2].stem if index > 1 and claim.tokens[index - 1].word in BE else ""
    places = sentence.positions.get(subject, ())
    told = [at for at in places if [token.word in BE for token in sentence.tokens[at + 1 : at + 2]] == [True]]
    return bool(places) and len(told) == len(places) and max(equal) < min(places)


def _is_turned_bound(claim: Reading, index: int, sentence: Reading, place: int) -> bool:
    """Return whether a claim sets the contrary bound before the noun of a number: `less than size 8`, `8 or more`."""
    words = tuple(token.word for token in claim.tokens[max(0, index - 3) : index - 1])
    stated = sentence.tokens[place].quantity
    if len(words) < 2 or words[1] != "than" or not claim.tokens[index - 1].stem or stated is None:
        return False
    return stated.bound in {**dict.fromkeys(_LESS, ("least", "more")), **dict.fromkeys(_MORE, ("most", "less"))}.get(
        words[0], ()
    )


def _part_of(sentence: Reading, place: int) -> Token | None:
    """Return the part for which a number is the whole: `three` of `three of the ten`, `one` of `one in five`.

    `Orsk is one of 12 regions` tells how many regions there are: a part behind `is` or a comma does not count.
    """
    tokens, whole = sentence.tokens, sentence.tokens[place].quantity
    at = place - 1
    while at > 0 and tokens[at].word in OPENERS:
        at -= 1
    if at < 1 or whole is None or whole.kind != "number" or whole.unit or is_year(whole):
        return None
    if tokens[at].word not in ("of", "in"):
        return None
    of = tokens[at].word == "of"
    at -= 2 if of and tokens[at - 1].word == "out" else 1
    if of and tokens[at].stem and tokens[at].word not in _PARTS and tokens[place - 1].word in OPENERS:
        at -= 1  # three samples of the ten
    if at < 0 or (at and tokens[at - 1].word in _LINKING):
        return None
    part = tokens[at]
    if part.quantity:
        smaller = part.quantity.values[0] < whole.values[0] and not part.quantity.unit
        return part if part.quantity.kind == "number" and (smaller or (of and part.quantity.unit == "%")) else None
    return part if of and part.word in _PARTS else None


def _whole_of(sentence: Reading, place: int) -> Token | None:
    """Return the five of `one in five` for the one, where no word before it makes a number of things of it."""
    after = sentence.tokens[place + 1 : place + 3]
    apart = not place or not sentence.tokens[place - 1].stem
    if len(after) < 2 or after[0].word != "in" or not apart:
        return None
    return after[1] if _part_of(sentence, place + 2) is sentence.tokens[place] else None


def make_a_share(sentence: Reading, one: int, other: int) -> bool:
    """Return whether one of two numbers is a part of the other: `three of the ten`."""
    tokens = sentence.tokens
    return _part_of(sentence, one) is tokens[other] or _part_of(sentence, other) is tokens[one]


@lru_cache(maxsize=1024)
def _measure(stem: str) -> str:
    """Return the measure that a stem names, `width` as `wide`; empty for another word."""
    return next((word for word in _MEASURES if stem in polarity.synonyms(polarity.stem_of(word))), "")


def part_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a share of which part and whole have changed places: `25 of the 3` for `3 of the 25`."""
    for one, other in _shares(claim):
        part, whole = claim.tokens[one].quantity, claim.tokens[other].quantity
        turned = [(sentence.tokens[b].quantity, sentence.tokens[a].quantity) for a, b in _shares(sentence)]
        if part and whole and any(_are_equal((part, whole), pair) for pair in turned):
            yield f"{claim_number(part)} of {claim_number(whole)} is turned round"


def _are_equal(one: Sequence[Quantity], other: Sequence[Quantity | None]) -> bool:
    return all(stated and same_quantity(said, stated) for said, stated in zip(one, other, strict=True))


def _shares(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the places of each two numbers joined by `of` or `out of`: `3 of the 25`, `3 wells out of 25`."""
    tokens = reading.tokens
    for (one, _), (other, _) in pairwise(reading.quantities):
        between = [token for token in tokens[one + 1 : other] if token.word not in OPENERS]
        words = [token.word for token in between if not token.stem]
        if words in (["of"], ["out", "of"]) and not between[-1].stem and len(between) - len(words) <= 2:
            yield one, other


def _is_stated(claim: Reading, token: Token | None, index: int) -> bool:
    """Return whether a claim has the number or word of a token, besides the number at one place."""
    if token is None or token.quantity is None:
        return token is not None and token.word in claim.words
    return any(place != index and same_quantity(said, token.quantity) for place, said in claim.quantities)


def _is_excepted(sentence: Reading, place: int) -> bool:
    """Return whether a number is that of the exceptions: `all but two`, `except for two`."""
    words = [token.word for token in sentence.tokens[max(0, place - 3) : place] if token.word != "the"]
    if words[-2:] in (["except", "for"], ["exception", "of"], ["apart", "from"], ["other", "than"]):
        return True
    return words[-1:] == ["except"] or words[-2:] in (["all", "but"], ["everyone", "but"], ["none", "but"])


def _is_most(sentence: Reading, place: int) -> bool:
    """Return whether a number is stated with `up to` or `at most`, as no capacity."""
    if stems_named(_CAPACITY) & sentence.positions.keys():
        return False
    words = tuple(token.word for token in sentence.tokens[max(0, place - 3) : place])
    return any(words[-len(bound) :] == bound for bound in _AT_MOST)


def _step(reading: Reading, place: int) -> str:
    """Return whether a number is what something changed `by` (also bare: `rose 12%`) or `to`; empty for neither."""
    tokens, quantity = reading.tokens, reading.tokens[place].quantity
    if quantity is None or is_year(quantity) or not stems_named(_CHANGES) & reading.positions.keys():
        return ""
    at = place - 1
    while at > 0 and tokens[at].word in _ROUGHLY:
        at -= 1
    if at < 0:
        return ""
    word, before = tokens[at].word, tokens[at - 1].word if at else ""
    if word in ("to", "by"):
        return "" if before == "up" else word
    return "by" if tokens[at].stem in stems_named(_CHANGES) and at == place - 1 else ""


def is_end_of_change(claim: Reading, place: int, sentence: Reading, span: Quantity) -> bool:
    """Return whether a number is the end of a change that a claim says it is: 35 of `from 20 to 35` for `to 35`."""
    quantity, word = claim.tokens[place].quantity, claim.tokens[place - 1].word if place else ""
    changed = stems_named(_CHANGES) & claim.positions.keys() & sentence.positions.keys()
    if not changed or quantity is None or span.kind != "range" or word not in ("to", "from"):
        return False
    end = span.values[1] if word == "to" else span.values[0]
    return same_quantity(quantity, replace(span, kind="number", values=(end,)))
