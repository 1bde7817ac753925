"""What stands in for the embedding model: one that is made up, one under another name, one that is gone."""

from collections.abc import Sequence

import numpy as np

from rag.adapters.packaged_model import packaged_model
from rag.adapters.word_pieces import PieceTokenizer
from rag.errors import EmbedderUnavailable
from rag.protocols import Embedder, Matrix


def fails(texts: Sequence[str]) -> Matrix:
    raise EmbedderUnavailable("The model is gone.")


class MadeUpEmbedder:
    """Gives every text the same vector, for speed, under a fingerprint that is given."""

    max_pieces = 256

    def __init__(self, fingerprint: str, dimension: int = 384) -> None:
        self.fingerprint, self.dimension = fingerprint, dimension
        self.pieces = PieceTokenizer(packaged_model() / "tokenizer.json")

    def embed(self, texts: Sequence[str]) -> Matrix:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, dtype=np.float32)


class OtherModel:
    """A model under another fingerprint."""

    def __init__(self, inner: Embedder, fingerprint: str = "another-model@1") -> None:
        self.dimension, self.max_pieces, self.pieces = inner.dimension, inner.max_pieces, inner.pieces
        self.embed, self.fingerprint = inner.embed, fingerprint
