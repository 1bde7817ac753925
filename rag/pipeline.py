"""The way of a question, in order; reading this file is reading the product.

validate -> embed -> retrieve -> gate -> prompt -> generate -> ground -> answer -> record
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Generator as Stream
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from rag.cite import cite
from rag.clock import RequestClock, Stage
from rag.embed import QuestionCache, embed_question
from rag.errors import GeneratorUnavailable, IndexNotReady, InvalidQuery
from rag.gate import Estimator, decide
from rag.generate import complete_sentences, draft_of, extract
from rag.ground import ground, ground_sentence
from rag.lexical import frequencies
from rag.mentions import doubts
from rag.models import (
    Answer,
    AnswerSentence,
    Citation,
    Draft,
    EstimatorName,
    Fingerprints,
    GateDecision,
    GeneratorInfo,
    GroundedSentence,
    Grounding,
    Mode,
    PromptContext,
    Query,
    Retrieval,
    RetrievedChunk,
    Timings,
    request_id_of,
)
from rag.prompt import TEMPLATE, build_prompt, is_abstention
from rag.protocols import (
    Catalogue,
    Embedder,
    Generator,
    GroundingCheck,
    IndexedChunk,
    ModelInfo,
    SearchScope,
    StreamEnd,
    Vector,
    VectorStore,
)
from rag.record import Recorder
from rag.refuse import explain
from rag.retrieve import RetrievalRules, retrieve, retrieve_selected
from rag.validate import validate


@dataclass(frozen=True, slots=True)
class StageDone:
    """A stage has ended."""

    stage: Stage
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the model's draft, not checked yet: a sign of life, never to be shown as an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class SentenceChecked:
    """A sentence of the draft, supported or dropped."""

    sentence: GroundedSentence


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer; always the last event."""

    answer: Answer


WordCounts: TypeAlias = Callable[[Sequence[int]], Mapping[int, int]]
"""Says in how many chunks each term id occurs."""
Event: TypeAlias = StageDone | Token | SentenceChecked | Finished


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval and gate made of a question, before anything is generated."""

    query: Query
    retrieval: Retrieval
    decision: GateDecision
    timings_ms: Timings


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a generator said and what the check left of it; the prompt where a model was asked."""

    draft: Draft
    grounding: Grounding
    prompt: PromptContext | None = None


Speaking: TypeAlias = Stream[Event, None, _Spoken]
"""Yields events while somebody speaks; its value is what was said."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything that answering needs. Made by `rag.wiring`; safe for use by several threads.

    Attributes:
        read_selected: Turns a selected text into chunks with vectors; the index is not touched.
        estimators: The gate's estimators by name; `default_estimator` is used where a question names none.
        threshold: The operator's confidence threshold; None: each estimator's own.
        on_model_failure: Whether the extractive answerer stands in, or `GeneratorUnavailable` is raised.
    """

    embedder: Embedder
    store: VectorStore
    catalogue: Catalogue
    check: GroundingCheck
    recorder: Recorder
    read_selected: Callable[[str], Sequence[IndexedChunk]]
    estimators: Mapping[EstimatorName, Estimator]
    default_estimator: EstimatorName = "calibrated"
    threshold: float | None = None
    generator: Generator | None = None
    rules: RetrievalRules = field(default_factory=RetrievalRules)
    max_context: int = 8192
    on_model_failure: Literal["extractive", "error"] = "extractive"
    settings_fingerprint: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    cache: QuestionCache = field(default_factory=QuestionCache)

    def query(self, question: str, **options: Any) -> Query:
        """Return the canonical query for a question; options that are None take the configured defaults.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
        """
        return checked_query(question, options, defaults=self.defaults, recorder=self.recorder)

    def ask(self, query: Query) -> Answer:
        """Return the answer to a question, or the refusal that says why there is none.

        Raises:
            IndexNotReady: Nothing is indexed.
            ServiceUnavailable: The store or the embedding model failed, or the model server where nothing stands in.
        """
        for event in self.stream(query):
            if isinstance(event, Finished):
                return event.answer
        raise AssertionError("a stream ends with Finished or an error")  # pragma: no cover

    def retrieve(self, query: Query) -> Found:
        """Return what a question finds and what the gate says of it; nothing is generated."""
        return self._find(query, RequestClock(self.recorder, query.request_id))

    def stream(self, query: Query) -> Iterator[Event]:
        """Yield what happens while a question is answered; closing the iterator cancels the model."""
        clock = RequestClock(self.recorder, query.request_id)
        found = self._find(query, clock)
        yield from (StageDone(stage, getattr(found.timings_ms, stage)) for stage in ("embed", "retrieve", "gate"))
        spoken = None
        if found.decision.passed:
            spoken = yield from self._speak(query, found.retrieval.hits, clock)
        answer = self._answer(query, found, spoken, clock)
        clock.returned(answer.outcome, _facts(answer))
        self.recorder.answer(answer)
        yield Finished(answer)

    def _find(self, query: Query, clock: RequestClock) -> Found:
        """Embed, retrieve, decide."""
        with clock.stage("validate") as facts:
            facts.update(question_length=len(query.question), question=query.question, mode=query.mode.value)
            if query.mode is Mode.SELECTED_TEXT_ONLY:
                facts.update(context=query.context, context_hash=_hash_of(query.context))
            elif self.catalogue.chunk_count() == 0:
                self.store.count(SearchScope())  # one that cannot be reached is the worse trouble
                raise IndexNotReady("Nothing is indexed yet: add documents with 'candor ingest PATH' first.")
        with clock.stage("embed") as facts:
            vector = embed_question(query, embedder=self.embedder, cache=self.cache)
            facts.update(model=self.embedder.fingerprint)
        with clock.stage("retrieve") as facts:
            retrieval = self._retrieve(query, vector)
            facts.update(
                chunks_retrieved=len(retrieval.hits), candidates=retrieval.candidates, searched=retrieval.searched
            )
        with clock.stage("gate") as facts:
            estimator = self.estimators[query.estimator or self.default_estimator]
            decision = decide(query, retrieval, estimator=estimator, threshold=self._threshold(query))
            facts.update(confidence=decision.confidence, threshold=decision.threshold, passed=decision.passed)
        return Found(query, retrieval, decision, clock.timings())

    def _threshold(self, query: Query) -> float | None:
        """Return the operator's threshold; it was set for the default estimator and means nothing for another."""
        return self.threshold if (query.estimator or self.default_estimator) == self.default_estimator else None

    def _retrieve(self, query: Query, vector: Vector) -> Retrieval:
        if query.mode is Mode.SELECTED_TEXT_ONLY:
            return retrieve_selected(query, vector, self.read_selected(query.context or ""), rules=self.rules)
        return retrieve(query, vector, store=self.store, catalogue=self.catalogue, rules=self.rules)

    # --- from hits to a checked draft ---------------------------------------------------------------------------------

    def _speak(self, query: Query, hits: tuple[RetrievedChunk, ...], clock: RequestClock) -> Speaking:
        """Let the model speak where one answers; quote where none does, or where what the check leaves is no answer."""
        model = self.generator.model() if self.generator and not query.no_llm else None
        if self.generator is None or model is None:
            return self._quote(query, hits, clock)
        try:
            spoken = yield from self._generate(query, hits, self.generator, model, clock)
        except GeneratorUnavailable as error:
            if self.on_model_failure == "error":
                raise
            return self._quote(query, hits, clock, model=model, instead_because=error.message)
        if spoken.grounding.answers or is_abstention(spoken.draft.text):
            return spoken
        reason = "What the model wrote is not carried by the passages."
        quoted = self._quote(query, hits, clock, model=model, instead_because=reason)
        return quoted if quoted.grounding.answers else spoken

    def _generate(
        self,
        query: Query,
        hits: tuple[RetrievedChunk, ...],
        generator: Generator,
        model: ModelInfo,
        clock: RequestClock,
    ) -> Speaking:
        """Prompt the model and check each sentence as soon as it is whole, then the draft as a whole."""
        with clock.stage("prompt") as facts:
            prompt = build_prompt(query, hits, model=model, max_context=self.max_context)
            facts.update(prompt_tokens=prompt.prompt_tokens, num_ctx=prompt.num_ctx, left_out=len(prompt.left_out))
        text, unchecked = "", ""
        with clock.stage("generate") as facts:
            stream = _Ended(
                generator.stream(prompt, max_tokens=prompt.max_tokens, temperature=query.temperature, seed=query.seed)
            )
            with closing(stream):
                for piece in stream:
                    yield Token(piece)
                    text, unchecked = text + piece, unchecked + piece
                    whole, unchecked = complete_sentences(unchecked)
                    for sentence in whole:
                        yield SentenceChecked(self._check_sentence(sentence, prompt, query))
            draft = draft_of(text, GeneratorInfo(name="ollama", model=model.name), stream.end)
            facts.update(generator="ollama", model=model.name, completion_tokens=draft.completion_tokens)
        return _Spoken(draft, self._ground(query, draft, prompt.retrieved_chunks, clock), prompt)

    def _check_sentence(self, sentence: str, prompt: PromptContext, query: Query) -> GroundedSentence:
        return ground_sentence(sentence, prompt.retrieved_chunks, check=self.check, question=query.question)

    def _quote(
        self,
        query: Query,
        hits: tuple[RetrievedChunk, ...],
        clock: RequestClock,
        *,
        model: ModelInfo | None = None,
        instead_because: str | None = None,
    ) -> _Spoken:
        """Answer with sentences of the hits, and say why where a model should have spoken."""
        with clock.stage("generate") as facts:
            occurs, among = self._word_counts(query, hits)
            draft = extract(query, hits, document_frequency=occurs, indexed=among, language=self.rules.language)
            info = GeneratorInfo(name="extractive", model=model and model.name, fallback_reason=instead_because)
            draft = draft.model_copy(update={"generator": info})
            facts.update(generator="extractive", fallback_reason=instead_because)
        return _Spoken(draft, self._ground(query, draft, hits, clock))

    def _word_counts(self, query: Query, hits: tuple[RetrievedChunk, ...]) -> tuple[WordCounts, int]:
        """Return what counts the chunks that hold a word, and how many there are; only the selected text's own."""
        if query.mode is not Mode.SELECTED_TEXT_ONLY:
            return self.catalogue.document_frequencies, self.catalogue.chunk_count()
        counted = frequencies(hits, language=self.rules.language)
        return lambda terms: {term: counted[term] for term in terms if counted[term]}, len(hits)

    def _ground(
        self, query: Query, draft: Draft, passages: tuple[RetrievedChunk, ...], clock: RequestClock
    ) -> Grounding:
        """Check every sentence of a draft."""
        with clock.stage("ground") as facts:
            grounding = ground(
                draft,
                passages,
                check=self.check,
                question=query.question,
                abstained=_abstains(draft),
            )
            kept = sum(sentence.supported for sentence in grounding.sentences)
            facts.update(sentences=len(grounding.sentences), supported=kept, answers=grounding.answers)
        return grounding

    # --- from a checked draft to the answer ---------------------------------------------------------------------------

    def _answer(self, query: Query, found: Found, spoken: _Spoken | None, clock: RequestClock) -> Answer:
        """Return the answer, or the refusal with its reasons."""
        retrieval, decision = found.retrieval, found.decision
        sentences: tuple[AnswerSentence, ...] = ()
        citations: tuple[Citation, ...] = ()
        if spoken and spoken.grounding.answers:
            passages = spoken.prompt.retrieved_chunks if spoken.prompt else retrieval.hits
            sentences, citations = cite(spoken.grounding.sentences, passages)
        abstained = spoken is not None and _abstains(spoken.draft)
        grounding = spoken.grounding if spoken else None
        refusal = None if sentences else explain(query, retrieval, decision, grounding, abstained=abstained)
        return Answer(
            request_id=query.request_id,
            query_id=query.query_id,
            session_id=query.session_id,
            query=query,
            answer=" ".join(sentence.text for sentence in sentences) or None,
            message=f"{refusal.reason} {refusal.advice}".strip() if refusal else None,
            refusal=refusal,
            sentences=sentences,
            citations=citations,
            retrieved=(*retrieval.hits, *retrieval.rest),
            confidence=decision.confidence,
            gate=decision,
            grounding=spoken.grounding if spoken else None,
            generator=spoken.draft.generator if spoken else GeneratorInfo(name="none"),
            prompt=spoken.prompt if spoken else None,
            draft=spoken.draft if spoken else None,
            notes=(
                *(retrieval.notes or _outside(query, citations)),
                *_spoken_notes(spoken),
                *doubts(query.question, _quoted(retrieval.hits, citations), language=self.rules.language),
            ),
            timings_ms=clock.timings(),
            fingerprints=self._fingerprints(query, spoken),
        )

    def _fingerprints(self, query: Query, spoken: _Spoken | None) -> Fingerprints:
        return Fingerprints(
            embedding=self.embedder.fingerprint,
            index=_selection(query) or self.catalogue.fingerprint(),
            settings=self.settings_fingerprint,
            gate=self.estimators[query.estimator or self.default_estimator].fingerprint,
            prompt=TEMPLATE if spoken and spoken.prompt else "",
        )


class _Ended:
    """A generator's stream that remembers how it ended."""

    def __init__(self, stream: Iterator[str]) -> None:
        self._stream = stream
        self.end: StreamEnd | None = None

    def __iter__(self) -> Iterator[str]:
        if isinstance(self._stream, Stream):
            self.end = yield from self._stream
        else:
            yield from self._stream

    def close(self) -> None:
        """Cancel the model where it has not ended."""
        if isinstance(self._stream, Stream):
            self._stream.close()


def checked_query(
    question: str, options: Mapping[str, Any], *, defaults: Mapping[str, Any], recorder: Recorder
) -> Query:
    """Return the canonical query, options that are None by default; one that is refused leaves a line in the log.

    Raises:
        InvalidQuery: The question or an option is outside its limits.
    """
    given = {name: value for name, value in options.items() if value is not None}
    begun = perf_counter()
    try:
        return validate(question, **{**defaults, **given})
    except InvalidQuery as error:
        request_id = str(given.get("request_id") or request_id_of(uuid4(), datetime.now(UTC)))
        spent_ms = round((perf_counter() - begun) * 1000, 3)
        facts = {"question_length": len(str(question)), "processing_time_ms": spent_ms}
        RequestClock(recorder, request_id).note("validation", "query_rejected", facts, error=error)
        raise


def _abstains(draft: Draft) -> bool:
    """Return whether a model wrote that the passages do not answer; quotes never do."""
    return draft.generator.name == "ollama" and is_abstention(draft.text)


def _hash_of(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()


def _selection(query: Query) -> str:
    """Return the fingerprint of the selected text, which stands in the index's place; empty in other modes."""
    return f"selected/{_hash_of(query.context)[:12]}" if query.mode is Mode.SELECTED_TEXT_ONLY else ""


def _outside(query: Query, citations: tuple[Citation, ...]) -> tuple[str, ...]:
    """Return what a reader must know who asked for a chapter that the answer does not come from."""
    if query.mode is not Mode.CHAPTER_AWARE or not citations:
        return ()
    if any(citation.chapter == query.filters.chapter for citation in citations):
        return ()
    return (f"The answer stands outside chapter {query.filters.chapter}: {citations[0].label}.",)


def _quoted(hits: tuple[RetrievedChunk, ...], citations: tuple[Citation, ...]) -> list[RetrievedChunk]:
    """Return the hits that an answer cites."""
    cited = {citation.chunk_id for citation in citations}
    return [hit for hit in hits if hit.chunk_id in cited]


def _spoken_notes(spoken: _Spoken | None) -> tuple[str, ...]:
    """Return what a reader must know of who spoke."""
    reason = spoken.draft.generator.fallback_reason if spoken else None
    return (f"The answer is quoted from the documents: {reason}",) if reason else ()


def _facts(answer: Answer) -> dict[str, Any]:
    """Return what the last log line says of an answer."""
    return {
        "confidence": answer.confidence,
        "generator": answer.generator.name,
        "citations": len(answer.citations),
        "sentences": len(answer.sentences),
        "refusal_stage": answer.refusal.stage if answer.refusal else None,
    }
