"""Who does what inside another statement: `the man whom she hired`, `a roof that Lang drew`, `when he replaced her`.

Each deed that a form tells is read with its doer and whom it is done to; a verb of the claim that is such a deed keeps
both. Each function compares a claim with one sentence of the evidence. Ground floor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.grounding.claimed_verbs import Claimed, claimed_verbs
from rag.grounding.noun_phrases import core_of, ends_as_adverb, noun_phrase
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import BE, DETERMINERS, OBJECT_PRONOUNS, PREPOSITIONS
from rag.language.polarity import is_past, word_set

_RELATIVES = word_set("that who whom which")
_SUBORDINATING = word_set("when after before while until because since as where once although whereas")
_ENDS = word_set(", ; : ( ) | and but or who whom which that when while where")


@dataclass(frozen=True, slots=True)
class _Deed:
    """A verb with who does it and to whom, empty where nobody is named, and the stretch of its clause."""

    verb: int
    doers: frozenset[str]
    patients: frozenset[str]
    start: int
    end: int


def embedded_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a verb of the claim with another doer or object than in a clause inside the sentence."""
    deeds = {deed.verb: deed for deed in _deeds(sentence.tokens)}
    if not deeds:
        return
    told = claim.words.isdisjoint(_RELATIVES)  # else what follows a verb may be the next one: `that Mia wrote became`
    for claimed in claimed_verbs(claim, sentence):
        places = sentence.positions.get(claimed.verb, ())
        if not places or claimed.noun:
            continue
        inside = [deeds[at] for at in places if at in deeds]
        if len(inside) == len(places):
            twisted = all(_is_other(sentence, claimed, deed, told) for deed in inside)
        else:
            twisted = told and not inside and _stands_only_inside(sentence, claimed, places, tuple(deeds.values()))
        if twisted:
            yield f"{claimed.verb!r} has another subject or object in a clause there"
            return


def _is_other(sentence: Reading, claimed: Claimed, deed: _Deed, told: bool) -> bool:
    """Return whether a claim gives a deed to another who stands in the sentence, or has it done to its doer."""
    known = sentence.positions.keys()
    if claimed.doers and deed.doers and claimed.doers <= known and not claimed.doers & deed.doers:
        return True
    for who in claimed.patients if told else ():
        if who and who <= known and deed.doers and who & deed.doers and not who & deed.patients:
            return True
        if who and who <= known and deed.patients and not who & deed.patients:
            return True
    return False


def _stands_only_inside(sentence: Reading, claimed: Claimed, places: Sequence[int], deeds: Sequence[_Deed]) -> bool:
    """Return whether the doer of a verb outside all clauses stands only in one: `whom the owner hired planted`."""
    if not claimed.doers or any(deed.start <= at < deed.end for at in places for deed in deeds):
        return False
    if not all(is_past(sentence.tokens[at].word) for at in places):
        return False
    found = [sentence.positions.get(stem, ()) for stem in claimed.doers]
    closed = [deed for deed in deeds if sentence.tokens[deed.start].word in _RELATIVES]
    return all(at and all(any(deed.start < one < deed.end for deed in closed) for one in at) for at in found)


def _deeds(tokens: Sequence[Token]) -> Iterator[_Deed]:
    for at, token in enumerate(tokens):
        if at and token.word in _RELATIVES:
            yield from _relative_deeds(tokens, at)
        elif token.word in _SUBORDINATING or at == 0 or token.word in ("and", "but", ";", ","):
            yield from _clause_deeds(tokens, at)


def _relative_deeds(tokens: Sequence[Token], at: int) -> Iterator[_Deed]:
    """Yield the deed of a relative clause with a subject of its own or, for `that`, what stands before it as such."""
    before = at - 2 if tokens[at - 1].word == "," else at - 1
    antecedent = _phrase_before(tokens, before)
    if not antecedent or is_past(tokens[before].word):
        return
    subject = _subject(tokens, at + 1)
    if subject:
        verb = _verb(tokens, subject[1])
        if verb >= 0 and not _has_object(tokens, verb) and not _is_passive(tokens, subject[1], verb):
            yield _Deed(verb, subject[0], core_of(antecedent), at, verb + 1)
        return
    verb = _verb(tokens, at + 1)
    if tokens[at].word != "that" or verb < 0:
        return
    if _is_passive(tokens, at, verb):
        yield _Deed(verb, frozenset(), core_of(antecedent), at, verb + 1)
        return
    thing = noun_phrase(tokens, verb + 1)
    end = next((place + 1 for place in range(verb, len(tokens)) if thing and tokens[place] is thing[-1]), verb + 1)
    yield _Deed(verb, core_of(antecedent), core_of(thing), at, end)


def _clause_deeds(tokens: Sequence[Token], at: int) -> Iterator[_Deed]:
    """Yield the deed of a clause whose object is a pronoun: `when Mr Dahl replaced her`."""
    start = at if at == 0 and tokens[0].word not in _SUBORDINATING else at + 1
    subject = _subject(tokens, start)
    verb = _verb(tokens, subject[1]) if subject else -1
    if verb < 0 or verb + 1 >= len(tokens) or tokens[verb + 1].word not in OBJECT_PRONOUNS or not subject:
        return
    following = tokens[verb + 2] if verb + 2 < len(tokens) else None
    if following is not None and following.stem:
        return  # `replaced her roof`
    yield _Deed(verb, subject[0], frozenset(), at, verb + 2)


def _phrase_before(tokens: Sequence[Token], end: int) -> tuple[Token, ...]:
    """Return the words of the noun phrase that ends at a place."""
    start = end + 1
    while start > 0 and tokens[start - 1].stem and not (start <= end and _is_verb_form(tokens, start - 1)):
        start -= 1
    return tuple(tokens[start : end + 1])


def _is_verb_form(tokens: Sequence[Token], place: int) -> bool:
    return is_past(tokens[place].word) and not tokens[place].name and place > 0 and not _opens(tokens[place - 1])


def _opens(token: Token) -> bool:
    return token.word in DETERMINERS


def _subject(tokens: Sequence[Token], start: int) -> tuple[frozenset[str], int] | None:
    """Return the stems of a subject that begins here, a name or a noun behind its article, and where it ends."""
    place = start
    while place < len(tokens) and tokens[place].word in DETERMINERS:
        place += 1
    articled, first = place > start, place
    while place < len(tokens) and tokens[place].stem:
        named = tokens[place].name or (start == 0 and place == 0 and len(tokens) > 1 and tokens[1].name)
        if place > first and not tokens[place].name and (is_past(tokens[place].word) or tokens[first].name):
            break
        if not articled and not named:
            return None
        place += 1
    core = core_of(tokens[first:place])
    return (core, place) if core and place < len(tokens) else None


def _verb(tokens: Sequence[Token], start: int) -> int:
    """Return where the verb behind auxiliaries and adverbs stands, -1 where no form tells one."""
    place = start
    while place < len(tokens) and (tokens[place].word in AUXILIARIES or ends_as_adverb(tokens[place])):
        place += 1
    if place >= len(tokens) or not tokens[place].stem or tokens[place].name:
        return -1
    formed = is_past(tokens[place].word) or tokens[place].word.endswith("s") or place > start
    return place if formed else -1


def _is_passive(tokens: Sequence[Token], start: int, verb: int) -> bool:
    return any(token.word in BE for token in tokens[start:verb])


def _has_object(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether an object stands right behind a verb, so that the pronoun before its clause is none."""
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    if after is None or after.word in _ENDS | PREPOSITIONS | AUXILIARIES:
        return False
    return after.word in DETERMINERS | OBJECT_PRONOUNS or after.name or (bool(after.stem) and not is_past(after.word))
