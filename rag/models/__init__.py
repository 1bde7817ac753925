"""The canonical entities: frozen values, each made by one stage and read by the next.

    Query -> Retrieval(RetrievedChunk...) -> GateDecision -> PromptContext -> Draft -> Grounding -> Answer(Citation...)

Ingestion has its own two: `Document` (what a loader returns) and `Chunk` (what the index holds).
The five contracts under `api/contracts/` translate to and from these and hold no rules of the product.

Others import from here; the modules are for reading: `document`, `query`, `retrieval`, `draft`, `answer`, `health`.
"""

from rag.models.answer import Answer, AnswerSentence, Citation, Fingerprints, Refusal, Timings
from rag.models.document import (
    BlockKind,
    BlockSpan,
    Chunk,
    Document,
    DocumentMetadata,
    DocumentRecord,
    PageSpan,
    Section,
    SectionStart,
    page_of,
    part_of,
)
from rag.models.draft import Draft, GeneratorInfo, GroundedSentence, Grounding, ModelKind, PromptContext
from rag.models.health import Health, PastError, ServiceStatus
from rag.models.house import HouseWord
from rag.models.query import MAX_PLACE, Filters, Mode, Query, request_id_of
from rag.models.retrieval import Cuts, Dropped, GateDecision, NearMiss, Retrieval, RetrievedChunk
from rag.models.value import EditionsSearched, EstimatorName, Outcome, Score, Value, WebAddress, web_address

__all__ = [
    "MAX_PLACE",
    "Answer",
    "AnswerSentence",
    "BlockKind",
    "BlockSpan",
    "Chunk",
    "Citation",
    "Cuts",
    "Document",
    "DocumentMetadata",
    "DocumentRecord",
    "Draft",
    "Dropped",
    "EditionsSearched",
    "EstimatorName",
    "Filters",
    "Fingerprints",
    "GateDecision",
    "GeneratorInfo",
    "GroundedSentence",
    "Grounding",
    "Health",
    "HouseWord",
    "Mode",
    "ModelKind",
    "NearMiss",
    "Outcome",
    "PageSpan",
    "PastError",
    "PromptContext",
    "Query",
    "Refusal",
    "Retrieval",
    "RetrievedChunk",
    "Score",
    "Section",
    "SectionStart",
    "ServiceStatus",
    "Timings",
    "Value",
    "WebAddress",
    "page_of",
    "part_of",
    "request_id_of",
    "web_address",
]
