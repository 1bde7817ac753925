"""What retrieval dropped and why: worked by hand, and over the samples."""

from types import SimpleNamespace

import pytest

from rag.ranking.cuts import cuts
from rag.retrieve import retrieve
from rag.validate import validate


def candidate(chunk_id, cosine, bm25_score=0.0, dense_rank=None, bm25_rank=None):
    scores = {"cosine": cosine, "bm25_score": bm25_score}
    return SimpleNamespace(chunk_id=chunk_id, dense_rank=dense_rank, bm25_rank=bm25_rank, **scores)


def test_each_candidate_that_is_not_returned_has_its_reason():
    found = cuts(
        [
            candidate("kept", 0.9, 4.0, 1, 1),
            candidate("twin", 0.87654, 3.456, 2, 2),
            candidate("late", 0.6, 0.0, 3),
            candidate("far", 0.4, 1.0, 4, 3),
            candidate("words", 0.31, 0.5, None, 4),  # the cosine of a search by words is only a bound
            candidate("never", 0.55, 0.0, 5),
        ],
        read={"kept": 0.9, "twin": 0.87654, "late": 0.6, "far": 0.4},
        kept={"kept"},
        folded={"twin": 1},
        floor=0.5,
    )
    # rank 4 by words comes before rank 5 by similarity
    assert " ".join(f"{one.chunk_id}:{one.why}:{one.same_as}" for one in found.listed) == (
        "twin:duplicate:1 late:rank:None far:threshold:None words:threshold:None never:unread:None"
    )
    assert (found.candidates, found.duplicate, found.rank, found.threshold, found.unread) == (6, 1, 1, 2, 1)
    twin, words = found.listed[0], found.listed[3]
    assert (twin.cosine, twin.bm25_score, twin.dense_rank, twin.bm25_rank) == (0.8765, 3.46, 2, 2)
    assert (words.cosine, words.dense_rank, words.bm25_rank) == (None, None, 4)


@pytest.mark.parametrize("threshold", [0.0, 0.45])
def test_returned_and_dropped_are_all_candidates_of_a_real_search(library, threshold):
    query, wiring = validate("Which gloves are required?", similarity_threshold=threshold), library.wiring
    vector = wiring.embedder.embed([query.question])[0]
    found = retrieve(query, vector, store=wiring.store, catalogue=wiring.catalogue)
    dropped, returned = found.cuts, {hit.chunk_id for hit in (*found.hits, *found.rest)}
    reasons = dropped.threshold + dropped.duplicate + dropped.rank + dropped.unread
    assert dropped.candidates == found.candidates == reasons + len(returned)
    assert (dropped.threshold, dropped.duplicate) == (found.below_threshold, found.folded)
    assert not returned & {one.chunk_id for one in dropped.listed}
    assert (dropped.threshold > 0) == (threshold > 0)
