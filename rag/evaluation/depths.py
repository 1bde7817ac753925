"""What the calibrated estimator would have said of an answer's first 1, 2, 3 and so on passages.

An answer holds its passages with every score, so that the gate can be asked again about fewer or more of them: no
search, no model that writes. What costs is reading; windows that were read before are not read again.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.confidence.calibrated import Calibrated
from rag.confidence.signals import READING
from rag.confidence.windows import windows
from rag.errors import CandorError
from rag.language.orders import readable
from rag.models import Answer, Retrieval, RetrievedChunk
from rag.protocols import Reader

if TYPE_CHECKING:
    from rag.wiring import Wiring

Depths = Callable[[Answer], tuple[float, ...]]
"""From an answer to the confidence with its first 1, 2, 3 and so on passages; empty where it cannot be said."""
_log = logging.getLogger(__name__)


class _Remembering:
    """A reader that reads the same window once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._best: dict[tuple[str, ...], float] = {}
        self._read: dict[str, float] = {}

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return self._reader.name

    def know(self, passages: Sequence[str], best: float) -> None:
        """Take over what the pipeline's own gate read: the best of these passages."""
        self._best[tuple(passages)] = best

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers; where taken over, the best alone."""
        if (best := self._best.get(tuple(passages))) is not None:
            return [best]
        new = [passage for passage in dict.fromkeys(passages) if passage not in self._read]
        self._read.update(zip(new, self._reader.read(question, new), strict=True))
        return [self._read[passage] for passage in passages]


def depths_of(wiring: "Wiring") -> Depths:
    """Return the function that asks the calibrated estimator of a wiring about other numbers of passages."""

    def confidences(answer: Answer) -> tuple[float, ...]:
        try:
            return _confidences(answer, wiring)
        except CandorError as error:
            _log.warning(
                "The confidence of %r with other numbers of passages is not known: %s", answer.request_id, error
            )
            return ()

    return confidences


def _confidences(answer: Answer, wiring: "Wiring") -> tuple[float, ...]:
    own = wiring.estimators["calibrated"]
    if not isinstance(own, Calibrated) or not answer.retrieved:
        return ()
    language = wiring.settings.language
    query = answer.query.model_copy(update={"question": answer.asked or answer.query.question})
    parted = [_first(answer.retrieved, depth, query.question) for depth in range(1, len(answer.retrieved) + 1)]
    reader = _Remembering(wiring.reader) if wiring.reader is not None else None
    known = answer.gate.inputs.get(READING) if answer.gate else None
    if reader is not None and known is not None:
        used = windows(query.question, parted[min(answer.query.top_k, len(parted)) - 1].hits, language=language)
        reader.know([window.passage for window in used], known)
    gate = Calibrated(
        own.fit, catalogue=wiring.catalogue, language=language, embedding=own.fit.embedding, reader=reader
    )
    return tuple(round(gate.estimate(query, one).confidence, 6) for one in parted)


def _first(chunks: Sequence[RetrievedChunk], depth: int, question: str) -> Retrieval:
    """Return what the pipeline's gate sees of the first chunks: orders to an assistant blanked."""
    return Retrieval.model_construct(hits=readable(chunks[:depth], question), rest=tuple(chunks[depth:]))
