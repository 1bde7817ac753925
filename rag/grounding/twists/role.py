"""Changed roles: sides of a verb, relations turned round, owners in the place of what they own. Ground floor.

`X is the N of Y` binds X and Y to their sides of `N of`, and so does any word with a preposition after it; which way
a preposition points is the matter of `direction_twists`. Each function compares a claim with one sentence of the
evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import TypeAlias

from rag.grounding.noun_phrases import noun_phrase, owns, phrases
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.twists.comparison import is_elsewhere
from rag.grounding.words import BE, BOUNDARIES, DETERMINERS, PREPOSITIONS, is_symmetric, stems_named
from rag.language import polarity

_STANDS_FOR = (
    "city town village state kingdom province republic island county district region river lake port month year duchy "
    "principality empire commonwealth name title term concept idea process phenomenon number group set series team "
    "pair couple majority member kind type form variety sort class species genus amount quantity layer piece lot range "
    "array proportion share use presence case act practice government people army force troop authority parliament "
    "council citizen resident inhabitant sample copy sheet bottle cup"
)
"""Of these the whole can be said: `the city of Bern was founded`, `a group of pupils left`."""
DIVIDING = frozenset(
    ("of", "to", "for", "in", "by", "from", "on", "with", "into", "at", "against", "over", "under", "before", "after")
)
_ORDERING = (("before", "until"), ("after", "once"), ("than",), ("then",))
"""Words that set one thing before another, those that do so the same way together."""
_REACH = 6
Place: TypeAlias = tuple[int, int]
"""Where a word stands in the claim and in the sentence, as indexes of tokens."""


def relation_twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield relations whose two sides have changed places, and the owner for what is his."""
    yield from _turned_relations(claim, sentence)
    yield from _crossed_objects(claim, sentence)
    yield from _owner_twists(claim, sentence, context)


# --- relations ---------------------------------------------------------------------------------------------------


def _is_outside(near: Sequence[Token], reach: frozenset[str], where: Reading) -> bool:
    """Return whether an object stands elsewhere in a sentence than in this reach: a word of its name, or all of it."""
    names = [token.stem for token in near if token.name]
    missing = [stem for stem in names or [token.stem for token in near] if stem not in reach]
    enough = bool(missing) if names else len(missing) == len(near)
    if not enough and len(near) > 1 and near[-2].stem in missing:
        return not names and _stands_together(near[-2:], where)  # `malic acid` beside `lactic acid`
    return enough and all(stem in where.positions for stem in missing)


def _stands_together(pair: Sequence[Token], where: Reading) -> bool:
    """Return whether two words stand next to each other somewhere in a sentence, in this order."""
    return any(
        where.tokens[at + 1].stem == pair[1].stem
        for at in where.positions.get(pair[0].stem, ())
        if at + 1 < len(where.tokens)
    )


def _turned_relations(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `X is the N of Y` where the sentence has the N of somebody else, and Y elsewhere."""
    stated = phrases(sentence)
    for said in phrases(claim):
        alike = [other for other in stated if other.preposition == said.preposition]
        same = [other for other in alike if other.head == said.head]
        if not said.head or is_symmetric((said.head,)) or not same or len(same) < len(sentence.positions[said.head]):
            continue
        reach = frozenset[str]().union(*(other.reach for other in alike if other.head in ("", said.head)))
        if _is_outside(said.near, reach, sentence):
            yield f"{_text(said.near)!r} stands on the other side of {said.preposition!r}"
            return


def _crossed_objects(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield two objects of one preposition that stand outside it in the other text: `add acid to the water`."""
    here, there = phrases(claim), phrases(sentence)
    for preposition in sorted({said.preposition for said in here} & {stated.preposition for stated in there}):
        said = [phrase for phrase in here if phrase.preposition == preposition]
        stated = [phrase for phrase in there if phrase.preposition == preposition]
        if is_symmetric(phrase.head for phrase in (*said, *stated) if phrase.head):
            continue
        within = frozenset[str]().union(*(phrase.reach for phrase in stated))
        around = frozenset[str]().union(*(phrase.reach for phrase in said))
        crossed = [phrase for phrase in said if _is_outside(phrase.near, within, sentence)]
        if crossed and any(_is_outside(phrase.near, around, claim) for phrase in stated):
            yield f"{_text(crossed[0].near)!r} stands on the other side of {preposition!r}"
            return


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.word for token in tokens)


# --- owners ------------------------------------------------------------------------------------------------------


def _owner_twists(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> Iterator[str]:
    """Yield whom the claim speaks of where the sentence speaks of something of theirs: for Maria's brother Maria."""
    for stem, places in claim.positions.items():
        if stem not in sentence.positions or any(stem in reading.positions for reading in context):
            continue
        if not any(_is_free(claim.tokens, place) for place in places):
            continue
        heads = [_owned(sentence.tokens, place) for place in sentence.positions[stem]]
        if all(head and head not in claim.positions and head not in stems_named(_STANDS_FOR) for head in heads):
            yield f"{claim.tokens[places[0]].word!r} for what is theirs, {heads[0]!r}"
            return


def _is_free(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word stands as subject, object or after `by`, under no other preposition and owning nothing."""
    if owns(tokens[place]):
        return False
    start = place
    while start and (tokens[start - 1].stem or tokens[start - 1].word in DETERMINERS or tokens[start - 1].quantity):
        start -= 1
    before = tokens[start - 1].word if start else ""
    begins = all(not token.stem for token in tokens[start:place])
    named = tokens[place].name and all(token.name or not token.stem for token in tokens[start:place])
    first = begins or named or start == 0
    return first and before not in PREPOSITIONS - {"by"} and before not in ("and", "or", ",")


def _owned(tokens: Sequence[Token], place: int) -> str:
    """Return what of a word's the sentence speaks of: `lawyer` of `the lawyer of Anders`; empty where of itself."""
    if owns(tokens[place]):
        heads = noun_phrase(tokens, place + 1)
        return heads[-1].stem if len(heads) == 1 else heads[0].stem if heads else ""
    start = place
    while start and tokens[place].name and tokens[start - 1].name:
        start -= 1
    if place + 1 < len(tokens) and (_ends_in_owner(tokens, place) or _is_taken_up(tokens, place)):
        return ""
    while start and tokens[start - 1].word in DETERMINERS:
        start -= 1
    if start > 1 and tokens[start - 1].word == "of" and tokens[start - 2].stem:
        return tokens[start - 2].stem
    return ""


def _ends_in_owner(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word begins a compound of which it is no head: `of the water supply`, `of Bern's mayor`."""
    following = tokens[place + 1]
    return bool(following.stem) and not tokens[place].name and not polarity.is_past(following.word)


def _is_taken_up(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a name is spoken of itself in a relative clause after it: `the mother of Ben, who is ...`."""
    following = [token.word for token in tokens[place + 1 : place + 3]]
    return bool(tokens[place].name) and following[0] == "," and following[-1] in ("who", "which")


# --- sides of a verb ----------------------------------------------------------------------------------------------


def role_twists(claim: Reading, sentence: Reading, matched: dict[str, list[int]]) -> Iterator[str]:
    """Yield two words that stand on the other sides of a verb or comparison than in the sentence."""
    places = sorted(
        (claim.positions[stem][0], found[0])
        for stem, found in matched.items()
        if len(found) == 1 and len(claim.positions[stem]) == 1
    )
    for one, middle, other in _triples(places):
        if not _relates(claim, middle[0]) or is_symmetric((claim.tokens[middle[0]].word,)):
            continue
        turned = other[1] < middle[1] < one[1]
        same = one[1] < middle[1] < other[1]
        passive = _is_passive(claim, middle[0]) != _is_passive(sentence, middle[1])
        alike = turned and _between(claim, one[0], other[0]) == _between(sentence, other[1], one[1])
        if (same and passive) or (alike and not passive):
            yield f"{claim.tokens[one[0]].word!r} and {claim.tokens[other[0]].word!r} have changed places"
            return
    yield from _order_twists(claim, sentence, dict(places))


def _triples(places: Sequence[Place]) -> Iterator[tuple[Place, Place, Place]]:
    """Yield a word, one to the left and one to the right of it, each at most six words away."""
    for index, middle in enumerate(places):
        for one in places[max(0, index - _REACH) : index]:
            for other in places[index + 1 : index + 1 + _REACH]:
                yield one, middle, other


def _order_twists(claim: Reading, sentence: Reading, places: dict[int, int]) -> Iterator[str]:
    """Yield the two sides of `before`, `after`, `than` or `then` that have changed places."""
    for words in _ORDERING:
        said, stated = _sides(claim.tokens, words), _sides(sentence.tokens, words)
        if said is None or stated is None or ("than" in words and is_elsewhere(claim, sentence)):
            continue
        left = {there for here, there in places.items() if here in said[0]}
        right = {there for here, there in places.items() if here in said[1]}
        if left & stated[1] and right & stated[0]:
            yield f"the two sides of {words[0]!r} have changed places"


def _sides(tokens: Sequence[Token], words: Sequence[str]) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return the places on either side of one of some words that stands once, None where it does not.

    What `before` opens a sentence with is its right side: `Before the must is cooled, yeast is added`.
    """
    places = [place for place, token in enumerate(tokens) if token.word in words]
    if len(places) != 1:
        return None
    comma = next((place for place, token in enumerate(tokens) if token.word == ","), 0) if places[0] == 0 else 0
    if places[0] == 0 and (not comma or words[0] in ("than", "then")):
        return None
    right = range(1, comma) if comma else range(places[0] + 1, len(tokens))
    left = range(comma + 1, len(tokens)) if comma else range(places[0])
    turned = any(token.word == "which" for token in tokens[places[0] + 1 : places[0] + 2])  # `a rest, after which ...`
    return (frozenset(right), frozenset(left)) if turned else (frozenset(left), frozenset(right))


def _relates(claim: Reading, place: int) -> bool:
    """Return whether a word can be a verb or comparative: what stands before it introduces no noun."""
    before = claim.tokens[place - 1].word if place else "the"
    after = claim.tokens[place + 1].word if place + 1 < len(claim.tokens) else ""
    return before not in ("the", "a", "an", "of", "and", "or", ",", "'s", "this", "its", "their") and after not in (
        "and",
        "or",
        ",",
        "of",
    )


def _is_passive(reading: Reading, place: int) -> bool:
    after = [token.word for token in reading.tokens[place + 1 : place + 3]]
    if after[:1] and after[0] in ("in", "on", "to", "at"):
        behind = reading.tokens[place + 2 : place + 1 + _REACH]  # `was sold to Ada Lind by`, `was founded in 1922 by`
        near = [*takewhile(lambda one: one.word not in BOUNDARIES | AUXILIARIES, behind)]
        agents = pairwise(near)
        after += ["by"] if any(one.word == "by" and who.name for one, who in agents) else []
    before = [token.word for token in reading.tokens[max(0, place - 3) : place]]
    if reading.tokens[place].name:
        return False
    reduced = before[-1:] == [","] and "by" in (*after[:1], *after[2:]) and polarity.is_past(reading.tokens[place].word)
    return reduced or ("by" in after and bool(BE & set(before)))


def _between(reading: Reading, start: int, end: int) -> frozenset[str]:
    return frozenset(token.word for token in reading.tokens[start:end]) & DIVIDING
