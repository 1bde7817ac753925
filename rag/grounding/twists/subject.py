"""Subjects and objects of one clause with the verb of another, and names blended of two. Ground floor.

`Anders repaired the roof and Berit painted the fence` carries no `Berit repaired the roof`. Words are not tagged as
nouns and verbs; where each stands, and what bounds and introduces it, must do. Each function compares a claim with one
sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from rag.grounding.noun_phrases import ends_as_adverb
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.statements import LEADS
from rag.grounding.words import BE, COORDINATORS, DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set

_Test: TypeAlias = Callable[[Sequence[Token], int, int], bool]
_BOUNDARIES = word_set("and but while whereas ; , which whom")
_CARRYING = word_set("has have had will would can could must may might should do does did")
_PARTICLES = word_set("out up off down")
_ADVERBS = word_set(
    "later then soon also now afterwards subsequently finally eventually once again still never often always first "
    "second third next even only just almost nearly twice thrice together instead therefore thus hence ever sometimes "
    "perhaps year month week day time half all both most part respectively"
)

_BEFORE_NOUN = DETERMINERS | word_set("most many few several other two three four five")


def subject_twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield words of different clauses put together, and a name made of two."""
    for one, other in _subjects(claim):
        if _all_apart(sentence, one, other, _is_after_other_verb, _has_own_subject):
            yield f"{one!r} is not who or what does {other!r} there"
            return
    for one, other in _objects(claim):
        if _all_apart(sentence, one, other, _has_own_object, _is_other_object, _suffers_another):
            yield f"{other!r} belongs to another statement than {one!r}"
            return
    yield from _next_object_twists(claim, sentence)
    yield from _blended_names(claim, (*context, sentence))


# --- clauses -----------------------------------------------------------------------------------------------------


def _subjects(claim: Reading) -> Iterator[tuple[str, str]]:
    """Yield stems of which one may be the subject and the other its verb: neighbours that begin a statement, agents."""
    for run in _openings(claim):
        yield from pairwise(claim.tokens[place].stem for place in run)
    tokens = claim.tokens
    for place, token in enumerate(tokens):
        verb = tokens[place - 1] if place else token
        if token.word == "by" and verb.stem and polarity.is_past(verb.word):
            agent = next((later for later in range(place + 1, len(tokens)) if tokens[later].stem), place)
            yield tokens[_head(tokens, agent)].stem, verb.stem


def _openings(claim: Reading) -> Iterator[list[int]]:
    """Yield the places of the content words that begin a statement, up to the first word that is none of these."""
    tokens = claim.tokens
    starts = [0, *(place + 1 for place, token in enumerate(tokens) if token.word in _BOUNDARIES)]
    if len(tokens) > 2 and tokens[0].word in PREPOSITIONS and tokens[1].quantity:
        starts[0] = 2  # `In 1956 a fire ...`
    carrying = _CARRYING | {"of"}  # `the number of concerts fell`
    for start in starts:
        run: list[int] = []
        for place in range(start, len(tokens)):
            if tokens[place].stem:
                run.append(place)
            elif tokens[place].word not in (carrying if run and tokens[place - 1].word != "of" else DETERMINERS):
                break
        if len(run) > 1:
            yield run


def _objects(claim: Reading) -> Iterator[tuple[str, str]]:
    """Yield the verb that ends the beginning of a statement and its object, also where the object is in front."""
    tokens = claim.tokens
    for run in _openings(claim):
        last = run[-1]
        place = last + 1
        while place < len(tokens) and tokens[place].word in DETERMINERS:
            place += 1
        if last + 1 < place < len(tokens) and tokens[place].stem:
            yield tokens[last].stem, tokens[_head(tokens, place)].stem
    if len(tokens) > 2 and tokens[0].stem and tokens[1].word in DETERMINERS and tokens[2].stem:
        yield tokens[0].stem, tokens[_head(tokens, 2)].stem  # `Loosen the strings`
    for place, (one, aux) in enumerate(pairwise(tokens)):
        verb = next((token for token in tokens[place + 2 : place + 4] if token.stem), None)
        if one.stem and aux.word in BE and verb and polarity.is_past(verb.word):
            yield verb.stem, one.stem


def _head(tokens: Sequence[Token], place: int) -> int:
    while place + 1 < len(tokens) and tokens[place + 1].stem and tokens[place + 1].word not in LEADS:
        place += 1
    return place


def _all_apart(sentence: Reading, one: str, other: str, *tests: _Test) -> bool:
    """Return whether two stems stand in a sentence, and wherever they do one of the tests holds."""
    firsts, seconds = sentence.positions.get(one, ()), sentence.positions.get(other, ())
    pairs = [(first, second) for first in firsts for second in seconds]
    return (
        one != other
        and bool(pairs)
        and all(any(test(sentence.tokens, first, second) for test in tests) for first, second in pairs)
    )


def _is_after_other_verb(tokens: Sequence[Token], subject: int, verb: int) -> bool:
    """Return whether a verb stands before a subject, with a subject of its own, and a new clause between them."""
    between = [token.word for token in tokens[verb + 1 : subject]]
    if verb >= subject or _BOUNDARIES.isdisjoint(between) or ("by" in between and _may_have_agent(tokens, verb)):
        return False
    before = verb - 1
    while before >= 0 and (tokens[before].word in AUXILIARIES or _is_adverb(tokens[before])):
        before -= 1
    if before < 0 or not tokens[before].stem or tokens[before].word in polarity.LIGHT:
        return False
    start = max(place for place in range(verb + 1, subject) if tokens[place].word in _BOUNDARIES) + 1
    if not all(token.stem or token.word in DETERMINERS for token in tokens[start:subject]):
        return False
    after = subject + 1
    while after < len(tokens) and (tokens[after].name or _is_adverb(tokens[after])):
        after += 1
    following = tokens[after : after + 1]
    return bool(following) and (bool(following[0].stem) or following[0].word in AUXILIARIES)


def _may_have_agent(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether a verb is a participle with a `by` for who did it: `was built by Ada`, `built by Ada`."""
    passive = any(token.word in BE for token in tokens[max(0, verb - 3) : verb])
    return polarity.is_past(tokens[verb].word) and (passive or tokens[verb + 1].word == "by")


def _has_own_subject(tokens: Sequence[Token], subject: int, verb: int) -> bool:
    """Return whether a verb stands after a subject in a clause with a subject of its own: `... and Berit painted`."""
    cut = _last_boundary(tokens, subject, verb)
    if cut < 0:
        cut = max((place for place in range(subject + 1, verb) if tokens[place].word == ","), default=-1)
        if cut < 0 or not (_has_plain_verb(tokens, subject, cut) and _governs(tokens, verb)):
            return False
    if not _has_verb(tokens, subject, cut) and not _is_plain_clause(tokens, subject, cut, verb):
        return False
    own = [token for token in tokens[cut + 1 : verb] if token.word not in AUXILIARIES]
    while own and _is_adverb(own[-1]):
        if own[-1].word in _ADVERBS:
            return False
        own.pop()
    return bool(own) and bool(own[-1].stem) and all(token.stem or token.word in _BEFORE_NOUN for token in own)


def _is_plain_clause(tokens: Sequence[Token], subject: int, cut: int, verb: int) -> bool:
    """Return whether verbs that no form tells have a subject each: `bees visit blossoms and beetles eat the roots`.

    An article behind the second verb tells it, or a plural that begins the sentence as the first subject.
    """
    start = subject
    while start and (tokens[start - 1].stem or tokens[start - 1].word in _BEFORE_NOUN):
        start -= 1
    plural = start == 0 and tokens[subject].word.endswith("s")
    return _has_plain_verb(tokens, subject, cut) and (plural or _governs(tokens, verb))


def _has_plain_verb(tokens: Sequence[Token], subject: int, cut: int) -> bool:
    """Return whether a verb and its object may stand right behind a subject: two content words, no participle first."""
    after = subject + 1
    while after < cut and _is_adverb(tokens[after]):
        after += 1
    first = tokens[after]
    stems = [token for token in tokens[after:cut] if token.stem and not _is_adverb(token)]
    return bool(first.stem) and not first.name and not first.word.endswith("ing") and len(stems) >= 2


def _governs(tokens: Sequence[Token], verb: int) -> bool:
    return verb + 1 < len(tokens) and tokens[verb + 1].word in DETERMINERS


def _has_own_object(tokens: Sequence[Token], verb: int, thing: int) -> bool:
    """Return whether an object stands after another verb than this one: `repaired ... and Berit painted the fence`."""
    cut = _last_boundary(tokens, verb, thing)
    if cut < 0:
        return False
    place = thing - 1
    while place > cut and tokens[place].stem:
        place -= 1
    if place <= cut or tokens[place].word not in DETERMINERS:
        return False
    while place > cut and tokens[place].word in DETERMINERS:
        place -= 1
    other = tokens[place]
    return place > cut and bool(other.stem) and not _is_adverb(other) and not other.word.endswith("ing")


def _is_other_object(tokens: Sequence[Token], verb: int, thing: int) -> bool:
    """Return whether a thing is the object of an earlier clause than that of a verb with its own subject and object."""
    cut = _last_boundary(tokens, thing, verb)
    if cut < 0 or tokens[cut].word not in COORDINATORS or any(token.word != "," for token in tokens[thing + 1 : cut]):
        return False
    start = thing - 1
    while start > 0 and tokens[start].stem:
        start -= 1
    own = tokens[cut + 1 : verb]
    return (
        start > 0
        and tokens[start].word in DETERMINERS
        and bool(tokens[start - 1].stem)
        and bool(own and own[-1].stem)
        and not _is_adverb(own[-1])
        and all(token.stem or token.word in DETERMINERS for token in own)
        and any(token.word in DETERMINERS for token in tokens[verb + 1 : verb + 2])
    )


def _suffers_another(tokens: Sequence[Token], verb: int, thing: int) -> bool:
    """Return whether a thing is the subject of a passive clause behind that of a verb with an object of its own.

    As in `A fire destroyed the wardrobe, but the archive was saved`.
    """
    cut = _last_boundary(tokens, verb, thing)
    if cut < 0 or tokens[cut].word not in COORDINATORS:
        return False
    own = all(token.stem or token.word in DETERMINERS for token in tokens[cut + 1 : thing])
    passive = any(token.word in BE for token in tokens[thing + 1 : thing + 2])
    participle = any(polarity.is_past(token.word) for token in tokens[thing + 2 : thing + 4])
    return own and passive and participle and _governs(tokens, verb)


def _next_object_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the object of a verb that `and` joins to the claim's: `sells bread and rents out canoes`.

    Both verbs are told by an `s` and a word behind them; a claim with the second one is none.
    """
    tokens = sentence.tokens
    for join in (at for at, token in enumerate(tokens) if token.word == "and"):
        start = max((at + 1 for at in range(join) if tokens[at].word in _BOUNDARIES), default=0)
        first = next((at for at in range(start, join - 1) if _is_inflected(tokens, at)), -1)
        if first < 0 or not _is_inflected(tokens, join + 1) or tokens[join + 1].stem in claim.positions:
            continue
        after = (token for token in tokens[join + 2 : join + 4] if token.word not in _PARTICLES)
        thing = next((token.stem for token in after if token.stem), "")
        verb = tokens[first].stem
        alone = len(sentence.positions[verb]) == 1 and len(sentence.positions.get(thing, ())) == 1
        if alone and verb in claim.positions and thing in claim.positions:
            yield f"{thing!r} is the object of {tokens[join + 1].word!r} there"
            return


def _is_inflected(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word ends in `s` and has an object, or a particle and one, right behind it."""
    if place + 1 >= len(tokens) or not tokens[place].stem or tokens[place].name:
        return False
    after = place + 1 + (tokens[place + 1].word in _PARTICLES)
    if after >= len(tokens) or not tokens[after].stem or polarity.is_past(tokens[after].word):
        return False
    takes = not _is_adverb(tokens[after]) and not tokens[after].word.endswith("ing")
    return place > 0 and takes and tokens[place].word.endswith("s") and not tokens[place].word.endswith("ss")


def _last_boundary(tokens: Sequence[Token], start: int, end: int) -> int:
    return max((place for place in range(start + 1, end) if tokens[place].word in _BOUNDARIES), default=-1)


def _has_verb(tokens: Sequence[Token], subject: int, end: int) -> bool:
    """Return whether a verb stands between a subject and the end of its clause, as far as form and place tell."""
    after = subject + 1
    while after < end and (tokens[after].name or _is_adverb(tokens[after])):
        after += 1
    if after < end and tokens[after].stem and tokens[after].word.endswith("s") and not tokens[after].name:
        return True
    return any(
        token.word in AUXILIARIES or (token.stem and polarity.is_past(token.word))
        for token in tokens[subject + 1 : end]
    )


def _is_adverb(token: Token) -> bool:
    return token.word in _ADVERBS or ends_as_adverb(token)


# --- names -------------------------------------------------------------------------------------------------------


def _blended_names(claim: Reading, evidence: Sequence[Reading]) -> Iterator[str]:
    """Yield a name made of parts of two (`Anna Novak` of Anna Keller and Peter Novak), or with its parts turned."""
    known = [run for reading in evidence for run in _name_runs(reading)]
    for run in _name_runs(claim):
        for one, other in pairwise(run):
            if one == other:
                continue
            with_one = [name for name in known if one in name]
            with_other = [name for name in known if other in name]
            both = [name for name in with_one if other in name]
            if any(name.index(one) < len(name) - 1 - name[::-1].index(other) for name in both):
                continue
            torn = (
                with_one
                and with_other
                and all(one != name[-1] for name in with_one)
                and all(other != name[0] for name in with_other)
            )
            if torn or both:
                yield f"no one name there is {one!r} {other!r}"
                return


def _name_runs(reading: Reading) -> list[tuple[str, ...]]:
    """Return the names of a sentence as sequences of stems, its first word among them where a name follows it."""
    tokens = reading.tokens
    runs: list[list[str]] = [[]]
    for place, token in enumerate(tokens):
        first = place == 0 and len(tokens) > 1 and bool(tokens[1].name)
        if token.stem and (token.name or first):
            runs[-1].append(token.stem)
        elif runs[-1]:
            runs.append([])
    return [tuple(run) for run in runs if run]
