"""Who does what where a sentence goes on with `who` or `which`: two statements, each of its own words. Ground floor.

`Norco owns Belta, which founded Cirta` is read as `Norco owns Belta` and `Belta founded Cirta`: the subject, the verb
and the object of a claim must stand in one of the two. Where a form does not tell who is meant, nothing is said.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rag.grounding.noun_phrases import core_of, ends_as_adverb, noun_phrase, reach_of
from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import BE, COORDINATORS, DETERMINERS, PREPOSITIONS, is_symmetric
from rag.language import polarity
from rag.language.polarity import word_set

_RELATIVES = word_set("who which whom")
_ENDS = word_set("; : ( ) |")
_NAMING = word_set("named called titled entitled known nicknamed dubbed")
_ADVERBS = word_set("later then soon also now once again still never often always first only")
_PRONOUNS = word_set("it them him her this these those one ones itself themselves himself herself")
_WHERE = word_set("in on at before after within")
_REACH = 6


@dataclass(frozen=True, slots=True)
class Claimed:
    """A verb or noun that a claim says of somebody: its stem, who does it and to whom; empty where nobody is named.

    `noun` tells a noun behind `is the` from a verb.
    """

    verb: str
    doers: frozenset[str]
    patients: tuple[frozenset[str], ...]
    noun: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative clause: where its pronoun, its verb (-1: not told, or an object relative) and its end stand.

    `antecedents` are all the stems that the pronoun may stand for; None where the form does not tell.
    """

    pronoun: int
    verb: int
    end: int
    antecedents: frozenset[str] | None
    main: int
    """Where the verb of the clause before it stands, -1 where no form tells."""
    alike: bool
    """Whether it says what its antecedent is (`which is the largest bank`), which may then be put for it."""


def relative_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a verb of the claim with a subject or an object of the other of two statements joined by who or which."""
    relatives = _relatives(sentence.tokens)
    if not relatives:
        return
    for claimed in claimed_verbs(claim, sentence):
        places = sentence.positions.get(claimed.verb, ())
        if places and all(_contradicts(sentence, relatives, at, claimed) for at in places):
            yield f"{claimed.verb!r} has another subject or object there, before or after 'who' or 'which'"
            return


# --- the claim ---------------------------------------------------------------------------------------------------


def claimed_verbs(claim: Reading, sentence: Reading) -> Iterator[Claimed]:
    """Yield each word of a claim that may be a verb, or a noun behind `is`, with its subject before it."""
    tokens = claim.tokens
    for place, token in enumerate(tokens):
        if not token.stem or is_symmetric((token.word,)):
            continue
        verb = _predicate_start(tokens, place)
        subject = core_of(_subject_before(tokens, verb))
        if not subject:
            continue
        if verb == place and _is_passive(tokens, place):
            yield Claimed(token.stem, core_of(_agent(tokens, place)), (subject,))
        else:
            yield Claimed(token.stem, subject, tuple(_objects(tokens, place, sentence)), noun=verb != place)


def _predicate_start(tokens: Sequence[Token], place: int) -> int:
    """Return where the predicate of a noun behind `is the` begins; of any other word its own place."""
    start = place
    while start and tokens[start - 1].stem:
        start -= 1
    behind = start > 1 and tokens[start - 1].word in DETERMINERS and tokens[start - 2].word in BE
    return start - 1 if behind else place


def _subject_before(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    end = verb
    while end and (tokens[end - 1].word in AUXILIARIES or _is_adverb(tokens[end - 1])):
        end -= 1
    start = end
    while start and tokens[start - 1].stem:
        start -= 1
    return tuple(tokens[start:end])


def _objects(tokens: Sequence[Token], verb: int, sentence: Reading) -> Iterator[frozenset[str]]:
    """Yield the objects of a verb, those of a list that ends the claim among them: `owns Belta and Cirta`.

    What follows a preposition (`flows into the Moss`) is one where the sentence has the verb with it, too.
    """
    place = verb + 1
    places = sentence.positions.get(tokens[verb].stem, ())
    following = {one.word for at in places for one in sentence.tokens[at + 1 : at + 2]}
    if place < len(tokens) and tokens[place].word in following & PREPOSITIONS - {"of"}:
        place += 1
        if tokens[place : place + 1] and tokens[place].quantity:
            return  # `opened in 1990`
    found = noun_phrase(tokens, place)
    while found:
        yield core_of(found)
        place = next(at for at, token in enumerate(tokens) if token is found[-1]) + 1
        if place + 1 >= len(tokens) or tokens[place].word not in ("and", "or", ","):
            return
        found = noun_phrase(tokens, place + 1)
        if found and found[-1] is not tokens[-1]:
            return


def _agent(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    by = _by(tokens, verb)
    return noun_phrase(tokens, by + 1) if by > 0 else ()


def _by(tokens: Sequence[Token], verb: int) -> int:
    """Return where the `by` of a verb stands, -1 where there is none before the next verb or clause."""
    for place in range(verb + 1, min(verb + 1 + _REACH, len(tokens))):
        word = tokens[place].word
        if word == "by":
            return place
        if word in _RELATIVES | COORDINATORS | AUXILIARIES | {","}:
            return -1
    return -1


def _is_passive(tokens: Sequence[Token], verb: int) -> bool:
    place = verb - 1
    while place >= 0 and _is_adverb(tokens[place]):
        place -= 1
    return place >= 0 and tokens[place].word in BE and polarity.is_past(tokens[verb].word)


def _is_adverb(token: Token) -> bool:
    return token.word in _ADVERBS or ends_as_adverb(token)


# --- the sentence ------------------------------------------------------------------------------------------------


def _relatives(tokens: Sequence[Token]) -> list[Relative]:
    """Return the relative clauses of a sentence in order; questions and `of which` are none."""
    places = [at for at, token in enumerate(tokens) if token.word in _RELATIVES and _is_relative(tokens, at)]
    bounds = [0, *places]
    ends = [*places[1:], len(tokens)]
    return [_relative(tokens, start, at, stop) for start, at, stop in zip(bounds, places, ends, strict=False)]


def _is_relative(tokens: Sequence[Token], place: int) -> bool:
    comma = place > 1 and tokens[place - 1].word == ","
    before = tokens[place - 2] if comma else tokens[place - 1] if place else tokens[place]
    return bool(before.stem or before.quantity) and (comma or not polarity.is_past(before.word))


def _relative(tokens: Sequence[Token], start: int, pronoun: int, stop: int) -> Relative:
    """Return the relative clause of a pronoun; its main clause begins at `start`, the next begins at `stop`."""
    stop = next((at for at in range(pronoun, stop) if tokens[at].word in _ENDS), stop)
    tail = next((at for at in range(pronoun + 2, stop) if tokens[at].word == "," and _is_tail(tokens, at, stop)), -1)
    verb, alike = _relative_verb(tokens, pronoun, stop)
    comma = tokens[pronoun - 1].word == ","
    main = _main_verb(tokens, start, pronoun, strict=not comma, repeated=tokens[verb].stem if verb > 0 else "")
    antecedents: frozenset[str] | None = None
    if tail > 0 and comma:
        antecedents = _stems(tokens, start, pronoun)
    elif main > 0 and _has_noun_after(tokens, main, pronoun) and not _may_mean_all(tokens, main, pronoun, verb, alike):
        antecedents = _stems(tokens, main, pronoun)
    return Relative(pronoun, verb, tail if tail > 0 else stop, antecedents, main, alike)


def _has_noun_after(tokens: Sequence[Token], main: int, end: int) -> bool:
    """Return whether another than the subject stands behind a verb: not in `A rule was passed in May, which is ...`."""
    if main + 1 < end and any(_is_passive(tokens, at) for at in range(main, end) if tokens[at].stem):
        return any(token.word == "by" or token.word in PREPOSITIONS - _WHERE for token in tokens[main:end])
    return bool(_stems(tokens, main + 1, end))


def _may_mean_all(tokens: Sequence[Token], main: int, pronoun: int, verb: int, alike: bool) -> bool:
    """Return whether `which` may stand for all that happens: `The valve opens at 8 bar, which stops the pump.`"""
    before = tokens[pronoun - 2] if tokens[pronoun - 1].word == "," else tokens[pronoun - 1]
    if tokens[pronoun].word != "which" or before.name or alike:
        return False
    return verb < 0 or not (_is_passive(tokens, verb) or tokens[verb].stem in _stems(tokens, main, pronoun))


def _is_tail(tokens: Sequence[Token], comma: int, stop: int) -> bool:
    """Return whether a main clause goes on with its verb after a comma: `Norco, which owns Belta, founded Cirta`."""
    place = comma + 1
    while place < stop and _is_adverb(tokens[place]):
        place += 1
    if place >= stop:
        return False
    token, after = tokens[place], tokens[place + 1].word if place + 1 < stop else "."
    if token.word in AUXILIARIES:
        return True
    formed = polarity.is_past(token.word) or token.word.endswith("s")
    return bool(token.stem) and not token.name and formed and after not in ("and", "or", ",", "by")


def _relative_verb(tokens: Sequence[Token], pronoun: int, stop: int) -> tuple[int, bool]:
    """Return where the verb, or the noun behind `is the`, of a relative clause stands, and whether it is such a noun.

    -1 stands for none: another is its subject (`which Norco owns`), or it tells a name (`which was named Aurelia`).
    """
    place = pronoun + 1
    while place < stop and (tokens[place].word in AUXILIARIES or _is_adverb(tokens[place])):
        place += 1
    if place >= stop or tokens[pronoun].word == "whom":
        return -1, False
    is_be = tokens[place - 1].word in BE
    if is_be and (tokens[place].word in DETERMINERS or tokens[place].name or tokens[place].word in _NAMING):
        while place < stop and tokens[place].word in DETERMINERS:
            place += 1
        if place >= stop or tokens[place].name or tokens[place].word in _NAMING:
            return -1, True
        while place + 1 < stop and tokens[place + 1].stem:
            place += 1
        return (place, True) if tokens[place].stem else (-1, True)
    return (place, False) if tokens[place].stem and not tokens[place].name else (-1, False)


def _main_verb(tokens: Sequence[Token], start: int, end: int, strict: bool, repeated: str) -> int:
    """Return where the verb of the clause before a relative clause stands, -1 where no form tells.

    `strict` asks for one with an object or an auxiliary, `repeated` is the stem of the other clause's verb.
    """
    joins = [at + 1 for at in range(start, end) if tokens[at].word in COORDINATORS]
    for begin in (*reversed(joins), start):
        for place in range(begin, end - 1 if tokens[end - 1].word == "," else end):
            subject = any(token.stem for token in tokens[begin:place]) or tokens[begin].word in _RELATIVES
            if subject and (_is_strict(tokens, place, end) if strict else _is_verb(tokens, place, {repeated})):
                return place
    plain = [at for at in range(start, end) if tokens[at].stem]
    all_plain = len(plain) == 3 and plain[2] - plain[0] == 2 and not any(tokens[at].name for at in plain)
    return plain[1] if all_plain and not strict else -1


def _is_verb(tokens: Sequence[Token], place: int, repeated: Collection[str]) -> bool:
    """Return whether a word inside a sentence is a verb by its form, its neighbours or as one that is `repeated`."""
    token, before, after = tokens[place], tokens[place - 1], tokens[place + 1]
    if token.word in AUXILIARIES:
        return True
    if not token.stem or token.name or before.word in DETERMINERS | PREPOSITIONS or after.word == "by":
        return False
    inflected = token.word.endswith("s") and bool(before.stem or _is_adverb(before)) and after.word not in ("of", ",")
    governs = bool(before.stem) and _governs(after)
    return polarity.is_past(token.word) or inflected or token.stem in repeated or governs


def _is_strict(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Return whether a word is an auxiliary or a verb with an object; its form or the place before `end` tells that."""
    inflected = polarity.is_past(tokens[place].word) or tokens[place].word.endswith("s")
    return tokens[place].word in AUXILIARIES or (
        inflected and _is_verb(tokens, place, ()) and (_governs(tokens[place + 1]) or place + 2 == end)
    )


def _governs(after: Token) -> bool:
    return after.word in DETERMINERS or after.name


def _stems(tokens: Sequence[Token], start: int, end: int) -> frozenset[str]:
    return stems_of(tokens[max(start, 0) : end])


# --- both --------------------------------------------------------------------------------------------------------


def _contradicts(sentence: Reading, relatives: Sequence[Relative], at: int, claimed: Claimed) -> bool:
    """Return whether an occurrence of a verb is no such deed: its subject or object is another's of two statements."""
    for relative in relatives:
        if at == relative.verb:
            return _contradicts_relative(sentence, relative, claimed)
        if relative.pronoun < at < relative.end:
            return False
    return _contradicts_main(sentence, relatives, at, claimed)


def _contradicts_relative(sentence: Reading, relative: Relative, claimed: Claimed) -> bool:
    tokens = sentence.tokens
    doers = relative.antecedents
    after = tokens[relative.verb + 1 : relative.end]
    taken_up = any(token.word in _PRONOUNS for token in after)
    patients = None if taken_up else stems_of(after)
    if relative.alike:
        return claimed.noun and _is_other(sentence, claimed.doers, doers)
    if not _is_passive(tokens, relative.verb):
        if not claimed.patients and patients and claimed.doers <= patients:
            return False  # `which ended the war` and `the war ended`
        return _is_other(sentence, claimed.doers, doers) or any(
            _is_other(sentence, one, patients) for one in claimed.patients
        )
    by = _by(tokens, relative.verb)
    agent = reach_of(tokens, by + 1) if by > 0 else None
    return _is_other(sentence, claimed.doers, agent) or any(_is_other(sentence, one, doers) for one in claimed.patients)


def _is_other(sentence: Reading, who: frozenset[str], known: frozenset[str] | None) -> bool:
    """Return whether somebody of the sentence is none of those known to be meant; unknown ones are no others."""
    return bool(who) and known is not None and not who & known and who <= sentence.positions.keys()


def _contradicts_main(sentence: Reading, relatives: Sequence[Relative], at: int, claimed: Claimed) -> bool:
    """Return whether a verb stands outside all relative clauses, and its claimed subject or object only in one."""
    tokens = sentence.tokens
    if claimed.noun != (_predicate_start(tokens, at) != at):
        return False
    repeated = {tokens[one.verb].stem for one in relatives if one.verb > 0}
    known = claimed.noun or any(at == one.main for one in relatives) or _is_passive(tokens, at)
    if not known and not (0 < at < len(tokens) - 1 and _is_verb(tokens, at, repeated)):
        return False
    inside = [range(one.pronoun + 1, one.end) for one in relatives if not one.alike]
    return any(
        who and all(sentence.positions.get(stem) and _all_inside(sentence.positions[stem], inside) for stem in who)
        for who in (claimed.doers, *claimed.patients)
    )


def _all_inside(places: Sequence[int], ranges: Sequence[range]) -> bool:
    return all(any(place in one for one in ranges) for place in places)
