"""What the classifier of openings sees of a question beside its vector: its words, pairs of words and pieces of words.

Each is counted under a number that its text hashes to, so no vocabulary is kept. Numbers count as two words only, with
a dot and without one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import sqrt
from typing import Final
from zlib import crc32

WIDTH: Final = 8192
"""How many numbers there are; two texts that share one count together."""
PIECES: Final = (3, 4)
"""Lengths of the pieces of a word, in characters, its ends marked: a typing error leaves most of them as they are."""
_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s]")


def features_of(question: str) -> dict[int, float]:
    """Return the weight of each feature that a question has; the squares of all weights add up to 1.

    >>> features_of("Section 4.2?") == features_of("section 3.12 ?")
    True
    >>> round(sum(weight**2 for weight in features_of("What can you do?").values()), 6)
    1.0
    """
    counts = Counter(crc32(text.encode()) % WIDTH for text in _texts(question))
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
