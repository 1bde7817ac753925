"""The verbs of a claim, each with who does it and to whom, by form alone. Ground floor."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.grounding.noun_phrases import core_of, ends_as_adverb, noun_phrase
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import BE, COORDINATORS, DETERMINERS, PREPOSITIONS, is_symmetric
from rag.language import polarity
from rag.language.polarity import word_set

RELATIVES = word_set("who which whom")
_ADVERBS = word_set("later then soon also now once again still never often always first only")
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


def claimed_verbs(claim: Reading, sentence: Reading) -> Iterator[Claimed]:
    """Yield each word of a claim that may be a verb, or a noun behind `is`, with its subject before it."""
    tokens = claim.tokens
    for place, token in enumerate(tokens):
        if not token.stem or is_symmetric((token.word,)):
            continue
        verb = predicate_start(tokens, place)
        subject = core_of(_subject_before(tokens, verb))
        if not subject:
            continue
        if verb == place and is_passive(tokens, place):
            yield Claimed(token.stem, core_of(_agent(tokens, place)), (subject,))
        else:
            yield Claimed(token.stem, subject, tuple(_objects(tokens, place, sentence)), noun=verb != place)


def predicate_start(tokens: Sequence[Token], place: int) -> int:
    """Return where the predicate of a noun behind `is the` begins; of any other word its own place."""
    start = place
    while start and tokens[start - 1].stem:
        start -= 1
    behind = start > 1 and tokens[start - 1].word in DETERMINERS and tokens[start - 2].word in BE
    return start - 1 if behind else place


def _subject_before(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    end = verb
    while end and (tokens[end - 1].word in AUXILIARIES or is_adverb(tokens[end - 1])):
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
    by = by_of(tokens, verb)
    return noun_phrase(tokens, by + 1) if by > 0 else ()


def by_of(tokens: Sequence[Token], verb: int) -> int:
    """Return where the `by` of a verb stands, -1 where there is none before the next verb or clause."""
    for place in range(verb + 1, min(verb + 1 + _REACH, len(tokens))):
        word = tokens[place].word
        if word == "by":
            return place
        if word in RELATIVES | COORDINATORS | AUXILIARIES | {","}:
            return -1
    return -1


def is_passive(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether a verb is a past form after `is` or the like, adverbs between them passed over."""
    place = verb - 1
    while place >= 0 and is_adverb(tokens[place]):
        place -= 1
    return place >= 0 and tokens[place].word in BE and polarity.is_past(tokens[verb].word)


def is_adverb(token: Token) -> bool:
    """Return whether a word is an adverb, by a short list and by its ending."""
    return token.word in _ADVERBS or ends_as_adverb(token)
