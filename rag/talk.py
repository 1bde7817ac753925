"""Before the search: what is no question to the documents gets a friendly sentence, or the place that it names.

What kind of opening a text is, and which place it names, is at home in `rag.opening`.
"""

from collections.abc import Sequence

import numpy as np

from rag.events import Found, Spoken
from rag.models import (
    Answer,
    Draft,
    EstimatorName,
    Fingerprints,
    GateDecision,
    GeneratorInfo,
    GroundedSentence,
    Grounding,
    Mode,
    Query,
    Retrieval,
    RetrievedChunk,
    Timings,
)
from rag.opening import Passage, beginning_of, named_in, opening_of, reply
from rag.protocols import Catalogue, IndexedChunk, Vector, VectorStore
from rag.quote import METHOD, quoted

BEGINNING = "Shown are the first sentences of the place that was asked for; open it to read on."


def talk_of(query: Query, vector: Vector, *, catalogue: Catalogue, embedding: str) -> str | None:
    """Return the reply to a greeting, to thanks, or to a question about Candor or its documents; else None.

    Args:
        query: The question; one about a selected text is always a question to the text.
        vector: Its embedding.
        catalogue: What is indexed.
        embedding: Fingerprint of the embedding model.
    """
    if query.mode is Mode.SELECTED_TEXT_ONLY:
        return None
    return reply(opening_of(query.question, vector, embedding=embedding).kind, catalogue.documents())


def place_shown(
    query: Query,
    vector: Vector,
    *,
    store: VectorStore,
    catalogue: Catalogue,
    embedding: str,
    estimator: EstimatorName,
) -> tuple[Found, Spoken] | None:
    """Return how the section, chapter or document begins that a question asks to be shown or summed up; else None.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    if query.mode is not Mode.BOOK_WIDE:
        return None
    if opening_of(query.question, vector, embedding=embedding).kind not in ("summary", "section"):
        return None
    hidden = catalogue.hidden_versions()
    place = named_in(query.question, store, catalogue.documents(), hidden)
    passages = beginning_of(place, store, hidden) if place is not None else ()
    if not passages:
        return None
    fetched = {one.chunk.chunk_id: one for one in store.fetch([passage.chunk.chunk_id for passage in passages])}
    hits = tuple(
        _hit(passage, rank, fetched[passage.chunk.chunk_id], vector)
        for rank, passage in enumerate(passages, start=1)
        if passage.chunk.chunk_id in fetched
    )
    count = catalogue.chunk_count()
    retrieval = Retrieval(hits=hits, candidates=len(hits), searched=count, indexed=count)
    decision = GateDecision(
        passed=True,
        outcome="answered",
        estimator=estimator,
        confidence=1.0,
        threshold=0.0,
        margin=1.0,
        reason="The place that the question names is shown.",
    )
    return Found(query, retrieval, decision, Timings()), _spoken(hits, passages)


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


def _spoken(hits: Sequence[RetrievedChunk], passages: Sequence[Passage]) -> Spoken:
    sentences = tuple(
        GroundedSentence(
            text=quoted(hit, number),
            supported=True,
            support=1.0,
            passages=(place,),
            evidence=(hit.sentence_texts[number],),
        )
        for place, (hit, passage) in enumerate(zip(hits, passages, strict=False), start=1)
        for number in passage.sentences
    )
    text = " ".join(f"{one.text} [{one.passages[0]}]" for one in sentences)
    draft = Draft(text=text, generator=GeneratorInfo(name="extractive"))
    grounding = Grounding(is_valid=True, sentences=sentences, answers=bool(sentences), method=METHOD)
    return Spoken(draft, grounding, notes=(BEGINNING,))
