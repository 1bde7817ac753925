"""Texts as the reader sees them: word pieces with their states after several layers of the embedding model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_encoder import STEP, BertEncoder, States
from rag.adapters.embedding import unit
from rag.adapters.reader_features import LAYERS, Floats, ReadText
from rag.adapters.word_pieces import Encoded
from rag.protocols import Span


class StateReader:
    """Reads texts with the embedding model's encoder. Safe for use by several threads.

    Args:
        encoder: Runs the network.
    """

    def __init__(self, encoder: BertEncoder) -> None:
        self._encoder = encoder

    @property
    def words(self) -> NDArray[Any]:
        """The static word embeddings: shape `(vocabulary, 384)`."""
        return self._encoder.words

    def read_one(self, text: str) -> ReadText:
        """Return a text that was perhaps embedded a moment ago: it is not read a second time then."""
        encoded, states = self._encoder.read(text)
        return self._text(text, encoded, states, 0)

    def read(self, texts: Sequence[str]) -> list[ReadText]:
        """Return the texts with the states of their pieces, in the order given; all in one batch."""
        if not texts:
            return []
        encoded = self._encoder.pieces.encode(texts)
        states = self._encoder.states_to_read(encoded, step=STEP)
        return [self._text(text, encoded[row], states, row) for row, text in enumerate(texts)]

    def _text(self, text: str, encoded: Encoded, states: States, row: int) -> ReadText:
        inner = slice(1, len(encoded.ids) - 1)
        ids = np.array(encoded.ids[inner], dtype=np.int64)
        raw = dict(zip(LAYERS[1:], (states.inner[row, inner], states.last[row, inner]), strict=True))
        return assemble(text, ids, encoded.spans[inner], raw, self.words)


def assemble(
    text: str, ids: NDArray[np.int64], spans: tuple[Span, ...], raw: dict[int, Floats], words: NDArray[Any]
) -> ReadText:
    """Return a text with its states: `raw` as they left the encoder, `words` the static word embeddings."""
    last = raw[LAYERS[-1]]
    mean = unit(last.mean(axis=0)) if len(ids) else np.zeros(last.shape[1], dtype=np.float32)
    static = np.asarray(words[ids], dtype=np.float32)
    states = {0: rows_to_unit(static), **{layer: rows_to_unit(value) for layer, value in raw.items()}}
    return ReadText(text=text, ids=ids, spans=spans, states=states, raw=raw, mean=mean)


def rows_to_unit(matrix: Floats) -> Floats:
    """Return the matrix with every row at length 1; a zero row stays zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Floats = (matrix / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
