"""The way of a question, in order; reading this file is reading the product.

validate -> standalone -> embed -> retrieve -> read -> gate -> prompt -> generate -> ground -> answer -> record
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Generator as Stream
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from rag.asking.checked_query import Collected, checked_query
from rag.asking.clock import RequestClock, Stage
from rag.asking.search import Search
from rag.asking.talk import Library, place_meant, talk_answer, talk_of
from rag.asking.ways import Ways
from rag.events import Event, Finished, Found, StageDone
from rag.models import Answer, Fingerprints, Mode, Query, Spoken
from rag.opening.english import ENGLISH_ONLY, is_foreign
from rag.protocols import Generator, GroundingCheck, Vector
from rag.record import Recorder
from rag.speaking.answering import answer_of
from rag.speaking.rewrite import rewritten_by
from rag.speaking.speaker import Speaker, told_of
from rag.speaking.summarise import place_shown
from rag.standalone import joined_to_previous
from rag.validate import clean_question

_FINDING_STAGES: Final[tuple[Stage, ...]] = ("embed", "retrieve", "read", "gate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline(Search):
    """Everything that answering needs. Made by `rag.wiring`; safe for use by several threads.

    Attributes:
        generator: The language model; None: quotations only.
        generator_named: Returns the model that a question names.
        collected: Returns the documents of the collection that a question names.
        on_model_failure: Whether the extractive answerer stands in, or `GeneratorUnavailable` is raised.
    """

    check: GroundingCheck
    recorder: Recorder
    generator: Generator | None = None
    generator_named: Callable[[str], Generator] | None = None
    collected: Collected | None = None
    max_context: int = 8192
    on_model_failure: Literal["extractive", "error"] = "extractive"
    settings_fingerprint: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def query(self, question: str, **options: Any) -> Query:
        """Return the canonical query for a question; options that are None take the configured defaults.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
        """
        return checked_query(
            question, options, defaults=self.defaults, recorder=self.recorder, collected=self.collected
        )

    def ask(
        self, query: Query, *, check: Callable[[], None] | None = None, watch: Callable[[Event], None] | None = None
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
        return self._find(query, self.embed(query, clock), clock)

    def stream(self, query: Query) -> Iterator[Event]:
        """Yield what happens while a question is answered; closing the iterator cancels the model, and is recorded."""
        clock = RequestClock(self.recorder, query.request_id)
        with clock.until_answered():
            self._note(query, clock)
            vector = self.embed(query, clock)
            answer = self._talked(query, vector, clock)
            answer = answer or (yield from self._shown(query, vector, clock))
            answer = answer or (yield from self._answered(query, vector, clock))
            clock.returned(answer)
            self.recorder.answer(answer)
        yield Finished(answer)

    def _note(self, query: Query, clock: RequestClock) -> None:
        """Log that a question came in, and what of it may be told."""
        with clock.stage("validate") as facts:
            facts.update(question_length=len(query.question), question=query.question, mode=query.mode.value)
            facts.update({"collection": query.filters.collection} if query.filters.collection else {})
            if query.mode is Mode.SELECTED_TEXT_ONLY:
                facts.update(context=query.context, context_hash=_hash_of(query.context))

    def _talked(self, query: Query, vector: Vector, clock: RequestClock) -> Answer | None:
        """Return the answer to what is no question to the documents, as a greeting; else None."""
        if query.mode is Mode.SELECTED_TEXT_ONLY or not query.talks:
            return None
        message = talk_of(query, vector, self._library(query))
        if message is None:
            clean_question(query.question)  # what is too short for a question may have been a greeting
            return None
        return talk_answer(query, message, timings=clock.timings(), fingerprints=self._fingerprints(query))

    def _shown(self, query: Query, vector: Vector, clock: RequestClock) -> Stream[Event, None, Answer | None]:
        """Sum up the place that a question names, or show how it begins; None where it asks for no place."""
        if not query.talks or query.mode is not Mode.BOOK_WIDE or self.catalogue.chunk_count() == 0:
            return None
        library = self._library(query)
        place = place_meant(query, vector, library)
        if place is None:
            return None
        shown = yield from place_shown(place, query, vector, library, self._speaker(query), clock)
        return (yield from self._told(*shown, clock)) if shown else None

    def _answered(self, query: Query, vector: Vector, clock: RequestClock) -> Stream[Event, None, Answer]:
        """Find, judge and speak; return the answer, or why there is none."""
        found = self._find(query, vector, clock, rewritten=(yield from self._rewritten(query, clock)))
        yield from (StageDone(stage, getattr(found.timings_ms, stage)) for stage in _FINDING_STAGES)
        spoken, speaker = None, self._speaker(query)
        if found.decision.passed or speaker.may_be_asked(found):
            spoken = yield from speaker.speak(found, clock)
        answer = yield from self._told(found, spoken, clock)
        may_be_foreign = query.talks and query.mode is not Mode.SELECTED_TEXT_ONLY
        if answer.outcome == "answered" or not may_be_foreign or not is_foreign(query.question):
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
            return self.found(one, vector if one is query else self.embed(one, clock), clock)

        return replace(Ways(find, self).best(query, rewritten), timings_ms=clock.timings())

    def _told(self, found: Found, spoken: Spoken | None, clock: RequestClock) -> Stream[Event, None, Answer]:
        """Yield what nobody was told yet of what was said; return the answer."""
        yield from told_of(spoken, clock.timings()) if spoken else ()
        made_with = self._fingerprints(found.query, spoken)
        return answer_of(found, spoken, timings=clock.timings(), fingerprints=made_with, unread=self._unread)

    def _unread(self, document: str) -> tuple[str, ...]:
        record = self.catalogue.get(document)
        return record.notes if record else ()

    def _library(self, query: Query) -> Library:
        estimator = query.estimator or self.default_estimator
        return Library(self.store, self.catalogue, self.embedder.fingerprint, estimator)

    def _speaker(self, query: Query) -> Speaker:
        generator = self.generator
        if query.model and self.generator_named and not query.no_llm:
            generator = self.generator_named(query.model)
        return Speaker(generator, self.check, self.reader, self.max_context, self.on_model_failure)

    def _fingerprints(self, query: Query, spoken: Spoken | None = None) -> Fingerprints:
        is_selected = query.mode is Mode.SELECTED_TEXT_ONLY
        return Fingerprints(
            embedding=self.embedder.fingerprint,
            index=f"selected/{_hash_of(query.context)[:12]}" if is_selected else self.catalogue.fingerprint(),
            settings=self.settings_fingerprint,
            gate=self.estimators[query.estimator or self.default_estimator].fingerprint,
            prompt=spoken.prompt.template if spoken and spoken.prompt else "",
        )


def _hash_of(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()
