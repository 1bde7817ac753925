"""A section or document summed up by a language model, part by part, each sentence checked against its passage.

The parts are summed up first (map), then what is left of these notes (reduce). Notes that the check did not let pass
are not read on, and the last summary is held against the passages themselves, not against the notes.
"""

from collections.abc import Generator as Stream
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Final, NamedTuple

from rag.asking.clock import RequestClock
from rag.asking.talk import Place, beginning_shown, place_found
from rag.errors import GeneratorUnavailable
from rag.events import Event, Found, SentenceChecked, Speaking, Spoken
from rag.models import EstimatorName, GroundedSentence, Grounding, PromptContext, Query, RetrievedChunk
from rag.opening.places import beginning_of, whole_of
from rag.prompt import SUMMARY, SUMMARY_OF_NOTES
from rag.protocols import Catalogue, Vector, VectorStore
from rag.speaking.answering import why_quoted
from rag.speaking.speaker import Asking, Speaker

MOST_PASSAGES: Final = 32
"""Passages of a place that are summed up; of a longer one the first."""
OF_A_PART: Final = 6
"""Passages that are summed up at once."""
NOTES: Final = 4
"""Notes of a part that are read on."""
SHOWN: Final = 8
"""Notes that are shown where there is no last summary, or nothing of it is left."""
PATIENCE_S: Final = 20.0
"""After so long no further part is begun: so slow a model needs a minute for each."""


class _Note(NamedTuple):
    """A sentence about one passage, by its place among all."""

    sentence: GroundedSentence
    place: int


class Library(NamedTuple):
    """Where passages are, and the estimator that their decision names."""

    store: VectorStore
    catalogue: Catalogue
    estimator: EstimatorName


def place_shown(
    place: Place, query: Query, vector: Vector, library: Library, speaker: Speaker, clock: RequestClock
) -> Stream[Event, None, tuple[Found, Spoken] | None]:
    """Return a place summed up by a model, or how it begins, quoted; None where nothing stands there.

    Raises:
        GeneratorUnavailable: The model failed, and nothing may stand in for it.
        StoreUnavailable: The store did not answer.
    """
    store, known, because = library.store, library.catalogue, None
    hidden = known.hidden_versions()
    asking = (yield from speaker.find_model(query, clock)) if place.is_summed_up else None
    if asking is not None:
        read, count = whole_of(place.filters, store, hidden, most=MOST_PASSAGES)
        found = place_found(query, vector, read, store=store, catalogue=known, estimator=library.estimator)
        if found.retrieval.hits:
            spoken, because = yield from summed_up_or_why(speaker, asking, found.retrieval.hits, count)
            if spoken is not None:
                return found, spoken
    passages = beginning_of(place.filters, store, hidden)
    found = place_found(query, vector, passages, store=store, catalogue=known, estimator=library.estimator)
    return (found, beginning_shown(found, passages, because)) if passages else None


def summed_up_or_why(
    speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...], count: int
) -> Stream[Event, None, tuple[Spoken | None, str | None]]:
    """Return a summary of a place, or why there is none, in words to be shown.

    Args:
        speaker: Prompts the model and checks what it writes.
        asking: The model.
        hits: The first passages of the place, in its order.
        count: How many it has.

    Raises:
        GeneratorUnavailable: The model failed, and nothing may stand in for it.
    """
    try:
        spoken, read = yield from _summed_up(speaker, asking, hits)
    except GeneratorUnavailable as error:
        if speaker.on_model_failure == "error":
            raise
        return None, error.message
    if not spoken.grounding.answers:
        return None, why_quoted(spoken)
    notes = (_how_much(read, count),) if read < count else ()
    return replace(spoken, notes=notes), None


def _how_much(read: int, count: int) -> str:
    """Return how much of a place a summary is of.

    >>> _how_much(12, 80)
    'This summary covers the first 12 of 80 passages, 15%. Ask about a section to get a summary of the rest.'
    """
    told = f"This summary covers the first {read} of {count} passages, {read / count:.0%}."
    return f"{told} Ask about a section to get a summary of the rest."


def _summed_up(
    speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...]
) -> Stream[Event, None, tuple[Spoken, int]]:
    """Return a summary whose sentences cite passages as the hits are numbered, and how many of the hits it is of."""
    notes: list[_Note] = []
    read, parts, begun = 0, 0, monotonic()
    while True:
        prompt = speaker.prompted(asking, hits[read : read + OF_A_PART], SUMMARY)
        told = prompt.retrieved_chunks
        is_all = len(told) == len(hits)
        spoken = yield from speaker.written(asking, prompt, told, aloud=is_all)
        if is_all:
            return spoken, len(hits)
        notes += _notes(spoken, read)[:NOTES]
        read, parts = read + len(told), parts + 1
        if monotonic() - begun > PATIENCE_S or read >= len(hits) or not told:
            break
    if notes and parts > 1:  # the notes of one part are a summary already
        reduced = yield from _of_notes(speaker, asking, hits, notes)
        if reduced.grounding.answers:
            return reduced, read
    sentences = tuple(note.sentence.model_copy(update={"passages": (note.place + 1,)}) for note in notes[:SHOWN])
    yield from map(SentenceChecked, sentences)
    return replace(spoken, grounding=_with(spoken.grounding, sentences), prompt=_of_all(spoken, hits)), read


def _notes(spoken: Spoken, before: int) -> list[_Note]:
    """Return what the check left of the summary of a part that begins behind so many passages."""
    kept = [one for one in spoken.grounding.sentences if one.supported]
    return [_Note(one, before + one.passages[0] - 1) for one in kept]


def _of_notes(speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...], notes: Sequence[_Note]) -> Speaking:
    """Return the summary of the notes, held against the passages that they are of."""
    written = [hits[note.place].model_copy(update=_content(note.sentence.text)) for note in notes]
    prompt = speaker.prompted(asking, written, SUMMARY_OF_NOTES)
    read = notes[: len(prompt.retrieved_chunks)]
    spoken = yield from speaker.written(asking, prompt, tuple(hits[note.place] for note in read), aloud=False)
    sentences = tuple(_placed(one, read) for one in spoken.grounding.sentences)
    yield from map(SentenceChecked, sentences if any(one.supported for one in sentences) else ())
    return replace(spoken, grounding=_with(spoken.grounding, sentences), prompt=_of_all(spoken, hits))


def _content(text: str) -> dict[str, object]:
    return {"content": text, "sentences": ((0, len(text)),)}


def _placed(sentence: GroundedSentence, notes: Sequence[_Note]) -> GroundedSentence:
    """Return a sentence that cites notes as one that cites their passages, each once."""
    pairs = zip(sentence.passages, sentence.evidence, strict=True)
    by_place = {notes[number - 1].place + 1: evidence for number, evidence in pairs}
    return sentence.model_copy(update={"passages": tuple(by_place), "evidence": tuple(by_place.values())})


def _with(grounding: Grounding, sentences: tuple[GroundedSentence, ...]) -> Grounding:
    """Return what a check says of other sentences: they answer where one is left."""
    answers = any(one.supported for one in sentences)
    changes = {"sentences": sentences, "answers": answers, "abstained": False}
    return grounding.model_copy(update={**changes, "is_valid": answers and all(one.supported for one in sentences)})


def _of_all(spoken: Spoken, hits: tuple[RetrievedChunk, ...]) -> PromptContext | None:
    """Return the last prompt with the passages as citations number them."""
    return spoken.prompt.model_copy(update={"retrieved_chunks": hits}) if spoken.prompt else None
