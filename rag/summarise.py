"""A section or document summed up by a language model, part by part, each sentence checked against its passage.

The parts are summed up first (map), then what is left of these notes (reduce). Notes that the check did not let pass
are not read on, and the last summary is held against the passages themselves, not against the notes.
"""

from collections.abc import Generator as Stream
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rag.answering import why_quoted
from rag.errors import GeneratorUnavailable
from rag.events import Event, Speaking, Spoken
from rag.models import GroundedSentence, Grounding, RetrievedChunk
from rag.prompt import SUMMARY, SUMMARY_OF_NOTES
from rag.speak import Asking, Speaker

MOST_PASSAGES: Final = 32
"""Passages of a place that are summed up; of a longer one the first."""
OF_A_PART: Final = 6
"""Passages that are summed up at once."""
NOTES: Final = 4
"""Notes of a part that are read on."""
SHOWN: Final = 8
"""Sentences that stand in for a last summary of which nothing is left."""


class _Note(NamedTuple):
    """A sentence about one passage, by its place among all."""

    sentence: GroundedSentence
    place: int


def summed_up_or_why(
    speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...]
) -> Stream[Event, None, tuple[Spoken | None, str | None]]:
    """Return a summary of a place, or why there is none, in words to be shown.

    Args:
        speaker: Prompts the model and checks what it writes.
        asking: The model.
        hits: The passages of the place, in its order.

    Raises:
        GeneratorUnavailable: The model failed, and nothing may stand in for it.
    """
    read = hits[:MOST_PASSAGES]
    try:
        spoken = yield from summed_up(speaker, asking, read)
    except GeneratorUnavailable as error:
        if speaker.on_model_failure == "error":
            raise
        return None, error.message
    if not spoken.grounding.answers:
        return None, why_quoted(spoken)
    left = f"Summed up are the first {len(read)} of {len(hits)} passages." if len(read) < len(hits) else ""
    return replace(spoken, notes=(left,) if left else ()), None


def summed_up(speaker: Speaker, asking: Asking, hits: tuple[RetrievedChunk, ...]) -> Speaking:
    """Return a summary of a place; its passages are numbered as the hits are.

    Args:
        speaker: Prompts the model and checks what it writes.
        asking: The model.
        hits: The passages of the place, in its order.

    Raises:
        GeneratorUnavailable: The model failed.
    """
    notes: list[_Note] = []
    begun = 0
    while begun < len(hits):
        part = hits[begun : begun + OF_A_PART]
        prompt = speaker.prompted(asking, part, SUMMARY)
        told = prompt.retrieved_chunks
        is_whole = len(told) == len(hits)
        spoken = yield from speaker.written(asking, prompt, told, aloud=is_whole)
        if is_whole:
            return spoken
        notes += _notes(spoken, begun)[:NOTES]
        begun += len(told)
    return (yield from _of_notes(speaker, asking, hits, notes))


def _notes(spoken: Spoken, begun: int) -> list[_Note]:
    """Return what the check left of the summary of a part."""
    kept = [one for one in spoken.grounding.sentences if one.supported]
    return [_Note(one, begun + one.passages[0] - 1) for one in kept]


def _of_notes(speaker: Speaker, asking: Asking, hits: Sequence[RetrievedChunk], notes: Sequence[_Note]) -> Speaking:
    """Return the summary of the notes, held against the passages that they are of; else the notes themselves."""
    written = [hits[note.place].model_copy(update=_content(note.sentence.text)) for note in notes]
    prompt = speaker.prompted(asking, written, SUMMARY_OF_NOTES)
    read = notes[: len(prompt.retrieved_chunks)]
    spoken = yield from speaker.written(asking, prompt, tuple(hits[note.place] for note in read))
    grounding = spoken.grounding
    if any(one.supported for one in grounding.sentences):
        sentences = tuple(_placed(one, read) for one in grounding.sentences)
        return Spoken(spoken.draft, grounding.model_copy(update={"sentences": sentences, "answers": True}))
    sentences = tuple(note.sentence.model_copy(update={"passages": (note.place + 1,)}) for note in notes[:SHOWN])
    return Spoken(spoken.draft, _of(sentences, grounding))


def _content(text: str) -> dict[str, object]:
    return {"content": text, "sentences": ((0, len(text)),)}


def _placed(sentence: GroundedSentence, notes: Sequence[_Note]) -> GroundedSentence:
    """Return a sentence that cites notes as one that cites their passages, each once."""
    pairs = zip(sentence.passages, sentence.evidence, strict=True)
    by_place = {notes[number - 1].place + 1: evidence for number, evidence in pairs}
    return sentence.model_copy(update={"passages": tuple(by_place), "evidence": tuple(by_place.values())})


def _of(sentences: tuple[GroundedSentence, ...], grounding: Grounding) -> Grounding:
    return grounding.model_copy(
        update={"sentences": sentences, "answers": bool(sentences), "is_valid": bool(sentences), "abstained": False}
    )
