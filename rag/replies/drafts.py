"""From a stream of text to a draft: what was written, and how the stream ended."""

from collections.abc import Generator, Iterator

from rag.models import Draft, GeneratorInfo
from rag.protocols import StreamEnd


def draft_of(text: str, generator: GeneratorInfo, end: StreamEnd | None) -> Draft:
    """Return a draft from the whole text of a stream and how it ended."""
    end = end or StreamEnd()
    return Draft(
        text=text.strip(),
        generator=generator,
        finish_reason=end.finish_reason,
        prompt_tokens=end.prompt_tokens,
        completion_tokens=end.completion_tokens,
    )


class EndKept:
    """A generator's stream that remembers how it ended."""

    def __init__(self, stream: Iterator[str]) -> None:
        self._stream = stream
        self.end: StreamEnd | None = None

    def __iter__(self) -> Iterator[str]:
        if isinstance(self._stream, Generator):
            self.end = yield from self._stream
        else:
            yield from self._stream

    def close(self) -> None:
        """Cancel the model where it has not ended."""
        if isinstance(self._stream, Generator):
            self._stream.close()
