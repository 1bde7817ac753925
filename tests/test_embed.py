"""A question's vector, and what is kept of it."""

from functools import partial
from types import SimpleNamespace

import numpy as np
from at_once import at_once

from rag.embed import QuestionCache, embed_question
from rag.models import Query

VECTOR = np.zeros(384, dtype=np.float32)


def test_a_question_is_384_numbers_of_length_1_and_asked_again_costs_no_model(library):
    real, asked, cache = library.wiring.embedder, [], QuestionCache()
    embedder = SimpleNamespace(fingerprint="m", embed=lambda texts: asked.append(texts) or real.embed(texts))
    first, again = (embed_question(Query(question="What is firn?"), embedder=embedder, cache=cache) for _ in range(2))

    assert (first.shape, first.dtype) == ((384,), np.float32)
    assert abs(float(np.linalg.norm(first)) - 1) < 1e-5
    assert np.array_equal(first, again)
    assert len(asked) == 1


def test_threads_may_share_a_cache():
    cache = QuestionCache(size=8)

    def use(start):
        for number in range(2000):
            cache.put("m", str((start + number) % 20), VECTOR)
            cache.get("m", str(number % 20))

    at_once(*(partial(use, start) for start in range(4)))
    assert sum(cache.get("m", str(number)) is not None for number in range(20)) == 8
