"""Does the text that carries a sentence answer the question? The reader decides, as it does of passages.

A small model copies sentences of a passage that are true and beside the point. So a checked sentence counts as much as
its support times the reading of the text that carries it (docs/decisions/0007-grounding.md).
"""

from collections.abc import Sequence
from typing import Final

from rag.models import GateDecision, GroundedSentence, Grounding, RetrievedChunk
from rag.protocols import Reader, ReadingText

SHARE: Final = 0.2  # a passage is shown to a model from this share of the best reading on: others only distract it
BESIDE: Final = "the passage says it, but it hardly answers the question"
"""Why a sentence is not shown that is true and beside the point."""


def worth_showing(hits: Sequence[RetrievedChunk], decision: GateDecision) -> list[RetrievedChunk]:
    """Return the hits that a model is shown: the first, and those that the reader finds likely beside the best.

    The written rules know no readings: where one of them decided, a model is shown all hits.
    """
    written = [hit for hit in hits if hit.content.strip()]
    if decision.unsure_threshold is None:
        return written
    least = SHARE * max((hit.reading or 0.0 for hit in written), default=0.0)
    return [hit for place, hit in enumerate(written) if not place or (hit.reading or 0.0) >= least]


class Relevance:
    """Judges sentences that one draft has, none of them twice.

    Args:
        reader: Reads what carries a sentence; None: every sentence counts as its support alone.
        questions: The question, or each of two in one: the one that a text answers best counts.
        decision: Its thresholds are those of an answer and of a sentence; the written rules know no readings, so they
            ask for none.
    """

    def __init__(self, reader: Reader | None, questions: Sequence[str], decision: GateDecision) -> None:
        self._reader, self._questions, self._known = reader, questions, dict[str, float]()
        judges = decision.unsure_threshold is not None
        self._answer, self._sentence = (decision.threshold, decision.unsure_threshold or 0.0) if judges else (0.0, 0.0)

    def of(self, sentence: GroundedSentence, passages: Sequence[RetrievedChunk]) -> GroundedSentence:
        """Return a checked sentence with its relevance; one that is beside the question as one to drop.

        Raises:
            EmbedderUnavailable: The reader cannot be run.
        """
        if self._reader is None or not sentence.supported:
            return sentence
        relevance = max(
            self._reading(passages[number - 1], excerpt)
            for number, excerpt in zip(sentence.passages, sentence.evidence, strict=True)
        )
        judged = sentence.model_copy(update={"relevance": relevance})
        return judged if judged.counts >= self._sentence else judged.dropped(BESIDE)

    def answers(self, sentences: Sequence[GroundedSentence]) -> bool:
        """Return whether one of the sentences answers as surely as the threshold asks for."""
        return any(one.supported and one.counts >= self._answer for one in sentences)

    def judged(self, grounding: Grounding, passages: Sequence[RetrievedChunk]) -> Grounding:
        """Return a check with the relevance of each sentence; it answers where one does.

        Raises:
            EmbedderUnavailable: The reader cannot be run.
        """
        sentences = tuple(self.of(one, passages) for one in grounding.sentences)
        beside = tuple(f"Dropped: {one.text!r}: {BESIDE}" for one in sentences if one.reason == BESIDE)
        return grounding.model_copy(
            update={
                "sentences": sentences,
                "is_valid": grounding.is_valid and not beside,
                "validation_issues": (*grounding.validation_issues, *beside),
                "answers": grounding.answers and self.answers(sentences),
            }
        )

    def _reading(self, passage: RetrievedChunk, excerpt: str) -> float:
        """Return how likely the text of an excerpt answers: the windows that hold it, or its whole sentences alone."""
        start = max(passage.content.find(excerpt), 0)
        end = start + len(excerpt)
        inside = [span for span in passage.sentences if span[0] < end and span[1] > start]
        text = passage.content[inside[0][0] : inside[-1][1]] if inside else excerpt
        read = zip(passage.windows, passage.window_readings, strict=False)
        return max(self._alone(passage, text), *(one or 0.0 for (a, b), one in read if a < end and b > start), 0.0)

    def _alone(self, passage: RetrievedChunk, text: str) -> float:
        if self._reader is not None and text not in self._known:
            read = ReadingText(passage.context.replace("\n", " > "), text, ((0, len(text)),))
            self._known[text] = max(self._reader.read(one, [read])[0].probability for one in self._questions)
        return self._known[text]
