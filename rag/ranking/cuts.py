"""What retrieval dropped and why, in few bytes: how many for each reason, and the best of them by id."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from rag.models import Cuts, Dropped, RetrievedChunk
from rag.ranking.fusion import Candidate

LISTED = 20
"""How many dropped candidates are kept one by one; an id and its scores take 160 bytes of a record."""
Why: TypeAlias = Literal["threshold", "duplicate", "rank", "unread"]
_LAST = 1_000_000


def cuts(
    candidates: Sequence[Candidate],
    *,
    read: Mapping[str, float],
    kept: Collection[str],
    folded: Mapping[str, int],
    floor: float,
    rounding: float,
) -> Cuts:
    """Return what was dropped of the candidates.

    Args:
        candidates: All that dense and BM25 search brought.
        read: The cosine of each that was read, best fused score first, by id.
        kept: Ids of those that are returned.
        folded: The rank of the hit that stands for a near duplicate, by the duplicate's id.
        floor: The similarity threshold.
        rounding: By how much a cosine may be less exact than another.
    """
    by_id = {one.chunk_id: one for one in candidates}
    rest = sorted((one for one in candidates if one.chunk_id not in read), key=_by_best_rank)
    dropped: list[tuple[Candidate, Why, float | None]] = [
        (by_id[each], _why(each, cosine, folded, floor), cosine) for each, cosine in read.items() if each not in kept
    ]
    for one in rest:
        is_far = max(one.cosine, 0.0) < floor - rounding
        dropped.append((one, "threshold" if is_far else "unread", one.cosine if one.dense_rank else None))
    counts = Counter(why for _, why, _ in dropped)
    return Cuts.assembled(  # all of it is made here: checking twenty values costs .3 ms
        candidates=len(candidates),
        threshold=counts["threshold"],
        duplicate=counts["duplicate"],
        rank=counts["rank"],
        unread=counts["unread"],
        listed=tuple(_line(one, why, cosine, folded) for one, why, cosine in dropped[:LISTED]),
    )


def and_ranked_below(found: Cuts, passages: Sequence[RetrievedChunk]) -> Cuts:
    """Return what was dropped, with passages that the reader ranked below those that are returned.

    Args:
        found: What retrieval dropped.
        passages: Those that it returned and the reader did not keep, best first.
    """
    dropped = tuple(
        Dropped(
            chunk_id=one.chunk_id,
            why="rank",
            cosine=round(one.cosine, 4),
            bm25_score=round(one.bm25_score, 2),
            dense_rank=one.dense_rank,
            bm25_rank=one.bm25_rank,
        )
        for one in passages
    )
    return found.model_copy(update={"rank": found.rank + len(dropped), "listed": (*dropped, *found.listed)[:LISTED]})


def _why(chunk_id: str, cosine: float, folded: Mapping[str, int], floor: float) -> Why:
    if max(cosine, 0.0) < floor:
        return "threshold"
    return "duplicate" if chunk_id in folded else "rank"


def _line(one: Candidate, why: Why, cosine: float | None, folded: Mapping[str, int]) -> Dropped:
    return Dropped(
        chunk_id=one.chunk_id,
        why=why,
        cosine=None if cosine is None else round(cosine, 4),
        bm25_score=round(one.bm25, 2),
        dense_rank=one.dense_rank,
        bm25_rank=one.bm25_rank,
        same_as=folded.get(one.chunk_id),
    )


def _by_best_rank(one: Candidate) -> tuple[int, str]:
    return min(one.dense_rank or _LAST, one.bm25_rank or _LAST), one.chunk_id
