"""Verbs of a sentence and how far each one reaches: `is salted for 6 h | before it is smoked for 2 d`. Ground floor."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from rag.grounding.noun_phrases import ends_as_adverb
from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.words import BE, DETERMINERS, PREPOSITIONS
from rag.language.polarity import is_past, word_set

_JOINTS = word_set("before after once until till while when whereas and but or which who then , ; : ( )")
"""Where the reach of a verb may end: it does where another verb follows before the next of them."""
_PERSONS = word_set("it they he she we you i this that these those")
_BEFORE_PRESENT = _PERSONS | word_set("who which that")
_PARTICLES = word_set("down up out off over away back on in")
_BETWEEN = word_set("not never also then first again always later only be been being")
_AFTER_PRESENT = PREPOSITIONS | DETERMINERS | word_set("it them him her")


def is_verb(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word is a verb by its auxiliary, its form of a past, or an `s` and what stands around it."""
    token = tokens[place]
    if not token.stem or token.name:
        return False
    if place == 1 and tokens[0].stem and token.word.endswith("s") and not tokens[0].word.endswith("s"):
        return len(tokens) > 2 and bool(tokens[2].word in _AFTER_PRESENT or tokens[2].quantity)  # `Dough rests for`
    before = _before(tokens, place)
    if before is not None and before.word in AUXILIARIES:
        return not (before.word in BE and place + 1 < len(tokens) and bool(tokens[place + 1].stem)) or is_past(
            token.word
        )
    if before is not None and (before.word in DETERMINERS | PREPOSITIONS or before.quantity):
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if is_past(token.word):
        bare = after is None or not after.stem or after.name or after.word in _PARTICLES
        return before is not None and bare
    if not token.word.endswith("s") or token.word.endswith("ss") or before is None:
        return False
    follows = after is not None and bool(after.word in _AFTER_PRESENT or after.quantity or after.name)
    behind_noun = bool(before.stem) and not before.word.endswith("s") and place > 1 and _opens_noun(tokens[place - 2])
    return follows and after is not None and after.word != "of" and (behind_noun or before.word in _BEFORE_PRESENT)


def _opens_noun(token: Token) -> bool:
    return token.word in DETERMINERS or token.name


def _before(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the word before a verb, adverbs and negations between them passed over."""
    at = place - 1
    while at >= 0 and (tokens[at].word in _BETWEEN or is_negation(tokens[at].word) or ends_as_adverb(tokens[at])):
        at -= 1
    return tokens[at] if at >= 0 else None


def reaches(tokens: Sequence[Token], known: Collection[int] = ()) -> list[tuple[int, int]]:
    """Cut a sentence into stretches with a verb each, at the joints that another verb follows before the next one.

    `known`: where verbs stand that no form tells.
    """
    joints = [at for at, token in enumerate(tokens) if token.word in _JOINTS]
    edges = [*joints, len(tokens)]
    starts = [0]
    for joint, end in pairwise(edges):
        if any(at in known or is_verb(tokens, at) or tokens[at].word in BE for at in range(joint + 1, end)):
            starts.append(joint)
    return [(start, end) for start, end in pairwise([*starts, len(tokens)]) if end > start]


def only_verb(claim: Reading) -> int:
    """Return where the verb of a claim of one statement stands, -1 where it has none or several that a form tells."""
    found = [at for at in range(len(claim.tokens)) if is_verb(claim.tokens, at)]
    with_auxiliary = [at for at in found if (_before(claim.tokens, at) or claim.tokens[at]).word in AUXILIARIES]
    found = with_auxiliary or found
    joined = any(token.word in _JOINTS - {","} for token in claim.tokens[1:])
    return found[0] if len(found) == 1 and not joined else -1


def reaches_of(sentence: Reading, stem: str) -> list[tuple[int, int]]:
    """Return the stretches of a sentence in which a word stands as the verb; none where it stands otherwise, too."""
    places = sentence.positions.get(stem, ())
    if not places or not all(_may_be_verb(sentence.tokens, at) for at in places):
        return []
    return [one for one in reaches(sentence.tokens, places) if any(one[0] <= at < one[1] for at in places)]


def _may_be_verb(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word is a verb, or stands behind a joint without its auxiliary: `is washed and ironed`."""
    before = _before(tokens, place)
    return is_verb(tokens, place) or (
        before is not None and before.word in _BEFORE_PRESENT | {"and", "or", ",", "but", "then"}
    )


def is_with_own_verb(claim: Reading, sentence: Reading, equal: Sequence[int], rivals: Sequence[int]) -> bool:
    """Return whether the reach of a claim's verb has its number and no rival of it, and all else that the claim says.

    Its subject is that of the sentence, taken up by a pronoun or left out: `salted for 6 hours before it is smoked`.
    """
    verb = only_verb(claim)
    spans = reaches_of(sentence, claim.tokens[verb].stem) if verb >= 0 else []
    if len(spans) != 1:
        return False
    start, end = spans[0]
    if not any(start <= at < end for at in equal) or any(start <= at < end for at in rivals):
        return False
    subject = _subject_of(sentence.tokens)
    own = stems_of(sentence.tokens[start:end])
    if claim.positions.keys() <= own:
        return True
    taken_up = start > 0 and _shares_subject(sentence.tokens, start, end) and stems_of(claim.tokens[:verb]) <= subject
    return taken_up and claim.positions.keys() <= own | subject


def _shares_subject(tokens: Sequence[Token], start: int, stop: int) -> bool:
    """Return whether a stretch begins with its verb, or with a pronoun: `and was sold`, `once it is smoked`."""
    inside = [token for token in tokens[start:stop] if token.word not in _JOINTS]
    first = inside[0] if inside else None
    return first is not None and (first.word in AUXILIARIES | _PERSONS or (bool(first.stem) and is_past(first.word)))


def _subject_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the stems before the first verb of a sentence."""
    first = next((at for at in range(len(tokens)) if tokens[at].word in AUXILIARIES or is_verb(tokens, at)), 0)
    return stems_of(tokens[:first])
