"""Before the search: what is no question to the documents gets a friendly sentence, or the place that it names.

What kind of opening a text is, and which place it names, is at home in `rag.opening`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rag.events import Found
from rag.models import (
    Answer,
    EstimatorName,
    Filters,
    Fingerprints,
    GateDecision,
    GeneratorInfo,
    GroundedSentence,
    Query,
    Retrieval,
    RetrievedChunk,
    Spoken,
    Timings,
)
from rag.opening.classifier import opening_of
from rag.opening.places import Passage, named_in
from rag.opening.replies import reply
from rag.protocols import Catalogue, IndexedChunk, Vector, VectorStore
from rag.quote import quotation, quoted

BEGINNING = "These are the first sentences of the part that you asked for. Open it to read on."


class Library(NamedTuple):
    """Where passages are, the fingerprint of the embedding model, and the estimator that decisions name."""

    store: VectorStore
    catalogue: Catalogue
    embedding: str
    estimator: EstimatorName


class Place(NamedTuple):
    """A section, chapter or document that a question asks to be shown, or to be summed up.

    Attributes:
        filters: What stands there.
        is_summed_up: Whether a summary is asked for.
    """

    filters: Filters
    is_summed_up: bool


def talk_of(query: Query, vector: Vector, library: Library) -> str | None:
    """Return the reply to a greeting, to thanks, or to a question about Candor or its documents; else None."""
    kind = opening_of(query.question, vector, embedding=library.embedding)
    return reply(kind, library.catalogue.documents())


def place_meant(query: Query, vector: Vector, library: Library) -> Place | None:
    """Return the place that a question asks to be shown or summed up; None where it asks something else.

    Where the question is asked of one document, or of a collection, a place of another document is none.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    kind = opening_of(query.question, vector, embedding=library.embedding)
    if kind not in ("summary", "section"):
        return None
    asked, known = query.filters, library.catalogue
    every = [record for record in known.documents() if asked.sources is None or record.document in asked.sources]
    filters = named_in(query.question, library.store, every, known.hidden_versions(), within=asked)
    if filters is None or (asked.source and filters.source != asked.source):
        return None
    return Place(filters, kind == "summary")


def place_found(query: Query, vector: Vector, passages: Sequence[Passage], library: Library) -> Found:
    """Return passages of a place as what the question found, in their order; one removed meanwhile is left out.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    found = library.store.fetch([passage.chunk.chunk_id for passage in passages])
    fetched = {one.chunk.chunk_id: one for one in found}
    hits = tuple(
        _hit(passage, rank, fetched[passage.chunk.chunk_id], vector)
        for rank, passage in enumerate(passages, start=1)
        if passage.chunk.chunk_id in fetched
    )
    count = library.catalogue.chunk_count()
    retrieval = Retrieval(hits=hits, candidates=len(hits), searched=count, indexed=count)
    decision = GateDecision(
        passed=True,
        outcome="answered",
        estimator=library.estimator,
        confidence=1.0,
        threshold=0.0,
        margin=1.0,
        reason="The part that the question names is shown.",
    )
    return Found(query, retrieval, decision, Timings(), is_judged=False)


def _hit(passage: Passage, rank: int, fetched: IndexedChunk, vector: Vector) -> RetrievedChunk:
    cosines = tuple(round(float(one), 6) for one in np.asarray(fetched.vectors) @ vector)
    cosine = max(cosines, default=0.0)
    return RetrievedChunk(
        **passage.chunk.__dict__,
        rank=rank,
        retrieval_rank=rank,
        similarity_score=min(max(cosine, 0.0), 1.0),
        cosine=cosine,
        window_cosines=cosines,
        marks=tuple(float(n in passage.sentences) for n in range(len(passage.chunk.sentences))),
    )


def beginning_shown(found: Found, because: str | None) -> Spoken:
    """Return the sentences of a place that are marked, quoted."""
    sentences = [
        GroundedSentence(
            text=quoted(hit, number),
            supported=True,
            support=1.0,
            passages=(place,),
            evidence=(hit.sentence_texts[number],),
        )
        for place, hit in enumerate(found.retrieval.hits, start=1)
        for number, mark in enumerate(hit.marks)
        if mark
    ]
    return quotation(sentences, (BEGINNING,), info=GeneratorInfo(name="extractive", fallback_reason=because))


def talk_answer(query: Query, message: str, *, timings: Timings, fingerprints: Fingerprints) -> Answer:
    """Return the answer that is a friendly sentence and nothing else."""
    return Answer(
        request_id=query.request_id,
        query_id=query.query_id,
        session_id=query.session_id,
        query=query,
        outcome="talk",
        answer=None,
        message=message,
        timings_ms=timings,
        fingerprints=fingerprints,
    )
