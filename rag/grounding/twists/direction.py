"""From for to, until for since: what stands behind a preposition of the other direction. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.noun_phrases import phrases
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.twists.role import DIVIDING
from rag.grounding.words import BOUNDARIES
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_DIRECTIONS = ("from", "to", "into", "by", "against")
_OPPOSED = {
    "from": word_set("to into onto towards toward"),
    "to": word_set("from"),
    "into": word_set("from"),
    "towards": word_set("from"),
    "toward": word_set("from"),
    "before": word_set("after"),
    "after": word_set("before"),
}
"""Prepositions of the opposite direction."""
_TAKEN_UP = ("before", "after")
_PRONOUNS = word_set("it that them this these those , ; . and but")
_SINCE, _UNTIL = word_set("from since"), word_set("until till")


def direction_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the claim says is `from` (or `to`, `by`) something that in the sentence follows another of these."""
    there = {word: _objects(sentence, word) for word in _DIRECTIONS}
    for word in _DIRECTIONS:
        here = _objects(claim, word)
        if not here or not there[word] or here & there[word]:
            continue
        if any(here & there[other] for other in _DIRECTIONS if other != word):
            yield f"{word!r} has another object"
    yield from _opposed_twists(claim, sentence)
    yield from _term_twists(claim, sentence)
    yield from _side_twists(claim, sentence)


def _opposed_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the claim says is `from` something that in the sentence stands only after `to`, and the reverse."""
    stated = phrases(sentence)
    for said in phrases(claim):
        word, first = said.preposition, said.near[0].stem
        if any(token.quantity for place in claim.positions.get(first, ()) for token in claim.tokens[place - 1 : place]):
            continue  # `to 30 crowns`
        opposed = [other for other in stated if other.preposition in _OPPOSED.get(word, ())]
        if word in _TAKEN_UP and _has_pronoun_behind(sentence.tokens, word):
            continue  # `before lunch and the other after it`
        places = {id(token) for other in opposed for token in other.near if token.stem == first}
        if places and len(places) == len(sentence.positions.get(first, ())):
            yield f"{word!r} for {opposed[0].preposition!r}"
            return


def _has_pronoun_behind(tokens: Sequence[Token], word: str) -> bool:
    """Return whether a preposition has a pronoun behind it, or nothing of its own."""
    return any(one.word == word and (after is None or after.word in _PRONOUNS) for one, after in _followed(tokens))


def _followed(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token | None]]:
    """Yield each token with the one behind it, None at the end."""
    yield from zip(tokens, [*tokens[1:], None], strict=True)


def _term_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a day or date on which something begins by the claim and ends by the sentence, or the reverse."""
    for words, contrary in ((_SINCE, _UNTIL), (_UNTIL, _SINCE)):
        for place in _places_after(claim.tokens, words):
            known = [at for at, one in enumerate(sentence.tokens) if _are_one(claim.tokens[place], one)]
            if known and set(known) <= set(_places_after(sentence.tokens, contrary)):
                yield f"{'until' if words is _UNTIL else 'from'!r} for its contrary"
                return


def _side_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word with `for` behind it that has `against` there, or the reverse: `argued against it`."""
    for stem in claim.content:
        said, stated = _words_behind(claim, stem), _words_behind(sentence, stem)
        if len(said) == len(stated) == 1 and said | stated == {"for", "against"}:
            yield f"{min(said)!r} for {min(stated)!r}"
            return


def _words_behind(reading: Reading, stem: str) -> set[str]:
    """Return the words that stand right behind a stem, one for each place; empty for none."""
    places = reading.positions.get(stem, ())
    return {reading.tokens[at + 1].word if at + 1 < len(reading.tokens) else "" for at in places}


def _places_after(tokens: Sequence[Token], words: frozenset[str]) -> list[int]:
    """Return where a word, ordinal or date stands right behind one of some prepositions, an article passed over."""
    starts = [at + 1 for at, token in enumerate(tokens[:-1]) if token.word in words]
    places = [at + (tokens[at].word == "the") for at in starts]
    return [at for at in places if at < len(tokens)]


def _are_one(one: Token, other: Token) -> bool:
    if one.quantity is None or other.quantity is None:
        return bool(one.stem) and one.stem == other.stem
    return one.quantity.kind in ("date", "ordinal") and same_quantity(one.quantity, other.quantity)


def _objects(reading: Reading, preposition: str) -> frozenset[str]:
    """Return the stems between a preposition and the next one, auxiliary or boundary."""
    found: set[str] = set()
    active = False
    for token in reading.tokens:
        if token.word == preposition:
            active = True
        elif token.word in DIVIDING or token.word in AUXILIARIES or token.word in BOUNDARIES:
            active = False
        elif active and token.stem:
            found.add(token.stem)
    return frozenset(found)
