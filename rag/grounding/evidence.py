"""The built-in grounding check: a claim held against the sentences of a text, by words, numbers, names and direction.

Two questions are kept apart. *Coverage*: do the claim's content words stand in one sentence of the evidence (with up to
two sentences before it for what `it` or `this` refers to)? *Twists*: of the words that do, does the sentence say
something else with them: another number, the opposite, other roles, a stronger quantifier? One twist is enough.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.grounding.leaning import Vocabulary, leaning, signals
from rag.grounding.reading import AUXILIARIES, Reading, read
from rag.grounding.twists import cancels, matches, turns, twists
from rag.language import polarity
from rag.language.periods import folded_words
from rag.language.quantities import comparable, same_quantity
from rag.language.rows import statements
from rag.language.text import fold, sentence_spans

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Optional evidence of meaning: a claim and sentences -> a cosine similarity for each."""

_PRONOUNS = frozenset(("it", "they", "its", "their", "this", "these", "those", "such", "he", "she", "his", "her"))
_JOINT = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+|\s+(?:and|but|while|whereas)\s+", re.IGNORECASE)
_FULL_STOP = re.compile(
    r"(?:(?<=[a-z]{4}\.)(?<!approx\.)(?<!dept\.)(?<!incl\.)(?<!resp\.)(?<!subsp\.)(?<!corp\.)|(?<=\d [a-z]{2}\.))"
    r"\s+(?=[A-Z][a-z])"
)
"""A full stop after a word or unit in small letters (`a month. Then`), which the splitter may take for a mere mark."""
LONGEST, MOST_NUMBERS = 120, 25
"""Words and numbers of a claim beyond which it is no one statement: a model that repeats itself, a table in one line.
Only a quotation of that size is supported; word by word it would take minutes."""
_TWISTED = 0.45
_HALF = 0.49
_RELATED = 0.4


@dataclass(frozen=True, slots=True)
class Finding:
    """How a window of the evidence, named by its last sentence (`anchor`, from 0), bears on a claim."""

    coverage: float
    missing: tuple[str, ...]
    twists: tuple[str, ...]
    support: float
    anchor: int = -1
    leans: bool = False
    """Whether words of the claim stand only in the sentences before it."""


class EvidenceCheck:
    """Implements `GroundingCheck` with words, numbers, names, negation and order alone: no model, a few milliseconds.

    Args:
        similarity: Optional evidence of meaning; it orders claims that are not supported, and supports none.
    """

    name = "candor-evidence-6"

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
        if _is_quoted(claim, evidence):
            return 1.0
        if _is_overlong(claim):
            return 0.0
        support = self.examine(claim, evidence).support
        return support if support >= 0.5 else _HALF * self._leaning(claim, evidence)

    def _leaning(self, claim: str, evidence: str) -> float:
        sentences = sentences_of(evidence)
        cosines = self._similarity(claim, [sentence.text for sentence in sentences]) if self._similarity else ()
        return leaning(signals(read(claim), sentences, _vocabulary_of(evidence)), cosines)

    def examine(self, claim: str, evidence: str) -> Finding:
        """Return the best finding over all windows of the evidence."""
        if _is_overlong(claim):
            return Finding(0.0, (), ("it is too long for one statement",), 0.0)
        sentences = sentences_of(evidence)
        if any(turns(read(claim), sentence) for sentence in sentences):
            return Finding(1.0, (), ("one denies what the other does not",), _TWISTED)
        whole = _best(read(claim), sentences)
        if whole.support < 0.5:
            parts = _parts(claim)
            if len(parts) > 1:
                whole = _combined(read(claim), whole, [_best(part, sentences) for part in parts], sentences)
        elif whole.leans and any(_best(part, sentences).support < 0.5 for part in _parts(claim)):
            return replace(whole, twists=("its statements stand in other sentences, and not so",), support=_TWISTED)
        if whole.support >= 0.5 and whole.anchor >= 0 and _is_said_otherwise(read(claim), sentences, whole.anchor):
            return replace(whole, twists=("another sentence says it with another name or number",), support=_TWISTED)
        return whole


def _is_overlong(claim: str) -> bool:
    return len(claim.split()) > LONGEST or len(read(claim).quantities) > MOST_NUMBERS


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


@lru_cache(maxsize=256)
def sentences_of(evidence: str) -> tuple[Reading, ...]:
    """Return the sentences of a text, read; a table's row is read with the heads of its columns.

    `| toluene | 50 ppm | clear |` under `| Substance | Limit | Colour |` is read as `Substance: toluene; Limit: ...`.
    """
    return tuple(replace(read(said or text), text=text) for text, said in _said_in(evidence))


@lru_cache(maxsize=256)
def _said_in(evidence: str) -> tuple[tuple[str, str], ...]:
    """Return the sentences of a text, each with what it says (`rag.language.rows`)."""
    texts = [piece for start, end in sentence_spans(evidence) for piece in _FULL_STOP.split(evidence[start:end])]
    return tuple(zip(texts, statements(texts), strict=True))


@lru_cache(maxsize=256)
def _quotations(evidence: str) -> frozenset[str]:
    """Return every run of one to three whole sentences, folded, and every table row as read: what counts as quoted."""
    texts = [text for text, _ in _said_in(evidence) if _bare(text)]
    bare = [_bare(text) for text in texts]
    spans = [(start, start + length) for start in range(len(texts)) for length in (1, 2, 3)]
    runs = {" ".join(bare[start:end]) for start, end in spans} | {_bare(" ".join(texts[a:b])) for a, b in spans}
    unsplit = {_bare(evidence[start:end]) for start, end in sentence_spans(evidence)} - {""}
    return frozenset(runs | unsplit | {_bare(said) for _, said in _said_in(evidence) if said})


def _bare(text: str) -> str:
    return fold(text).strip(' .!?;:*_-•"“”')


def _is_quoted(claim: str, evidence: str) -> bool:
    bare = _bare(claim)
    return bool(bare) and (bare in _quotations(evidence) or bare == _bare(evidence))


def _best(claim: Reading, sentences: Sequence[Reading]) -> Finding:
    """Return the finding of the window that supports the claim best."""
    best = Finding(0.0, claim.content, (), 0.0)
    weights = _weights(claim)
    if not weights and not claim.quantities:
        return best
    shares = [_coverage(claim, sentence, weights) for sentence in sentences]
    for place in sorted(range(len(sentences)), key=lambda index: -shares[index])[:4]:
        for context in ((), sentences[max(0, place - 2) : place]):
            finding = replace(_examine(claim, sentences[place], context, weights), anchor=place)
            best = max(best, finding, key=lambda found: found.support)
            if finding.support >= 0.5 or finding.twists or place == 0:
                break
    return best


def _weights(claim: Reading) -> dict[str, float]:
    """Return how much each stem of the claim counts: names 2, light words a quarter."""
    weights = {}
    for stem, places in claim.positions.items():
        light = all(claim.tokens[place].word in polarity.LIGHT for place in places)
        weights[stem] = 2.0 if stem in claim.names else 0.25 if light else 1.0
    return weights


def _coverage(claim: Reading, sentence: Reading, weights: dict[str, float]) -> float:
    """Return the weighted share of the claim's words and numbers that stand in the sentence."""
    found = matches(claim, sentence)
    numbers = [
        any(same_quantity(quantity, other) for _, other in sentence.quantities) for _, quantity in claim.quantities
    ]
    total = sum(weights.values()) + len(numbers)
    return (sum(weights[stem] for stem in found) + sum(numbers)) / total


def _examine(claim: Reading, sentence: Reading, context: Sequence[Reading], weights: dict[str, float]) -> Finding:
    """Return how one sentence, with the sentences before it as context, bears on the claim."""
    joining = _cell_verbs(claim, sentence)
    weights = {**weights, **dict.fromkeys(joining, 0.25)}
    coverage = _coverage(claim, sentence, weights)
    missing = _missing(claim, sentence)
    quality, leans = 0.95, False
    if context and missing and coverage >= _RELATED and _refers_back(claim, sentence, context):
        before = {stem for reading in context for stem in matches(claim, reading)}
        given = [stem for stem in missing if stem in before and not _displaces(claim, sentence, stem)]
        missing = [stem for stem in missing if stem not in given]
        quality, leans = 0.85, bool(given)
        coverage = 1.0 - sum(weights[stem] for stem in missing) / (sum(weights.values()) + len(claim.quantities))
    heavy = [
        stem for stem in missing if stem not in joining and (weights[stem] >= 1.0 or _displaces(claim, sentence, stem))
    ]
    if heavy and coverage < _RELATED:
        return Finding(coverage, tuple(missing), (), _HALF * coverage)
    reasons = tuple(twists(claim, sentence, context))
    if reasons:
        return Finding(coverage, tuple(missing), reasons, _TWISTED * coverage * 0.8 ** (len(reasons) - 1))
    if heavy and not _may_miss(claim, sentence, heavy, weights):
        return Finding(coverage, tuple(missing), (), _HALF * coverage)
    return Finding(coverage, tuple(missing), (), max(0.5, quality - 3.0 * (1.0 - coverage)), leans=leans)


def _cell_verbs(claim: Reading, sentence: Reading) -> frozenset[str]:
    """Return the claim's verbs that only join cells (`is reached at`), where the sentence is a table's row."""
    if not sentence.text.startswith("|"):
        return frozenset()
    return frozenset(token.stem for token in claim.tokens if token.word in polarity.CELL_VERBS and token.stem)


def _missing(claim: Reading, sentence: Reading) -> list[str]:
    """Return the claim's stems that the sentence lacks or has less often: a word in another's place is repeated."""
    found = matches(claim, sentence)
    return [
        stem
        for stem, places in claim.positions.items()
        if len(found.get(stem, ())) < len(places) and not cancels(claim, sentence, stem)
    ]


def _may_miss(claim: Reading, sentence: Reading, heavy: Sequence[str], weights: dict[str, float]) -> bool:
    """Return whether one missing word is forgiven: in a long claim, no name, and nothing else in its place."""
    if len(heavy) > 1 or heavy[0] in claim.names or sum(weight >= 1.0 for weight in weights.values()) < 8:
        return False
    return heavy[0] not in sentence.positions and not _displaces(claim, sentence, heavy[0])


def _displaces(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether the sentence has another word where the claim has this one: between the same neighbours."""
    return any(_is_displaced(claim, sentence, place) for place in claim.positions[stem])


def _is_displaced(claim: Reading, sentence: Reading, place: int) -> bool:
    left = next((token.stem for token in reversed(claim.tokens[:place]) if token.stem in sentence.positions), "")
    right = next((token.stem for token in claim.tokens[place + 1 :] if token.stem in sentence.positions), "")
    start = sentence.positions[left][0] if left else -1
    end = next((index for index in sentence.positions.get(right, ()) if index > start), len(sentence.tokens))
    return any(
        token.quantity
        or (token.stem and len(sentence.positions[token.stem]) > len(claim.positions.get(token.stem, ())))
        for token in sentence.tokens[start + 1 : end]
    )


def _refers_back(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether a sentence continues what was said before it, so that its subject may stand there.

    It does when it begins with a pronoun, or adds to a definite noun (`the limit`) nothing that the claim lacks; a name
    of its own, a rival number before it, or a rival name where no pronoun leads back, means that it speaks of
    something else.
    """
    strangers = [token for token in sentence.tokens if token.stem and token.stem not in claim.positions]
    if any(token.name for token in strangers):
        return False
    rivals = any(
        comparable(quantity, other) and not same_quantity(quantity, other)
        for _, quantity in claim.quantities
        for reading in context
        for _, other in reading.quantities
    )
    opening = [token.word for token in sentence.tokens[:4]]
    pronoun = any(word in _PRONOUNS for word in opening)
    return not rivals and (
        pronoun or ("the" in sentence.words and not strangers and not _has_rival_name(claim, sentence, context))
    )


def _has_rival_name(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether the context names another than the one of whom the claim says what it says there.

    `The laser safety officer is Costin. The safety officer is Vaas.`: Vaas is not the officer of the first sentence.
    """
    given = claim.names & sentence.names
    return any(given - reading.names and reading.names - claim.names - sentence.names for reading in context)


@lru_cache(maxsize=512)
def _parts(claim: str) -> tuple[Reading, ...]:
    """Return the statements of a compound claim; one that lacks a subject is given that of the first."""
    pieces = [piece.strip(" ,;.") for piece in _JOINT.split(claim)]
    if len(pieces) < 2 or any(_size(read(piece)) < 2 or piece.istitle() for piece in pieces):
        return ()
    subject = _subject(pieces[0])
    return tuple(
        read(piece if index == 0 or _has_subject(piece) else f"{subject} {piece}") for index, piece in enumerate(pieces)
    )


def _size(reading: Reading) -> int:
    return len(reading.content) + len(reading.quantities)


def _subject(piece: str) -> str:
    """Return what stands before the first auxiliary verb, or the first noun."""
    words = piece.split()
    for index, word in enumerate(folded_words(piece)):
        if index and word in AUXILIARIES:
            return " ".join(words[:index])
    first = next((index for index, word in enumerate(words) if read(word).content), 0)
    return " ".join(words[: first + 1])


def _has_subject(piece: str) -> bool:
    words = folded_words(piece)
    return bool(words) and words[0] not in AUXILIARIES and any(word in AUXILIARIES for word in words[1:5])


def _combined(claim: Reading, whole: Finding, parts: Sequence[Finding], sentences: Sequence[Reading]) -> Finding:
    """Return the finding of a compound claim: it stands if each statement does, each in a sentence of its own.

    Statements from one sentence were judged together, and no word may be used more often than the sentences have it.
    """
    weakest = min(parts, key=lambda found: found.support)
    anchors = {found.anchor for found in parts}
    if weakest.support < 0.5 or len(anchors) < 2:
        return whole
    for stem, places in claim.positions.items():
        if len(places) > max(1, sum(len(matches(claim, sentences[anchor]).get(stem, ())) for anchor in anchors)):
            return whole
    return Finding(whole.coverage, (), (), max(0.5, 0.9 * weakest.support))
