"""A growing reply, read as it is written: the same sentences, in whatever pieces it comes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag.models import RetrievedChunk
from rag.replies.citations import Citations
from rag.replies.lines import Lines
from rag.replies.markup import Visible
from rag.replies.sentence import ReplySentence, finished


class ReplyReader:
    """Turns the pieces of a model's reply into sentences with the numbers of the passages that they cite.

    What may still turn out to be markup or a citation is kept until it is known. Only text before an end of thoughts
    that had no beginning is given out too early; it is no part of `reply_sentences` then.

    Args:
        passages: The passages in the prompt, numbered from 1 in this order.
    """

    def __init__(self, passages: Sequence[RetrievedChunk]) -> None:
        self._passages = passages
        self._visible = Visible()
        self._begin()

    def _begin(self) -> None:
        self._citations = Citations(self._passages)
        self._lines = Lines(self._citations)

    def feed(self, piece: str) -> list[ReplySentence]:
        """Return the sentences that are whole with this piece."""
        return list(self._read(piece, last=False))

    def end(self) -> list[ReplySentence]:
        """Return the rest: no more will come."""
        return list(self._read("", last=True))

    def _read(self, piece: str, *, last: bool) -> Iterator[ReplySentence]:
        visible = self._visible.feed(piece.replace("\r", ""), last=last)
        if self._visible.withdrawn:
            self._visible.withdrawn = False
            self._begin()
        found = self._citations.found
        for part in self._lines.feed(self._citations.feed(visible, last=last), last=last):
            sentence = finished(part.text, found, mark=part.mark, followed=part.followed)
            lead = finished(part.lead, found)
            if sentence:
                yield replace(sentence, lead=lead.text) if lead else sentence


def reply_sentences(text: str, passages: Sequence[RetrievedChunk]) -> list[ReplySentence]:
    """Return the sentences of a whole reply, in order.

    >>> [one.shown for one in reply_sentences("**Wear:**\\n- gloves [1]\\n- goggles", [])]
    ['Wear:', '- gloves', '- goggles']

    Args:
        text: The reply as the model wrote it, with whatever markup.
        passages: The passages in the prompt, numbered from 1 in this order.
    """
    reader = ReplyReader(passages)
    return [*reader.feed(text), *reader.end()]


def sentence_of(text: str, passages: Sequence[RetrievedChunk]) -> ReplySentence:
    """Return one sentence, whatever stops it holds, with the passages that it cites."""
    citations = Citations(passages)
    return finished(citations.feed(text, last=True), citations.found) or ReplySentence(text)
