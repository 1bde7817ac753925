"""All ways to say something else with the same words; here negation, opposites and quantifiers. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.grounding.agent_twists import agent_twists
from rag.grounding.anchor_twists import anchor_twists
from rag.grounding.clause_twists import clause_twists, denied_by_ellipsis
from rag.grounding.comparison_twists import comparison_twists
from rag.grounding.condition_twists import condition_twists
from rag.grounding.contrast_twists import contrast_twists
from rag.grounding.direction_twists import direction_twists
from rag.grounding.embedded_twists import embedded_twists
from rag.grounding.exception_twists import exception_twists
from rag.grounding.exchange_twists import exchange_twists
from rag.grounding.limit_twists import limit_twists
from rag.grounding.matching import matches
from rag.grounding.modality_twists import modality_twists
from rag.grounding.modifier_twists import modifier_twists
from rag.grounding.number_twists import joint_twists, label_twists, number_twists
from rag.grounding.number_twists.places import belongs_elsewhere
from rag.grounding.only_twists import only_twists
from rag.grounding.opening_twists import opening_twists
from rag.grounding.preposition_twists import preposition_twists
from rag.grounding.pronoun_twists import pronoun_twists
from rag.grounding.ratio_twists import ratio_twists
from rag.grounding.reading import Reading, is_negation
from rag.grounding.reality_twists import reality_twists
from rag.grounding.report_twists import report_twists
from rag.grounding.role_twists import relation_twists, role_twists
from rag.grounding.scope_twists import scope_twists
from rag.grounding.statement_twists import statement_twists
from rag.grounding.step_twists import step_twists
from rag.grounding.subject_twists import subject_twists
from rag.grounding.tense_twists import tense_twists
from rag.grounding.verb_twists import verb_twists
from rag.grounding.weak_denial_twists import weak_denial_twists
from rag.language import polarity

_DEGREES = ("more", "less", "fewer", "most", "least", "up", "down", "with", "without")
_ALIKE = ("same", "different")
_RELATIONS = frozenset(("before", "after", "above", "below", "over", "under", *_DEGREES, *_ALIKE))
_CONDITIONS = frozenset(("if", "unless", "whether"))


def twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield why a claim whose words stand in a sentence still says something else; nothing where it does not."""
    matched = matches(claim, sentence)
    clauses = main_clauses(matched, sentence)
    yield from number_twists(claim, sentence, context)
    yield from joint_twists(claim, sentence)
    yield from label_twists(claim, sentence)
    yield from polarity_twists(claim, sentence, matched, clauses)
    yield from opposite_twists(claim, sentence)
    yield from clause_twists(claim, sentence)
    yield from role_twists(claim, sentence, matched)
    yield from direction_twists(claim, sentence)
    yield from quantifier_twists(claim, sentence, clauses)
    yield from modality_twists(claim, sentence, clauses)
    yield from reality_twists(claim, sentence)
    yield from report_twists(claim, sentence)
    yield from tense_twists(claim, sentence)
    yield from weak_denial_twists(claim, sentence)
    yield from condition_twists(claim, sentence)
    yield from exchange_twists(claim, sentence)
    yield from step_twists(claim, sentence)
    yield from preposition_twists(claim, sentence)
    yield from opening_twists(claim, sentence)
    yield from anchor_twists(claim, sentence)
    yield from statement_twists(claim, sentence)
    yield from relation_twists(claim, sentence, context)
    yield from subject_twists(claim, sentence, context)
    yield from agent_twists(claim, sentence)
    yield from pronoun_twists(claim, sentence)
    yield from comparison_twists(claim, sentence, context)
    yield from contrast_twists(claim, sentence)
    yield from exception_twists(claim, sentence)
    yield from scope_twists(claim, sentence)
    yield from modifier_twists(claim, sentence)
    yield from verb_twists(claim, sentence)
    yield from embedded_twists(claim, sentence)
    yield from only_twists(claim, sentence)
    yield from ratio_twists(claim, sentence)
    yield from limit_twists(claim, sentence)


def main_clauses(matched: dict[str, list[int]], sentence: Reading) -> frozenset[int]:
    """Return the clauses that hold the claim's words, those with one stray word left out."""
    counts: dict[int, int] = {}
    for places in matched.values():
        for clause in {sentence.tokens[place].clause for place in places}:
            counts[clause] = counts.get(clause, 0) + 1
    most = max(counts.values(), default=0)
    return frozenset(clause for clause, count in counts.items() if count >= min(2, most))


# --- negation and opposites --------------------------------------------------------------------------------------


def polarity_twists(
    claim: Reading, sentence: Reading, matched: dict[str, list[int]], clauses: frozenset[int]
) -> Iterator[str]:
    """Yield a word that one of the two denies and the other does not."""
    if _has_foreign_denial(claim) != _has_foreign_denial(sentence):
        yield "one denies what the other does not"
        return
    if denied_by_ellipsis(claim, sentence) is not None:
        return
    if any(cancels(claim, sentence, stem) for stem in claim.content if stem not in matched):
        return
    if any(_is_excluded(claim, sentence, stem) for stem in matched):
        return
    if _denials(claim) != _denials(sentence) - _inserted_denials(claim, sentence) and len(matched) >= 0.85 * len(
        sentence.content
    ):
        yield "one denies what the other does not"
        return
    for stem, places in matched.items():
        said = {claim.tokens[place].negated for place in claim.positions[stem]}
        near = [place for place in places if sentence.tokens[place].clause in clauses] or places
        if True not in said and any(claim.tokens[place].before_denial for place in claim.positions[stem]):
            said.add(True)
        if True in said and any(sentence.tokens[place].before_denial for place in near):
            said.add(False)
        if said.isdisjoint({sentence.tokens[place].negated for place in near}):
            word = claim.tokens[claim.positions[stem][0]].word
            yield f"{word!r} is {'denied in the claim' if True in said else 'denied in the text'}"
            return


def _has_foreign_denial(reading: Reading) -> bool:
    """Return whether a text that is not English denies; a name (`NE`, `Pas-de-Calais`) does not."""
    return not polarity.FOREIGN_NEGATIONS.isdisjoint(reading.words) and any(
        token.word in polarity.FOREIGN_NEGATIONS and not token.name for token in reading.tokens
    )


def turns(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim is a copy of a sentence, or of a part of it, but for a negation put in or left out.

    They must be equal word for word without their negations; fewer than four words say too little, six of a part.
    """
    said, stated = _without_denials(claim), _without_denials(sentence)
    words, others = [word for word, _ in said], [word for word, _ in stated]
    if words == others:
        return len(words) >= 4 and _denials(claim) != _denials(sentence)
    if len(words) < 6:
        return False
    starts = [start for start in range(len(others) - len(words) + 1) if others[start : start + len(words)] == words]
    inside = sum(denied for _, denied in said[1:])
    return bool(starts) and all(
        sum(denied for _, denied in stated[start + 1 : start + len(words)]) != inside for start in starts
    )


def _without_denials(reading: Reading) -> list[tuple[str, int]]:
    """Return the words that are no negations, each with how many stand between it and the word before."""
    found: list[tuple[str, int]] = []
    before = 0
    for token in reading.tokens:
        word = "can" if token.word in ("cannot", "can't") else token.word.removesuffix("n't")
        denies = is_negation(token.word)
        if word[:1].isalnum() and (not denies or word != token.word):
            found.append((word, before))
            before = 0
        before += denies
    return found


def _denials(reading: Reading) -> int:
    return sum(is_negation(token.word) for token in reading.tokens)


def _inserted_denials(claim: Reading, sentence: Reading) -> int:
    """Count the denials between commas of a word that the claim lacks: `are advised, but not obliged, to go`."""
    tokens, found = sentence.tokens, 0
    for place, token in enumerate(tokens):
        before = {one.word for one in tokens[max(0, place - 2) : place]}
        close = [at for at in range(place + 1, min(place + 4, len(tokens))) if tokens[at].word == ","]
        if not is_negation(token.word) or "," not in before or "but" not in before or not close:
            continue
        stems = {one.stem for one in tokens[place : close[0]] if one.stem}
        found += bool(stems) and not stems & claim.positions.keys()
    return found


def cancels(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether a missing word is there as its denied opposite: `not allowed` and `prohibited`."""
    contrary = polarity.negative_forms(stem) | polarity.denials_of(stem)
    found = [other for other in contrary if other in sentence.positions and other not in claim.positions]
    if not found:
        return False
    said = any(claim.tokens[place].negated for place in claim.positions[stem])
    shared = [
        (sum(one.clause == token.clause and one.stem in claim.positions for one in sentence.tokens), token.negated)
        for token in (sentence.tokens[place] for other in found for place in sentence.positions[other])
    ]
    most = max((count for count, _ in shared), default=0)
    return any(negated != said for count, negated in shared if count == most)


def _is_excluded(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether the claim denies a word of what the sentence affirms the contrary: `covers A but excludes B`.

    All of the claim that does not stand before either word, as the subject does, must stand after the contrary.
    """
    if not any(claim.tokens[place].negated or claim.tokens[place].before_denial for place in claim.positions[stem]):
        return False
    for other in polarity.denials_of(stem) & sentence.positions.keys() - claim.positions.keys():
        place, first = sentence.positions[other][0], min(sentence.positions[stem][0], sentence.positions[other][0])
        stated = [sentence.positions.get(one, ()) for one in claim.content if one != stem]
        objects = [places for places in stated if not any(at < first for at in places)]
        if objects and all(places and places[-1] > place for places in objects):
            return not sentence.tokens[place].negated
    return False


def opposite_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield words of the claim in whose place the sentence has the opposite."""
    foreign = sentence.positions.keys() - claim.positions.keys()
    for stem in claim.content:
        rivals = sorted((polarity.opposites_of(stem) & foreign) - polarity.synonyms(stem))
        if not rivals:
            continue
        if stem not in sentence.positions:
            if not cancels(claim, sentence, stem):
                yield f"{rivals[0]!r} instead of {stem!r}"
        else:
            places = [place for other in rivals for place in sentence.positions[other]]
            if _is_excluded(claim, sentence, stem):
                continue
            if belongs_elsewhere(claim, -1, sentence, sentence.positions[stem], places):
                yield f"{stem!r} is said of something else"
    said, stated = _relations_of(claim), _relations_of(sentence)
    for word in said:
        others = sorted(stated & _contrary_relations(word))
        if word in _ALIKE and _denials(claim) != _denials(sentence):
            continue  # `not the same` and `different`
        if others and word not in stated:
            yield f"{others[0]!r} instead of {word!r}"
    yield from _degree_twists(claim, sentence)


def _degree_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `more`, `least` or another such word that stands more often than in the sentence, and its opposite less."""
    for stem in claim.content:
        if stem not in sentence.positions:
            for other in polarity.opposites_of(stem) & claim.positions.keys() & sentence.positions.keys():
                if len(sentence.positions[other]) > len(claim.positions[other]):
                    yield f"{stem!r} in the place of {other!r}"
    here, there = _relation_counts(claim), _relation_counts(sentence)
    for word in here:
        turned = word in _ALIKE and _denials(claim) != _denials(sentence)
        if (
            not turned
            and here[word] > there[word]
            and any(there[other] > here[other] for other in _contrary_relations(word))
        ):
            yield f"{word!r} in the place of its opposite"


def _relations_of(reading: Reading) -> frozenset[str]:
    """Return the relations of a sentence; `once it is closed` is said as `after`."""
    return (_RELATIONS & reading.words) | ({"after"} if "once" in reading.words else frozenset())


def _relation_counts(reading: Reading) -> Counter[str]:
    """Count the relations of a sentence, bounds of numbers (`at least 5`, `more than 5`) left out."""
    tokens = reading.tokens
    return Counter(
        token.word
        for place, token in enumerate(tokens)
        if token.word in _RELATIONS
        and not (place and tokens[place - 1].word == "at")
        and not any(later.quantity for later in tokens[place + 1 : place + 3])
    )


@lru_cache(maxsize=64)
def _contrary_relations(word: str) -> frozenset[str]:
    contrary = polarity.opposites_of(polarity.stem_of(word) or word)
    return frozenset(other for other in _RELATIONS if (polarity.stem_of(other) or other) in contrary)


# --- quantifiers -------------------------------------------------------------------------------------------------


def quantifier_twists(claim: Reading, sentence: Reading, clauses: frozenset[int]) -> Iterator[str]:
    """Yield `all` for `some`, an added `only`, a dropped `some`, and what is true only under a condition."""
    words = frozenset(token.word for token in sentence.tokens if token.clause in clauses)
    if polarity.EXCLUSIVELY & claim.words and not polarity.EXCLUSIVELY & sentence.words:
        yield "'only' is added"
    weaker = words & (polarity.MOSTLY | polarity.PARTIAL)
    if polarity.UNIVERSAL & claim.words and weaker and not polarity.UNIVERSAL & words:
        yield f"'all' for {min(weaker)!r}"
    if polarity.MOSTLY & claim.words and words & polarity.PARTIAL and not polarity.MOSTLY & words:
        yield "'most' for 'some'"
    if not claim.words & (polarity.PARTIAL | polarity.MOSTLY) and _governs(sentence, claim, polarity.PARTIAL):
        yield "'some' is left out"
    if (
        _CONDITIONS & words
        and not (_CONDITIONS | {"when", "where", "case"}) & claim.words
        and _all_conditional(sentence, clauses)
    ):
        yield "it is only a condition there"


def _governs(sentence: Reading, claim: Reading, quantifiers: frozenset[str]) -> bool:
    """Return whether a quantifier of the sentence stands right before a word of the claim."""
    for index, token in enumerate(sentence.tokens):
        if token.word in quantifiers and not (token.stem and token.stem in claim.positions):
            following = next((later.stem for later in sentence.tokens[index + 1 :] if later.stem), "")
            if following in claim.positions:
                return True
    return False


def _all_conditional(sentence: Reading, clauses: frozenset[int]) -> bool:
    first: dict[int, str] = {}
    for token in sentence.tokens:
        first.setdefault(token.clause, token.word)
    return bool(clauses) and all(first.get(clause) in _CONDITIONS for clause in clauses)
