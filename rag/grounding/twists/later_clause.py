"""What another verb says on either side of a semicolon: `it was closed; it reopened on Monday`. Ground floor."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.reading import Reading, Token
from rag.grounding.verbs import is_verb
from rag.grounding.words import BE, PLACING, PREPOSITIONS
from rag.language.polarity import is_past, word_set

_PRONOUNS = frozenset(("it", "they", "he", "she", "this", "these"))
_HAPPENS = word_set("happen happens happened occur occurs occurred took takes place did does")
_JOINTS = frozenset(("and", "but", "or", "while", "who", "which", "that", "when", "where", ";", ":", ","))


def later_clause_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word that the sentence has with another verb than the claim's, on the other side of a semicolon.

    The claim has one past verb and no second clause.
    """
    tokens = claim.tokens
    verbs = [tokens[at].stem for at in range(len(tokens)) if _is_verb(tokens, at) or _is_verb_of(sentence, tokens, at)]
    if len(verbs) != 1 or any(token.word in _JOINTS for token in tokens):
        return
    pieces = _pieces(sentence.tokens)
    first = [piece for piece in pieces if any(token.stem == verbs[0] for token in piece)]
    told = {key for one in first for token in one if (key := token.key)}
    for at, piece in enumerate(pieces if first else ()):
        if piece in first:
            continue
        if at and _has_own_verb(piece, claim) and _takes_from(claim, piece, told):
            yield f"{verbs[0]!r} stands in another clause there"
            return
        later = not at and all(one[0].word in _PRONOUNS for one in first)
        if later and _has_own_verb(piece, claim) and _takes_phrase_from(claim, piece, told, first):
            yield f"a phrase of {verbs[0]!r} is that of another clause there"
            return


def _takes_from(claim: Reading, piece: Sequence[Token], told: set[object]) -> bool:
    """Return whether a claim has a word that only a later piece has or, where that has a subject of its own, a number.

    What only takes up the deed has nothing of its own: `; this happened on 4 May`.
    """
    if _HAPPENS & {token.word for token in piece}:
        return False
    taken = [
        token
        for token in claim.tokens
        if (key := token.key) and key not in told and any(one.key == key for one in piece)
    ]
    return any(piece[0].word in _PRONOUNS or token.quantity for token in taken)


def _takes_phrase_from(
    claim: Reading, piece: Sequence[Token], told: set[object], own: Sequence[Sequence[Token]]
) -> bool:
    """Return whether a claim about a later clause has a phrase of the first, with its preposition: `for repairs`.

    A time that opens the first, `In May it broke; ...`, is its own only where the later one has a number, too.
    """
    timed = any(token.quantity for one in own for token in one)
    said = set(_behind_prepositions(claim.tokens))
    stated = {one for one in _behind_prepositions(piece) if one[1] not in told}
    if piece[0].word in PREPOSITIONS and not timed:
        stated -= set(_behind_prepositions(piece[:3]))
    return bool(said & stated)


def _behind_prepositions(tokens: Sequence[Token]) -> Iterator[tuple[str, object]]:
    """Yield prepositions, each with the next word or number that is known by something: `("for", "repair")`."""
    for at, token in enumerate(tokens):
        if token.word in PLACING:
            key = next((key for one in tokens[at + 1 : at + 4] if (key := one.key)), None)
            if key is not None:
                yield token.word, key


def _pieces(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    cuts = [-1, *(at for at in range(len(tokens)) if _is_cut(tokens, at)), len(tokens)]
    return [tokens[start + 1 : end] for start, end in pairwise(cuts) if end > start + 1]


def _is_cut(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a semicolon stands here, or `but` or `and` with a pronoun behind it: `but it reopened`."""
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return tokens[place].word == ";" or (tokens[place].word in ("but", "and") and following in _PRONOUNS)


def _has_own_verb(piece: Sequence[Token], claim: Reading) -> bool:
    verbs = [token.stem for at, token in enumerate(piece) if _is_verb(piece, at)]
    return bool(verbs) and not any(verb in claim.positions for verb in verbs)


def _is_verb_of(sentence: Reading, tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word between a noun and a preposition stands behind `was` in a sentence: `The mill shut in`."""
    token = tokens[place]
    behind = tokens[place + 1].word in PREPOSITIONS if place + 1 < len(tokens) else True
    if not place or not token.stem or token.name or not tokens[place - 1].stem or not behind:
        return False
    return any(at and sentence.tokens[at - 1].word in BE for at in sentence.positions.get(token.stem, ()))


def _is_verb(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return bool(token.stem) and not token.name and (is_past(token.word) or is_verb(tokens, place))
