"""What a sentence earns for limits that decide on what a question names. Ground floor."""

from collections.abc import Mapping

from rag.language.limits import Meeting, is_limited, meeting, nearly_meets
from rag.quoting.continued import ASKS_WHETHER

LIMIT_BONUSES: Mapping[Meeting, float] = {"": 0.0, "loosely": 0.25, "closely": 0.4}
"""What a sentence earns that sets limits which something lies within that the question names."""
BEYOND_BONUS = 0.2
"""What a sentence earns that limits what is named, beyond the limit, in a question whether it may or will do."""


def of_limits(question: str, answer: str) -> float:
    """Return what a sentence earns for limits within which something lies that a question names.

    Where one asks whether, one that it lies beyond decides too: `not older than six months` of eight.
    """
    met = meeting(question, answer)
    decides = not met and ASKS_WHETHER.search(question) and is_limited(question, answer)
    if decides and nearly_meets(question, answer):
        return LIMIT_BONUSES["closely"]
    return BEYOND_BONUS if decides else LIMIT_BONUSES[met]
