"""Windows: the pieces of a chunk that are embedded, searched and read, each of whole sentences and about 60 words.

One vector for a whole chunk blurs the one sentence that answers a question, so a chunk is found by its best window. The
windows of a chunk do not overlap and together hold all of its sentences.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from rag.models import Chunk
from rag.protocols import ReadingText, Span

WINDOW_WORDS = 60  # the length of a window, in words, that the cut comes nearest to
NEIGHBOUR_WORDS = 16  # the most words that are read of the text before a window, and of the text behind it


def windows_of(content: str, sentences: Sequence[Span]) -> tuple[Span, ...]:
    """Return start and end of the windows of a chunk, in order.

    Args:
        content: The chunk's text.
        sentences: Start and end of its sentences, in order; none: the whole text is one window.

    >>> windows_of("One two. Three four.", [(0, 8), (9, 20)])
    ((0, 20),)
    """
    spans = [span for span in sentences if content[span[0] : span[1]].strip()] or [(0, len(content))]
    ends = list(accumulate(len(content[start:end].split()) for start, end in spans))
    count = max(1, round(ends[-1] / WINDOW_WORDS))
    cuts = {len(spans)}
    for index in range(1, count):
        goal = ends[-1] * index / count
        after = bisect_left(ends, goal)
        before = ends[after - 1] if after else 0
        cuts.add(after if goal - before < ends[after] - goal else after + 1)
    return tuple((spans[first][0], spans[last - 1][1]) for first, last in pairwise(sorted({0, *cuts})))


def embedded_text(chunk: Chunk, window: Span) -> str:
    """Return what is embedded for a window: where the chunk stands, and the window."""
    text = chunk.content[_below_heading(chunk, window) : window[1]]
    return f"{chunk.context}\n{text}" if chunk.context else text


def _below_heading(chunk: Chunk, window: Span) -> int:
    """Return where a window begins that is embedded or read: behind a heading that the context says already."""
    start, end = window
    above = (one for one in chunk.blocks if one.kind == "heading" and one.start <= start < one.end < end)
    for block in above:
        if " ".join(chunk.content[block.start : block.end].split()) in chunk.context:
            return block.end + len(chunk.content[block.end : end]) - len(chunk.content[block.end : end].lstrip())
    return start


def read_text(chunk: Chunk, window: Span) -> tuple[ReadingText, int, tuple[int, ...]]:
    """Return what the reader gets for a window of a chunk.

    Returns:
        The text: the window with up to `NEIGHBOUR_WORDS` words on each side; the offset of its first character within
        the chunk's content; and the numbers, from 0, of the chunk's sentences that begin in the window.
    """
    content, start, end = chunk.content, _below_heading(chunk, window), window[1]
    first, last = start, end
    before = content[:start].split()[-NEIGHBOUR_WORDS:] if start == window[0] else []
    for word in reversed(before):
        first = content.rindex(word, 0, first)
    for word in content[end:].split()[:NEIGHBOUR_WORDS]:
        last = content.index(word, last) + len(word)
    numbers = tuple(n for n, (a, _) in enumerate(chunk.sentences) if start <= a < end)
    spans = tuple((chunk.sentences[n][0] - first, min(chunk.sentences[n][1], last) - first) for n in numbers)
    place = " > ".join(chunk.context.split("\n")) if chunk.context else ""
    return ReadingText(place, content[first:last], spans), first, numbers
