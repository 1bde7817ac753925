"""Shares and what they are of: `most patients recovered, while few relapsed`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.grounding.reading import Reading, Token, is_negation, stems_of
from rag.grounding.words import ALL, BOUNDARIES, DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set

_MOST = word_set("most majority")
_CHIEFLY = word_set("mostly mainly chiefly primarily largely predominantly")
_CUTS = word_set("but while whilst whereas although though ;")
_LIGHT = polarity.LIGHT - {"order"}
"""Words that end a noun phrase; `order`, light in `in order to`, is a noun after a quantifier."""
_COUNTS = word_set("one some few several many others none")
_FOLLOWS = {
    "all": {"all", "most", "many", "several", "some"},
    "most": {"most", "many", "several", "some"},
    "many": {"many", "several", "some"},
    "several": {"several", "some"},
    "some": {"some"},
    "few": {"few", "some"},
    "half": {"half", "some"},
    "none": {"none"},
}
"""For what a sentence says of some things, what else may be said of them."""
_CLASSES = {
    **dict.fromkeys(ALL, "all"),
    **dict.fromkeys(_MOST, "most"),
    **dict.fromkeys(("none", "no"), "none"),
    **{word: word for word in ("many", "several", "some", "few")},
}
_NO_SHARE_AFTER = word_set("at the in above after as how so too not hardly last first next past its their his her our")
"""What stands before a word that is no share there: `at most`, `as many`, `the last few`, `not all`."""
_NO_SHARE_BEFORE = word_set("more less longer later fewer sooner other one than doubt matter")
_NEEDS_NOUN = word_set("every each no")
_DEGREES = word_set("a an very only just quite and but")


@dataclass(frozen=True, slots=True)
class _Share:
    """A share in a sentence: which of `_FOLLOWS` it is, the stems right after it, and those of its clause.

    `near`: the stem before it and the one after its noun, one of which is its verb.
    """

    name: str
    nouns: tuple[str, ...]
    stems: frozenset[str]
    near: frozenset[str]
    denied: bool


def share_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a share that is said of what another clause says, or of others than in the sentence."""
    found = next(_moved_share_twists(claim, sentence), "") or next(_swapped_share_twists(claim, sentence), "")
    found = found or next(_mostly_twists(claim, sentence), "")
    if found:
        yield found


def _mostly_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `mostly` with another place than there: of `mostly in muscle and some in the liver` the liver."""
    said, stated = _behind_mostly(claim.tokens), _behind_mostly(sentence.tokens)
    known = frozenset[str]().union(*stated)
    for stems in said:
        if stated and stems and not stems & known and stems <= sentence.positions.keys():
            yield "'mostly' is said of something else"
            return


def _behind_mostly(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """Return the stems behind each `mostly` and its preposition, up to the next mark or coordinator."""
    found = []
    for place, token in enumerate(tokens[:-2]):
        if token.word in _CHIEFLY and tokens[place + 1].word in PREPOSITIONS:
            ends = (at for at in range(place + 2, len(tokens)) if tokens[at].word in BOUNDARIES)
            found.append(stems_of(tokens[place + 2 : next(ends, len(tokens))]))
    return found


def noun_after(tokens: Sequence[Token], place: int) -> tuple[Token, ...]:
    """Return the words of the noun phrase after a quantifier: `registered users` of `all of the registered users`."""
    start = place + 1
    while start < len(tokens) and (tokens[start].word in DETERMINERS or tokens[start].word == "of"):
        start += 1
    end = start
    while end < len(tokens) and tokens[end].stem and tokens[end].word not in _LIGHT:
        end += 1
    return tuple(tokens[start:end])


def stretch_of(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    """Return where the clause around a place begins and ends: from one `but`, `while` or semicolon to the next."""
    cuts = [at for at, token in enumerate(tokens) if token.word in _CUTS]
    start = max((at for at in cuts if at < place), default=0)
    return start, min((at for at in cuts if at > place), default=len(tokens))


def _moved_share_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `most` or `all` of one clause with what another clause says: `most voted, but five abstained`."""
    if any(token.word in _CUTS or token.word == "," for token in claim.tokens):
        return
    for words in (_MOST, ALL):
        places = _places(sentence.tokens, words)
        share = next(iter(_places(claim.tokens, words)), -1)
        if not places or share < 0:
            continue
        nouns = {token.stem for token in noun_after(claim.tokens, share)[:1]}
        wanted = frozenset(claim.content) - nouns - {polarity.stem_of(word) for word in words}
        stretches = [stretch_of(sentence.tokens, at) for at in places]
        inside = {token.stem for start, end in stretches for token in sentence.tokens[start:end] if token.stem}
        known = wanted & sentence.positions.keys()
        counted = share == 0 and known - inside and _is_of_others(sentence.tokens, stretches, known - inside)
        if known and len(inside) > 1 and (not known & inside or counted):
            yield f"{claim.tokens[share].word!r} is said of something else"
            return


def _is_of_others(tokens: Sequence[Token], stretches: Sequence[tuple[int, int]], stems: frozenset[str]) -> bool:
    """Return whether words stand in a clause that begins with a number: `while two of them speak Finnish`."""
    places = [at for at, token in enumerate(tokens) if token.stem in stems]
    clauses = {stretch_of(tokens, at) for at in places} - set(stretches)
    counts = [any(one.quantity or one.word in _COUNTS for one in tokens[start : start + 3]) for start, _ in clauses]
    return bool(counts) and all(counts)


def _places(tokens: Sequence[Token], words: frozenset[str]) -> list[int]:
    """Return where `most` or `all` stands as a share: not in `at most` and `the most difficult`."""
    before = [""] + [token.word for token in tokens]
    return [at for at, token in enumerate(tokens) if token.word in words and before[at] not in ("at", "the", "after")]


def _swapped_share_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a share that the sentence gives to other things, or to what another clause says of the same things."""
    if not any(_name_of(claim.tokens, place) for place in range(len(claim.tokens))):
        return
    stated = _shares(sentence)
    for said in _shares(claim):
        if said.nouns and _is_moved(said, stated):
            yield f"{said.name!r} is said of something else"
            return


def _is_moved(said: _Share, stated: Sequence[_Share]) -> bool:
    """Return whether a claim's share does not follow from the one that comes nearest to it in noun and verb."""
    noun, others = said.nouns[0], said.stems - {said.nouns[0]}
    alike = [share for share in stated if _is_about(share, noun, others)]
    ranks = [(len(share.stems & others) + len(share.stems & said.near), noun in share.nouns) for share in alike]
    best = [share for share, rank in zip(alike, ranks, strict=True) if rank == max(ranks)]
    if not best or any(share.denied != said.denied for share in best):
        return False
    if all(said.name not in _FOLLOWS[share.name] for share in best):
        return True
    return _is_said_elsewhere(others, best, stated)


def _is_about(share: _Share, noun: str, others: frozenset[str]) -> bool:
    """Return whether a share is of a noun, or stands without one before a verb of the claim: `few relapsed`."""
    return noun in share.nouns[:3] or not share.nouns or share.nouns[0] in others


def _is_said_elsewhere(others: frozenset[str], best: Sequence[_Share], stated: Sequence[_Share]) -> bool:
    """Return whether a share's clause says something, but only a clause with another share what the claim says.

    A clause that is a noun phrase alone, as in `most adults and some children attended`, says nothing by itself.
    """
    if any(share.stems <= set(share.nouns) for share in stated) or any(share.stems & others for share in best):
        return False
    return any(share.stems & others for share in stated)


def _shares(reading: Reading) -> list[_Share]:
    """Return the shares of a sentence, each with the clause that it stands in."""
    tokens = reading.tokens
    named = {place: name for place in range(len(tokens)) if (name := _name_of(tokens, place))}
    cuts = _cuts(tokens, tuple(named))
    found = []
    for place, name in named.items():
        start = max((at for at in cuts if at <= place), default=0)
        end = min((at for at in cuts if at > place), default=len(tokens))
        inside = tokens[start:end]
        stems = frozenset(token.stem for token in inside if token.stem and token.word not in _CLASSES)
        before = [token.stem for token in tokens[start:place] if token.stem]
        after = [token.stem for token in tokens[place:end] if token.stem and token.word not in _CLASSES]
        denied = any(is_negation(token.word) and token.word not in _CLASSES for token in inside)
        nouns = tuple(token.stem for token in noun_after(tokens, place))
        found.append(_Share(name, nouns, stems, frozenset(before[-1:] + after[1:2]), denied))
    return found


def _name_of(tokens: Sequence[Token], place: int) -> str:
    """Return which share stands at a place, empty for none: `few` of `few shops`, none of `the last few days`."""
    token = tokens[place]
    before = tokens[place - 1].word if place else ""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.quantity:
        half = token.quantity.kind == "number" and token.quantity.values == (0.5,) and not token.quantity.unit
        return "half" if half and after is not None and after.word in DETERMINERS | {"of"} else ""
    name = _CLASSES.get(token.word, "")
    if not name or (before in _NO_SHARE_AFTER and token.word != "majority"):
        return ""
    if after is not None and (after.word in _NO_SHARE_BEFORE or after.quantity):
        return ""
    if token.word in _NEEDS_NOUN and not noun_after(tokens, place):
        return ""
    if name == "few" and before == "a":
        return "some"
    return "most" if name == "all" and before in polarity.APPROXIMATORS else name


def _cuts(tokens: Sequence[Token], places: Sequence[int]) -> list[int]:
    """Return where clauses begin: at `but`, `while` and semicolons, and at an `and` or comma that a share follows."""
    cuts = {at for at, token in enumerate(tokens) if token.word in _CUTS}
    for place in places:
        start = place
        while start and tokens[start - 1].word in _DEGREES:
            start -= 1
        if start and tokens[start - 1].word == ",":
            start -= 1
        if any(token.word in ("and", ",") for token in tokens[start:place]):
            cuts.add(start)
    for one, other in pairwise(places):
        cuts.update(at for at in range(one, other) if tokens[at].word == "and" and _is_new_verb(tokens, one, at, other))
    return sorted(cuts)


def _is_new_verb(tokens: Sequence[Token], one: int, place: int, other: int) -> bool:
    """Return whether an `and` between two shares begins a clause: with a past verb, or with one that is repeated.

    As in `read all letters and praised some of them`, `liming prevents most rots and pruning prevents few`.
    """
    before = {token.stem for token in tokens[:one] if token.stem}
    repeated = any(token.stem in before for token in tokens[place + 1 : other])
    return repeated or polarity.is_past(tokens[place + 1].word)
