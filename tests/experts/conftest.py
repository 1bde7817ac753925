"""Judged questions made by hand, and what was found for them."""

from collections.abc import Callable

import pytest

from rag.events import Found
from rag.experts.examples import Judged
from rag.gate import MeanSimilarity, decide
from rag.models import Query, Retrieval, RetrievedChunk, Timings


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
