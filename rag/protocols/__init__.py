"""What the outside world must offer us. Adapters implement these; stages know nothing else.

`Embedder` and `PieceCounter` stand for the embedding model, `VectorStore` for the engine that holds the chunks,
`Catalogue` for what is indexed and how often words occur, `Generator` for whoever writes the draft,
`GroundingCheck`, `Reader` and `Entailment` for models that read a sentence against a passage.

`Observer` stands for whoever measures questions from outside.

Others import from here; the modules are for reading: `vectors`, `stores`, `catalogue`, `speaking`, `judging`,
`observing`.
"""

from rag.protocols.catalogue import INDEX_ID, INGESTION, Catalogue, DocumentVersion
from rag.protocols.judging import Entailment, Evidence, GroundingCheck, Judgement, Reader, ReadingText, Support, Verdict
from rag.protocols.observing import Asked, Observer, StageSpan
from rag.protocols.speaking import UNKNOWN_MODEL, Generator, ModelInfo, Pulse, SignOfLife, StreamEnd
from rag.protocols.stores import IndexedChunk, Scored, SearchScope, VectorStore
from rag.protocols.vectors import Embedder, Matrix, PieceCounter, Span, SparseVector, Vector

__all__ = [
    "INDEX_ID",
    "INGESTION",
    "UNKNOWN_MODEL",
    "Asked",
    "Catalogue",
    "DocumentVersion",
    "Embedder",
    "Entailment",
    "Evidence",
    "Generator",
    "GroundingCheck",
    "IndexedChunk",
    "Judgement",
    "Matrix",
    "ModelInfo",
    "Observer",
    "PieceCounter",
    "Pulse",
    "Reader",
    "ReadingText",
    "Scored",
    "SearchScope",
    "SignOfLife",
    "Span",
    "SparseVector",
    "StageSpan",
    "StreamEnd",
    "Support",
    "Vector",
    "VectorStore",
    "Verdict",
]
