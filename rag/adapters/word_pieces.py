"""Texts as the embedding model reads them: word pieces, where each stands, and batches of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.protocols import Span

_FEW = 4  # up to so many texts are tokenised one after another: waking the library's threads takes .1 ms


@dataclass(frozen=True, slots=True)
class Encoded:
    """One tokenised text: ids with special pieces, and the character span of each (0, 0 for special ones)."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


class PieceTokenizer:
    """The model's own tokenizer (`tokenizers`), with neither truncation nor padding hidden in it."""

    def __init__(self, path: Path, *, max_pieces: int = 256) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.max_pieces = max_pieces

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the texts as the model reads them: cut to `max_pieces`, special pieces included."""
        if len(texts) <= _FEW:
            return [self._clip(self._tokenizer.encode(text)) for text in texts]
        return [self._clip(encoding) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _clip(self, encoding: Any) -> Encoded:
        ids, spans = encoding.ids, encoding.offsets
        if len(ids) > self.max_pieces:
            ids = [*ids[: self.max_pieces - 1], ids[-1]]
            spans = [*spans[: self.max_pieces - 1], (0, 0)]
        return Encoded(tuple(ids), tuple(spans))


def pad(batch: Sequence[Encoded], *, step: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and mask of a batch: shape `(len(batch), longest)`, 0 where padded, to a multiple of `step`."""
    longest = max(len(item.ids) for item in batch)
    longest += -longest % step
    ids = np.zeros((len(batch), longest), dtype=np.int64)
    mask = np.zeros((len(batch), longest), dtype=np.int64)
    for row, item in enumerate(batch):
        ids[row, : len(item.ids)] = item.ids
        mask[row, : len(item.ids)] = 1
    return ids, mask
