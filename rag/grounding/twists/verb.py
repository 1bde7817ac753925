"""What stands with one verb of a sentence put to another: `salted for 6 hours before it is smoked for 2 days`.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
Ground floor.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.noun_phrases import noun_phrase
from rag.grounding.paired import stands_paired
from rag.grounding.reading import Reading, Token
from rag.grounding.twists.number.places import are_rivals
from rag.grounding.verbs import is_verb, only_verb, reaches, reaches_of
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity

_PLACING = word_set("at in on from to into with for under")
_SUBORDINATING = word_set("if because unless although though")
_TAKING_UP = word_set("when which who")
"""What takes up the time or thing before it: `until 2012, when Mr Dahl replaced her`."""


def verb_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a number, or what stands behind a preposition, with another verb than it stands with there.

    The verb of the claim has a number of the same kind, or the same preposition, of its own in the sentence.
    """
    if stands_paired(claim, sentence) is False:
        yield "two of its phrases stand in different pairs there"
        return
    verb = only_verb(claim)
    spans = reaches_of(sentence, claim.tokens[verb].stem) if verb >= 0 else []
    if not spans or any(span == (0, len(sentence.tokens)) for span in spans):
        return
    word = claim.tokens[verb].word
    for place, quantity in claim.quantities:
        reach = _reaches_behind(claim, verb, place, sentence, spans) if place > verb else ()
        if reach and _is_of_other_verb(claim, quantity, sentence, reach):
            yield f"its number stands with another verb than {word!r}"
            return
    said, stated = _placed(claim.tokens), _placed(sentence.tokens)
    for at, preposition, thing in said:
        there = [place for place, other, head in stated if head == thing and other == preposition]
        known = len(there) == len(sentence.positions.get(thing, ()))
        if at < verb or not there or not known or any(_is_within(place, spans) for place in there):
            continue
        own = [head for place, other, head in stated if other == preposition and _is_within(place, spans)]
        if own and not set(own) & claim.positions.keys():
            yield f"{preposition} {thing!r} stands with another verb than {word!r}"
            return


def _reaches_behind(
    claim: Reading, verb: int, place: int, sentence: Reading, spans: Sequence[tuple[int, int]]
) -> Sequence[tuple[int, int]]:
    """Return where the sentence may have a number of a claim: by its verb, or by that of its clause with `if`."""
    clause = max((at for at in range(verb, place) if claim.tokens[at].word in _SUBORDINATING), default=-1)
    if clause < 0:
        return spans
    stems = [token.stem for token in claim.tokens[clause:place] if token.stem]
    found = [reaches_of(sentence, stem) for stem in reversed(stems)]
    return next((one for one in found if one), ())


def _is_of_other_verb(claim: Reading, quantity: Quantity, sentence: Reading, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a number stands only outside the reach of a verb, which has one of that kind of its own."""
    equal = [at for at, stated in sentence.quantities if same_quantity(quantity, stated)]
    if not equal or any(_is_within(at, spans) for at in equal):
        return False
    if all(_is_behind_verb(sentence, at, spans) for at in equal):
        return True
    rivals = [one for at, one in sentence.quantities if _is_within(at, spans) and are_rivals(quantity, one)]
    return bool(rivals) and not any(same_quantity(said, one) for _, said in claim.quantities for one in rivals)


def _is_behind_verb(sentence: Reading, place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a number stands before the reach of a verb, behind its own: `matures for 3 years and is bottled`.

    One in front of all verbs (`After 3 days it is turned and smoked`) is of all of them.
    """
    tokens = sentence.tokens
    start = max((begin for begin, _ in reaches(tokens) if begin <= place), default=0)
    before = all(place < begin and tokens[begin].word not in _TAKING_UP for begin, _ in spans)
    return before and any(is_verb(tokens, at) for at in range(start, place))


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _placed(tokens: Sequence[Token]) -> list[tuple[int, str, str]]:
    """Return where prepositions stand, each with the last word of the noun phrase behind it."""
    found = []
    for at, token in enumerate(tokens):
        phrase = noun_phrase(tokens, at + 1) if token.word in _PLACING else ()
        if phrase:
            found.append((at, token.word, phrase[-1].stem))
    return found
