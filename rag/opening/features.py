"""What regressions see of a question beside its vector: its words, pairs of words and pieces of words.

Each is counted under a number that its text hashes to, so no vocabulary is kept. Numbers count as two words only, with
a dot and without one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Final
from zlib import crc32

from rag.protocols import Span

WIDTH: Final = 8192
"""How many numbers there are; two texts that share one count together."""
PIECES: Final = (3, 4)
"""Lengths of the pieces of a word, in characters, its ends marked: a typing error leaves most of them as they are."""
AROUND: Final = 5
"""How many words before and behind a word are seen with it."""
_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s]")


def features_of(question: str) -> dict[int, float]:
    """Return the weight of each feature that a question has; the squares of all weights add up to 1.

    >>> features_of("Section 4.2?") == features_of("section 3.12 ?")
    True
    >>> round(sum(weight**2 for weight in features_of("What can you do?").values()), 6)
    1.0
    """
    return counted(_texts(question))


def features_of_each(question: str) -> list[tuple[Span, dict[int, float]]]:
    """Return each word and sign of a question by its place, with the features of it and of its neighbourhood.

    >>> [question for question, _ in features_of_each("By now?")]
    [(0, 2), (3, 6), (6, 7)]
    """
    found = tokens_of(question)
    words = [word for _, word in found]
    return [(span, counted(_around(words, place))) for place, (span, _) in enumerate(found)]


def tokens_of(text: str) -> list[tuple[Span, str]]:
    """Return each word, number and sign of a text by its place, as it is counted."""
    return [(match.span(), _plain(match[0].casefold())) for match in _TOKEN.finditer(text)]


def _around(words: Sequence[str], place: int) -> Iterator[str]:
    word, behind, ahead = words[place], ["^", *words[:place]][-AROUND:], [*words[place + 1 :], "$"][:AROUND]
    yield f"w:{word}"
    yield f"n:{behind[-1]} {word}"
    yield f"n:{word} {ahead[0]}"
    yield f"t:{behind[-1]} {word} {ahead[0]}"
    yield from (f"b:{other} {word}" for other in behind)
    yield from (f"a:{word} {other}" for other in ahead)


def counted(texts: Iterable[str], width: int = WIDTH) -> dict[int, float]:
    """Return the weight of each text by its number, below `width`; the squares of all weights add up to 1."""
    counts = Counter(crc32(text.encode()) % width for text in texts)
    length = sqrt(sum(count * count for count in counts.values()))
    return {number: count / length for number, count in sorted(counts.items())}


def _texts(question: str) -> Iterator[str]:
    words = [_plain(word) for word in _TOKEN.findall(question.casefold())]
    yield from (f"w:{word}" for word in words)
    yield from (f"p:{one} {other}" for one, other in pairwise(["^", *words, "$"]))
    for word in words:
        marked = f"<{word}>"
        yield from (f"c:{marked[at : at + size]}" for size in PIECES for at in range(len(marked) - size + 1))


def _plain(word: str) -> str:
    return word if not word[0].isdigit() else "0.0" if "." in word else "0"
