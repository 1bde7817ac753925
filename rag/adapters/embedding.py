"""The embedding model: all-MiniLM-L6-v2 from its package, run by OpenVINO. Others: `torch_embedding`.

`bert_encoder` runs the network; here its states become vectors: the mean over all word pieces of a text, as the model
was trained.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import WEIGHTS_SHA256
from rag.protocols import Matrix

BATCH_PIECES = 4096
"""Word pieces in one batch, padding included: enough to keep two cores busy, little enough to stay in cache."""
STREAM_PIECES = 2048
"""The same for a batch that has one core."""
MANY = 128
"""Texts from which batches are computed beside each other: compiling the network for that takes half a second."""


class OpenVinoEmbedder:
    """The packaged encoder with mean pooling. Safe for use by several threads.

    Attributes:
        pieces: Counts word pieces.
        max_pieces: The most word pieces the model reads, special pieces included.
        dimension: Length of a vector.
    """

    def __init__(self, encoder: BertEncoder) -> None:
        self._encoder = encoder
        self.pieces, self.max_pieces, self.dimension = encoder.pieces, encoder.max_pieces, encoder.width

    @cached_property
    def fingerprint(self) -> str:
        """Model, weights and pooling. Precision is no part of it: the vectors agree to a cosine of .9999 (tested)."""
        return f"all-MiniLM-L6-v2@{WEIGHTS_SHA256[:12]}/mean/{self.max_pieces}"

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""
        return f"openvino {self._encoder.precision}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text: shape `(len(texts), 384)`; of many, batches run beside each other.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        if len(texts) == 1:
            return unit(self._encoder.read(texts[0]).mean(axis=0))[None, :]
        encoded = self.pieces.encode(texts)
        are_many = len(texts) >= MANY
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def embed_batch(batch: list[int]) -> None:
            read = [encoded[index] for index in batch]
            states = self._encoder.one_of_many(read) if are_many else self._encoder.states(read)
            for row, index in enumerate(batch):
                vectors[index] = unit(states[row, : len(encoded[index].ids)].mean(axis=0))

        chosen = list(batches([len(item.ids) for item in encoded], STREAM_PIECES if are_many else BATCH_PIECES))
        for _ in self._streams.map(embed_batch, chosen) if are_many else map(embed_batch, chosen):
            pass
        return vectors

    @cached_property
    def _streams(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._encoder.streams, thread_name_prefix="embed")


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
