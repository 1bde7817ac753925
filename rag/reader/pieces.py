"""A question and a text as the reader's network reads them together: `<s> question </s></s> text </s>`.

Training and use share this module, so that both see the same word pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.protocols import Span

MAX_PIECES = 176  # the longest input, special pieces included; of a longer text the end is cut
QUESTION_PIECES = 64  # of a longer question the end is cut
STEP = 16  # inputs are padded to a multiple of this in training: the network meets few lengths
START, PADDING, END = 0, 1, 2  # ids of MPNet's special pieces `<s>`, `<pad>` and `</s>`
SHIFT = 4
"""MPNet's vocabulary is that of BERT, which comes with the embedding model, behind four special pieces of its own."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text's word pieces: MPNet's ids, and the span of characters of each."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Question and text in one row.

    Attributes:
        ids: The input, not padded.
        first: The place of the text's first piece in it.
        spans: The characters of each piece of the text that was not cut.
    """

    ids: tuple[int, ...]
    first: int
    spans: tuple[Span, ...]


class PieceReader:
    """Cuts texts into word pieces by the tokenizer of the embedding model. Special pieces in a text are plain text.

    Args:
        path: The `tokenizer.json` of a BERT model, lower case.
    """

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True

    def read(self, texts: Sequence[str]) -> list[Pieces]:
        """Return the pieces of each text."""
        return [
            Pieces(tuple(one + SHIFT for one in found.ids), tuple(found.offsets))
            for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]


def pair(question: Pieces, text: Pieces) -> Pair:
    """Return the network's input for a question and a text.

    >>> pair(Pieces((7, 8), ((0, 3), (3, 5))), Pieces((9,), ((0, 4),)))
    Pair(ids=(0, 7, 8, 2, 2, 9, 2), first=5, spans=((0, 4),))
    """
    asked = question.ids[:QUESTION_PIECES]
    room = MAX_PIECES - len(asked) - 4
    return Pair((START, *asked, END, END, *text.ids[:room], END), len(asked) + 3, text.spans[:room])


def pad(pairs: Sequence[Pair], *, step: int = STEP) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and mask of some pairs: shape `(pairs, length)`, the length a multiple of `step`."""
    longest = max(len(one.ids) for one in pairs)
    ids = np.full((len(pairs), longest + -longest % step), PADDING, dtype=np.int64)
    for row, one in enumerate(pairs):
        ids[row, : len(one.ids)] = one.ids
    return ids, (ids != PADDING).astype(np.int64)
