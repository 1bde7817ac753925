"""The built-in grounding check: a claim held against the sentences of a text, by words, numbers, names and direction.

Two questions are kept apart. *Coverage*: do the claim's content words stand in one sentence of the evidence (with up to
two sentences before it for what `it` or `this` refers to)? *Twists*: of the words that do, does the sentence say
something else with them: another number, the opposite, other roles, a stronger quantifier? One twist is enough.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.grounding.antecedents import joins_on, refers_back, subject_stems
from rag.grounding.equivalents import equivalents
from rag.grounding.excuses import is_excused
from rag.grounding.leaning import Vocabulary, leaning, signals
from rag.grounding.matching import displaces, matches
from rag.grounding.pieces import parts_of, pieces_of
from rag.grounding.reading import Reading, read
from rag.grounding.sentences import bare, is_quoted, leads_back, sentences_of, several
from rag.grounding.twists import cancels, turns, twists
from rag.grounding.words import OBJECT_PRONOUNS
from rag.language import polarity
from rag.language.quantities import comparable, same_quantity

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Optional evidence of meaning: a claim and sentences -> a cosine similarity for each."""

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
    """Whether words of the claim stand only in the sentences before it, other than those of its subject."""


class EvidenceCheck:
    """Implements `GroundingCheck` with words, numbers, names, negation and order alone: no model, a few milliseconds.

    Args:
        similarity: Optional evidence of meaning; it orders claims that are not supported, and supports none.
    """

    name = "candor-evidence-11"

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
        if is_quoted(claim, evidence):
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
        """Return the best finding over all windows of the evidence; of several sentences that of the weakest."""
        if _is_overlong(claim):
            return Finding(0.0, (), ("it is too long for one statement",), 0.0)
        statements = several(claim)
        if statements:
            return min(_of_each(statements, evidence), key=lambda found: found.support)
        return _of_one(claim, evidence)


def _of_one(claim: str, evidence: str) -> Finding:
    """Return the best finding of one sentence, also as the statements that it joins and in another form."""
    found = _as_said(claim, evidence)
    if found.support < 0.5:
        for other in equivalents(claim):
            turned = _as_said(other, evidence)
            if turned.support >= 0.5:
                return replace(turned, support=max(0.5, 0.9 * turned.support))
    return found


def _as_said(claim: str, evidence: str) -> Finding:
    """Return the best finding of one sentence in its own form."""
    sentences = sentences_of(evidence)
    if any(turns(read(claim), sentence) for sentence in sentences):
        return Finding(1.0, (), ("one denies what the other does not",), _TWISTED)
    whole = _best(read(claim), sentences)
    if whole.support < 0.5:
        parts = parts_of(claim)
        if len(parts) > 1:
            whole = _combined(read(claim), whole, parts, sentences)
    elif whole.leans and not all(_stands(part, read(claim), sentences) for part in parts_of(claim)):
        return replace(whole, twists=("its statements stand in other sentences, and not so",), support=_TWISTED)
    if whole.support >= 0.5 and whole.anchor >= 0 and _is_said_otherwise(read(claim), sentences, whole.anchor):
        return replace(whole, twists=("another sentence says it with another name or number",), support=_TWISTED)
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
            found = replace(found, twists=("it goes on from another sentence there",), support=_TWISTED)
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
    claim, weights = _in_words_of(sentence, claim, weights)
    excused = _excused(claim, sentence)
    joining = _cell_verbs(claim, sentence) | excused
    weights = {**weights, **dict.fromkeys(joining, 0.25)}
    coverage = _coverage(claim, sentence, weights)
    missing = [stem for stem in _missing(claim, sentence) if stem not in excused]
    quality, leans = 0.95, False
    if context and missing and coverage >= _RELATED and refers_back(claim, sentence, context):
        before = {stem for reading in context for stem in matches(claim, reading)}
        joined = joins_on(claim, sentence, context)
        given = [stem for stem in missing if stem in before and (joined or not displaces(claim, sentence, stem))]
        missing = [stem for stem in missing if stem not in given]
        quality, leans = 0.85, not frozenset(given) <= subject_stems(claim)
        coverage = 1.0 - sum(weights[stem] for stem in missing) / (sum(weights.values()) + len(claim.quantities))
    heavy = [
        stem for stem in missing if stem not in joining and (weights[stem] >= 1.0 or displaces(claim, sentence, stem))
    ]
    if heavy and coverage < _RELATED:
        return Finding(coverage, tuple(missing), (), _HALF * coverage)
    reasons = tuple(twists(claim, sentence, context))
    if reasons:
        return Finding(coverage, tuple(missing), reasons, _TWISTED * coverage * 0.8 ** (len(reasons) - 1))
    if heavy and not _may_miss(claim, sentence, heavy, weights):
        return Finding(coverage, tuple(missing), (), _HALF * coverage)
    return Finding(coverage, tuple(missing), (), max(0.5, quality - 3.0 * (1.0 - coverage)), leans=leans)


def _in_words_of(sentence: Reading, claim: Reading, weights: dict[str, float]) -> tuple[Reading, dict[str, float]]:
    """Return the claim and its weights with the sentence's own word where that has a synonym or a word that says more.

    Then whatever compares the two sees one word: `rose` in the sentence is the `increased` of the claim, and `fell`
    the opposite of either.
    """
    said = {
        stem: min(polarity.implying(stem) & sentence.positions.keys(), default=stem)
        for stem in claim.content
        if stem not in sentence.positions
    }
    if all(stem == other for stem, other in said.items()):
        return claim, weights
    tokens = (replace(token, stem=said.get(token.stem, token.stem)) for token in claim.tokens)
    renamed: dict[str, float] = {}
    for stem, weight in weights.items():
        renamed[said.get(stem, stem)] = max(weight, renamed.get(said.get(stem, stem), 0.0))
    return Reading(claim.text, tuple(tokens)), renamed


def _excused(claim: Reading, sentence: Reading) -> frozenset[str]:
    return frozenset(
        stem for stem in claim.content if stem not in sentence.positions and is_excused(claim, sentence, stem)
    )


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
    return heavy[0] not in sentence.positions and not displaces(claim, sentence, heavy[0])


def _combined(claim: Reading, whole: Finding, parts: Sequence[Reading], sentences: Sequence[Reading]) -> Finding:
    """Return the finding of a compound claim: it stands if each statement does, each in a sentence of its own.

    Statements from one sentence were judged together, and no word may be used more often than the sentences have it.
    """
    findings: list[Finding] = []
    for part, piece in zip(parts, pieces_of(claim.text), strict=True):
        found = _best(part, sentences)
        findings.append(found if found.support >= 0.5 else _ordered(piece, sentences, findings[-1:]))
    weakest = min(findings, key=lambda found: found.support)
    anchors = {found.anchor for found in findings}
    if weakest.support < 0.5 or len(anchors) < 2:
        return whole
    if any(_has_other_time(part, claim, sentences[found.anchor]) for part, found in zip(parts, findings, strict=True)):
        return whole
    for stem, places in claim.positions.items():
        if len(places) > max(1, sum(len(matches(claim, sentences[anchor]).get(stem, ())) for anchor in anchors)):
            return whole
    return Finding(whole.coverage, (), (), max(0.5, 0.9 * weakest.support))


def _ordered(piece: str, sentences: Sequence[Reading], before: Sequence[Finding]) -> Finding:
    """Return the finding of a piece that tells to do something (`discard them`), as a sentence of its own.

    Such a sentence begins with the very verb, so that nothing else is its subject; a pronoun stands there too, right
    behind the sentence of the piece before it.
    """
    claim = read(piece)
    found = _best(claim, sentences)
    if found.support < 0.5:
        return found
    anchor = sentences[found.anchor]
    verb, first = claim.tokens[0], anchor.tokens[0]
    alike = bool(verb.stem) and verb.word == first.word and not polarity.is_past(verb.word)
    objects = claim.words & OBJECT_PRONOUNS
    follows = all(other.anchor == found.anchor - 1 for other in before)
    if alike and (not objects or (objects <= anchor.words and follows)):
        return found
    return Finding(0.0, claim.content, (), 0.0)


def _stands(part: Reading, claim: Reading, sentences: Sequence[Reading]) -> bool:
    """Return whether one statement of a claim is supported, and by a sentence that gives it no other time."""
    found = _best(part, sentences)
    return found.support >= 0.5 and not _has_other_time(part, claim, sentences[found.anchor])


def _has_other_time(part: Reading, claim: Reading, anchor: Reading) -> bool:
    """Return whether a statement leaves out the number or month of its sentence for which the claim has another.

    `The pump was cleaned and painted in June` says more than `It was cleaned in March. It was painted in June`.
    """
    said = [quantity for _, quantity in claim.quantities]
    stated = [other for _, other in anchor.quantities if not any(same_quantity(quantity, other) for quantity in said)]
    if not part.quantities and any(comparable(quantity, other) for quantity in said for other in stated):
        return True
    contrary = {other for stem in claim.names - part.names for other in polarity.opposites_of(stem)}
    return bool(contrary & anchor.names - claim.names)
