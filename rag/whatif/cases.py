"""Recorded questions as arrays: what the record holds of each of them that another threshold may decide by."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.evaluation.repeated import ages_of, numbers_of
from rag.records.requests import ESTIMATORS, RecordedRequest

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Words = NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Recorded questions as arrays of length n; made once, asked many times. Talk asks nothing, and is not among them.

    `answerable` is 1 for yes, 0 for no, NaN where nobody labelled the question; `right` says the same of its answer.
    """

    ids: tuple[str, ...]
    questions: tuple[str, ...]
    answerable: Floats
    right: Floats
    recorded: Words
    """How it ended: answered, unsure or refused."""
    stages: Words
    """Where it ended without an answer; empty where it was answered."""
    estimators: Words
    """What decided; empty where that is not recorded."""
    gates: tuple[str, ...]
    """Which fit of the gate decided; empty where that is not recorded."""
    confidences: Floats
    """By what decided."""
    estimates: Mapping[str, Floats]
    """Confidence by estimator, NaN where the record does not hold it."""
    others: Floats
    """Confidence with the other choice of editions, where the question left it open; else NaN."""
    thresholds: Floats
    unsure_thresholds: Floats
    """NaN where there was no unsure, or that is not recorded."""
    named: Flags
    """Whether the question itself named a threshold: no setting moves that."""
    found: Flags
    """Whether anything was found to answer from."""
    written_unsure: Flags
    """Whether a model answered though the gate was unsure."""
    numbers: NDArray[np.int64]
    """One number for all labelled questions of the same words and label; the others have each their own."""
    ages: NDArray[np.int64]
    """0 for the newest, 1 for the one before it."""

    def __len__(self) -> int:
        return len(self.ids)


def cases_of(
    requests: Iterable[RecordedRequest],
    answerable: Mapping[str, bool | None] | None = None,
    right: Mapping[str, bool | None] | None = None,
) -> Cases:
    """Return recorded questions as arrays.

    Args:
        requests: Short forms: `Recorder.requests()`, or `recorded_line` of each line of an evaluation.
        answerable: Labels by request id; missing ones count as not labelled. Where the same question has the same
            label again, the newest request stands for it in every rate that rests on labels.
        right: Whether the answer that was given is right, by request id; missing ones are not judged.
    """
    asked = [request for request in requests if request.decision != "talk"]
    questions = tuple(request.question for request in asked)
    judged = _floats((answerable or {}).get(request.request_id) for request in asked)
    return Cases(
        ids=tuple(request.request_id for request in asked),
        questions=questions,
        answerable=judged,
        right=_floats((right or {}).get(request.request_id) for request in asked),
        recorded=_words([request.decision for request in asked]),
        stages=_words([request.refusal_stage or "" for request in asked]),
        estimators=_words([request.estimator or "" for request in asked]),
        gates=tuple(request.gate for request in asked),
        confidences=_floats(request.confidence for request in asked),
        estimates={name: _floats(request.confidence_by(name) for request in asked) for name in ESTIMATORS},
        others=_floats(request.other_confidence for request in asked),
        thresholds=_floats(request.threshold for request in asked),
        unsure_thresholds=_floats(request.unsure_threshold for request in asked),
        named=np.array([request.named_threshold for request in asked], dtype=bool),
        found=np.array([request.found for request in asked], dtype=bool),
        written_unsure=np.array([request.is_written_unsure for request in asked], dtype=bool),
        numbers=numbers_of(questions, judged),
        ages=ages_of([request.timestamp for request in asked]),
    )


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _words(values: Sequence[str]) -> Words:
    return np.array(values, dtype=object)
