"""The canonical entities: frozen values, each made by one stage and read by the next.

    Query -> Retrieval(RetrievedChunk...) -> GateDecision -> PromptContext -> Draft -> Grounding -> Answer(Citation...)

Ingestion has its own two: `Document` (what a loader returns) and `Chunk` (what the index holds).
The five contracts under `api/contracts/` translate to and from these and hold no rules of the product.

Others import from here; the modules are for reading: `document`, `query`, `retrieval`, `draft`, `answer`, `health`.
"""

from rag.models.answer import Answer as Answer
from rag.models.answer import AnswerSentence as AnswerSentence
from rag.models.answer import Citation as Citation
from rag.models.answer import Fingerprints as Fingerprints
from rag.models.answer import Refusal as Refusal
from rag.models.answer import Timings as Timings
from rag.models.document import BlockKind as BlockKind
from rag.models.document import BlockSpan as BlockSpan
from rag.models.document import Chunk as Chunk
from rag.models.document import Document as Document
from rag.models.document import DocumentMetadata as DocumentMetadata
from rag.models.document import DocumentRecord as DocumentRecord
from rag.models.document import PageSpan as PageSpan
from rag.models.document import Section as Section
from rag.models.document import SectionStart as SectionStart
from rag.models.document import page_of as page_of
from rag.models.document import part_of as part_of
from rag.models.draft import Draft as Draft
from rag.models.draft import GeneratorInfo as GeneratorInfo
from rag.models.draft import GroundedSentence as GroundedSentence
from rag.models.draft import Grounding as Grounding
from rag.models.draft import ModelKind as ModelKind
from rag.models.draft import PromptContext as PromptContext
from rag.models.draft import Spoken as Spoken
from rag.models.health import Health as Health
from rag.models.health import PastError as PastError
from rag.models.health import ServiceStatus as ServiceStatus
from rag.models.query import MAX_PLACE as MAX_PLACE
from rag.models.query import Filters as Filters
from rag.models.query import HouseWord as HouseWord
from rag.models.query import Mode as Mode
from rag.models.query import Query as Query
from rag.models.query import request_id_of as request_id_of
from rag.models.retrieval import Cuts as Cuts
from rag.models.retrieval import Dropped as Dropped
from rag.models.retrieval import GateDecision as GateDecision
from rag.models.retrieval import NearMiss as NearMiss
from rag.models.retrieval import Retrieval as Retrieval
from rag.models.retrieval import RetrievedChunk as RetrievedChunk
from rag.models.value import EditionsSearched as EditionsSearched
from rag.models.value import EstimatorName as EstimatorName
from rag.models.value import Outcome as Outcome
from rag.models.value import Score as Score
from rag.models.value import Value as Value
from rag.models.value import WebAddress as WebAddress
from rag.models.value import web_address as web_address
