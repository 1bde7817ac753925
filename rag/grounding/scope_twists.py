"""What a quantifier holds for: `all users` of `registered users`, `most` of another clause, `only` moved. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation
from rag.grounding.role_twists import DETERMINERS
from rag.language import polarity
from rag.language.polarity import word_set

_ALL = word_set("all every each")
_MOST = word_set("most majority")
_CUTS = word_set("but while whilst whereas although though ;")
_RESTRICTING = word_set("in on at with who that whose under over without from")
_NEEDED = "need require necessary mandatory must"
_EITHER_WAY = word_set("side sides end ends hand hands bank banks case cases direction directions way ways")
_ANY = word_set("either any one")
_COUNTS = word_set("one some few several many others none")


def scope_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a quantifier that holds for more or for others than in the sentence."""
    yield from _widened_twists(claim, sentence)
    yield from _moved_share_twists(claim, sentence)
    yield from _moved_only_twists(claim, sentence)
    yield from _both_twists(claim, sentence)
    yield from _joined_twists(claim, sentence)


def _noun_after(tokens: Sequence[Token], place: int) -> tuple[Token, ...]:
    """Return the words of the noun phrase after a quantifier: `registered users` of `all of the registered users`."""
    start = place + 1
    while start < len(tokens) and (tokens[start].word in DETERMINERS or tokens[start].word == "of"):
        start += 1
    end = start
    while end < len(tokens) and tokens[end].stem and tokens[end].word not in polarity.LIGHT:
        end += 1
    return tuple(tokens[start:end])


def _widened_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `all` that is added where the sentence narrows down the noun: `registered users`, `two of the users`."""
    if sentence.words & (polarity.UNIVERSAL | {"any", "both", "no", "most", "majority"}):
        return
    for place, token in enumerate(claim.tokens):
        phrase = _noun_after(claim.tokens, place) if token.word in _ALL | {"most"} else ()
        if not phrase:
            continue
        noun = phrase[0].stem
        places = sentence.positions.get(noun, ())
        if places and all(_is_counted(sentence.tokens, at) for at in places):
            yield f"{token.word!r} for a number of {phrase[0].word!r}"
            return
        if token.word not in _ALL:
            continue
        towards = place > 0 and claim.tokens[place - 1].word == "to"
        if places and all(_is_narrowed(sentence.tokens, at, claim, towards) for at in places):
            yield f"{token.word!r} is added to {phrase[0].word!r}"
            return


def _is_narrowed(tokens: Sequence[Token], place: int, claim: Reading, towards: bool) -> bool:
    """Return whether a noun has a word of its own before or after it that the claim lacks."""
    before = tokens[place - 1].stem if place else ""
    if before and before not in claim.positions and not _is_verb(tokens, place - 1, towards):
        return True
    if place + 1 >= len(tokens) or tokens[place + 1].word not in _RESTRICTING:
        return False
    found = [token.stem for token in tokens[place + 2 : place + 6] if token.stem]
    verb = any(token.word in AUXILIARIES or polarity.is_past(token.word) for token in tokens[:place])
    return bool(found) and not verb and found[0] not in claim.positions


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


def _moved_share_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `most` or `all` of one clause with what another clause says: `most voted, but five abstained`."""
    if any(token.word in _CUTS or token.word == "," for token in claim.tokens):
        return
    for words in (_MOST, _ALL):
        places = _shares(sentence.tokens, words)
        share = next(iter(_shares(claim.tokens, words)), -1)
        if not places or share < 0:
            continue
        nouns = {token.stem for token in _noun_after(claim.tokens, share)[:1]}
        wanted = frozenset(claim.content) - nouns - {polarity.stem_of(word) for word in words}
        stretches = [_stretch(sentence.tokens, at) for at in places]
        inside = {token.stem for start, end in stretches for token in sentence.tokens[start:end] if token.stem}
        known = wanted & sentence.positions.keys()
        counted = share == 0 and known - inside and _is_of_others(sentence.tokens, stretches, known - inside)
        if known and len(inside) > 1 and (not known & inside or counted):
            yield f"{claim.tokens[share].word!r} is said of something else"
            return


def _is_of_others(tokens: Sequence[Token], stretches: Sequence[tuple[int, int]], stems: frozenset[str]) -> bool:
    """Return whether words stand in a clause that begins with a number: `while two of them speak Finnish`."""
    places = [at for at, token in enumerate(tokens) if token.stem in stems]
    clauses = {_stretch(tokens, at) for at in places} - set(stretches)
    counts = [any(one.quantity or one.word in _COUNTS for one in tokens[start : start + 3]) for start, _ in clauses]
    return bool(counts) and all(counts)


def _shares(tokens: Sequence[Token], words: frozenset[str]) -> list[int]:
    """Return where `most` or `all` stands as a share: not in `at most` and `the most difficult`."""
    before = [""] + [token.word for token in tokens]
    return [at for at, token in enumerate(tokens) if token.word in words and before[at] not in ("at", "the", "after")]


def _stretch(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    cuts = [at for at, token in enumerate(tokens) if token.word in _CUTS]
    start = max((at for at in cuts if at < place), default=0)
    return start, min((at for at in cuts if at > place), default=len(tokens))


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
            noun = _noun_after(other.tokens, place)[:1] if token.word == "both" else ()
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
            if tokens[place - 1].stem and following:
                found[frozenset((tokens[place - 1].stem, following))] = token.word
    return found
