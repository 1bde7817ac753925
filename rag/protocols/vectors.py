"""Text as numbers: what an embedding model takes and gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]  # one embedding: shape `(384,)`, float32, length 1
Matrix: TypeAlias = NDArray[np.float32]  # embeddings in rows: shape `(n, 384)`, float32, each of length 1
Span: TypeAlias = tuple[int, int]  # start, and end exclusive, in characters


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids and their weights, as BM25 needs them; ids are unique and ascending."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class PieceCounter(Protocol):
    """The embedding model's own tokenizer."""

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""


class Embedder(Protocol):
    """Turns text into vectors."""

    @property
    def fingerprint(self) -> str:
        """Model, weights and numeric precision; index and question must agree on it."""

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def max_pieces(self) -> int:
        """The most word pieces the model reads, special pieces included."""

    @property
    def pieces(self) -> PieceCounter:
        """The model's tokenizer."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text, in the order given; many texts are computed in batches.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
