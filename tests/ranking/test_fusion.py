"""What retrieval ranks by, worked out by hand."""

import numpy as np
import pytest
from passages import hit

from rag.models import Chunk
from rag.protocols import IndexedChunk, SparseVector
from rag.ranking.fusion import Candidate, RetrievalRules, Scale, scored

QUESTION = np.array([1.0, 0.0], dtype=np.float32)
RULES = RetrievalRules(dense_weight=0.6, chapter_bonus=0.1)


def indexed(*cosines: float) -> IndexedChunk:
    """A chunk whose windows have these cosines with the question."""
    fields = {name: value for name, value in hit("Wear gloves.").__dict__.items() if name in Chunk.model_fields}
    rows = [[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines]
    vectors = np.array(rows, dtype=np.float32).reshape(len(rows), 2)
    return IndexedChunk(Chunk.model_validate(fields), vectors, SparseVector((), ()))


def test_words_count_by_the_best_score_and_by_the_largest_possible_alike() -> None:
    """(3 / 6 + 3 / 12) / 2 = .375."""
    assert Scale(best=6, largest=12).lexical(3) == pytest.approx(0.375)
    assert Scale(best=6, largest=12).lexical(6) == pytest.approx(0.75)
    assert Scale(best=0, largest=0).lexical(0) == 0.0
    assert Scale(best=2, largest=1).lexical(2) == 1.0  # an old index may count words otherwise


@pytest.mark.parametrize(("preferred", "fused"), [(False, 0.45), (True, 0.55)])
def test_fused_is_the_weighed_sum_of_cosine_and_words_with_the_bonus_of_the_chapter(
    preferred: bool, fused: float
) -> None:
    """.6 x .5 + .4 x .375 = .45."""
    found = scored(
        QUESTION,
        Candidate("c", cosine=0.4, bm25=3),
        indexed(0.1, 0.5, -0.2),
        scale=Scale(best=6, largest=12),
        rules=RULES,
        preferred=preferred,
    )
    assert found.window_cosines == pytest.approx((0.1, 0.5, -0.2), abs=1e-6)
    assert found.cosine == pytest.approx(0.5)
    assert found.fused == pytest.approx(fused)
    assert found.preferred is preferred
