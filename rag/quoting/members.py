"""What a quoted sentence counts, named in the sentences after it. Ground floor.

"There are three stages of labour." is the head of a list in prose: "During stage one, ... During stage two, ..."
"""

import re
from collections.abc import Sequence

from rag.language.text import words
from rag.models import RetrievedChunk
from rag.quoting.company import Place
from rag.quoting.indirect import counted_in
from rag.quoting.layout import layout_of

MOST = 6
"""The most sentences that are quoted as what was counted."""
NEXT = 2
"""How many sentences are quoted behind a count where none names the counted thing."""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_ENDING = re.compile(r"(?:es|s|a|um|us|i|on)$")
"""What is left off a noun, so that `phyla` and `phylum`, `stages` and `stage` are one."""
_SHORTEST_ROOT = 3
"""A noun keeps its ending where less would be left: of `bus` only `b`."""


def members_of(question: str, best: Place, hits: Sequence[RetrievedChunk]) -> list[Place]:
    """Return the sentences after one that only counts, of its paragraph, that name what it counts; empty without any.

    Args:
        question: The question.
        best: The sentence that counts.
        hits: The passages.
    """
    hit = hits[best.passage - 1]
    texts, layout = hit.sentence_texts, layout_of(hit)
    number, noun = counted_in(question, texts[best.index])
    after = [index for index in range(best.index + 1, layout.block(best.index).last + 1) if not layout.asks[index]]
    cut = _ENDING.sub("", noun.casefold())
    root = cut if len(cut) >= _SHORTEST_ROOT else noun.casefold()
    naming = [index for index in after if any(word.startswith(root) for word in words(texts[index]))]
    most = min(int(number) if number.isdigit() else _value(number), MOST)
    members = naming[:most] if len(naming) > 1 else after[:NEXT]
    return [Place(best.passage, index) for index in members]


def _value(number: str) -> int:
    """Return a number in words; as many as are shown at most for `several`."""
    return _NUMBERS.index(number.casefold()) if number.casefold() in _NUMBERS else MOST
