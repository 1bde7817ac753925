"""The outcome of a question: an answer whose every sentence is cited, or a refusal with its reasons."""

from datetime import UTC, datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, ConfigDict, Field, computed_field, model_validator

from rag.errors import ErrorCode
from rag.models.document import part_of
from rag.models.draft import Draft, GeneratorInfo, GroundedSentence, Grounding, PromptContext
from rag.models.query import Query
from rag.models.retrieval import Cuts, GateDecision, RetrievedChunk
from rag.models.value import Outcome, Score, Value, WebAddress


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
    printed: str | None = Field(None, description="Number printed on that page, where it is another: `vii`.")
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
    read: float | None = Field(None, description="Reading the best windows.")
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
        description="The question as it was searched for and read, where that differs: words that name an edition "
        "left out, house words put in, or joined to the question before it.",
    )
    house_words: tuple[str, ...] = Field((), description="House words that were put in, as `PPE = protective gear`.")
    outcome: Outcome = Field("refused", description="answered, unsure, refused or talk.")
    answer: str | None = Field(description="The shown text; null unless answered.")
    message: str | None = Field(None, description="What to tell the person; always set when answer is null.")
    refusal: Refusal | None = Field(None, description="Why there is no answer.")
    sentences: tuple[AnswerSentence, ...] = Field((), description="The answer's sentences, each with its citations.")
    citations: tuple[Citation, ...] = Field((), description="Sources, in order of first use.")
    retrieved: tuple[RetrievedChunk, ...] = Field((), description="The hits and, after them, the rest.")
    confidence: Score = Field(
        0.0, description="As the gate computed it; of a model's answer, how surely its best sentence answers."
    )
    gate: GateDecision | None = Field(None, description="The gate's decision; null where it was not reached.")
    grounding: Grounding | None = Field(None, description="The check; null where there was nothing to check.")
    generator: GeneratorInfo = Field(default_factory=lambda: GeneratorInfo(name="none"), description="Who spoke.")
    prompt: PromptContext | None = Field(None, exclude=True, description="The prompt; recorded, not returned.")
    draft: Draft | None = Field(None, exclude=True, description="The unchecked draft; recorded, not returned.")
    replaced: Draft | None = Field(
        None, exclude=True, description="What a model wrote where quotations took its place; recorded, not returned."
    )
    cuts: Cuts | None = Field(None, exclude=True, description="What retrieval dropped; recorded, not returned.")
    other_confidence: Score | None = Field(
        None,
        exclude=True,
        description="Of a question that leaves open which editions are meant, the latest or all: the confidence with "
        "those that the answer does not rest on; null where there was no such choice. Recorded, not returned.",
    )
    asks_for_list: bool = Field(
        False, exclude=True, description="The question asks for all of a list or procedure. Recorded, not returned."
    )
    notes: tuple[str, ...] = Field((), description="What to know, as: found outside the chapter asked for.")
    timings_ms: Timings = Field(default_factory=Timings, description="Milliseconds per stage.")
    fingerprints: Fingerprints = Field(description="What the answer depended on.")

    @property
    def left_out(self) -> tuple[GroundedSentence, ...]:
        """The sentences that were written and are not shown, in order; of each the reason."""
        return self.grounding.left_out if self.grounding else ()

    @model_validator(mode="before")
    @classmethod
    def _of_older_versions(cls, fields: object) -> object:
        """Read what was recorded before there were three outcomes."""
        if isinstance(fields, dict) and "outcome" not in fields:
            return {"outcome": "answered" if fields.get("answer") is not None else "refused", **fields}
        return fields

    @model_validator(mode="after")
    def _answer_is_cited_or_explained(self) -> Self:
        if self.answer is not None and not self.citations:
            raise ValueError("an answer must have at least one citation")
        if (self.answer is not None) != (self.outcome == "answered"):
            raise ValueError("outcome is 'answered' exactly where there is an answer")
        if self.answer is None and (self.citations or not self.message):
            raise ValueError("without an answer there are no citations, and there is a message")
        if self.outcome in ("unsure", "refused") and self.refusal is None:
            raise ValueError("what is not answered says why")
        return self
