"""The embedding model: all-MiniLM-L6-v2 from its package, run by OpenVINO. Others: `torch_embedding`.

`bert_encoder` runs the network; here its states become vectors. A passage is read once: its vector is the mean over all
its word pieces (as the model was trained), each sentence's vector the mean over that sentence's word pieces of the same
forward pass ("late chunking", Günther et al. 2024).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.word_pieces import Encoded, PieceTokenizer
from rag.protocols import Matrix, Passage, PassageVectors

BATCH_PIECES = 4096
"""Word pieces in one batch, padding included: enough to keep two cores busy, little enough to stay in cache."""


class OpenVinoEmbedder:
    """A BERT sentence encoder with mean pooling. Safe for use by several threads.

    Args:
        encoder: Runs the network. The reader may use the same one: what it read of a question is not read again.
        name: Name in the fingerprint.
    """

    def __init__(self, encoder: BertEncoder, *, name: str = "all-MiniLM-L6-v2") -> None:
        self._encoder, self._name = encoder, name

    @property
    def pieces(self) -> PieceTokenizer:
        """Counts word pieces."""
        return self._encoder.pieces

    @property
    def max_pieces(self) -> int:
        """The most word pieces the model reads, special pieces included."""
        return self._encoder.max_pieces

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._encoder.width

    @cached_property
    def fingerprint(self) -> str:
        """Model, weights and pooling. Precision is no part of it: the vectors agree to a cosine of .9999 (tested)."""
        return f"{self._name}@{self._encoder.digest[:12]}/mean/{self.max_pieces}"

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""
        return f"openvino {self._encoder.precision}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text: shape `(len(texts), 384)`."""
        if len(texts) == 1:
            return unit(self._encoder.read(texts[0])[1].last[0].mean(axis=0))[None, :]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encoded = self.pieces.encode(texts)
        for batch in batches([len(item.ids) for item in encoded]):
            states = self._encoder.states([encoded[index] for index in batch]).last
            for row, index in enumerate(batch):
                vectors[index] = unit(states[row, : len(encoded[index].ids)].mean(axis=0))
        return vectors

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Return vectors for passages and their sentences, in the order given."""
        encoded = self.pieces.encode([passage_text(passage) for passage in passages])
        vectors: list[PassageVectors | None] = [None] * len(passages)
        for batch in batches([len(item.ids) for item in encoded]):
            states = self._encoder.states([encoded[index] for index in batch]).last
            for row, index in enumerate(batch):
                vectors[index] = pool_passage(states[row], encoded[index], passages[index])
        return [vector for vector in vectors if vector is not None]


def passage_text(passage: Passage) -> str:
    """Return what the model reads for a passage."""
    return f"{passage.prefix}\n{passage.text}" if passage.prefix else passage.text


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vector at length 1; a zero vector stays zero."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield indexes in batches of similar length, longest first, at most `BATCH_PIECES` padded pieces each."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def pool_passage(states: NDArray[np.float32], encoded: Encoded, passage: Passage) -> PassageVectors:
    """Return the mean over all pieces and over each sentence's pieces.

    Args:
        states: Contextual embeddings of the pieces, padding behind: shape `(at least len(encoded.ids), width)`.
        encoded: The pieces and their spans in `passage_text(passage)`.
        passage: Its sentences are spans of `passage.text`.
    """
    count = len(encoded.ids)
    vector = unit(states[:count].mean(axis=0))
    if not passage.sentences:
        return PassageVectors(vector, np.empty((0, states.shape[1]), dtype=np.float32))
    shift = len(passage.prefix) + 1 if passage.prefix else 0
    starts = np.array([span[0] for span in encoded.spans])
    ends = np.array([span[1] for span in encoded.spans])
    rows = np.empty((len(passage.sentences), states.shape[1]), dtype=np.float32)
    for row, (start, end) in enumerate(passage.sentences):
        inside = np.flatnonzero((starts >= start + shift) & (ends <= end + shift) & (ends > starts))
        rows[row] = unit(states[inside].mean(axis=0)) if len(inside) else vector
    return PassageVectors(vector, rows)
