"""The canonical entities: frozen values, each made by one stage and read by the next.

    Query -> Retrieval(RetrievedChunk...) -> GateDecision -> PromptContext -> Draft -> Grounding -> Answer(Citation...)

Ingestion has its own two: `Document` (what a loader returns) and `Chunk` (what the index holds).
The five contracts under `api/contracts/` translate to and from these and hold no rules of the product.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, computed_field, model_validator

from rag.errors import ErrorCode

Score = Annotated[float, Field(ge=0.0, le=1.0)]
EstimatorName = Literal["mean_similarity", "max_similarity", "calibrated"]


def web_address(value: object) -> object:
    """Return a value where it is an absolute address of the web, else None: a link to it must not run anything.

    >>> web_address("https://lab.example/safety"), web_address("javascript:alert(1)"), web_address("/safety")
    ('https://lab.example/safety', None, None)
    """
    if not isinstance(value, str):
        return value
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # of an IPv6 address that is not closed
        return None
    return value if is_address and value.isprintable() and not any(map(value.count, ' <>"')) else None


WebAddress = Annotated[str | None, BeforeValidator(web_address)]
"""An absolute http or https address; what a document names besides is dropped, and the document kept."""


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """Where an answer may come from."""

    BOOK_WIDE = "book-wide"
    CHAPTER_AWARE = "chapter-aware"
    SELECTED_TEXT_ONLY = "selected-text-only"


# --- documents ---------------------------------------------------------------------------------------------------


class DocumentMetadata(Value):
    """What a document says of itself; every field may be unknown."""

    title: str | None = Field(None, description="Title of the document.")
    authors: tuple[str, ...] = Field((), description="Authors, in order, as written.")
    year: int | None = Field(None, description="Year of publication.")
    url: WebAddress = Field(None, description="Where the document can be read, when it names a web address.")
    publisher: str | None = Field(None, description="Publisher or institution.")
    module: str | None = Field(None, description="Module or volume that the document belongs to.")
    identifiers: tuple[str, ...] = Field(
        (), description="What tells this document from its siblings: numbers, periods, names from its first page."
    )


class PageSpan(Value):
    """Where one page stands in a document's text."""

    number: int = Field(ge=1, description="Page number, counted from 1 in the file.")
    start: int = Field(ge=0, description="Offset of the page's first character.")
    end: int = Field(ge=0, description="Offset after the page's last character.")


class Section(Value):
    """A stretch of text under one heading; the stretches cover the document in order, without overlap."""

    start: int = Field(ge=0, description="Offset of the first character, the heading's own line included.")
    end: int = Field(ge=0, description="Offset after the last character.")
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section, as in `2.2 Working with hoods`.")
    section_number: str | None = Field(None, description="Number of the section alone, as in `2.2`.")
    path: tuple[str, ...] = Field((), description="All headings above and at this place, outermost first.")


class SectionStart(Value):
    """Where the text of a section begins inside a chunk that holds several short ones."""

    offset: int = Field(ge=0, description="Where it begins within `content`, its heading included.")
    chapter: int | None = Field(None, description="Chapter number.")
    section: str | None = Field(None, description="Number and title of the section.")
    section_number: str | None = Field(None, description="Number of the section alone.")


class Document(Value):
    """One file, read: its whole text and where pages and sections stand in it.

    `text` is canonical: every offset in every other value counts characters of it.
    """

    name: str = Field(description="File name; the document's identity everywhere.")
    text: str = Field(description="The whole text, headings included.")
    hash: str = Field(description="SHA-256 of the file's bytes, hexadecimal.")
    size_bytes: int = Field(ge=0, description="Size of the file.")
    media_type: str = Field(description="MIME type by content.")
    metadata: DocumentMetadata = Field(default_factory=DocumentMetadata, description="What it says of itself.")
    pages: tuple[PageSpan, ...] = Field((), description="Pages in order; empty where the format has none.")
    sections: tuple[Section, ...] = Field((), description="Sections in order; one for all where there are none.")
    breaks: tuple[int, ...] = Field((), description="Offsets where a paragraph, list item or table row begins.")
    heads: tuple[int, ...] = Field((), description="Offsets where a row begins that the file marks as a table's heads.")
    notes: tuple[str, ...] = Field((), description="What of the file could not be read, a sentence each.")


class Chunk(Value):
    """A passage of a document, as indexed and cited. `content` is exactly `document.text[start:end]`."""

    chunk_id: str = Field(description="UUID v5 of document name, document hash and chunk index.")
    document: str = Field(description="File name of the document.")
    document_hash: str = Field(description="SHA-256 of the file that the chunk was cut from.")
    content: str = Field(description="The bare text, shown and cited.")
    context: str = Field("", description="Where the chunk stands; embedded and indexed before the text, never shown.")
    chunk_index: int = Field(ge=0, description="Position within the document, from 0.")
    start: int = Field(ge=0, description="Offset of the first character in the document's text.")
    end: int = Field(ge=0, description="Offset after the last character in the document's text.")
    page: int | None = Field(None, description="Page on which the chunk begins, from 1.")
    last_page: int | None = Field(None, description="Page on which the chunk ends.")
    page_starts: tuple[tuple[int, int], ...] = Field(
        (), description="For each page that begins inside the chunk: its number and the offset within `content`."
    )
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section.")
    section_number: str | None = Field(None, description="Number of the section alone.")
    section_path: tuple[str, ...] = Field((), description="All headings above the chunk, outermost first.")
    section_starts: tuple[SectionStart, ...] = Field(
        (), description="Where short sections share a chunk: each of them, in order. Empty where all is of one section."
    )
    pieces: int = Field(0, ge=0, description="Word pieces that the embedding model reads, context included.")
    sentences: tuple[tuple[int, int], ...] = Field((), description="Start and end of each sentence within `content`.")
    heads: tuple[int, ...] = Field(
        (), description="Offsets within `content` where a row begins that the file marks as a table's heads."
    )
    metadata: DocumentMetadata = Field(default_factory=DocumentMetadata, description="The document's own metadata.")

    @property
    def content_hash(self) -> str:
        """SHA-256 of `content`, hexadecimal: the same passage has the same hash in every version of a document."""
        return hashlib.sha256(self.content.encode()).hexdigest()

    @property
    def sentence_texts(self) -> tuple[str, ...]:
        """The sentences of `content`, verbatim."""
        return tuple(self.content[start:end] for start, end in self.sentences)


class DocumentRecord(Value):
    """One indexed document, as `candor documents` lists it."""

    document: str = Field(description="File name.")
    title: str | None = Field(None, description="Title of the document.")
    pages: int | None = Field(None, description="Number of pages; null where the format has none.")
    chunks: int = Field(ge=0, description="Number of chunks in the index.")
    chunk_ids: tuple[str, ...] = Field((), description="Ids of the chunks, in document order.")
    hash: str = Field(description="SHA-256 of the file.")
    size_bytes: int = Field(ge=0, description="Size of the file.")
    media_type: str = Field(description="MIME type.")
    characters: int = Field(ge=0, description="Length of the document's text.")
    url: WebAddress = Field(None, description="Address of the document, where it names one.")
    path: str | None = Field(None, description="Where the file was read from.")
    ingested_at: AwareDatetime = Field(description="When this version was indexed (UTC).")
    ingestion: str = Field("", description="Version of the ingestion that read it; empty: older than these versions.")


# --- the question ------------------------------------------------------------------------------------------------


MAX_PLACE: Final = 2**31 - 1
"""Largest chapter or page that can be asked for, with either sign: a vector store's integers end at 64 bits."""


class Filters(Value):
    """Only chunks whose metadata match; null means any."""

    source: str | None = Field(None, description="File name of a document.")
    chapter: int | None = Field(
        None, ge=-MAX_PLACE, le=MAX_PLACE, description="Chapter number; in chapter-aware mode a preference, not a wall."
    )
    section: str | None = Field(None, description="Section number, or number and title.")
    module: str | None = Field(None, description="Module of the document.")
    page: int | None = Field(None, ge=1, le=MAX_PLACE, description="Page number, from 1.")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filters()


def request_id_of(query_id: UUID, timestamp: datetime) -> str:
    """Return `req_`, the UTC date, `_` and the first 12 hexadecimal digits of the UUID.

    >>> request_id_of(UUID("12345678-9abc-4def-8123-456789abcdef"), datetime(2026, 1, 21, tzinfo=UTC))
    'req_20260121_123456789abc'
    """
    return f"req_{timestamp.astimezone(UTC):%Y%m%d}_{query_id.hex[:12]}"


class Query(Value):
    """One question with everything that decides its answer. `rag.validate` makes it and enforces the limits."""

    question: str = Field(description="The question: 3 to 1000 characters after stripping, no control characters.")
    query_id: UUID = Field(default_factory=uuid4, description="UUID v4.")
    request_id: str = Field("", description="Id in the log; from date and query_id unless the client names one.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When it was asked (UTC).")
    top_k: int = Field(5, ge=1, le=20, description="How many chunks the answer may rest on.")
    similarity_threshold: Score = Field(0.0, description="Chunks less similar than this are dropped. Not the gate.")
    confidence_threshold: Score | None = Field(None, description="Refuse below this; null: the estimator's own.")
    estimator: EstimatorName | None = Field(None, description="How confidence is computed; null: the configured one.")
    filters: Filters = Field(default_factory=Filters, description="Where to look.")
    mode: Mode = Field(Mode.BOOK_WIDE, description="Book-wide, chapter-aware or selected-text-only.")
    context: str | None = Field(
        None, description="The selected text, cleaned as a document is; only in selected-text-only mode."
    )
    session_id: str | None = Field(None, description="Conversation that the question belongs to.")
    max_tokens: int = Field(500, ge=1, le=2000, description="Longest answer, in the model's tokens.")
    temperature: float = Field(0.0, ge=0.0, le=1.0, description="Sampling temperature of the model.")
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="Sampling seed of the model.")
    no_llm: bool = Field(False, description="Answer by quoting only, even where a model answers.")

    @model_validator(mode="after")
    def _name_request(self) -> Self:
        if not self.request_id:
            object.__setattr__(self, "request_id", request_id_of(self.query_id, self.timestamp))
        return self


# --- retrieval and gate ------------------------------------------------------------------------------------------


class RetrievedChunk(Chunk):
    """A chunk that came back for a question, with every score it was ranked by."""

    rank: int = Field(ge=1, description="Rank after fusion, from 1.")
    similarity_score: Score = Field(description="Cosine similarity of question and chunk, clamped to 0..1.")
    cosine: float = Field(ge=-1.001, le=1.001, description="The same cosine, raw.")
    bm25_score: float = Field(0.0, ge=0.0, description="BM25 score of the question's words; 0 where none occurs.")
    fused_score: float = Field(0.0, description="What the hits are ranked by.")
    dense_rank: int | None = Field(None, description="Rank by cosine among the candidates; null where not among them.")
    bm25_rank: int | None = Field(None, description="Rank by BM25 among the candidates; null where not among them.")
    sentence_scores: tuple[float, ...] = Field((), description="Cosine of question and each sentence, in order.")
    preferred: bool = Field(False, description="In chapter-aware mode: whether it stands in the chapter asked for.")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that search brought and retrieval did not return, and why. Made twenty times for each question.

    `why` is one of: its similarity is below the threshold; it says the same as a better one (`same_as`: the rank of
    that); it is ranked below those that are returned; its scores are too low to be read at all. `cosine` is None where
    it was not read and not found by it, a rank where it was not found by that search; `bm25_score` is 0 without a word.
    """

    chunk_id: Annotated[str, Field(description="Id of the chunk.")]
    why: Annotated[Literal["threshold", "duplicate", "rank", "unread"], Field(description="Why it was dropped.")]
    cosine: Annotated[float | None, Field(description="Its similarity; null where it is not known.")] = None
    bm25_score: Annotated[float, Field(description="Of its words; 0 where it has none of the question.")] = 0.0
    dense_rank: Annotated[int | None, Field(description="Rank in dense search, from 1.")] = None
    bm25_rank: Annotated[int | None, Field(description="Rank in BM25 search, from 1.")] = None
    same_as: Annotated[int | None, Field(description="Rank of the better one that says the same.")] = None


class Cuts(Value):
    """What retrieval dropped: how many for each reason, and the best of them."""

    candidates: int = Field(0, ge=0, description="How many distinct chunks dense and BM25 search brought together.")
    threshold: int = Field(0, ge=0, description="Dropped by the similarity threshold.")
    duplicate: int = Field(0, ge=0, description="Near duplicates folded into a better one.")
    rank: int = Field(0, ge=0, description="Read, and ranked below those that are returned.")
    unread: int = Field(0, ge=0, description="Not read: the scores of both searches were too low.")
    listed: tuple[Dropped, ...] = Field((), description="The best of them: those read first, then by their best rank.")


class Retrieval(Value):
    """What a question found."""

    hits: tuple[RetrievedChunk, ...] = Field((), description="Up to top_k chunks, best first: what the gate sees.")
    rest: tuple[RetrievedChunk, ...] = Field((), description="The chunks that follow; shown, used by nothing.")
    candidates: int = Field(0, ge=0, description="How many distinct chunks dense and BM25 search brought together.")
    searched: int = Field(0, ge=0, description="How many chunks the filters left to search in.")
    indexed: int = Field(0, ge=0, description="How many chunks the index holds.")
    below_threshold: int = Field(0, ge=0, description="Candidates dropped by the similarity threshold.")
    folded: int = Field(0, ge=0, description="Near duplicates folded into a better hit.")
    notes: tuple[str, ...] = Field((), description="What a reader must know, as: nothing found in chapter 3.")
    cuts: Cuts | None = Field(None, description="What was dropped; null where nobody kept it.")
    narrowed: dict[str, str] = Field(
        default_factory=dict, description="Documents searched in place of their other editions: what to know of each."
    )
    editions: tuple[tuple[str, ...], ...] = Field(
        (), description="The works that the chunks come from in several editions: their documents, oldest first."
    )


def part_of(section: str | None, chapter: int | None, title: str | None) -> str:
    """Return which part of a document is meant: its section, else its chapter.

    >>> part_of("2.2 Hoods", 2, "Work"), part_of(None, 6, "What the crew does"), part_of(None, None, "Annex")
    ('2.2 Hoods', 'chapter 6 What the crew does', 'chapter Annex')
    """
    named = " ".join(str(one) for one in (chapter, title) if one is not None and one != "")
    return section or (f"chapter {named}" if named else "")


class NearMiss(Value):
    """A passage that came close, shown with a refusal."""

    chunk_id: str = Field(description="Id of the chunk.")
    document: str = Field(description="File name of the document.")
    page: int | None = Field(None, description="Page, from 1.")
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section.")
    similarity_score: Score = Field(description="Cosine similarity, clamped.")
    excerpt: str = Field(description="Its best sentence, verbatim, at most 200 characters, cut between words.")

    @property
    def part(self) -> str:
        """Number and title of the section, or of the chapter where no section is known; empty without either."""
        return part_of(self.section, self.chapter, self.chapter_title)


class GateDecision(Value):
    """Whether the hits are good enough to answer from, and why."""

    passed: bool = Field(description="True: go on to the prompt. False: refuse now, before any model is asked.")
    estimator: EstimatorName = Field(description="What turned the hits into a confidence.")
    confidence: Score = Field(description="The estimate, computed whether it passes or not.")
    threshold: Score = Field(description="What it was held against.")
    margin: float = Field(description="Confidence minus threshold: negative means refused.")
    inputs: dict[str, float] = Field(default_factory=dict, description="Every number the estimator read, by name.")
    reason: str = Field(description="One plain sentence.")
    removed_by_filters: int = Field(0, ge=0, description="Chunks of the index that the filters excluded.")
    removed_by_threshold: int = Field(0, ge=0, description="Candidates that the similarity threshold dropped.")
    nearest_misses: tuple[NearMiss, ...] = Field((), description="The closest passages, best first.")
    against: tuple[str, ...] = Field((), description="Of a refusal: what speaks against answering, weightiest first.")
    warnings: tuple[str, ...] = Field((), description="As: the index has drifted from what this was fitted on.")


# --- prompt and generation ---------------------------------------------------------------------------------------


class PromptContext(Value):
    """What the model is given. Provably within its context window."""

    question: str = Field(description="The question, as asked.")
    retrieved_chunks: tuple[RetrievedChunk, ...] = Field(description="The passages in the prompt, numbered from 1.")
    system_prompt: str = Field(description="The instructions.")
    formatted_context: str = Field(description="The numbered passages, fenced as data.")
    user_prompt: str = Field(description="The whole user message: passages and question.")
    template: str = Field(description="Name and version of the template.")
    prompt_tokens: int = Field(ge=0, description="Upper estimate of the prompt's length in tokens.")
    num_ctx: int = Field(ge=1, description="Context window to request: prompt and answer fit in it.")
    max_tokens: int = Field(500, ge=1, description="Longest answer that fits: as asked, or a quarter of the window.")
    left_out: tuple[str, ...] = Field((), description="Ids of chunks that did not fit.")
    shortened: tuple[str, ...] = Field((), description="Ids of chunks cut at a sentence end to make them fit.")


class GeneratorInfo(Value):
    """Who spoke."""

    name: Literal["ollama", "extractive", "none"] = Field(description="Which answerer produced the text.")
    model: str | None = Field(None, description="The model's name, where a model spoke.")
    fallback_reason: str | None = Field(None, description="Why the model did not speak, where it should have.")


class Draft(Value):
    """What a generator wrote, before anything is checked. Markers are `[n]`, n counted from 1 as in the prompt."""

    text: str = Field(description="The text with its citation markers.")
    generator: GeneratorInfo = Field(description="Who wrote it.")
    finish_reason: Literal["stop", "length", "cancelled", "error"] = Field("stop", description="Why it ended.")
    prompt_tokens: int | None = Field(None, description="Prompt tokens as counted by the model server.")
    completion_tokens: int | None = Field(None, description="Completion tokens as counted by the model server.")


# --- grounding and answer ----------------------------------------------------------------------------------------


class GroundedSentence(Value):
    """One sentence of a draft, checked against the passages that it cites."""

    text: str = Field(description="The sentence, markers removed.")
    supported: bool = Field(description="Whether its cited passages carry it.")
    support: Score = Field(description="How strongly they do.")
    passages: tuple[int, ...] = Field((), description="Numbers (from 1) of the passages that it validly cites.")
    invalid_markers: tuple[str, ...] = Field((), description="Markers that point to no passage, verbatim.")
    evidence: tuple[str, ...] = Field((), description="For each of `passages`, its verbatim part that supports best.")
    reason: str = Field("", description="Why it is not supported; empty where it is.")


class Grounding(Value):
    """The check of a whole draft."""

    is_valid: bool = Field(description="Whether every sentence of the draft was supported.")
    sentences: tuple[GroundedSentence, ...] = Field((), description="All sentences, dropped ones included, in order.")
    validation_issues: tuple[str, ...] = Field((), description="What was found, one plain sentence each.")
    answers: bool = Field(True, description="Whether what is left answers the question.")
    method: str = Field("", description="Name and version of the check.")


class AnswerSentence(Value):
    """A sentence that is shown."""

    text: str = Field(description="The sentence, markers removed.")
    supported: bool = Field(True, description="True by construction; kept so that a reader can verify it.")
    support: Score = Field(description="How strongly the cited passages carry it.")
    citations: tuple[int, ...] = Field((), description="Indexes, from 0, into the answer's citations.")


class Citation(Value):
    """Where a sentence comes from."""

    document: str = Field(description="File name of the document.")
    page: int | None = Field(None, description="Page that holds the excerpt, from 1.")
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section.")
    excerpt: str = Field(max_length=200, description="Verbatim text of the document, at most 200 characters.")
    chunk_id: str = Field(description="Id of a retrieved chunk.")
    similarity_score: Score = Field(description="Cosine similarity of question and chunk, clamped.")
    url: WebAddress = Field(None, description="Address of the document, where it names one.")
    ieee: str = Field("", description="IEEE reference, beginning with `[n]`.")
    start: int | None = Field(None, description="Offset of the excerpt in the document's text.")
    end: int | None = Field(None, description="Offset after the excerpt.")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str:
        """`[document, page X]`, `[document, section Y]`, `[document, chapter Z]` or `[document]`."""
        if self.page is not None:
            return f"[{self.document}, page {self.page}]"
        if self.section:
            return f"[{self.document}, section {self.section}]"
        return f"[{self.document}, {self.part}]" if self.part else f"[{self.document}]"

    @property
    def part(self) -> str:
        """Number and title of the section, or of the chapter where no section is known; empty without either."""
        return part_of(self.section, self.chapter, self.chapter_title)


class Refusal(Value):
    """Why there is no answer."""

    stage: Literal["validation", "gate", "grounding", "error"] = Field(description="Where it was refused.")
    code: ErrorCode = Field(ErrorCode.NO_RELEVANT_CONTENT, description="Code for programs.")
    reason: str = Field(description="One plain sentence.")
    advice: str = Field("", description="What the person can do.")


class Fingerprints(Value):
    """What an answer depended on: equal fingerprints and settings give the equal answer."""

    embedding: str = Field(description="Embedding model, weights and precision.")
    index: str = Field(description="All documents and their versions.")
    settings: str = Field(description="All settings that decide an answer.")
    gate: str = Field("", description="The estimator's fit.")
    prompt: str = Field("", description="The prompt template.")


class Timings(Value):
    """Milliseconds per stage; null where a stage did not run."""

    validate_: float | None = Field(None, alias="validate", description="Validation.")
    embed: float | None = Field(None, description="Embedding the question.")
    retrieve: float | None = Field(None, description="Search and fusion.")
    gate: float | None = Field(None, description="Estimate and decision.")
    prompt: float | None = Field(None, description="Assembling the prompt.")
    generate: float | None = Field(None, description="Writing the draft.")
    ground: float | None = Field(None, description="Checking it, citations included.")
    total: float = Field(0.0, description="From validation to answer.")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class Answer(Value):
    """The outcome of a question: an answer whose every sentence is cited, or a refusal that says why."""

    request_id: str = Field(description="Id in the log.")
    query_id: UUID = Field(description="UUID v4 of the query.")
    session_id: str | None = Field(None, description="Conversation that it belongs to.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When it was ready (UTC).")
    query: Query = Field(description="The question with all its settings.")
    asked: str | None = Field(
        None,
        description="The question as it was searched for and read, where words that name an edition were left out.",
    )
    answer: str | None = Field(description="The shown text; null for a refusal.")
    message: str | None = Field(None, description="What to tell the person; always set when answer is null.")
    refusal: Refusal | None = Field(None, description="Why there is no answer.")
    sentences: tuple[AnswerSentence, ...] = Field((), description="The answer's sentences, each with its citations.")
    citations: tuple[Citation, ...] = Field((), description="Sources, in order of first use.")
    retrieved: tuple[RetrievedChunk, ...] = Field((), description="The hits and, after them, the rest.")
    confidence: Score = Field(0.0, description="As the gate computed it, answered or refused.")
    gate: GateDecision | None = Field(None, description="The gate's decision; null where it was not reached.")
    grounding: Grounding | None = Field(None, description="The check; null where there was nothing to check.")
    generator: GeneratorInfo = Field(default_factory=lambda: GeneratorInfo(name="none"), description="Who spoke.")
    prompt: PromptContext | None = Field(None, exclude=True, description="The prompt; recorded, not returned.")
    draft: Draft | None = Field(None, exclude=True, description="The unchecked draft; recorded, not returned.")
    cuts: Cuts | None = Field(None, exclude=True, description="What retrieval dropped; recorded, not returned.")
    notes: tuple[str, ...] = Field((), description="What to know, as: found outside the chapter asked for.")
    timings_ms: Timings = Field(default_factory=Timings, description="Milliseconds per stage.")
    fingerprints: Fingerprints = Field(description="What the answer depended on.")

    @model_validator(mode="after")
    def _answer_is_cited_or_explained(self) -> Self:
        if self.answer is not None and not self.citations:
            raise ValueError("an answer must have at least one citation")
        if self.answer is None and (self.citations or not self.message or self.refusal is None):
            raise ValueError("a refusal has no citations, and a message and a reason")
        return self

    @property
    def outcome(self) -> Literal["answered", "refused"]:
        """How it ended, in the log's words."""
        return "answered" if self.answer is not None else "refused"


# --- health ------------------------------------------------------------------------------------------------------


class PastError(Value):
    """What went wrong, and when."""

    message: str = Field(description="What failed and what to do.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When (UTC).")


class ServiceStatus(Value):
    """One dependency."""

    state: Literal["connected", "disconnected"] = Field(description="Whether it answers.")
    latency_ms: float | None = Field(None, description="How long the probe took.")
    detail: str = Field("", description="What it is, or why it does not answer and what to do.")
    last_error: PastError | None = Field(
        None,
        description="What failed last, of a probe or (llm) of a generation; kept while the process runs, also once it "
        "works again. A model server that lists its models and fails at every answer is connected, and told here.",
    )


class Health(Value):
    """Whether Candor can answer: healthy, degraded (no model server), unavailable (no documents, or no embedding)."""

    status: Literal["healthy", "degraded", "unavailable"] = Field(description="Overall.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When checked (UTC).")
    services: dict[str, ServiceStatus] = Field(description="qdrant, embedding, llm, sessions.")
    response_time_ms: float = Field(gt=0, description="Time taken by the check.")
    lost_lines: int = Field(
        0, ge=0, description="Lines of the log and of answers that this process could not keep, as on a full disk."
    )
