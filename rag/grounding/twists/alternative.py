"""What is one of two and not both, or both and not one of two: `a degree or five years`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.twists.polarity import denials_in
from rag.grounding.verbs import is_verb
from rag.language.polarity import word_set

_JOINTS = frozenset(("and", "or"))
_ALLOWED = word_set("may can could might allowed permitted free any whether if unless when either both between")
"""Words with which `or` may mean both, or one of the two joints is not about what is asked for."""
_REQUIRED = word_set("must need needs needed require requires required shall should")


def alternative_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield two things that the claim joins with `and` and the sentence with `or`, or what needs both the other way."""
    if denials_in(claim) or denials_in(sentence) or _ALLOWED & (sentence.words | claim.words):
        return
    for place, token in enumerate(claim.tokens):
        if token.word in _JOINTS and 0 < place < len(claim.tokens) - 1:
            after = _first_key(claim.tokens[place + 1 :])
            found = _joint_between(sentence.tokens, claim.tokens[place - 1].key, after)
            if found < 0 or sentence.tokens[found].word == token.word:
                continue
            if token.word == "and" and _is_behind_verb(sentence.tokens, found):
                yield "the text says `or` where the claim says `and`"
                return
            if token.word == "or" and (_REQUIRED & sentence.words or _is_order(sentence.tokens)):
                yield "the text says `and` where the claim says `or`"
                return


def _first_key(tokens: Sequence[Token]) -> object:
    return next((key for token in tokens if (key := token.key)), None)


def _joint_between(tokens: Sequence[Token], left: object, right: object) -> int:
    """Return where the only `and` or `or` stands between two words that are there once each; -1 where it does not."""
    places = [[at for at, token in enumerate(tokens) if token.key == key] for key in (left, right)]
    if left is None or right is None or any(len(found) != 1 for found in places):
        return -1
    start, end = sorted(found[0] for found in places)
    joints = [at for at in range(start, end) if tokens[at].word in _JOINTS]
    return joints[0] if len(joints) == 1 else -1


def _is_behind_verb(tokens: Sequence[Token], joint: int) -> bool:
    """Return whether a verb stands before a joint, which joins no subjects then; an order has none that can be told."""
    return any(_is_told(tokens, at) for at in range(joint)) or _is_order(tokens)


def _is_order(tokens: Sequence[Token]) -> bool:
    return not any(_is_told(tokens, at) for at in range(len(tokens)))


def _is_told(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].word in AUXILIARIES or is_verb(tokens, place) or tokens[place].word in _REQUIRED
