"""What stands beside a passive put for what it is done to: `The mare was treated by Ada at the farm`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.noun_phrases import core_of, noun_phrase
from rag.grounding.reading import Reading, Token, stems_of
from rag.grounding.twists.agent import agent_after, is_passive, subject_before
from rag.grounding.words import DETERMINERS, PLACING, PREPOSITIONS, is_symmetric
from rag.language.polarity import is_past, word_set

_BESIDE = PLACING - {"with"}
"""What begins where, when, for or to whom something is done; both sides of `with` may be what it is done to."""
_NO_DOER = word_set("after for to at on against before upon onto")
"""What no doer stands behind, as one may behind `with`, `from` and `in`: `covered with snow`."""
_JOINTS = word_set("and or but then")


def passive_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a place, time or receiver as what it is done to, and a doer of one verb as what the next is done to."""
    for place, token in enumerate(claim.tokens):
        places = sentence.positions.get(token.stem, ()) if token.stem and is_past(token.word) else ()
        if not places or is_symmetric((token.word,)):
            continue
        subject = core_of(subject_before(claim.tokens, place))
        if not subject:
            continue
        test = _is_done_to_another if is_passive(claim.tokens, place) else _is_done_for
        if all(test(claim, place, sentence, at, subject) for at in places):
            yield f"{token.word!r} has another subject there"
            return


def _is_done_to_another(claim: Reading, said: int, sentence: Reading, verb: int, subject: frozenset[str]) -> bool:
    """Return whether a passive of the sentence has these words behind it only, and another subject."""
    tokens = sentence.tokens
    if _is_joined_passive(tokens, verb):
        return _is_agent_before(tokens, verb, subject) and not any(
            at > verb for stem in subject for at in sentence.positions.get(stem, ())
        )
    own = core_of(subject_before(tokens, verb))
    gives = said + 1 < len(claim.tokens) and claim.tokens[said + 1].word in DETERMINERS  # `was lent the piano`
    if not is_passive(tokens, verb) or not own or own & subject or gives:
        return False
    if own & claim.positions.keys() and not agent_after(claim.tokens, said):
        return False
    places = [at for stem in subject for at in sentence.positions.get(stem, ())]
    return bool(places) and all(at > verb and _is_behind(tokens, verb, at, _BESIDE) for at in places)


def _is_done_for(claim: Reading, said: int, sentence: Reading, verb: int, subject: frozenset[str]) -> bool:
    """Return whether a passive has the claim's doer behind `after`, `for` or `to`, and its object before it."""
    tokens = sentence.tokens
    if not (is_passive(tokens, verb) or _is_joined_passive(tokens, verb)) or verb + 1 >= len(tokens):
        return False
    thing = core_of(noun_phrase(claim.tokens, said + 1))
    doers = [at for stem in subject for at in sentence.positions.get(stem, ())]
    things = [at for stem in thing for at in sentence.positions.get(stem, ())]
    return (
        tokens[verb + 1].word in _NO_DOER
        and bool(doers and things)
        and all(at > verb and _is_behind(tokens, verb, at, _NO_DOER) for at in doers)
        and all(at < verb for at in things)
    )


def _is_behind(tokens: Sequence[Token], verb: int, place: int, prepositions: frozenset[str]) -> bool:
    """Return whether the last preposition between a verb and a word is one of these, and no clause begins there."""
    between = tokens[verb + 1 : place]
    found = [token.word for token in between if token.word in PREPOSITIONS]
    clause = any(token.word in _JOINTS | {",", ";", ":"} for token in between)
    return bool(found) and found[-1] in prepositions and not clause


def _is_joined_passive(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether `and` stands right before a verb, and a passive before that: `was founded by Ada and named`."""
    if verb < 2 or tokens[verb - 1].word not in _JOINTS:
        return False
    return any(is_past(tokens[at].word) and is_passive(tokens, at) for at in range(verb - 1))


def _is_agent_before(tokens: Sequence[Token], verb: int, who: frozenset[str]) -> bool:
    """Return whether these are the doers of a passive before a verb, and stand nowhere else before it."""
    passives = [at for at in range(verb - 1) if is_past(tokens[at].word) and is_passive(tokens, at)]
    agents = [agent_after(tokens, at) for at in passives]
    named = any(who <= core_of(agent) for agent in agents if agent)
    return named and not any(who & stems_of(subject_before(tokens, at)) for at in passives)
