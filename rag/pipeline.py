"""The way of a question, in order; reading this file is reading the product.

validate -> standalone -> embed -> retrieve -> read -> gate -> prompt -> generate -> ground -> answer -> record
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Generator as Stream
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from rag.asking.checked_query import Collected, checked_query
from rag.asking.clock import RequestClock, Stage
from rag.asking.known_filters import unknown_in
from rag.asking.talk import place_meant, talk_answer, talk_of
from rag.asking.ways import Ways, says_more
from rag.embed import QuestionCache, embed_question
from rag.errors import IndexNotReady
from rag.events import Event, Finished, Found, Spoken, StageDone
from rag.gate import Estimator, decide
from rag.models import (
    Answer,
    EstimatorName,
    Fingerprints,
    GateDecision,
    HouseWord,
    Mode,
    Query,
    Retrieval,
    Timings,
)
from rag.opening.editions import editions_asked
from rag.opening.english import ENGLISH_ONLY, is_foreign
from rag.protocols import (
    Catalogue,
    Embedder,
    Generator,
    GroundingCheck,
    IndexedChunk,
    Reader,
    SearchScope,
    Vector,
    VectorStore,
)
from rag.ranking.superseded import Editions, KnownEditions, Narrowing
from rag.ranking.years import years_left_out
from rag.read import WINDOWS, read
from rag.record import Recorder
from rag.retrieve import RetrievalRules, retrieve, retrieve_selected
from rag.speaking.answering import answer_of
from rag.speaking.rewrite import rewritten_by
from rag.speaking.speaker import Speaker, told_of
from rag.speaking.summarise import Library, place_shown
from rag.standalone import joined_to_previous
from rag.validate import clean_question

_FINDING_STAGES: Final[tuple[Stage, ...]] = ("embed", "retrieve", "read", "gate")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything that answering needs. Made by `rag.wiring`; safe for use by several threads.

    Attributes:
        read_selected: Turns a selected text into chunks with vectors; the index is not touched.
        estimators: The gate's estimators by name; `default_estimator` is used where a question names none.
        reader: Reads the best windows; None: passages stay in the order of retrieval.
        threshold: The operator's confidence threshold; None: each estimator's own.
        unsure_threshold: The same for showing passages as unsure.
        windows: How many windows are read for a question.
        generator: The language model; None: quotations only.
        generator_named: Returns the model that a question names.
        house_words: Returns the other names of things that are put into questions.
        collected: Returns the documents of the collection that a question names.
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
    reader: Reader | None = None
    threshold: float | None = None
    unsure_threshold: float | None = None
    windows: int = WINDOWS
    generator: Generator | None = None
    generator_named: Callable[[str], Generator] | None = None
    house_words: Callable[[], Sequence[HouseWord]] = tuple
    collected: Collected | None = None
    rules: RetrievalRules = field(default_factory=RetrievalRules)
    max_context: int = 8192
    on_model_failure: Literal["extractive", "error"] = "extractive"
    settings_fingerprint: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    cache: QuestionCache = field(default_factory=QuestionCache)
    editions: KnownEditions = field(default_factory=KnownEditions)

    def query(self, question: str, **options: Any) -> Query:
        """Return the canonical query for a question; options that are None take the configured defaults.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
        """
        return checked_query(
            question, options, defaults=self.defaults, recorder=self.recorder, collected=self.collected
        )

    def ask(
        self,
        query: Query,
        *,
        check: Callable[[], None] | None = None,
        watch: Callable[[Event], None] | None = None,
    ) -> Answer:
        """Return the answer to a question, or the refusal that says why there is none.

        Args:
            query: The question.
            check: Called while it is worked on; what it raises ends the work and hangs up on the model.
            watch: Called with what happens.

        Raises:
            IndexNotReady: Nothing is indexed.
            ServiceUnavailable: The store or the embedding model failed, or the model server where nothing stands in.
        """
        with closing(self.stream(query)) as events:  # type: ignore[type-var]
            for event in events:
                if isinstance(event, Finished):
                    return event.answer
                if watch:
                    watch(event)
                if check:
                    check()
        raise AssertionError("a stream ends with Finished or an error")  # pragma: no cover

    def retrieve(self, query: Query) -> Found:
        """Return what a question finds and what the gate says of it; nothing is generated."""
        clock = RequestClock(self.recorder, query.request_id)
        self._note(query, clock)
        return self._find(query, self._embed(query, clock), clock)

    def stream(self, query: Query) -> Iterator[Event]:
        """Yield what happens while a question is answered; closing the iterator cancels the model, and is recorded."""
        clock = RequestClock(self.recorder, query.request_id)
        with clock.until_answered():
            self._note(query, clock)
            vector = self._embed(query, clock)
            answer = self._talked(query, vector, clock)
            answer = answer or (yield from self._shown(query, vector, clock))
            answer = answer or (yield from self._answered(query, vector, clock))
            clock.returned(answer)
            self.recorder.answer(answer)
        yield Finished(answer)

    def _answered(self, query: Query, vector: Vector, clock: RequestClock) -> Stream[Event, None, Answer]:
        """Find, judge and speak; return the answer, or why there is none."""
        found = self._find(query, vector, clock, rewritten=(yield from self._rewritten(query, clock)))
        yield from (StageDone(stage, getattr(found.timings_ms, stage)) for stage in _FINDING_STAGES)
        spoken = None
        speaker = self._speaker(query)
        if found.decision.passed or speaker.may_be_asked(found):
            spoken = yield from speaker.speak(found, clock)
            yield from told_of(spoken, clock.timings()) if spoken else ()
        made_with = self._fingerprints(query, spoken)
        answer = answer_of(found, spoken, timings=clock.timings(), fingerprints=made_with, unread=self._unread)
        return self._or_foreign(query, answer)

    def _unread(self, document: str) -> tuple[str, ...]:
        """Return what of a document could not be read."""
        record = self.catalogue.get(document)
        return record.notes if record else ()

    def _note(self, query: Query, clock: RequestClock) -> None:
        """Log that a question came in, and what of it may be told."""
        with clock.stage("validate") as facts:
            facts.update(question_length=len(query.question), question=query.question, mode=query.mode.value)
            facts.update({"collection": query.filters.collection} if query.filters.collection else {})
            if query.mode is Mode.SELECTED_TEXT_ONLY:
                facts.update(context=query.context, context_hash=_hash_of(query.context))

    def _embed(self, query: Query, clock: RequestClock) -> Vector:
        with clock.stage("embed") as facts:
            facts.update(model=self.embedder.fingerprint)
            return embed_question(query, embedder=self.embedder, cache=self.cache)

    def _talked(self, query: Query, vector: Vector, clock: RequestClock) -> Answer | None:
        """Return the answer to what is no question to the documents, as a greeting; else None."""
        if query.mode is Mode.SELECTED_TEXT_ONLY or not query.talks:
            return None
        message = talk_of(query, vector, catalogue=self.catalogue, embedding=self.embedder.fingerprint)
        if message is None:
            clean_question(query.question)  # what is too short for a question may have been a greeting
            return None
        made_with = self._fingerprints(query, None)
        return talk_answer(query, message, timings=clock.timings(), fingerprints=made_with)

    def _shown(self, query: Query, vector: Vector, clock: RequestClock) -> Stream[Event, None, Answer | None]:
        """Sum up the place that a question names, or show how it begins; None where it asks for no place."""
        known, embedding = self.catalogue, self.embedder.fingerprint
        if not query.talks or query.mode is not Mode.BOOK_WIDE or known.chunk_count() == 0:
            return None
        place = place_meant(query, vector, store=self.store, catalogue=known, embedding=embedding)
        if place is None:
            return None
        library = Library(self.store, known, query.estimator or self.default_estimator)
        shown = yield from place_shown(place, query, vector, library, self._speaker(query), clock)
        if shown is None:
            return None
        yield from told_of(shown[1], clock.timings())
        made_with = self._fingerprints(query, shown[1])
        return answer_of(*shown, timings=clock.timings(), fingerprints=made_with, unread=self._unread)

    def _or_foreign(self, query: Query, answer: Answer) -> Answer:
        """Return the answer; where there is none to a question in another language, say that English is read only."""
        if answer.outcome == "answered" or query.mode is Mode.SELECTED_TEXT_ONLY or not query.talks:
            return answer
        if not is_foreign(query.question):
            return answer
        return talk_answer(query, ENGLISH_ONLY, timings=answer.timings_ms, fingerprints=answer.fingerprints)

    def _rewritten(self, query: Query, clock: RequestClock) -> Stream[Event, None, Query | None]:
        """Return a follow-up as the model rewrites it; None where there is no model, or nothing before the question."""
        if query.as_asked or joined_to_previous(query) is None:
            return None
        asking = yield from self._speaker(query).find_model(query, clock)
        return (yield from rewritten_by(asking)) if asking else None

    def _find(self, query: Query, vector: Vector, clock: RequestClock, *, rewritten: Query | None = None) -> Found:
        """Return what the question finds, in the way of reading it that finds most."""

        def find(one: Query) -> Found:
            return self._found(one, vector if one is query else self._embed(one, clock), clock)

        ways = Ways(find, self._decide, self.house_words, self.catalogue, self.reader)
        return replace(ways.best(query, rewritten), timings_ms=clock.timings())

    def _found(self, query: Query, vector: Vector, clock: RequestClock) -> Found:
        """Retrieve, read, decide.

        Raises:
            IndexNotReady: Nothing is indexed.
        """
        with clock.stage("retrieve") as facts:
            if query.mode is not Mode.SELECTED_TEXT_ONLY and self.catalogue.chunk_count() == 0:
                self.store.count(SearchScope())  # one that cannot be reached is the worse trouble
                raise IndexNotReady("Nothing is indexed yet: add documents with 'candor ingest PATH' first.")
            known = self.editions.of(self.catalogue)
            everything = self._retrieve(query, vector)
            narrowing = self._editions_meant(query, vector, everything, known)
            asked, retrieval = self._narrowed(query, narrowing) if narrowing else (query, everything)
            years = years_left_out(query.question, asked.question)
            facts.update(
                chunks_retrieved=len(retrieval.hits), candidates=retrieval.candidates, searched=retrieval.searched
            )
        with clock.stage("read") as facts:
            left_open = everything if narrowing and narrowing.by_default else None
            retrieval = self._read(asked, retrieval)
            left_open = self._read(query, left_open) if left_open else None
            facts.update(windows=_windows_read(retrieval), reader=self.reader and self.reader.name)
        with clock.stage("gate") as facts:
            found = self._judged(query, asked, retrieval, otherwise=left_open)
            decision = found.decision
            facts.update(confidence=decision.confidence, threshold=decision.threshold, passed=decision.passed)
        works = tuple(work.editions for work in known.among(hit.document for hit in found.retrieval.hits))
        whole = found.retrieval.model_copy(update={"editions": works})
        return replace(found, retrieval=whole, years=years)

    def _judged(self, query: Query, asked: Query, retrieval: Retrieval, *, otherwise: Retrieval | None) -> Found:
        """Return what the gate says of what was found.

        Where a question leaves open which editions are meant, the latest are judged and all are: the latest stand where
        they are enough, else what has the higher confidence. So it is answered exactly where one of both reaches the
        threshold, and both are kept, so that another threshold can be tried.

        Args:
            query: The question.
            asked: As it was searched for.
            retrieval: What that found.
            otherwise: What all editions gave, where the latest alone were searched unasked; else None.
        """
        decision = self._decide(asked, retrieval)
        if otherwise is None:
            return Found(query, retrieval, decision, Timings(), asked)
        other = self._decide(query, otherwise)
        if decision.passed or not says_more(other, decision):
            return Found(query, retrieval, decision, Timings(), asked, editions_searched="latest", other=other)
        return Found(query, otherwise, other, Timings(), query, editions_searched="all", other=decision)

    def _decide(self, query: Query, retrieval: Retrieval) -> GateDecision:
        """Return whether to answer from what was found."""
        estimator = self.estimators[query.estimator or self.default_estimator]
        is_default = (query.estimator or self.default_estimator) == self.default_estimator
        decision = decide(
            query,
            retrieval,
            estimator=estimator,
            threshold=self.threshold if is_default else None,  # it was set for the default estimator
            unsure_threshold=self.unsure_threshold if is_default else None,
        )
        return decision if retrieval.searched or not retrieval.indexed else self._with_what_is_unknown(query, decision)

    def _read(self, query: Query, retrieval: Retrieval) -> Retrieval:
        if self.reader is None:
            return retrieval
        return read(query, retrieval, reader=self.reader, windows=self.windows)

    def _with_what_is_unknown(self, query: Query, decision: GateDecision) -> GateDecision:
        """Return the decision on a question whose filters leave nothing, with those values that occur nowhere."""
        unknown = unknown_in(query.filters, store=self.store, catalogue=self.catalogue)
        return decision.model_copy(update={"reason": " ".join((decision.reason, *(one.told for one in unknown)))})

    def _editions_meant(self, query: Query, vector: Vector, found: Retrieval, known: Editions) -> Narrowing | None:
        """Return which editions are meant of the works that a question found; None where all of them are."""
        if query.mode is Mode.SELECTED_TEXT_ONLY:
            return None
        asked = editions_asked(query.question, vector, embedding=self.embedder.fingerprint)
        return known.narrowed(query, {hit.document for hit in (*found.hits, *found.rest)}, asked)

    def _narrowed(self, query: Query, narrowing: Narrowing) -> tuple[Query, Retrieval]:
        """Return the question without the words that say which edition is meant, and what it finds there."""
        asked = query.model_copy(update={"question": narrowing.question})
        vector = embed_question(asked, embedder=self.embedder, cache=self.cache)
        found = self._retrieve(asked, vector, left_out=narrowing.left_out)
        return asked, found.model_copy(update={"narrowed": dict(narrowing.notes)})

    def _retrieve(self, query: Query, vector: Vector, *, left_out: Sequence[str] = ()) -> Retrieval:
        if query.mode is Mode.SELECTED_TEXT_ONLY:
            return retrieve_selected(query, vector, self.read_selected(query.context or ""), rules=self.rules)
        return retrieve(query, vector, store=self.store, catalogue=self.catalogue, rules=self.rules, left_out=left_out)

    def _speaker(self, query: Query) -> Speaker:
        generator = self.generator
        if query.model and self.generator_named and not query.no_llm:
            generator = self.generator_named(query.model)
        return Speaker(generator, self.check, self.reader, self.max_context, self.on_model_failure)

    def _fingerprints(self, query: Query, spoken: Spoken | None) -> Fingerprints:
        return Fingerprints(
            embedding=self.embedder.fingerprint,
            index=_selection(query) or self.catalogue.fingerprint(),
            settings=self.settings_fingerprint,
            gate=self.estimators[query.estimator or self.default_estimator].fingerprint,
            prompt=spoken.prompt.template if spoken and spoken.prompt else "",
        )


def _windows_read(retrieval: Retrieval) -> int:
    """Return how many windows were read."""
    found = (*retrieval.hits, *retrieval.rest)
    return sum(reading is not None for hit in found for reading in hit.window_readings)


def _hash_of(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()


def _selection(query: Query) -> str:
    """Return the fingerprint of the selected text, which stands in the index's place; empty in other modes."""
    return f"selected/{_hash_of(query.context)[:12]}" if query.mode is Mode.SELECTED_TEXT_ONLY else ""
