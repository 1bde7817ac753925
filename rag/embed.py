"""Stage 2: the question as a vector."""

from collections import OrderedDict
from threading import Lock

from rag.models import Query
from rag.protocols import Embedder, Vector


class QuestionCache:
    """The vectors of the last questions. Bounded, safe for threads; a question asked again costs no model."""

    def __init__(self, size: int = 1024) -> None:
        self._size, self._lock = size, Lock()
        self._vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()

    def get(self, fingerprint: str, question: str) -> Vector | None:
        """Return the vector of a question under one embedding, or None."""
        with self._lock:
            vector = self._vectors.get((fingerprint, question))
            if vector is not None:
                self._vectors.move_to_end((fingerprint, question))
            return vector

    def put(self, fingerprint: str, question: str, vector: Vector) -> None:
        """Keep a vector; the one unused for longest goes."""
        with self._lock:
            self._vectors[fingerprint, question] = vector
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


def embed_question(query: Query, *, embedder: Embedder, cache: QuestionCache | None = None) -> Vector:
    """Return the question's embedding: shape `(384,)`, float32, length 1.

    Raises:
        EmbedderUnavailable: The model cannot be loaded or run.
    """
    fingerprint = embedder.fingerprint
    vector = cache.get(fingerprint, query.question) if cache else None
    if vector is None:
        vector = embedder.embed([query.question])[0]
        if cache:
            cache.put(fingerprint, query.question, vector)
    return vector
