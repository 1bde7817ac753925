"""What holds for whoever writes drafts, proved on each with a real model behind it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import pytest
from asking import KINDS, speaker
from passages import hit

from rag.models import PromptContext, Query
from rag.prompt import build_prompt
from rag.protocols import Generator, StreamEnd

pytestmark = pytest.mark.model
LONG_S = 60.0
"""Longer than stopping takes anywhere, and shorter than 500 tokens do on a busy machine with a long prompt before."""


@pytest.fixture(scope="module", params=KINDS)
def generator(request):
    with speaker(request.param) as found:
        yield found


@pytest.fixture(scope="module")
def prompt():
    hits = [hit("Nitrile gloves are worn. They last one shift.")]
    return build_prompt(Query(question="Which gloves?", max_tokens=24), hits, model=None, max_context=2048)


def drafted(generator: Generator, prompt: PromptContext, *, max_tokens: int = 24) -> tuple[str, StreamEnd]:
    """Return a draft and how it ended."""
    ends: list[StreamEnd] = []

    def watched() -> Iterator[str]:
        end = yield from generator.stream(prompt, max_tokens=max_tokens, temperature=0, seed=1)  # type: ignore[misc]
        ends.append(end)

    return "".join(watched()), ends[0]


def test_a_draft_is_text_with_a_reason_for_its_end_and_the_models_own_counts(generator, prompt):
    text, end = drafted(generator, prompt)
    assert text.strip()
    assert 1 <= (end.completion_tokens or 0) <= 24
    assert 60 < (end.prompt_tokens or 0) <= prompt.prompt_tokens, "the estimate was an upper one"
    assert drafted(generator, prompt)[0] == text
    cut, end = drafted(generator, prompt, max_tokens=3)
    assert (bool(cut), end.finish_reason, end.completion_tokens) == (True, "length", 3)
    short = prompt.model_copy(update={"max_tokens": 4})  # no more than the prompt left room for
    assert drafted(generator, short, max_tokens=500)[1].completion_tokens == 4


def test_closing_the_iterator_frees_the_model_for_the_next(generator):
    hits = [hit("Nitrile gloves are worn. They last one shift.")]
    long = build_prompt(Query(question="Tell a long story.", max_tokens=500), hits, model=None, max_context=2048)
    stream = generator.stream(long, max_tokens=500, temperature=1, seed=3)
    assert next(piece for piece in stream if piece)
    begun = perf_counter()
    stream.close()  # type: ignore[attr-defined]
    assert drafted(generator, long, max_tokens=2)[1].completion_tokens == 2
    assert perf_counter() - begun < LONG_S


def test_three_questions_at_once_are_all_answered(generator, prompt):
    with ThreadPoolExecutor(3) as pool:
        drafts = list(pool.map(lambda _: drafted(generator, prompt, max_tokens=5), range(3)))
    assert [end.completion_tokens for _, end in drafts] == [5, 5, 5]
