from threading import Thread

import numpy as np

from rag.embed import QuestionCache, embed_question
from rag.models import Query


class Counting:
    """The real embedder, counting its calls."""

    def __init__(self, embedder):
        self._embedder, self.calls = embedder, 0

    def __getattr__(self, name):
        return getattr(self._embedder, name)

    def embed(self, texts):
        self.calls += 1
        return self._embedder.embed(texts)


def test_a_question_is_384_numbers_of_length_1(library):
    vector = embed_question(Query(question="What is firn?"), embedder=library.wiring.embedder)

    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_a_question_asked_again_costs_no_model(library):
    embedder, cache = Counting(library.wiring.embedder), QuestionCache()
    first = embed_question(Query(question="What is firn?"), embedder=embedder, cache=cache)
    again = embed_question(Query(question="What is firn?"), embedder=embedder, cache=cache)

    assert embedder.calls == 1
    assert np.array_equal(first, again)


def test_without_a_cache_the_model_is_asked_each_time(library):
    embedder = Counting(library.wiring.embedder)
    for _ in range(2):
        embed_question(Query(question="What is firn?"), embedder=embedder)

    assert embedder.calls == 2


def test_the_question_unused_for_longest_goes_first():
    cache, vector = QuestionCache(size=2), np.zeros(384, dtype=np.float32)
    cache.put("m", "a", vector)
    cache.put("m", "b", vector)
    cache.get("m", "a")
    cache.put("m", "c", vector)

    assert cache.get("m", "a") is vector
    assert cache.get("m", "b") is None


def test_another_model_has_other_vectors():
    cache = QuestionCache()
    cache.put("one", "What is firn?", np.zeros(384, dtype=np.float32))

    assert cache.get("two", "What is firn?") is None


def test_threads_may_share_a_cache():
    cache, vector = QuestionCache(size=8), np.zeros(384, dtype=np.float32)
    seen = []

    def use(start):
        for number in range(2000):
            cache.put("m", str((start + number) % 20), vector)
            seen.append(cache.get("m", str(number % 20)))

    threads = [Thread(target=use, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(seen) == 8000
    assert sum(cache.get("m", str(number)) is not None for number in range(20)) == 8
