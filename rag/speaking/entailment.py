"""Does a text carry a claim? The trained entailment decides; an exact check of values may only object.

A text is compared with the claim in parts: its best window, as the reader reads windows, a longer stretch around it,
and the sentences that are nearest. The best part counts: a sentence alone may lack its subject, and a longer part may
bury the sentence that supports the claim. The same weights say whether a reply abstains, as a claim about the reply.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, NamedTuple

from rag.exact import missing_values, restated
from rag.protocols import Entailment, Evidence, Span, Support, Verdict
from rag.reader.windows import windows_of
from rag.text.words import fold, sentence_spans, stems

_WORD: Final = re.compile(r"\w+")
THRESHOLD: Final = 0.88  # from this probability on a claim counts as carried, unless the operator sets another
LONGEST_WORDS: Final = 110
"""The longest stretch: with a claim and the place in front it fits the 176 word pieces that are read."""
SENTENCES: Final = 4
"""Sentences of a text that are read alone, without their place: those that share most words with the claim."""
LONGEST_PLACE: Final = 20  # words of the place in front that are read: the last ones, which are nearest to the text
ABSTAINS: Final = "The writer says that the passages do not answer the question."
COPIED: Final = 0.75  # from this share of its words on, in the same order, a claim quotes a sentence nearly
WHOLE: Final = 0.6  # the share of the sentence that it then has at least, unless it is a part of it in one piece
QUOTE: Final = range(4, 101)  # how many words a claim has that may be a quotation
LONGEST_SENTENCE: Final = 200  # words of a sentence that may be quoted: comparing takes the product of both lengths
GIVES_ORDERS: Final = "This text gives orders to the assistant that reads it."
ORDERS: Final = 0.7  # from this probability on a text gives orders to an assistant
LIKELY: Final = 0.5  # from this probability on a reply abstains, and a text says otherwise than a claim


class Part(NamedTuple):
    """A part of a text: as it stands there, and as the entailment reads it."""

    text: str
    read: str


class EntailmentCheck:
    """Judges claims against texts; implements `GroundingCheck`.

    Args:
        entailment: Judges claims.
        kinds: Tells abstentions: the weights that come with Candor, which were trained for it; None: the same.
        threshold: From this support on a claim counts as carried: above 0, at most 1.
    """

    def __init__(
        self, entailment: Entailment, *, kinds: Entailment | None = None, threshold: float = THRESHOLD
    ) -> None:
        self._entailment, self._kinds = entailment, kinds or entailment
        self.threshold = threshold

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return self._entailment.name

    def judge(self, claim: str, texts: Sequence[Evidence]) -> list[Support]:
        """Return how strongly each text supports the claim, in the order given.

        A text that has the claim as a sentence supports it with 1. One that lacks a value of the claim supports it
        with 0, and `why` tells which.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        claims = [restated(claim, one.text) for one in texts]
        parts = [
            () if said_whole(claim, one.text) else parts_of(said, one) for said, one in zip(claims, texts, strict=True)
        ]
        read = self._read(claims, [own[:1] for own in parts])
        sure = max(THRESHOLD, self.threshold)
        doubted = [own[1:] if any(one.supported < sure for one, _ in read[n]) else () for n, own in enumerate(parts)]
        more = self._read(claims, doubted)
        return [_support(claim, one, [*read[n], *more[n]]) for n, one in enumerate(texts)]

    def _read(self, claims: Sequence[str], texts: Sequence[Sequence[Part]]) -> list[list[tuple[Verdict, Part]]]:
        """Return the parts of each text, each with the verdict on the claim as it is said to that text."""
        pairs = [(claim, part.read) for claim, parts in zip(claims, texts, strict=True) for part in parts]
        verdicts = iter(self._entailment.judge(pairs)) if pairs else iter(())
        return [[(next(verdicts), part) for part in parts] for parts in texts]

    def gives_orders(self, texts: Sequence[str]) -> list[bool]:
        """Return of each text whether it gives orders to an assistant that reads it, in the order given.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        return [one.supported >= ORDERS for one in self._kinds.judge([(GIVES_ORDERS, text) for text in texts])]

    def is_abstention(self, reply: str) -> bool:
        """Return whether a reply says that the passages do not answer, in whatever words.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        return self._kinds.judge([(ABSTAINS, reply)])[0].supported >= LIKELY


def _support(claim: str, evidence: Evidence, read: Sequence[tuple[Verdict, Part]]) -> Support:
    """Return the support by the best part that was read; if none was, the text has the claim, or says nothing."""
    if not read:
        whole = said_whole(claim, evidence.text)
        return Support(float(bool(whole)), whole, quoted=whole)
    missing = missing_values(claim, evidence.text, place=evidence.place)
    verdict, part = max(read, key=lambda pair: pair[0].supported)
    if missing:
        return Support(0.0, part.text, missing[0].told)
    is_denied = verdict.supported < LIKELY and any(one.contradicted >= LIKELY for one, _ in read)
    return Support(verdict.supported, part.text, quoted=nearly_quoted(claim, evidence.text), is_denied=is_denied)


def nearly_quoted(claim: str, text: str) -> str:
    """Return the sentence of a text that has nearly all words of a claim in the same order; empty where none has.

    Such a claim is a quotation with a word changed: a network overlooks that word, and the document's own sentence can
    be shown in its place.

    >>> nearly_quoted("The red door is not locked at night.", "Call us. The red door is locked at night.")
    'The red door is locked at night.'
    """
    said = _WORD.findall(fold(claim))
    best, found = 0.0, ""
    for start, end in sentence_spans(text):
        words = _WORD.findall(fold(text[start:end]))
        shared = len(set(said) & set(words))
        if len(said) not in QUOTE or len(words) > LONGEST_SENTENCE or shared < COPIED * len(set(said)):
            continue
        blocks = SequenceMatcher(None, said, words, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
        share = same / len(said)
        is_part = len(blocks) == 2 and same == len(said)  # all of it in one piece; the last block is empty
        if share >= COPIED and share > best and (is_part or same >= WHOLE * len(words)):
            best, found = share, text[start:end].strip()
    return found


def said_whole(claim: str, text: str) -> str:
    """Return the sentence of a text that is a claim word for word; empty where none is.

    >>> said_whole("Wear gloves.", "Doors shut. Wear gloves!"), said_whole("Wear gloves.", "Never wear gloves.")
    ('Wear gloves!', '')
    """
    wanted = _bare(claim)
    sentences = (text[start:end].strip() for start, end in sentence_spans(text))
    return next((one for one in sentences if wanted and _bare(one) == wanted), "")


def _bare(text: str) -> str:
    return fold(text).strip(" .!|-*•")


def parts_of(claim: str, evidence: Evidence) -> tuple[Part, ...]:
    """Return the parts of a text that a claim is compared with, the best window first.

    Windows and stretches are read behind the place of the text, sentences alone.

    >>> [part.read for part in parts_of("It opens at nine.", Evidence("The office opens at nine.", "House rules"))]
    ['House rules\\nThe office opens at nine.', 'The office opens at nine.']
    """
    placed = [Part(one, _placed(one, evidence.place)) for one in stretches(claim, evidence.text)]
    alone = [Part(one, one) for one in nearest_sentences(claim, evidence.text)]
    return tuple({part.read: part for part in (*placed, *alone)}.values())


def nearest_sentences(claim: str, text: str) -> list[str]:
    """Return the sentences of a text that share most words with a claim, at most `SENTENCES`."""
    said = set(stems(claim))
    sentences = [text[start:end].strip() for start, end in sentence_spans(text)]
    return sorted(sentences, key=lambda one: -len(said & set(stems(one))))[:SENTENCES]


def stretches(claim: str, evidence: str) -> tuple[str, ...]:
    """Return the parts of a text that a claim is held against: its best window, and a longer stretch around that.

    The best window is the one that shares most different words with the claim, of several the first.
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


def _placed(part: str, place: str) -> str:
    words = place.split()
    return f"{' '.join(words[-LONGEST_PLACE:])}\n{part}" if words else part


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
