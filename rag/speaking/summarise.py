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
from rag.asking.talk import Library, Place, beginning_shown, place_found
from rag.errors import GeneratorUnavailable
from rag.events import Event, Found, SentenceChecked, Speaking
from rag.models import GroundedSentence, Grounding, PromptContext, Query, RetrievedChunk, Spoken
from rag.opening.places import passages_of
from rag.prompt import SUMMARY, SUMMARY_OF_NOTES
from rag.protocols import Vector
from rag.speaking.answering import why_quoted
from rag.speaking.speaker import Asking, Speaker

QUOTED: Final = 5  # sentences of a place that are quoted where no model sums it up
MOST_PASSAGES: Final = 32  # passages of a place that are summed up; of a longer one the first
OF_A_PART: Final = 6  # passages that are summed up at once
NOTES: Final = 4  # notes of a part that are read on
SHOWN: Final = 8  # notes that are shown where there is no last summary, or nothing of it is left
PATIENCE_S: Final = 20.0  # after so long no further part is begun: so slow a model needs a minute for each


class _Note(NamedTuple):
    """A sentence about one passage, by its place among all."""

    sentence: GroundedSentence
    place: int


def place_shown(
    place: Place, query: Query, vector: Vector, library: Library, speaker: Speaker, clock: RequestClock
) -> Stream[Event, None, tuple[Found, Spoken] | None]:
    """Return a place summed up by a model, or how it begins, quoted; None where nothing stands there.

    Raises:
        GeneratorUnavailable: The model failed, and nothing may stand in for it.
        StoreUnavailable: The store did not answer.
    """
    store, hidden, because = library.store, library.catalogue.hidden_versions(), None
    asking = (yield from speaker.find_model(query, clock)) if place.is_summed_up else None
    if asking is not None:
        every = passages_of(place.filters, store, hidden)
        found = place_found(query, vector, every[:MOST_PASSAGES], library)
        if found.retrieval.hits:
            spoken, because = yield from summed_up_or_why(speaker, asking, found.retrieval.hits, len(every))
            if spoken is not None:
                return found, spoken
    passages = passages_of(place.filters, store, hidden, sentences=QUOTED)
    found = place_found(query, vector, passages, library)
    return (found, beginning_shown(found, because)) if passages else None


def summed_up_or_why(
    speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...], count: int
) -> Stream[Event, None, tuple[Spoken | None, str | None]]:
    """Return a summary of a place, or why there is none, in words to be shown.

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
    told = (
        f"This summary covers the first {read} of {count} passages, {read / count:.0%}. Ask about a section to get a "
        "summary of the rest."
    )
    return replace(spoken, notes=(told,) if read < count else ()), None


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
        kept = [one for one in spoken.grounding.sentences if one.supported][:NOTES]
        notes += [_Note(one, read + one.passages[0] - 1) for one in kept]
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


def _of_notes(speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...], notes: Sequence[_Note]) -> Speaking:
    texts = [(hits[note.place], note.sentence.text) for note in notes]
    written = [hit.model_copy(update={"content": text, "sentences": ((0, len(text)),)}) for hit, text in texts]
    prompt = speaker.prompted(asking, written, SUMMARY_OF_NOTES)
    read = notes[: len(prompt.retrieved_chunks)]
    spoken = yield from speaker.written(asking, prompt, tuple(hits[note.place] for note in read), aloud=False)
    sentences = tuple(_placed(one, read) for one in spoken.grounding.sentences)
    yield from map(SentenceChecked, sentences if any(one.supported for one in sentences) else ())
    return replace(spoken, grounding=_with(spoken.grounding, sentences), prompt=_of_all(spoken, hits))


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
