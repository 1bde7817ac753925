"""Which few sentences a reader reads for a question: the best ones of the hits, each with its neighbours. Ground floor.

A reader costs by the word, so it gets windows of about three sentences instead of whole chunks. On squad2 the best
window holds the answer to 78% of the answerable questions, the best two 85%, the best three 89%. Before each stands
its place: sentences seldom name what they speak of.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.language.stated import lengths, stretch
from rag.models import Chunk, RetrievedChunk
from rag.ranking.sentences import ranked_sentences

WINDOWS = 2
WINDOW_WORDS = 45
HITS = 5
PLACE_WORDS = 10
"""Words of a title, and of a heading, that are read before a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of whole sentences of one hit, `hits[hit].content[start:end]`, and where it stands (`place`).

    `text` is what is read of it: rows of tables with the heads of their columns, all else as it stands.
    """

    hit: int
    start: int
    end: int
    text: str
    score: float
    place: str = ""

    @property
    def passage(self) -> str:
        """What a reader reads: the text below the line that says where it stands."""
        return self.place + self.text


def windows(
    question: str,
    hits: Sequence[RetrievedChunk],
    *,
    limit: int = WINDOWS,
    word_limit: int = WINDOW_WORDS,
    language: str = "english",
) -> tuple[Window, ...]:
    """Return the stretches of the hits that most likely answer the question, best first; they do not overlap much.

    Sentences are ranked by cosine and by their share of the question's words, a word counting by how few of the
    hits' sentences hold it. Each window is grown around its sentence, before first, to at most `word_limit` words.

    Args:
        question: The question.
        hits: What was found, best first; the first five are read.
        limit: The most windows to return.
        word_limit: Words of a window; a single longer sentence stays whole.
        language: Snowball stemmer.

    Returns:
        Up to `limit` windows, none whose best sentence stands in an earlier one.
    """
    found: list[Window] = []
    used: set[tuple[int, int]] = set()
    for best in ranked_sentences(question, hits[:HITS], language):
        if len(found) == limit:
            break
        if (best.hit, best.index) in used:
            continue
        hit = hits[best.hit]
        spans = hit.sentences or ((0, len(hit.content)),)
        first, last = grow(lengths(hit), best.index, word_limit)
        used.update((best.hit, index) for index in range(first, last + 1))
        start, end = spans[first][0], spans[last][1]
        if text := stretch(hit, first, last):
            found.append(Window(best.hit, start, end, text, best.score, place(hit)))
    return tuple(found)


def place(chunk: Chunk) -> str:
    """Return a line with the document's title and the nearest heading, each cut to ten words; empty without both.

    `The limit is 5 kg.` answers for the pump in the title, and for no other.
    """
    heading = chunk.section_path[-1] if chunk.section_path else chunk.section or chunk.chapter_title or ""
    title = chunk.metadata.title or ""
    parts = [title] if title.casefold() == heading.casefold() else [title, heading]
    line = " ".join(f"{' '.join(part.split()[:PLACE_WORDS])}." for part in parts if part.strip())
    return f"{line}\n" if line else ""


def grow(lengths: Sequence[int], index: int, word_limit: int) -> tuple[int, int]:
    """Return first and last sentence of a window around one, grown while the next neighbour fits.

    Args:
        lengths: Words of each sentence of the passage.
        index: The sentence to grow around.
        word_limit: Words of a window; a single longer sentence stays whole.

    >>> grow([10, 30, 20, 5], 1, 45)
    (0, 1)
    """
    first = last = index
    total = lengths[index]
    grown = True
    while grown:
        grown = False
        if first > 0 and total + lengths[first - 1] <= word_limit:
            first, total, grown = first - 1, total + lengths[first - 1], True
        if last + 1 < len(lengths) and total + lengths[last + 1] <= word_limit:
            last, total, grown = last + 1, total + lengths[last + 1], True
    return first, last
