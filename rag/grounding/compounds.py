"""Claims of several statements that each stand in a sentence of its own: cleaned and dried. Ground floor."""

from collections.abc import Sequence

from rag.grounding.findings import Finding, best_finding
from rag.grounding.matching import matches
from rag.grounding.pieces import pieces_of
from rag.grounding.reading import Reading, read
from rag.grounding.words import OBJECT_PRONOUNS
from rag.language import polarity
from rag.language.quantity_equality import comparable, same_quantity


def combined(claim: Reading, whole: Finding, parts: Sequence[Reading], sentences: Sequence[Reading]) -> Finding:
    """Return the finding of a compound claim: it stands if each statement does, each in a sentence of its own.

    Statements from one sentence were judged together, and no word may be used more often than the sentences have it.
    """
    findings: list[Finding] = []
    for part, piece in zip(parts, pieces_of(claim.text), strict=True):
        found = best_finding(part, sentences)
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
    found = best_finding(claim, sentences)
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


def stands(part: Reading, claim: Reading, sentences: Sequence[Reading]) -> bool:
    """Return whether one statement of a claim is supported, and by a sentence that gives it no other time."""
    found = best_finding(part, sentences)
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
