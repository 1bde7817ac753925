"""Which rows of a passage's tables say nothing by themselves: heads of columns, and rules. Ground floor.

`rag.language.rows` reads the other rows with their heads. Here a first row of two columns is also taken for heads that
has figures in its words ("Year 9 and 10"): it is not read with the others, and is no answer either.
"""

from collections.abc import Sequence
from functools import lru_cache

from rag.language.rows import BODY_MARK, cells, stands_over_figures, statements, with_marks
from rag.models import Chunk


def silent_rows(chunk: Chunk) -> frozenset[int]:
    """Return which sentences of a passage are heads of columns or rules of a table, counted from 0."""
    text = with_marks(chunk, chunk.content)
    return _silent(tuple(text[start:end] for start, end in chunk.sentences))


@lru_cache(maxsize=1_024)
def _silent(sentences: tuple[str, ...]) -> frozenset[int]:
    rows = [cells(sentence) for sentence in sentences]
    said = statements(sentences)
    found = {place for place, row in enumerate(rows) if (row or sentences[place][:1] == "|") and not said[place]}
    firsts = [place for place, row in enumerate(rows) if row and (place == 0 or not rows[place - 1])]
    guessed = {place for place in firsts if sentences[place][1:2] != BODY_MARK and _stands_over_figures(place, rows)}
    return frozenset(found | guessed)


def _stands_over_figures(place: int, rows: Sequence[list[str]]) -> bool:
    """Return whether the first row of a table is short words, above a column of figures that it has a word for."""
    below: list[list[str]] = []
    for other in rows[place + 1 :]:
        if len(other) != len(rows[place]):
            break
        below.append(other)
    return stands_over_figures(rows[place], below)
