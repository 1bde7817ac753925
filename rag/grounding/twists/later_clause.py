"""What another verb says behind a semicolon: `it was closed; it reopened on Monday`. Ground floor."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.reading import Reading, Token
from rag.grounding.verbs import is_verb
from rag.language.polarity import is_past

_PRONOUNS = frozenset(("it", "they", "he", "she", "this", "these"))
_JOINTS = frozenset(("and", "but", "or", "while", "who", "which", "that", "when", "where", ";", ":", ","))


def later_clause_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word that the sentence has with another verb than the claim's, behind a semicolon and a pronoun.

    The claim has one past verb and no second clause.
    """
    tokens = claim.tokens
    verbs = [token.stem for at, token in enumerate(tokens) if _is_verb(tokens, at)]
    if len(verbs) != 1 or any(token.word in _JOINTS for token in tokens):
        return
    pieces = _pieces(sentence.tokens)
    first = [piece for piece in pieces if any(token.stem == verbs[0] for token in piece)]
    for piece in pieces[1:]:
        if piece in first or piece[0].word not in _PRONOUNS or not _has_own_verb(piece, claim):
            continue
        told = {key for one in first for token in one if (key := _key(token))}
        if first and any((key := _key(token)) and key not in told and key in map(_key, piece) for token in tokens):
            yield f"{verbs[0]!r} stands in another clause there"
            return


def _pieces(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    cuts = [-1, *(at for at, token in enumerate(tokens) if token.word == ";"), len(tokens)]
    return [tokens[start + 1 : end] for start, end in pairwise(cuts) if end > start + 1]


def _has_own_verb(piece: Sequence[Token], claim: Reading) -> bool:
    verbs = [token.stem for at, token in enumerate(piece) if _is_verb(piece, at)]
    return bool(verbs) and not any(verb in claim.positions for verb in verbs)


def _is_verb(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return bool(token.stem) and not token.name and (is_past(token.word) or is_verb(tokens, place))


def _key(token: Token) -> object:
    """Return what a word is known by: its stem, or the values of a number; None for a function word."""
    return token.stem or (token.quantity.values if token.quantity else None)
