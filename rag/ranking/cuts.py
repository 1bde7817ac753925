"""What retrieval dropped and why, in few bytes: how many for each reason, and the best of them by id."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from rag.models import Cuts, Dropped, RetrievedChunk
from rag.ranking.fusion import Candidate

LISTED = 20  # how many dropped candidates are kept one by one; an id and its scores take 160 bytes of a record
ROUNDING = 1e-4  # by how much the cosine of a fetched chunk may exceed the lowest that dense search found before it
Why: TypeAlias = Literal["threshold", "duplicate", "rank", "unread"]
_LAST = 1_000_000


def cuts(
    candidates: Sequence[Candidate],
    *,
    read: Mapping[str, float],
    kept: Collection[str],
    folded: Mapping[str, int],
    floor: float,
) -> Cuts:
    """Return what was dropped of the candidates.

    Args:
        candidates: All that dense and BM25 search brought.
        read: The cosine of each that was read, best fused score first, by id.
        kept: Ids of those that are returned.
        folded: The rank of the hit that stands for a near duplicate, by the duplicate's id.
        floor: The similarity threshold.
    """
    by_id = {one.chunk_id: one for one in candidates}
    dropped: list[Dropped] = []
    for each, cosine in read.items():
        if each not in kept:
            why: Why = "threshold" if max(cosine, 0.0) < floor else "duplicate" if each in folded else "rank"
            dropped.append(_dropped(by_id[each], why, cosine, folded.get(each)))
    unread = [one for one in candidates if one.chunk_id not in read]
    for one in sorted(unread, key=lambda one: (min(one.dense_rank or _LAST, one.bm25_rank or _LAST), one.chunk_id)):
        why = "unread" if is_near(one, floor) else "threshold"
        dropped.append(_dropped(one, why, one.cosine if one.dense_rank else None, folded.get(one.chunk_id)))
    counts = Counter(one.why for one in dropped)
    return Cuts.assembled(  # all of it is made here: checking twenty values costs .3 ms
        candidates=len(candidates),
        threshold=counts["threshold"],
        duplicate=counts["duplicate"],
        rank=counts["rank"],
        unread=counts["unread"],
        listed=tuple(dropped[:LISTED]),
    )


def is_near(one: Candidate, floor: float) -> bool:
    """Return whether a candidate that was not read is as similar as the threshold asks for, as far as that is known."""
    return max(one.cosine, 0.0) >= floor - ROUNDING


def and_ranked_below(found: Cuts, passages: Sequence[RetrievedChunk]) -> Cuts:
    """Return what was dropped, with passages that the reader ranked below those that are returned."""
    dropped = tuple(_dropped(one, "rank", one.cosine) for one in passages)
    return found.model_copy(update={"rank": found.rank + len(dropped), "listed": (*dropped, *found.listed)[:LISTED]})


def _dropped(one: Candidate | RetrievedChunk, why: Why, cosine: float | None, same_as: int | None = None) -> Dropped:
    return Dropped(
        chunk_id=one.chunk_id,
        why=why,
        cosine=None if cosine is None else round(cosine, 4),
        bm25_score=round(one.bm25_score, 2),
        dense_rank=one.dense_rank,
        bm25_rank=one.bm25_rank,
        same_as=same_as,
    )
