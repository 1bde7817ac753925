"""The embedding model: all-MiniLM-L6-v2 from its package, run by OpenVINO. Others: `torch_embedding`.

`bert_encoder` runs the network; here its states become vectors. A passage is read once: its vector is the mean over all
its word pieces (as the model was trained), each sentence's vector the mean over that sentence's word pieces of the same
forward pass ("late chunking", Günther et al. 2024).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.word_pieces import Encoded, PieceTokenizer
from rag.protocols import Matrix, Passage, PassageVectors

BATCH_PIECES = 4096
"""Word pieces in one batch, padding included: enough to keep two cores busy, little enough to stay in cache."""
STREAM_PIECES = 2048
"""The same for a batch that has one core."""
MANY = 128
"""Passages from which batches are computed beside each other: compiling the network for that takes half a second."""


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
        are_many = len(passages) >= MANY

        def pooled(batch: list[int]) -> list[PassageVectors]:
            read = [encoded[index] for index in batch]
            states = self._encoder.one_of_many(read) if are_many else self._encoder.states(read).last
            return [pool_passage(states[row], encoded[index], passages[index]) for row, index in enumerate(batch)]

        chosen = list(batches([len(item.ids) for item in encoded], STREAM_PIECES if are_many else BATCH_PIECES))
        found = self._streams.map(pooled, chosen) if are_many else map(pooled, chosen)
        order = [index for batch in chosen for index in batch]
        by_index = dict(zip(order, chain.from_iterable(found), strict=True))
        return [by_index[index] for index in range(len(passages))]

    @cached_property
    def _streams(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._encoder.streams, thread_name_prefix="embed")


def passage_text(passage: Passage) -> str:
    """Return what the model reads for a passage."""
    return f"{passage.prefix}\n{passage.text}" if passage.prefix else passage.text


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vector at length 1; a zero vector stays zero."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


def batches(lengths: Sequence[int], limit: int = BATCH_PIECES) -> Iterator[list[int]]:
    """Yield indexes in batches of similar length, longest first, at most `limit` padded pieces each."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > limit:
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
    spans = np.array(encoded.spans)
    sentences = np.array(passage.sentences) + shift
    begins, ends = spans[None, :, 0] >= sentences[:, :1], spans[None, :, 1] <= sentences[:, 1:]
    inside = (begins & ends & (spans[:, 1] > spans[:, 0])).astype(np.float32)
    rows = inside @ states[:count]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return PassageVectors(vector, np.where(lengths > 0, rows / np.where(lengths > 0, lengths, 1.0), vector))
