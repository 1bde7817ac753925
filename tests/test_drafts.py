"""A draft as it is streamed, and how the stream ended."""

from collections.abc import Iterator

from rag.models import Draft, GeneratorInfo
from rag.protocols import StreamEnd
from rag.replies.drafts import EndKept, draft_of

MODEL = GeneratorInfo(name="ollama", model="m")


def test_a_draft_has_the_counts_of_its_stream() -> None:
    def stream() -> Iterator[str]:
        yield "Wear gloves"
        yield ". [1]\n"
        return StreamEnd("length", prompt_tokens=40, completion_tokens=2)

    kept = EndKept(stream())
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(
        text="Wear gloves. [1]", generator=MODEL, finish_reason="length", prompt_tokens=40, completion_tokens=2
    )


def test_a_stream_that_does_not_say_how_it_ended_makes_a_draft_without_counts() -> None:
    kept = EndKept(iter(["a", "b"]))
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(text="ab", generator=MODEL)
