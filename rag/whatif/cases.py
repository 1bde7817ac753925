"""Recorded questions as arrays: what the record holds of each of them that another threshold may decide by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.evaluation.repeated import ages_of, numbers_of
from rag.models import EstimatorName, Mode
from rag.recording.replay import RecordedRequest
from rag.whatif.rankings import Flags, Floats, slopes

_ESTIMATORS: tuple[EstimatorName, ...] = ("mean_similarity", "max_similarity", "calibrated")


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Recorded questions as arrays of length n; made once, asked many times.

    `answerable` is 1 for yes, 0 for no, NaN where nobody labelled the question.
    """

    ids: tuple[str, ...]
    questions: tuple[str, ...]
    answerable: Floats
    recorded: Flags
    """Whether it was answered."""
    stages: tuple[str, ...]
    """Where it was refused; empty where it was not."""
    estimators: tuple[str, ...]
    gates: tuple[str, ...]
    """Which fit of the gate decided; empty where that is not recorded."""
    confidences: Floats
    estimates: Mapping[str, Floats]
    """Confidence by estimator where it was recorded, else NaN."""
    at_depth: Floats
    """Calibrated confidence with the first 1, 2, 3 ... chunks, NaN where not worked out: shape `(n, most)`."""
    thresholds: Floats
    named: Flags
    """Whether the question itself named its threshold: no setting moves that."""
    top_k: NDArray[np.int64]
    floors: Floats
    similarities: Floats
    """Similarity of the retrieved chunks by rank, NaN beyond the last: shape `(n, most)`."""
    fused: Floats
    """What they were ranked by, NaN where not recorded: shape `(n, most)`."""
    slopes: Floats
    """By how much `fused` grows when the weight of similarity grows by 1, NaN where not known: shape `(n, most)`."""
    weights: Floats
    """The weight of similarity in fusion, 0..1, that each was ranked with; NaN where not known."""
    numbers: NDArray[np.int64]
    """One number for all labelled questions of the same words and label; the others have each their own."""
    ages: NDArray[np.int64]
    """0 for the newest, 1 for the one before it."""
    others: Floats
    """Confidence with the other choice of editions, where the question left it open; else NaN."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def without_scores(self) -> int:
        """How many have one confidence and no more, as lines of older runs: no other setting but the threshold can be
        tried on them. Those that never came to the gate do not count."""
        ended = ("validation", "error")
        return sum(not name and stage not in ended for name, stage in zip(self.estimators, self.stages, strict=True))


def cases_of(
    requests: Sequence[RecordedRequest],
    answerable: Mapping[str, bool | None] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Cases:
    """Return recorded questions as arrays.

    Args:
        requests: Short forms: `Recorder.requests()`, or `recorded_line` of each line of an evaluation.
        answerable: Labels by request id; missing ones count as not labelled. Where the same question has the same
            label again, the newest request stands for it in every rate that rests on labels.
        weights: The weight of similarity in fusion by fingerprint of the settings; without it, no other weight can be
            tried on what was recorded under them.
    """
    labels = answerable or {}
    similarities = _by_rank(requests, "similarities")
    fused, sentences = _by_rank(requests, "fused", similarities), _by_rank(requests, "best_sentences", similarities)
    dense = _floats(
        None if request.mode == Mode.CHAPTER_AWARE else (weights or {}).get(request.settings) for request in requests
    )
    questions = tuple(request.question for request in requests)
    judged = _floats(labels.get(request.request_id) for request in requests)
    return Cases(
        ids=tuple(request.request_id for request in requests),
        questions=questions,
        answerable=judged,
        recorded=np.array([request.decision == "answered" for request in requests], dtype=bool),
        stages=tuple(request.refusal_stage or "" for request in requests),
        estimators=tuple(request.estimator or "" for request in requests),
        gates=tuple(request.gate for request in requests),
        confidences=_floats(request.confidence for request in requests),
        estimates={name: _floats(request.estimates.get(name) for request in requests) for name in _ESTIMATORS},
        at_depth=_by_rank(requests, "calibrated_at", similarities),
        thresholds=_floats(request.threshold for request in requests),
        named=np.array([request.named_threshold for request in requests], dtype=bool),
        top_k=np.array([request.top_k for request in requests], dtype=np.int64),
        floors=_floats(request.similarity_threshold for request in requests),
        similarities=similarities,
        fused=fused,
        slopes=slopes(similarities, sentences, fused, dense),
        weights=dense,
        numbers=numbers_of(questions, judged),
        ages=ages_of([request.timestamp for request in requests]),
        others=_floats(request.other_confidence for request in requests),
    )


def _by_rank(requests: Sequence[RecordedRequest], field: str, like: Floats | None = None) -> Floats:
    """Return a field of the retrieved chunks as a row for each request; NaN where it is not there for every chunk."""
    rows = [getattr(request, field) for request in requests]
    found = (
        np.full((len(rows), max(map(len, rows), default=0)), np.nan) if like is None else np.full(like.shape, np.nan)
    )
    for number, row in enumerate(rows):
        if like is None or len(row) == np.count_nonzero(~np.isnan(like[number])):
            found[number, : len(row)] = row
    return found


def _floats(values: object) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)  # type: ignore[attr-defined]
