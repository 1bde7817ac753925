"""From what was found and said to the answer, or the refusal with its reasons."""

from collections.abc import Callable, Sequence
from typing import Final

from rag.asking.parts import unanswered
from rag.cite import as_text, cite
from rag.events import Found
from rag.models import (
    Answer,
    AnswerSentence,
    Citation,
    Fingerprints,
    GateDecision,
    GeneratorInfo,
    Mode,
    Query,
    Retrieval,
    Spoken,
    Timings,
)
from rag.models.complaints import shown
from rag.ranking.closest import nearest_misses
from rag.ranking.superseded import edition_notes
from rag.refuse import beside_the_question, explain
from rag.replies import only_thinks
from rag.standalone import read_note

DOUBTED: Final = (
    "It is not certain that the passages answer the question. A model was asked anyway; each of its sentences shown "
    "here was checked against the passages."
)
"""Beside a model's answer from passages that the gate is unsure of."""


def answer_of(
    found: Found,
    spoken: Spoken | None,
    *,
    timings: Timings,
    fingerprints: Fingerprints,
    unread: Callable[[str], Sequence[str]] = lambda _: (),
) -> Answer:
    """Return the answer, or why there is none.

    Args:
        found: What retrieval and gate made of the question.
        spoken: What was said and checked; None where the gate let nothing be said.
        timings: How long the stages took.
        fingerprints: What the answer was made with.
        unread: Returns what of a document could not be read.
    """
    query, retrieval, decision, asked = found.query, found.retrieval, found.decision, found.asked or found.query
    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    passages = spoken.prompt.retrieved_chunks if spoken and spoken.prompt else retrieval.hits
    grounding = spoken.grounding if spoken else None
    if grounding and grounding.answers:
        sentences, citations = cite(grounding.sentences, passages)
    abstained = grounding is not None and grounding.abstained
    refusal = None if sentences else explain(query, retrieval, decision, grounding, abstained=abstained)
    if refusal and decision.passed:  # good enough to the gate, and yet no answer: what was found is shown all the same
        decision = decision.model_copy(update={"outcome": "unsure", "nearest_misses": nearest_misses(retrieval)})
    outcome = "answered" if sentences else decision.outcome
    return Answer(
        request_id=query.request_id,
        query_id=query.query_id,
        session_id=query.session_id,
        query=query,
        asked=asked.question if asked.question != query.question else None,
        house_words=found.house_words,
        outcome=outcome,
        answer=_text(sentences, citations, spoken),
        message=f"{refusal.reason} {refusal.advice}".strip() if refusal else None,
        refusal=refusal,
        sentences=sentences,
        citations=citations,
        retrieved=(*retrieval.hits, *retrieval.rest),
        confidence=_confidence(decision, spoken),
        gate=decision if found.is_judged or refusal else None,
        grounding=grounding,
        generator=spoken.draft.generator if spoken else GeneratorInfo(name="none"),
        prompt=spoken.prompt if spoken else None,
        draft=spoken.draft if spoken else None,
        replaced=spoken.replaced if spoken else None,
        cuts=retrieval.cuts,
        other_confidence=found.other.confidence if found.other else None,
        asks_for_list=retrieval.asks_for_list,
        notes=(*_notes_on(found, spoken, citations), *_unread(citations, unread)),
        timings_ms=timings,
        fingerprints=fingerprints,
    )


def _confidence(decision: GateDecision, spoken: Spoken | None) -> float:
    """Return the gate's confidence; of a model's answer, how surely its best sentence is carried and answers."""
    if spoken is None or not spoken.draft.generator.is_model or not spoken.grounding.answers:
        return decision.confidence
    kept = [one for one in spoken.grounding.sentences if one.supported]
    if all(one.relevance is None for one in kept):
        return decision.confidence * min(one.support for one in kept)
    return max(one.counts for one in kept)


def _text(sentences: Sequence[AnswerSentence], citations: Sequence[Citation], spoken: Spoken | None) -> str | None:
    if not spoken or not sentences:
        return None
    texts = [one.text for one in sentences]
    return as_text(sentences, citations, texts, speaker=spoken.draft.generator, line="\n")


def _notes_on(found: Found, spoken: Spoken | None, citations: tuple[Citation, ...]) -> tuple[str, ...]:
    """Return what a reader must know of an answer, or of a refusal, in the order in which it is shown."""
    query, retrieval = found.query, found.retrieval
    is_named = found.read_as is None and (found.asked or query).question != query.question
    cited = [citation.document for citation in citations]
    if not cited and retrieval.narrowed and not is_named:
        cited = [hit.document for hit in retrieval.hits[:1]]  # further down editions are found for any question
    return (
        *((read_note(found.read_as, found.house_words),) if found.read_as else ()),
        *(f"No document has {shown(code)}." for code in retrieval.absent),
        *retrieval.notes,
        *_outside(query, retrieval, citations),
        *edition_notes(query, retrieval, cited),
        *unanswered(found.parts),
        *_spoken_notes(found, spoken, citations),
        *(spoken.notes if spoken else ()),
    )


def _unread(citations: Sequence[Citation], unread: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Return how cited documents were read where that may matter: what is missing may hold the answer, too."""
    cited = dict.fromkeys(citation.document for citation in citations)
    return tuple(f"How {name!r} was read: {' '.join(said[:3])}" for name in cited if (said := unread(name)))


def why_quoted(spoken: Spoken) -> str:
    """Return why the documents are quoted instead of what a model wrote that answers nothing."""
    draft = spoken.draft
    if spoken.grounding.abstained:
        return "The model wrote that the passages do not answer the question, but the reader is sure that they do."
    if beside := beside_the_question(spoken.grounding):
        return f"{beside}."
    if not only_thinks(draft.text):
        return "The model's text did not pass the check against the passages."
    if draft.finish_reason != "length":
        return "The model wrote only its thoughts and no answer."
    room = f"all {spoken.prompt.max_tokens} tokens" if spoken.prompt else "all tokens"
    return (
        f"The model used {room} of its answer for thinking. Raise CANDOR_MAX_TOKENS, or use a model without thoughts."
    )


def _outside(query: Query, retrieval: Retrieval, citations: tuple[Citation, ...]) -> tuple[str, ...]:
    """Return what a reader must know who asked for a chapter that the answer does not come from."""
    if query.mode is not Mode.CHAPTER_AWARE or not citations or not retrieval.hits[0].preferred:
        return ()  # a note says it already where the best passage is not preferred
    if any(citation.chapter == query.filters.chapter for citation in citations):
        return ()
    return (f"The answer is from outside chapter {query.filters.chapter}: {citations[0].label}.",)


def _spoken_notes(found: Found, spoken: Spoken | None, citations: tuple[Citation, ...]) -> tuple[str, ...]:
    if spoken is None:
        return ()
    speaker = spoken.draft.generator
    if speaker.fallback_reason:
        return (f"The answer is quoted from the documents: {speaker.fallback_reason}",)
    return (DOUBTED,) if speaker.is_model and citations and not found.decision.passed else ()
