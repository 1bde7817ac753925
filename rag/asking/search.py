"""One reading of a question: retrieve -> read -> gate, in the editions of works that it means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag.asking.clock import RequestClock
from rag.asking.known_filters import unknown_in
from rag.embed import QuestionCache, embed_question
from rag.errors import IndexNotReady
from rag.events import Found
from rag.gate import Estimator, decide
from rag.models import EstimatorName, GateDecision, HouseWord, Mode, Query, Retrieval, Timings
from rag.opening.editions import editions_asked
from rag.opening.lists import asks_for_list
from rag.protocols import Catalogue, Embedder, IndexedChunk, Reader, SearchScope, Vector, VectorStore
from rag.ranking.superseded import Editions, KnownEditions, Narrowing
from rag.ranking.years import years_left_out
from rag.read import WINDOWS, read
from rag.retrieve import RetrievalRules, retrieve, retrieve_selected


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What finding and judging needs.

    Attributes:
        read_selected: Turns a selected text into chunks with vectors; the index is not touched.
        estimators: The gate's estimators by name; `default_estimator` is used where a question names none.
        reader: Reads the best windows; None: passages stay in the order of retrieval.
        threshold: The operator's confidence threshold; None: each estimator's own.
        unsure_threshold: The same for showing passages as unsure.
        windows: How many windows are read for a question.
        house_words: Returns the other names of things that are put into questions.
    """

    embedder: Embedder
    store: VectorStore
    catalogue: Catalogue
    read_selected: Callable[[str], Sequence[IndexedChunk]]
    estimators: Mapping[EstimatorName, Estimator]
    default_estimator: EstimatorName = "calibrated"
    reader: Reader | None = None
    threshold: float | None = None
    unsure_threshold: float | None = None
    windows: int = WINDOWS
    house_words: Callable[[], Sequence[HouseWord]] = tuple
    rules: RetrievalRules = field(default_factory=RetrievalRules)
    cache: QuestionCache = field(default_factory=QuestionCache)
    editions: KnownEditions = field(default_factory=KnownEditions)

    def embed(self, query: Query, clock: RequestClock) -> Vector:
        """Return the question's embedding; see `embed_question`."""
        with clock.stage("embed") as facts:
            facts.update(model=self.embedder.fingerprint)
            return embed_question(query, embedder=self.embedder, cache=self.cache)

    def found(self, query: Query, vector: Vector, clock: RequestClock) -> Found:
        """Return what a question finds as it is written, and what the gate says of it.

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
            facts.update(
                chunks_retrieved=len(retrieval.hits), candidates=retrieval.candidates, searched=retrieval.searched
            )
        with clock.stage("read") as facts:
            retrieval = self._read(asked, retrieval)
            left_open = self._read(query, everything) if narrowing and narrowing.by_default else None
            readings = (one for hit in (*retrieval.hits, *retrieval.rest) for one in hit.window_readings)
            count = sum(one is not None for one in readings)
            facts.update(windows=count, reader=self.reader and self.reader.name)
        with clock.stage("gate") as facts:
            found = self._judged(query, asked, retrieval, left_open)
            decision = found.decision
            facts.update(confidence=decision.confidence, threshold=decision.threshold, passed=decision.passed)
        works = tuple(work.editions for work in known.among(hit.document for hit in found.retrieval.hits))
        is_list = asks_for_list(query.question, vector, embedding=self.embedder.fingerprint)
        told = found.retrieval.model_copy(update={"editions": works, "asks_for_list": is_list})
        return replace(found, retrieval=told, years=years_left_out(query.question, asked.question))

    def decide(self, query: Query, retrieval: Retrieval) -> GateDecision:
        """Return whether to answer from what was found; where the filters leave nothing, the reason says why."""
        name = query.estimator or self.default_estimator
        is_default = name == self.default_estimator
        decision = decide(
            query,
            retrieval,
            estimator=self.estimators[name],
            threshold=self.threshold if is_default else None,  # it was set for the default estimator
            unsure_threshold=self.unsure_threshold if is_default else None,
        )
        if retrieval.searched or not retrieval.indexed:
            return decision
        unknown = unknown_in(query.filters, store=self.store, catalogue=self.catalogue)
        return decision.model_copy(update={"reason": " ".join((decision.reason, *(one.message for one in unknown)))})

    def _judged(self, query: Query, asked: Query, retrieval: Retrieval, everything: Retrieval | None) -> Found:
        """Return what the gate says of what was found, and of `everything` where the question leaves editions open.

        Then the latest editions stand where they are enough, else what has the higher confidence. So a question is
        answered exactly where one of both reaches the threshold, and both are kept, so that another can be tried.
        """
        decision = self.decide(asked, retrieval)
        if everything is None:
            return Found(query, retrieval, decision, Timings(), asked)
        other = self.decide(query, everything)
        if decision.passed or not says_more(other, decision):
            return Found(query, retrieval, decision, Timings(), asked, editions_searched="latest", other=other)
        return Found(query, everything, other, Timings(), query, editions_searched="all", other=decision)

    def _read(self, query: Query, retrieval: Retrieval) -> Retrieval:
        return read(query, retrieval, reader=self.reader, windows=self.windows) if self.reader else retrieval

    def _editions_meant(self, query: Query, vector: Vector, found: Retrieval, known: Editions) -> Narrowing | None:
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


def says_more(one: GateDecision, other: GateDecision) -> bool:
    """Return whether a decision speaks for an answer more than another."""
    return (one.passed, one.confidence) > (other.passed, other.confidence)
