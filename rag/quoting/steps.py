"""Lists of what is to be done, where a question asks that: under a heading, or below `When ...:`. Ground floor.

"What has to be done before a launch?" shares with no item of the list under `3. Before a launch` a word.
"""

import re
from collections.abc import Collection, Sequence

from rag.language.text import words
from rag.models import RetrievedChunk
from rag.quoting.company import LONGEST_LIST, Place
from rag.quoting.layout import announces, layout_of
from rag.quoting.sequel import asks_outcome

STEPS_BONUS = 0.3
"""What the words above a list earn that name a case, where a question asks what is to be done."""
FEWEST_STEPS = 2
"""Items under a heading from which they are a list."""
FEWEST_WORDS = 2
"""Words of a heading from which a question that has them in a row means what stands under it."""
_CASE = re.compile(
    r"\W*(?:\d[\d.]* )?(?:if|when|whenever|in case|in the event|in an|as soon as|once|before|after|on|upon|during)\b",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?:what (?:to do|you (?:must|should|have to) do|must be done|is (?:to be )?done)|how to (?:behave|act)"
    r"|(?:procedure|steps|measures|instructions|conduct|behaviou?r))"
    r"(?= (?:if|when|in|after|before|on|at|during|with)\b)",
    re.IGNORECASE,
)
"""Words of a heading that only say that what is to be done stands below: `What to do in an emergency`."""
_NUMBER = re.compile(r"^\W*(?:(?:section|chapter|part|step) )?(?:\d[\d.]*\)?|[A-Za-z][.)]) +", re.IGNORECASE)


def heads_steps(question: str, text: str) -> bool:
    """Return whether a sentence announces what is done in a case, where a question asks what is to be done.

    >>> heads_steps("What do we do if the alarm rings?", "When the alarm rings:")
    True
    >>> heads_steps("Who rings the alarm?", "When the alarm rings:")
    False
    """
    return announces(text) and bool(_CASE.match(text)) and asks_outcome(question)


def steps_under(question: str, hits: Sequence[RetrievedChunk], named: Collection[int]) -> list[Place]:
    """Return the list right under a heading that a question has word for word, where it asks what is to be done.

    `What to do` at its beginning need not be said so. Nothing for a longer list than is quoted as one.

    Args:
        question: The question.
        hits: The passages, best first; numbered from 1 in this order.
        named: The numbers of those that are about what the question names.
    """
    asked = _worded(question)
    for passage, hit in enumerate(hits, start=1):
        heading = _worded(_FRAME.sub("", _NUMBER.sub("", hit.section_path[-1]))) if hit.section_path else ""
        is_meant = passage in named and heading in asked and not hit.section_starts
        if not is_meant or len(heading.split()) < FEWEST_WORDS:
            continue
        items = layout_of(hit).items_at_start()
        if FEWEST_STEPS <= len(items) <= LONGEST_LIST and asks_outcome(question):
            return [Place(passage, index) for item in items for index in range(item.first, item.last + 1)]
    return []


def _worded(text: str) -> str:
    """Return the words of a text in their order, marked off so that one wording holds another or does not."""
    return f" {' '.join(words(text))} "
