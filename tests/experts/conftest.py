"""Judged questions made by hand: a passage of four windows each, read as the test says."""

from collections.abc import Callable

import pytest
from passages import hit

from rag.events import Found
from rag.experts.judged import Judged
from rag.gate import MeanSimilarity, decide
from rag.models import Query, Retrieval, RetrievedChunk, Timings

TEXT = "Gloves are worn. Boots are worn too. Coats are kept outside. Hats are not allowed."
"""Four sentences, each a window of its own."""


def passage(*readings: float | None, document: str = "manual.pdf", rank: int = 1, text: str = TEXT) -> RetrievedChunk:
    return hit(text, cut=(1, 1, 1, 1), readings=readings, document=document, rank=rank)


@pytest.fixture
def finding() -> Callable[..., Callable[[Judged], Found]]:
    """What retrieval found, whatever is asked."""

    def made(*hits: RetrievedChunk) -> Callable[[Judged], Found]:
        retrieval = Retrieval(hits=hits, searched=1, indexed=1)

        def find(judged: Judged) -> Found:
            query = Query(question=judged.question, filters=judged.where)
            return Found(query, retrieval, decide(query, retrieval, estimator=MeanSimilarity()), Timings())

        return find

    return made
