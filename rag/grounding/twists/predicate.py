"""What belongs to a subject put for the subject: `The fee for the course is 90 euros`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.noun_phrases import noun_phrase
from rag.grounding.reading import Reading, Token, stems_of
from rag.grounding.words import BE, DETERMINERS

_OF = frozenset(("of", "for"))


def predicate_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `the course is the fee for ...` where the sentence tells what `the fee for the course` is."""
    verb = next((at for at, token in enumerate(claim.tokens) if token.word in BE), 0)
    if not verb or verb + 2 >= len(claim.tokens) or claim.tokens[verb + 1].word not in DETERMINERS:
        return
    noun, after = claim.tokens[verb + 2], claim.tokens[verb + 3 : verb + 4]
    subject = stems_of(noun_phrase(claim.tokens, 0))
    if not noun.stem or not subject or not after or after[0].word not in _OF:
        return
    places = sentence.positions.get(noun.stem, ())
    if places and all(_has_in_phrase(sentence, at, subject) for at in places):
        yield f"{noun.word!r} is of the subject there"


def _has_in_phrase(sentence: Reading, noun: int, subject: frozenset[str]) -> bool:
    """Return whether a noun has these words, and only so, in the phrase behind its `of` or `for`, up to `is`."""
    tokens = sentence.tokens
    if noun + 1 >= len(tokens) or tokens[noun + 1].word not in _OF:
        return False
    end = _end_before_verb(tokens, noun + 2)
    places = [at for stem in subject for at in sentence.positions.get(stem, ())]
    return end > 0 and bool(places) and all(noun < at < end for at in places)


def _end_before_verb(tokens: Sequence[Token], start: int) -> int:
    """Return where a form of `be` follows, no comma or clause between; 0 for nowhere."""
    for at in range(start, len(tokens)):
        if tokens[at].word in BE:
            return at
        if not tokens[at].word[0].isalnum() and not tokens[at].quantity:
            return 0
    return 0
