"""Which rows of a passage's tables say nothing by themselves: heads of columns, and rules. Ground floor.

`rag.language.rows` reads the other rows with their heads. Here a first row is also taken for heads that has figures in
its words ("Year 9 and 10"): it is not read with the others, and is no answer either.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.language.rows import BODY_MARK, cells, statements, with_marks
from rag.models import Chunk

_FEWEST_ROWS = 2
"""Rows below that must agree."""
_LONGEST_HEAD = 6
"""Words of the head of a column, at most."""
_FIGURE = re.compile(r"[^\w]*\d")
_LETTER = re.compile(r"[^\W\d_]")


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
    """Return whether a row is short words, above a column of figures that it has a word for.

    Not where a row below begins as it does (`Stage 1` above `Stage 2`): then it is one of them.
    """
    row, below = rows[place], []
    for other in rows[place + 1 :]:
        if len(other) != len(row):
            break
        below.append(other)
    if len(below) < _FEWEST_ROWS or any(_FIGURE.match(cell) or len(cell.split()) > _LONGEST_HEAD for cell in row):
        return False
    columns = list(zip(row, *below, strict=True))
    alike = any(_begins_as(head, cell) for head, *column in columns for cell in column)
    return not alike and any(
        _LETTER.match(head) and all(_FIGURE.match(cell) for cell in column) for head, *column in columns
    )


def _begins_as(head: str, cell: str) -> bool:
    """Return whether a cell begins with the first word of another one."""
    first = head.split()[:1]
    return bool(first) and cell.split()[:1] == first
