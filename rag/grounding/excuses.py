"""Words of a claim that a sentence says by other means: bounds of a number, duty and leave. Ground floor."""

from rag.grounding.reading import Reading, is_negation
from rag.grounding.words import stems_named
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity
from rag.language.units import dimension

_BOUNDING = (
    "above below over under exceed surpass minimum maximum fewer less more higher greater longer older larger lower "
    "shorter younger smaller least most heavier lighter deeper wider taller faster slower earlier later warmer hotter "
    "colder"
)
_REACH = 4
"""How far before its number a bound may begin: `a minimum of about 5`."""
_BEING = word_set("is are be being")
_IS, _TAKES = word_set("is are was were be"), word_set("take takes took taking")
_DUTIES, _DUTY = word_set("required obliged"), word_set("must shall")
_LEAVES, _LEAVE = word_set("allowed permitted"), word_set("may")
_MEASURING = {
    **dict.fromkeys(("measure", "measures", "measured"), ("length",)),
    **dict.fromkeys(("last", "lasts", "lasted"), ("time", "months")),
    **dict.fromkeys(("weigh", "weighs", "weighed"), ("mass",)),
}
"""Verbs that say what is measured, each with the dimensions of its numbers."""
_NOBODY = word_set("no nobody none neither nor never")


def is_excused(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether a missing word of a claim is only another way to say what the sentence says without it.

    `higher than 6 bar` and `exceeds 6 bar`; `hems measure 4 cm` and `hems are 4 cm`; `are required to` and `must`,
    where nothing is denied; `are allowed to` and `may`.
    """
    return all(
        (stem in stems_named(_BOUNDING) and _is_bound(claim, sentence, place))
        or _is_modal(claim, sentence, place)
        or _is_measured(claim, sentence, place)
        for place in claim.positions[stem]
    )


def _is_bound(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether a word belongs to the bound of a number which the sentence states with the same bound."""
    ahead = (token.quantity for token in claim.tokens[place + 1 : place + 1 + _REACH])
    quantity = next((found for found in ahead if found), None)
    return quantity is not None and any(
        quantity.bound and stated.bound == quantity.bound and same_quantity(quantity, stated)
        for _, stated in sentence.quantities
    )


def _is_measured(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether a verb leads to a number of its own dimension that the sentence states: `measure 4 cm`."""
    dimensions = _MEASURING.get(claim.tokens[place].word, ())
    quantity = next((token.quantity for token in claim.tokens[place + 1 : place + 3] if token.quantity), None)
    known = dimension(quantity.unit) if quantity and dimensions else None
    if quantity is None or known is None or known[0] not in dimensions:
        return False
    before = _IS if known[0] not in ("time", "months") else _IS | _TAKES
    return any(
        at > 0 and sentence.tokens[at - 1].word in before and same_quantity(quantity, stated)
        for at, stated in sentence.quantities
    )


def _is_modal(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether a word of `are required to pay` or `are allowed to park` stands for the sentence's `must`, `may`.

    The same verb must follow there. A denied duty (`need not`) is no duty not to: nothing may be denied.
    """
    tokens = claim.tokens
    if place + 1 >= len(tokens) or tokens[place + 1].word != "to":
        return False
    before = next((token.word for token in reversed(tokens[:place]) if not is_negation(token.word)), "")
    if before not in _BEING:
        return False
    modals = _DUTY if tokens[place].word in _DUTIES else _LEAVE if tokens[place].word in _LEAVES else frozenset()
    if any(token.word in _NOBODY for one in (tokens, sentence.tokens) for token in one):
        return False
    denied = is_negation(tokens[place - 1].word)
    verb = next((token.stem for token in tokens[place + 2 :] if token.stem), "")
    stated = [_denies(sentence, at, verb) for at, token in enumerate(sentence.tokens) if token.word in modals]
    return (denied in stated) if modals is _LEAVE else (not denied and False in stated)


def _denies(sentence: Reading, place: int, verb: str) -> bool | None:
    """Return whether a modal is denied (`may not park`), None where the verb does not follow it."""
    ahead = sentence.tokens[place + 1 : place + 1 + _REACH]
    first = next((token.stem for token in ahead if token.stem), "")
    return any(is_negation(token.word) for token in ahead[:2]) if verb and first == verb else None
