"""Does a text carry a claim? The trained entailment decides, over the stretches of the text that speak of the claim.

A long text is held against the claim in parts: its best window, as the reader reads windows, and a longer stretch
around it. The best of both counts: a sentence alone may lack what it refers to, a long stretch may bury it.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from rag.language.text import sentence_spans, stems
from rag.protocols import Entailment, Span
from rag.reader.windows import windows_of

SUPPORTED: Final = 0.5
"""From this probability on a claim counts as carried."""
LONGEST_WORDS: Final = 110
"""The longest stretch: with a claim and the place in front it fits the 176 word pieces that are read."""


class EntailmentCheck:
    """Judges one claim against a text; implements `GroundingCheck`.

    Args:
        entailment: The trained weights.
    """

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return self._entailment.name

    def support(self, claim: str, evidence: str) -> float:
        """Return the probability that the evidence supports the claim: 0..1.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        texts = stretches(claim, evidence)
        verdicts = self._entailment.judge([(claim, text) for text in texts])
        return max((one.supported for one in verdicts), default=0.0)


def stretches(claim: str, evidence: str) -> tuple[str, ...]:
    """Return the parts of a text that a claim is held against: its best window, and a longer stretch around that.

    The best window is the one that shares most different words with the claim, of several the first.

    >>> stretches("It opens at nine.", "The office opens at nine.")
    ('The office opens at nine.',)
    """
    sentences = sentence_spans(evidence)
    windows = windows_of(evidence, sentences) if sentences else ()
    said = set(stems(claim))
    shares = [len(said & set(stems(evidence[start:end]))) for start, end in windows]
    if not shares:
        return ()
    best = shares.index(max(shares))
    narrow = windows[best]
    wide = _widened(evidence, narrow, sentences)
    return tuple(dict.fromkeys(evidence[start:end].strip() for start, end in (narrow, wide)))


def _widened(text: str, window: Span, sentences: Sequence[Span]) -> Span:
    """Return the stretch of a window and as many sentences after it and before it, in turn, as fit."""
    (start, end), room = window, LONGEST_WORDS - len(text[slice(*window)].split())
    after = [one for one in sentences if one[0] >= end]
    before = [one for one in reversed(sentences) if one[1] <= start]
    for one in (one for pair in zip_longest(after, before) for one in pair if one is not None):
        room -= len(text[slice(*one)].split())
        if room < 0:
            break
        start, end = min(start, one[0]), max(end, one[1])
    return start, end
