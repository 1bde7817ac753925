"""What a quantifier holds for: `all users` of `registered users`, `most` of another clause, `only` moved. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation
from rag.grounding.twists.share import noun_after, share_twists, stretch_of
from rag.grounding.words import ALL, DETERMINERS, OBJECT_PRONOUNS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_RESTRICTING = word_set("in on at with who that whose without from under over above below within beyond between")
_NO = word_set("no none")
_REMAINING = word_set("other others remaining else")
_GENERAL = polarity.UNIVERSAL | word_set("any both no most majority")
_CALENDAR = word_set(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday"
)
_TIMES = ("date", "decade", "time", "frequency")
_LIMITS_NOTHING = word_set("exception exceptions distinction advance detail full person writing turn addition once")
"""What a preposition makes an adverb of, which narrows no noun down: `to members without exception`, `in advance`."""
_DEFINITE = word_set("the these those its their his her our your my")
_REACH = 4
_NEEDED = "need require necessary mandatory must"
_EITHER_WAY = word_set("side sides end ends hand hands bank banks case cases direction directions way ways")
_ANY = word_set("either any one")


def scope_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a quantifier that holds for more or for others than in the sentence."""
    yield from _widened_twists(claim, sentence)
    yield from _all_other_twists(claim, sentence)
    yield from share_twists(claim, sentence)
    yield from _moved_only_twists(claim, sentence)
    yield from _both_twists(claim, sentence)
    yield from _joined_twists(claim, sentence)


def _widened_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `all` that is added where the sentence narrows down the noun: `registered users`, `two of the users`."""
    for place, token in enumerate(claim.tokens):
        phrase = noun_after(claim.tokens, place) if token.word in ALL | {"any", "most"} else ()
        places = sentence.positions.get(phrase[0].stem, ()) if phrase else ()
        if not places:
            continue
        if any(_is_general(sentence.tokens, at) for at in places):
            if token.word in ALL and all(_is_narrowed_subject(sentence.tokens, at, claim) for at in places):
                yield f"{token.word!r} is said of fewer {phrase[0].word!r}"
                return
            continue
        if token.word != "any" and all(_is_counted(sentence.tokens, at) for at in places):
            yield f"{token.word!r} for a number of {phrase[0].word!r}"
            return
        towards = place > 0 and claim.tokens[place - 1].word == "to"
        if token.word != "most" and all(_is_narrowed(sentence.tokens, at, claim, towards) for at in places):
            yield f"{token.word!r} is added to {phrase[0].word!r}"
            return


def _all_other_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `all` where the sentence says it of the others only: `all other repairs`."""
    if claim.words & _REMAINING:
        return
    said = {token.stem for phrase in _after_all(claim.tokens).values() for token in phrase}
    stated = _after_all(sentence.tokens)
    others = {place for place in stated if sentence.tokens[place + 1].word in _REMAINING}
    if any(token.word in ALL for token in claim.tokens):
        bare = [at for at, token in enumerate(sentence.tokens[:-1]) if token.word == "other" and _opens(sentence, at)]
        stated |= {at - 1: noun_after(sentence.tokens, at) for at in bare}
        others |= {at - 1 for at in bare}
    if _is_of_the_others(claim, sentence):
        yield "'others' is left out"
        return
    rest = {token.stem for place, phrase in stated.items() if place not in others for token in phrase}
    for place in sorted(others):
        if any(token.stem in said - rest for token in stated[place]):
            yield f"{sentence.tokens[place + 1].word!r} is left out"
            return


def _is_of_the_others(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim says of all what the sentence says of `all others`, `the others` or `the rest`."""
    tokens = sentence.tokens
    if not any(token.word in ALL for token in claim.tokens):
        return False
    for place, token in enumerate(tokens):
        if token.word not in ("others", "rest") or not place or tokens[place - 1].word not in ALL | {"the"}:
            continue
        before = {one.stem for one in tokens[:place] if one.stem}
        if claim.positions.keys() & ({one.stem for one in tokens[place + 1 :] if one.stem} - before):
            return True
    return False


def _opens(sentence: Reading, place: int) -> bool:
    """Return whether a word begins a sentence or one of its statements: `; other cases are refused`."""
    return place == 0 or sentence.tokens[place - 1].word in (";", ",", ":")


def _after_all(tokens: Sequence[Token]) -> dict[int, tuple[Token, ...]]:
    """Return for each `all` or `no` of a sentence its noun phrase, an `other` between them passed over."""
    places = [at for at, token in enumerate(tokens[:-1]) if token.word in ALL | _NO]
    return {at: noun_after(tokens, at + (tokens[at + 1].word in _REMAINING)) for at in places}


def _is_general(tokens: Sequence[Token], place: int) -> bool:
    """Return whether the clause around a place says `all`, `any`, `no` or `most` itself."""
    start, end = stretch_of(tokens, place)
    return any(
        token.word in _GENERAL and not any(after.word in _REMAINING for after in tokens[at + 1 : at + 2])
        for at, token in enumerate(tokens[start:end], start)
    )


def _is_narrowed_subject(tokens: Sequence[Token], place: int, claim: Reading) -> bool:
    """Return whether `each` stands before a noun, and what the claim lacks between that and its verb.

    `Each passenger on a Classic fare may check in a bag` says nothing of every passenger.
    """
    following = {token.word for token in tokens[place + 1 : place + 2]}
    if not place or tokens[place - 1].word not in ALL or not following & _RESTRICTING:
        return False
    verb = next((at for at in range(place + 2, len(tokens)) if tokens[at].word in AUXILIARIES), place)
    inside = tokens[place + 2 : verb]
    stems = [token for token in inside if token.stem or token.quantity]
    return (
        bool(stems) and "," not in (token.word for token in inside) and not any(_is_said(one, claim) for one in stems)
    )


def _is_narrowed(tokens: Sequence[Token], place: int, claim: Reading, towards: bool) -> bool:
    """Return whether a noun has a word or number of its own before or after it that the claim lacks."""
    before = tokens[place - 1].stem if place else ""
    if before and before not in claim.positions and not _is_verb(tokens, place - 1, towards):
        return True
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None:
        return False
    if _is_label(following):
        return not _is_said(following, claim)
    ahead = tokens[place + 2 : place + 2 + _REACH]
    compared = bool(ahead) and ahead[0].word == "than" and any(token.quantity for token in ahead)
    if following.word not in _RESTRICTING and not compared:
        return False
    found = next((token for token in ahead if token.stem or token.quantity), None)
    return found is not None and not _is_said(found, claim) and not _is_adverbial(tokens, place, found)


def _is_label(token: Token) -> bool:
    """Return whether a token behind a noun names which one it is: the 12 of `room 12`, the B of `zone B`."""
    if token.quantity:
        return token.quantity.kind in ("number", "range") and not token.quantity.unit
    return token.name and len(token.word) == 1


def _is_said(token: Token, claim: Reading) -> bool:
    """Return whether a claim has a word or a number, too."""
    if not token.quantity:
        return token.stem in claim.positions
    return any(same_quantity(token.quantity, quantity) for _, quantity in claim.quantities)


def _is_adverbial(tokens: Sequence[Token], place: int, found: Token) -> bool:
    """Return whether what follows a noun may say when or where something was done to all of these.

    As in `she locked the doors at night`: after a definite object of a past verb, for a time after a verb, or in an
    adverb such as `in advance`.
    """
    if found.word in _LIMITS_NOTHING:
        return True
    time = found.word in _CALENDAR or (found.quantity is not None and found.quantity.kind in _TIMES)
    start, _ = stretch_of(tokens, place)
    if time and any(token.word in AUXILIARIES or polarity.is_past(token.word) for token in tokens[start:place]):
        return True
    definite = place > 1 and tokens[place - 1].word in _DEFINITE
    return definite and found.quantity is None and polarity.is_past(tokens[place - 2].word)


def _is_counted(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a noun stands under a number without an article: `two pumps`, `two of the ten pumps`."""
    start = place
    while start and (tokens[start - 1].quantity or tokens[start - 1].word in DETERMINERS | {"of"}):
        start -= 1
    words = tokens[start:place]
    return bool(words) and words[0].quantity is not None and words[0].quantity.kind != "frequency"


def _is_verb(tokens: Sequence[Token], place: int, towards: bool) -> bool:
    """Return whether a word may be the verb of what follows: a noun, an auxiliary or a `to` stands right before it.

    `towards`: the `to` is known for a preposition.
    """
    before = tokens[place - 1] if place else None
    if before is None or (towards and before.word == "to"):
        return False
    return bool(before.stem) or before.word in AUXILIARIES or before.word == "to"


def _moved_only_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `only` that has moved from a subject to its verb: `only nurses may open it`, `nurses may only open it`."""
    here, there = _only(claim), _only(sentence)
    if here is None or there is None:
        return
    said, stated = _next_stem(claim.tokens, here), _next_stem(sentence.tokens, there)
    if not said or not stated or said == stated:
        return
    before = {token.stem for token in claim.tokens[:here] if token.stem}
    after = {token.stem for token in sentence.tokens[there:] if token.stem}
    opens = all(not token.stem for token in sentence.tokens[:there])
    if opens and stated in before and said in after and claim.tokens[here - 1].word in AUXILIARIES:
        yield "'only' is said of something else"


def _only(reading: Reading) -> int | None:
    places = [at for at, token in enumerate(reading.tokens) if token.word == "only"]
    return places[0] if len(places) == 1 else None


def _next_stem(tokens: Sequence[Token], place: int) -> str:
    found = next((token for token in tokens[place + 1 :] if token.stem or token.quantity), None)
    return found.stem if found else ""


def _both_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `either` for `both` of the same things, and the reverse."""
    if any(is_negation(token.word) for token in (*claim.tokens, *sentence.tokens)):
        return
    for one, other, words in ((claim, sentence, _ANY), (sentence, claim, {"either"})):
        for place, token in enumerate(other.tokens):
            noun = noun_after(other.tokens, place)[:1] if token.word == "both" else ()
            if not noun or noun[0].word in _EITHER_WAY or "both" in one.words:
                continue
            before = [one.tokens[at - 1].word for at in one.positions.get(noun[0].stem, ()) if at]
            if any(word in words for word in before):
                yield "'either' for 'both'" if one is claim else "'both' for 'either'"
                return


def _joined_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `or` for `and` between two things that are needed, and the reverse."""
    needed = {polarity.stem_of(word) or word for word in _NEEDED.split()}
    if not needed & (claim.positions.keys() | claim.words) or any(is_negation(token.word) for token in sentence.tokens):
        return
    here, there = _pairs(claim), _pairs(sentence)
    for pair, word in here.items():
        if there.get(pair, word) != word:
            yield f"{word!r} for {there[pair]!r}"
            return


def _pairs(reading: Reading) -> dict[frozenset[str], str]:
    """Return the neighbours that `and` or `or` joins, each with which of the two."""
    tokens, found = reading.tokens, {}
    for place, token in enumerate(tokens):
        if token.word in ("and", "or") and place:
            following = _next_stem(tokens, place)
            before = place - 2 if tokens[place - 1].word in OBJECT_PRONOUNS and place > 1 else place - 1
            if tokens[before].stem and following:
                found[frozenset((tokens[before].stem, following))] = token.word
    return found
