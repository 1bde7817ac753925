"""What holds in one place told of all, where the sentence says that it does not elsewhere. Ground floor.

`It reduced mortality in men but had no effect in women`. Each function compares a claim with one sentence of the
evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.words import DETERMINERS, PREPOSITIONS, stems_named
from rag.language.polarity import is_past, word_set

_JOINTS = word_set("but ; whereas while though although")
_PRONOUNS = word_set("it they he she this these")
_EFFECTS = stems_named("effect change difference influence impact benefit result help work so same significant")
"""What may stand between a denial and its place: `had no effect in women`."""


def narrowed_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a claim without the phrase that its statement has there, and to which another is opposed: `in men`."""
    tokens = sentence.tokens
    joint, end = _denied_end(tokens)
    if not end or any(is_negation(token.word) or token.word in _JOINTS for token in claim.tokens):
        return
    preposition, before = tokens[end].word, tokens[:joint]
    start = max((at for at, token in enumerate(before) if token.word == preposition), default=0)
    phrase = _phrase(before, start) if start else ()
    other = stems_of(tokens[end:])
    left_out = stems_of(phrase)
    if not left_out or left_out & other or any(token.quantity for token in phrase) or _is_event(before, phrase):
        return
    if preposition in claim.words or not claim.positions.keys() <= stems_of(before) - left_out:
        return
    yield f"that it is so {preposition} one of two only is left out"


def _denied_end(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return where `but not in ...` or `; it had no effect in ...` begins, and where its preposition; or zeros."""
    for at, token in enumerate(tokens):
        joint = _joint_before(tokens, at) if is_negation(token.word) or token.word == "no" else 0
        if not joint:
            continue
        for place in range(at + 1, min(at + 5, len(tokens))):
            if tokens[place].word in PREPOSITIONS:
                return joint, place
            if tokens[place].stem and tokens[place].stem not in _EFFECTS:
                break
    return 0, 0


def _joint_before(tokens: Sequence[Token], denial: int) -> int:
    """Return where `but` or a semicolon stands before a denial, an auxiliary and a pronoun at most between; or 0."""
    at = denial - 1
    while at > 0 and tokens[at].word in AUXILIARIES | _PRONOUNS:
        at -= 1
    return at if at > 0 and tokens[at].word in _JOINTS else 0


def _phrase(tokens: Sequence[Token], start: int) -> Sequence[Token]:
    """Return the words behind a preposition, up to the next one or a mark."""
    end = start + 1
    while end < len(tokens) and (tokens[end].stem or tokens[end].word in DETERMINERS or tokens[end].quantity):
        if tokens[end].word in PREPOSITIONS:
            break
        end += 1
    return tokens[start + 1 : end]


def _is_event(before: Sequence[Token], phrase: Sequence[Token]) -> bool:
    """Return whether something was done once at a place or person with a name, and so was done: `he spoke in Bern`."""
    return any(token.name for token in phrase) and any(is_past(token.word) for token in before)
