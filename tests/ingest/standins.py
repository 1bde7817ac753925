"""What stands in for the real parts: a model under another name, one that is gone, a store that is interrupted."""

from rag.adapters.edge_store import EdgeStore
from rag.adapters.embedding import OpenVinoEmbedder
from rag.errors import EmbedderUnavailable
from rag.protocols import Matrix


def fails(texts: list[str]) -> Matrix:
    raise EmbedderUnavailable("The model is gone.")


class Interrupting:
    """Interrupts the n-th write of parts, as Ctrl-C would."""

    def __init__(self, inner: EdgeStore, turn: int) -> None:
        self.inner, self.turn = inner, turn

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def upsert(self, chunks: object) -> None:
        self.turn -= 1
        if self.turn == 0:
            raise KeyboardInterrupt
        self.inner.upsert(chunks)


class OtherModel:
    """The same model under another fingerprint."""

    fingerprint = "another-model@1"

    def __init__(self, inner: OpenVinoEmbedder) -> None:
        self.dimension, self.max_pieces, self.pieces = inner.dimension, inner.max_pieces, inner.pieces
        self.embed = inner.embed
