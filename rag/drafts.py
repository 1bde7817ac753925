"""What any stream of text needs to become a draft: whole sentences, with the markers that belong to them."""

import re
from collections.abc import Generator, Iterator

from rag.language.text import sentence_spans
from rag.models import Draft, GeneratorInfo
from rag.protocols import StreamEnd

MARKER_LIST = r"\d{1,3}(?:\s*(?:,|;|-|–|and|&)\s*\d{1,3})*"
"""The numbers of a marker: `1`, `1, 3`, `1-3`, `1 and 3`."""
MARKERS = re.compile(
    rf"(?<!\s)\s*(?:\[\s*(?:passages?\s*)?{MARKER_LIST}\s*\]|【\s*{MARKER_LIST}(?:†[^】]*)?\s*】)", re.IGNORECASE
)
"""Citation markers as models write them, with the white space before: `[1]`, `[1, 3]`, `[passage 2]`, `【1】`.

Begun only where white space begins: tried at each of its characters a long stretch would cost its square.
"""


def complete_sentences(buffer: str) -> tuple[list[str], str]:
    """Return the sentences of a growing text that are complete, with their markers, and the rest that may still grow.

    A sentence is complete when another has begun after it: until then a marker may follow, or its full stop may turn
    out to belong to an abbreviation. At the end of the stream the rest is a sentence too.

    >>> complete_sentences("Wear gloves. [1] Wash ha")
    (['Wear gloves. [1]'], 'Wash ha')
    >>> complete_sentences("Wear gloves. [1")
    ([], 'Wear gloves. [1')
    >>> complete_sentences("Wear gloves. [1] Wash hands [2]. Leave.[1][3] Then")
    (['Wear gloves. [1]', 'Wash hands [2].', 'Leave.[1][3]'], 'Then')
    """
    spans = _draft_spans(buffer)
    if spans and buffer[spans[-1][0]] == "[":
        spans.pop()
    if len(spans) < 2:
        return [], buffer
    return [buffer[start:end] for start, end in spans[:-1]], buffer[spans[-1][0] :]


def _draft_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a draft stand, a sentence's markers included.

    The markers are taken out, the rest is split, and each sentence is extended to where the next begins.
    """
    places: list[int] = []
    position = 0
    for marker in MARKERS.finditer(text):
        places.extend(range(position, marker.start()))
        position = marker.end()
    places.extend(range(position, len(text)))
    later = [places[start] for start, _ in sentence_spans("".join(text[place] for place in places))[1:]]
    starts = [len(text) - len(text.lstrip()), *later] if text.strip() else []
    ends = [*later, len(text)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in zip(starts, ends, strict=False)]


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
