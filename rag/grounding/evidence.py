"""The built-in grounding check: a claim held against the sentences of a text, by words, numbers, names and direction.

Two questions are kept apart. *Coverage*: do the claim's content words stand in one sentence of the evidence (with up to
two sentences before it for what `it` or `this` refers to)? *Twists*: of the words that do, does the sentence say
something else with them: another number, the opposite, other roles, a stronger quantifier? One twist is enough.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from rag.grounding.claims import without_source
from rag.grounding.compounds import combined, stands
from rag.grounding.equivalents import equivalents
from rag.grounding.findings import HALF, TWISTED, Finding, best_finding
from rag.grounding.leaning import Vocabulary, leaning, signals
from rag.grounding.pieces import parts_of
from rag.grounding.reading import Reading, read
from rag.grounding.reworded import reworded
from rag.grounding.sentences import bare, is_quoted, leads_back, parted, sentences_of, several
from rag.grounding.turned_bounds import is_bound_turned
from rag.grounding.twists.polarity import turns
from rag.grounding.unfolded import unfolded
from rag.language.quantity_equality import comparable, same_quantity

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Optional evidence of meaning: a claim and sentences -> a cosine similarity for each."""

LONGEST, MOST_NUMBERS = 120, 25
"""Words and numbers of a claim beyond which it is no one statement: a model that repeats itself, a table in one line.
Only a quotation of that size is supported; word by word it would take minutes."""


class EvidenceCheck:
    """Implements `GroundingCheck` with words, numbers, names, negation and order alone: no model, a few milliseconds.

    Args:
        similarity: Optional evidence of meaning; it orders claims that are not supported, and supports none.
    """

    name = "candor-evidence-16"

    def __init__(self, similarity: Similarity | None = None) -> None:
        self._similarity = similarity

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5.

        >>> check = EvidenceCheck()
        >>> check.support("The limit is 15 minutes.", "The limit is 15 minutes. Wear gloves.")
        1.0
        >>> check.support("The limit is 50 minutes.", "The limit is 15 minutes.") < 0.5
        True
        """
        if not claim.strip() or not evidence.strip():
            return 0.0
        claim = without_source(claim, evidence)
        if is_quoted(claim, evidence):
            return 1.0
        if _is_overlong(claim):
            return 0.0
        support = self.examine(claim, evidence).support
        return support if support >= 0.5 else HALF * self._leaning(claim, evidence)

    def _leaning(self, claim: str, evidence: str) -> float:
        sentences = sentences_of(evidence)
        cosines = self._similarity(claim, [sentence.text for sentence in sentences]) if self._similarity else ()
        return leaning(signals(read(claim), sentences, _vocabulary_of(evidence)), cosines)

    def examine(self, claim: str, evidence: str) -> Finding:
        """Return the best finding over all windows of the evidence; of several sentences that of the weakest."""
        if _is_overlong(claim):
            return Finding(0.0, (), ("it is too long for one statement",), 0.0)
        claim = without_source(claim, evidence)
        statements = several(claim)
        if statements:
            return min(_of_each(statements, evidence), key=lambda found: found.support)
        joined = several(parted(claim))
        if joined:  # what stands on either side of a semicolon must hold by itself, as a sentence must
            return min(_of_each(joined, parted(evidence)), key=lambda found: found.support)
        return _of_one(claim, evidence)


def _of_one(claim: str, evidence: str) -> Finding:
    """Return the best finding of one sentence, also as the statements that it joins and in another form."""
    if is_bound_turned(claim, evidence):
        return Finding(1.0, (), ("a limit is turned round",), TWISTED)
    found = _as_said(claim, evidence)
    if found.support < 0.5:
        for other in (*equivalents(claim), *reworded(claim, evidence)):
            turned = _as_said(other, evidence)
            if turned.support >= 0.5:
                return replace(turned, support=max(0.5, 0.9 * turned.support))
        apart = parted(evidence)
        if apart != evidence:
            split = _as_said(claim, apart)
            if split.support >= 0.5:
                return replace(split, support=max(0.5, 0.9 * split.support))
        for said in unfolded(apart):
            besides = _as_said(claim, said)
            if besides.support >= 0.5:
                return replace(besides, support=max(0.5, 0.9 * besides.support), anchor=-1)
    return found


def _as_said(claim: str, evidence: str) -> Finding:
    """Return the best finding of one sentence in its own form."""
    sentences = sentences_of(evidence)
    if any(turns(read(claim), sentence) for sentence in sentences):
        return Finding(1.0, (), ("one denies what the other does not",), TWISTED)
    whole = best_finding(read(claim), sentences)
    if whole.support < 0.5:
        parts = parts_of(claim)
        if len(parts) > 1:
            whole = combined(read(claim), whole, parts, sentences)
    elif whole.leans and not all(stands(part, read(claim), sentences) for part in parts_of(claim)):
        return replace(whole, twists=("its statements stand in other sentences, and not so",), support=TWISTED)
    if whole.support >= 0.5 and whole.anchor >= 0 and _is_said_otherwise(read(claim), sentences, whole.anchor):
        return replace(whole, twists=("another sentence says it with another name or number",), support=TWISTED)
    return whole


def _of_each(statements: Sequence[str], evidence: str) -> Iterator[Finding]:
    """Yield the finding of each sentence of a claim; one that begins with `this` must follow there as it does here."""
    before: Finding | None = None
    for text in statements:
        found = _of_one(text, evidence)
        if is_quoted(text, evidence):
            found = Finding(1.0, (), (), 1.0, anchor=_place_of(text, evidence))
        goes_on = before is None or (before.anchor >= 0 and found.anchor == before.anchor + 1)
        if leads_back(text) and not goes_on:
            found = replace(found, twists=("it goes on from another sentence there",), support=TWISTED)
        yield found
        before = found


def _place_of(text: str, evidence: str) -> int:
    return next((at for at, one in enumerate(sentences_of(evidence)) if bare(one.text) == bare(text)), -1)


def _is_overlong(claim: str) -> bool:
    """Return whether a claim, or one of its sentences, is too long for one statement."""
    return any(
        len(text.split()) > LONGEST or _terms(read(text)) > LONGEST or len(read(text).quantities) > MOST_NUMBERS
        for text in (several(claim) or (claim,))
    )


def _terms(reading: Reading) -> int:
    """Count the content words, those joined without a space (`mg/mg/mg`) each by itself."""
    return sum(bool(token.stem) for token in reading.tokens)


def _is_said_otherwise(claim: Reading, sentences: Sequence[Reading], anchor: int) -> bool:
    """Return whether a sentence says just what the claim says, with another value, and the supporting one says more.

    `The safety officer is Costin` is not carried by `The laser safety officer is Costin. The safety officer is Vaas.`
    """
    said = frozenset(claim.content) - claim.names
    if not said or not _own_words(sentences[anchor]) - said:
        return False
    return any(
        _own_words(other) == said and _has_other_value(claim, other)
        for place, other in enumerate(sentences)
        if place != anchor
    )


def _own_words(reading: Reading) -> frozenset[str]:
    return frozenset(reading.content) - reading.names


def _has_other_value(claim: Reading, sentence: Reading) -> bool:
    """Return whether claim and sentence each have a name that the other lacks or, without names, another number."""
    if claim.names or sentence.names:
        return bool(claim.names - sentence.names and sentence.names - claim.names)
    pairs = [(one, other) for _, one in claim.quantities for _, other in sentence.quantities if comparable(one, other)]
    return bool(pairs) and not any(same_quantity(one, other) for one, other in pairs)


@lru_cache(maxsize=256)
def _vocabulary_of(evidence: str) -> Vocabulary:
    return Vocabulary(sentences_of(evidence))
