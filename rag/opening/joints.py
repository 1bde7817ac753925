"""Where in a text a second question begins: "How long is the break and who pays for it?" asks two.

A regression on the words around each word, trained by `training/joints.py`. It sees no vector, so it goes with every
embedding model. What joins two questions, a comma or a word, belongs to neither.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.opening.english import english_words
from rag.opening.features import counted, tokens_of
from rag.opening.regression import FOLDER, read_tensors

WEIGHTS: Final = FOLDER / "joints.safetensors"
SHA256: Final = "f9ce3a994ece187e6ae34ba531874bd110a9c14affeabe02bfd81864fc32ad65"
"""The digest of the weights that the figures in `docs/decisions/0020-followups.md` are of."""
WIDTH: Final = 32_768
"""How many numbers the features are counted under."""
KINDS: Final = ("inside", "joins", "begins")
"""A word is inside a question, joins two, or begins another than the first."""
THRESHOLD: Final = 0.8
"""How likely it must be that a word begins another question: each question costs a reading."""
JOINS: Final = 0.5
"""How likely it must be that the word before joins two."""
MOST: Final = 3
"""A text with more questions is read whole: it is a list."""
FEWEST: Final = 3
"""Words that a question has at least."""
COMMON: Final = 600
"""So many of the most frequent English words are seen as they are, the others by their ending only: what they mean
says nothing of where a question begins."""
ENDINGS: Final = ("ing", "ed", "ly", "s", "er", "ion")
NEAR: Final = ((2, 3), (4, 6))
"""How many words before and ahead are seen in their order: as they are, and by their form."""
_MARK: Final = re.compile(r"[.?!]\W*$")


@dataclass(frozen=True, slots=True, eq=False)
class JointWeights:
    """The regression: `words` has shape `(kinds, WIDTH)`, `bias` `(kinds,)`; float32."""

    words: NDArray[np.float32]
    bias: NDArray[np.float32]

    def probabilities(self, text: str) -> NDArray[np.float32]:
        """Return how likely each word and sign of a text is of each kind: shape `(words, kinds)`."""
        rows = features_in(text)
        logits = np.array(
            [self.bias + self.words[:, list(row)] @ np.array(list(row.values()), np.float32) for row in rows]
        )
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float32)


def questions_in(text: str) -> tuple[str, ...]:
    """Return the questions that a text holds, in order; the text itself where it holds one, or too many.

    Raises:
        ConfigurationError: The weights are missing or not the published ones.
    """
    return cut(text, load_weights().probabilities(text)) if tokens_of(text) else (text,)


def cut(text: str, found: NDArray[np.floating], *, threshold: float = THRESHOLD) -> tuple[str, ...]:
    """Return the questions of a text by what each of its words is, probably: shape `(words, kinds)`.

    >>> cut("How long is it and who pays for it?", np.eye(3)[[0, 0, 0, 0, 1, 2, 0, 0, 0, 0]])
    ('How long is it?', 'who pays for it?')
    """
    spans = [span for span, _ in tokens_of(text)]
    joins = found[:, KINDS.index("joins")] >= JOINS
    starts, ends = [0], []
    for place in beginnings(found, threshold=threshold):
        end = place
        while joins[end - 1] and end > 1:
            end -= 1
        ends.append(spans[end - 1][1])
        starts.append(spans[place][0])
    parts = [text[a:b].strip() for a, b in zip(starts, [*ends, len(text)], strict=True)]
    is_each_one = all(len(part.split()) >= FEWEST for part in parts)
    return tuple(map(_ended, parts)) if is_each_one and 1 < len(parts) <= MOST else (text,)


def beginnings(found: NDArray[np.floating], *, threshold: float = THRESHOLD) -> tuple[int, ...]:
    """Return which words begin another question, where a word or sign before them joins it."""
    is_begun = (found[1:, KINDS.index("begins")] >= threshold) & (found[:-1, KINDS.index("joins")] >= JOINS)
    return tuple(int(place) + 1 for place in np.flatnonzero(is_begun))


def _ended(part: str) -> str:
    return part if _MARK.search(part) else f"{part}?"


def features_in(text: str) -> list[dict[int, float]]:
    """Return the weight of each feature of each word and sign of a text."""
    words = [word for _, word in tokens_of(text)]
    forms = [form_of(word) for word in words]
    return [
        counted((*_near("w", words, place, *NEAR[0]), *_near("f", forms, place, *NEAR[1]), *_far(forms, place)), WIDTH)
        for place in range(len(words))
    ]


def form_of(word: str) -> str:
    """Return a word as it is where it is common, a sign, or a number; else its ending.

    >>> [form_of(word) for word in ("which", "centrifuges", "descaled", "rotor", ",")]
    ['which', '~s', '~ed', '~', ',']
    """
    if word in _common() or not word[0].isalpha():
        return word
    return next((f"~{end}" for end in ENDINGS if word.endswith(end) and len(word) > len(end) + 2), "~")


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    counts = english_words()
    return frozenset(sorted(counts, key=lambda word: -counts[word])[:COMMON])


def _near(name: str, words: Sequence[str], place: int, before: int, ahead: int) -> Iterator[str]:
    """Yield the neighbours of a word by their place, alone and up to four in a row."""
    padded = ["^"] * before + list(words) + ["$"] * ahead
    near = padded[place : place + before + ahead + 1]
    for size in (1, 2, 3, 4):
        yield from (f"{name}{at}:{' '.join(near[at : at + size])}" for at in range(len(near) - size + 1))


def _far(forms: Sequence[str], place: int) -> Iterator[str]:
    """Yield what a word begins beside how the text begins, what stands on each side, and how far the ends are."""
    ahead = [*forms[place:], "$", "$"][:2]
    behind = ["^", "^", *forms[:place]][-2:]
    first = [*forms, "$", "$", "$"][:3]
    yield from (f"s:{' '.join((*first[:size], *ahead[:few]))}" for size in (1, 2, 3) for few in (1, 2))
    yield from (f"e:{' '.join((first[0], *behind[-size:], *ahead))}" for size in (1, 2))
    for other in set(forms[:place]):
        yield from (f"b:{other}", f"b:{other} {ahead[0]}", f"b:{other} {' '.join(ahead)}")
    for other in set(forms[place + 1 :]):
        yield from (f"a:{other}", f"a:{other} {ahead[0]}")
    for side, far in (("l", min(place, 9)), ("r", min(len(forms) - place, 9))):
        yield from (f"{side}:{far}", f"{side}:{far} {ahead[0]}")


@lru_cache(maxsize=1)
def load_weights() -> JointWeights:
    """Return the weights that come with Candor, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    return JointWeights(**read_tensors(WEIGHTS, SHA256))
