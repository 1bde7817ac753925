"""The number of one thing put to another: `two conductors` for `the conductor and two members`. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language.quantity_equality import same_quantity


def counted_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a thing that the sentence names without the number which the claim gives it, and which counts others."""
    for place, quantity in claim.quantities:
        counted = _counted(claim.tokens, place)
        if quantity.kind != "number" or quantity.unit or not counted or counted[-1].stem not in sentence.positions:
            continue
        if _is_one_of(claim, place, counted[-1].stem, sentence):
            yield f"it is one {counted[-1].word!r} of that verb there"
            return
        equal = [at for at, other in sentence.quantities if same_quantity(quantity, other)]
        others = [_counted(sentence.tokens, at) for at in equal]
        if not others or not all(others) or any(token.stem in claim.positions for run in others for token in run):
            continue
        if all(_stands_apart(sentence.tokens, at) for at in sentence.positions[counted[-1].stem]):
            yield f"the number of {counted[-1].word!r} is that of {others[0][-1].word!r} there"
            return


def _is_one_of(claim: Reading, place: int, noun: str, sentence: Reading) -> bool:
    """Return whether a verb has `a warning` behind it wherever it stands, and `two warnings` in the claim."""
    verb = claim.tokens[place - 1] if place else None
    quantity = claim.tokens[place].quantity
    if verb is None or not verb.stem or quantity is None or quantity.values[0] <= 1:
        return False
    places = sentence.positions.get(verb.stem, ())
    return bool(places) and all(_has_one(sentence.tokens, at, noun) for at in places)


def _has_one(tokens: Sequence[Token], verb: int, noun: str) -> bool:
    """Return whether `a`, at most one word and a noun stand right behind a verb."""
    article = tokens[verb + 1 : verb + 2]
    behind = [token.stem for token in tokens[verb + 2 : verb + 4]]
    return any(token.word in ("a", "an") for token in article) and noun in behind


def _counted(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """Return the words of what a number counts, right behind it: `two old members`; empty where none follow."""
    start = place + 1
    if tokens[start : start + 1] and tokens[start].word == "of":
        start += 1
    while start < len(tokens) and tokens[start].word in DETERMINERS:
        start += 1
    end = start
    while end < len(tokens) and tokens[end].stem and tokens[end].word not in PREPOSITIONS:
        end += 1
    return tokens[start:end]


def _stands_apart(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a noun has an article of its own right before it, or one word of it, and no number."""
    before = [token.word for token in tokens[max(0, place - 2) : place]]
    return bool(before) and (before[-1] in DETERMINERS or (len(before) > 1 and before[0] in DETERMINERS))
