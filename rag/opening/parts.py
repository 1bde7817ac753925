"""Two questions in one, told by form alone: by their question marks."""

import re
from typing import Final

MOST_PARTS: Final = 3
"""A text with more question marks is read whole: it is a form or a list, and each part costs a reading."""
SHORTEST_PART: Final = 3
"""Words that a part has at least: `Really?` is no question of its own."""
_END: Final = re.compile(r"(?<=\?)\s+")


def parts_of(question: str) -> tuple[str, ...]:
    """Return the questions that a text holds, in order; one of them where it is to be read whole.

    >>> parts_of("How long is the break? Who pays for it?")
    ('How long is the break?', 'Who pays for it?')
    >>> parts_of("How long is the break and who pays for it?"), parts_of("I lost my key. What now?")
    (('How long is the break and who pays for it?',), ('I lost my key. What now?',))
    """
    parts = [part for part in _END.split(question) if part]
    is_each_one = all(part.endswith("?") and len(part.split()) >= SHORTEST_PART for part in parts)
    return tuple(parts) if is_each_one and 1 < len(parts) <= MOST_PARTS else (question,)
