"""Stage 4: the best windows of what was found are read for the question, and order the passages anew.

Reading is what a question costs. So the best windows are read first, and the others only where none of those answers
surely. The passage that answers best is then read whole: what a rule says first, and its exception, stand together.
The reader is the only judge of meaning: gate, quotation, refusal and highlights all use this reading.
"""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from rag.models import Query, Retrieval, RetrievedChunk
from rag.protocols import Reader
from rag.ranking.chapters import outside_chapter
from rag.ranking.cuts import and_ranked_below
from rag.ranking.named import rows_of_others
from rag.ranking.versions import sections_of_others
from rag.reader.windows import read_text

WINDOWS: Final = 24  # how many windows are read for a question, at most
FIRST: Final = 8  # how many of them are read first
SURE: Final = 0.9  # from this reading on one of the first answers so surely that the others are not read
WHOLE: Final = 0.35  # from this reading on the rest of its passage is read, too
RETURNED: Final = 20  # how many passages are kept, hits and rest together
RETRIEVAL_WEIGHT: Final = 4.0  # what a fused score of 1 counts in the order of passages, in log-odds of the reading
_LOG_ODDS: Final = 8.0
_Window: TypeAlias = tuple[int, int]  # a passage and a window of it, by place


def read(query: Query, retrieval: Retrieval, *, reader: Reader, windows: int = WINDOWS) -> Retrieval:
    """Return what was found with the readings of its best windows, in the order of reader and retrieval together.

    A passage none of whose windows was read stands below those that were, in the order of retrieval.

    Args:
        query: The question; its `top_k` says how many of the passages are hits.
        retrieval: What was found, at most 30 passages.
        reader: Judges the windows.
        windows: How many windows to read at most, and the rest of one passage: those that retrieval puts first.

    Raises:
        EmbedderUnavailable: The reader cannot be run.
    """
    found = (*retrieval.hits, *retrieval.rest)
    readings: list[list[float | None]] = [[None] * len(hit.windows) for hit in found]
    marks = [[0.0] * len(hit.sentences) for hit in found]

    def judge(chosen: Sequence[_Window]) -> None:
        texts = [read_text(found[hit], found[hit].windows[window]) for hit, window in chosen]
        judged = reader.read(query.question, [text for text, _, _ in texts]) if texts else []
        for (hit, window), (_, _, numbers), judgement in zip(chosen, texts, judged, strict=True):
            readings[hit][window] = judgement.probability
            for number, mark in zip(numbers, judgement.marks, strict=True):
                marks[hit][number] = mark

    def reading(hit: int) -> float:
        return max((one for one in readings[hit] if one is not None), default=0.0)

    every = range(len(found))
    chosen = _best_windows(found, windows)
    judge(chosen[:FIRST])
    if max(map(reading, every), default=0.0) < SURE:
        judge(chosen[FIRST:])
    best = max(every, key=reading, default=None)
    if best is not None and reading(best) >= WHOLE:
        judge([(best, window) for window, one in enumerate(readings[best]) if one is None])
    of_others = (rows_of_others(query.question, found), sections_of_others(query.question, found))
    for own, *others in zip(marks, *of_others, strict=True):
        for number in frozenset().union(*others):
            own[number] = 0.0
    read_hits = [
        hit.model_copy(update={"window_readings": tuple(one), "marks": tuple(mark)})
        for hit, one, mark in zip(found, readings, marks, strict=True)
    ]
    ordered = in_order(retrieval, read_hits, top_k=query.top_k)
    kept = {hit.chunk_id for hit in (*ordered.hits, *ordered.rest)}
    below = [hit for hit in read_hits if hit.chunk_id not in kept]
    cuts = and_ranked_below(retrieval.cuts, below) if retrieval.cuts else None
    return ordered.model_copy(update={"notes": outside_chapter(query, ordered.hits), "cuts": cuts})


def in_order(retrieval: Retrieval, read_hits: Sequence[RetrievedChunk], *, top_k: int) -> Retrieval:
    """Return what was found with its passages as they were read, in the order of reader and retrieval together."""
    ordered = sorted(read_hits, key=lambda hit: (-_order(hit), hit.retrieval_rank))[:RETURNED]
    ranked = tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(ordered, start=1))
    return retrieval.model_copy(update={"hits": ranked[:top_k], "rest": ranked[top_k:]})


def log_odds(probability: float) -> float:
    """Return ln(p / (1 - p)), at most 8 in size.

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, 8.0)
    """
    if probability <= 0 or probability >= 1:
        return math.copysign(_LOG_ODDS, probability - 0.5)
    return min(max(math.log(probability / (1 - probability)), -_LOG_ODDS), _LOG_ODDS)


def _best_windows(found: Sequence[RetrievedChunk], limit: int) -> list[_Window]:
    """Return passage and window, by place, of those first that would score best as the best window of their passage."""
    scores = [
        (hit.fused_score - (hit.cosine - cosine), -place, -window)
        for place, hit in enumerate(found)
        for window, cosine in enumerate(hit.window_cosines[: len(hit.windows)])
    ]
    return [(-place, -window) for _, place, window in sorted(scores, reverse=True)[:limit]]


def _order(hit: RetrievedChunk) -> float:
    reading = hit.reading
    base = -4 * _LOG_ODDS if reading is None else log_odds(reading)
    return base + RETRIEVAL_WEIGHT * hit.fused_score
