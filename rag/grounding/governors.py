"""Prepositions, and which of them a word of a sentence stands under. Ground floor."""

from collections.abc import Sequence

from rag.grounding.reading import AUXILIARIES, Token
from rag.grounding.words import BOUNDARIES
from rag.language.polarity import word_set

INSIDE = frozenset(("in", "at", "inside", "within", "on"))
NEARBY = word_set("near outside beyond towards toward behind beside opposite alongside")
_BESIDE = {("close", "to"), ("next", "to"), ("adjacent", "to"), ("far", "from"), ("away", "from")}
OTHER = frozenset(("of", "to", "for", "by", "from", "with", "into", "against", "over", "under", "through", "than"))
"""Prepositions that say nothing of a place."""
_REACH = 4


def governor(tokens: Sequence[Token], place: int) -> str:
    """Return the preposition that a word stands under, `near` for `close to` and `not far from`; empty for none."""
    for index in range(place - 1, max(-1, place - 1 - _REACH), -1):
        word = tokens[index].word
        if index and (tokens[index - 1].word, word) in _BESIDE:
            return "near"
        if word in INSIDE | NEARBY | OTHER:
            return word
        if word in BOUNDARIES or word in AUXILIARIES:
            return ""
    return ""
