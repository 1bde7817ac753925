"""What a pronoun or a definite noun of one sentence takes over from the sentences before it. Ground floor."""

import itertools
from collections.abc import Sequence

from rag.grounding.matching import matches
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import OPENERS
from rag.language import polarity
from rag.language.quantities import is_year
from rag.language.quantity_equality import comparable, same_quantity

_SUBJECT_PRONOUNS = frozenset(("he", "she", "it", "they"))
_SUBORDINATING = polarity.word_set("who which that whose whom when while because if although as since until")
_PLACING = polarity.word_set("in to at from near into for of")
_PRONOUNS = frozenset(("it", "they", "its", "their", "this", "these", "those", "such", "he", "she", "his", "her"))


def refers_back(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether a sentence continues what was said before it, so that its subject may stand there.

    It does when it begins with a pronoun, or adds to a definite noun (`the limit`) nothing that the claim lacks; a name
    of its own, a rival number before it, or a rival name where no pronoun leads back, means that it speaks of
    something else.
    """
    strangers = [token for token in sentence.tokens if token.stem and token.stem not in claim.positions]
    if any(token.name for token in strangers):
        return joins_on(claim, sentence, context)
    opening = [token.word for token in sentence.tokens[:4]]
    pronoun = any(word in _PRONOUNS for word in opening)
    if _has_rival_number(claim, context) and not _continues(claim, sentence, context):
        return False
    return pronoun or ("the" in sentence.words and not strangers and not _has_rival_name(claim, sentence, context))


def _has_rival_number(claim: Reading, context: Sequence[Reading]) -> bool:
    """Return whether the context has a number that could be confused with one of the claim's."""
    return any(
        comparable(quantity, other) and not same_quantity(quantity, other)
        for _, quantity in claim.quantities
        for reading in context
        for _, other in reading.quantities
    )


def _continues(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether a sentence says by a pronoun something new of the subject of the sentence before it.

    Then a number there is no rival: `Ada was born in 1970. She won the cup in 1994.` It is one where the sentence
    before says the same with another number (`The dose for adults is 5 mg. It is 3 mg for children.`); years, each of
    its own event, are none.
    """
    opening = itertools.takewhile(lambda token: not token.stem, sentence.tokens)
    if not context or not any(token.word in _SUBJECT_PRONOUNS for token in opening):
        return False
    here, before = matches(claim, sentence).keys(), matches(claim, context[-1]).keys()
    years = all(is_year(quantity) or quantity.kind == "date" for _, quantity in claim.quantities)
    given = frozenset(claim.content) - here
    return given <= subject_stems(claim) & subject_stems(context[-1]) and (years or not here & before)


def joins_on(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether what a claim says is said of a pronoun behind `and`: `He led it for 30 years and died in 1951`.

    Between them may stand names of places and the like (`She moved to Rome and won`), no clause and no second pronoun.
    """
    if not _continues(claim, sentence, context):
        return False
    verb = next((stem for stem in claim.content if stem not in subject_stems(claim)), "")
    tokens = sentence.tokens
    return any(
        _is_behind_and(tokens, place) and all(_may_stand_between(tokens, at) for at in range(place))
        for place in sentence.positions.get(verb, ())
    )


def _is_behind_and(tokens: Sequence[Token], place: int) -> bool:
    before = (token.word for token in reversed(tokens[:place]) if token.word not in AUXILIARIES)
    return next(before, "") in ("and", "but", "then")


def _may_stand_between(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.word in _SUBJECT_PRONOUNS:
        is_object = token.word == "it" and bool(tokens[place - 1].stem) and not tokens[place + 1].stem
        return is_object or not any(earlier.word in _SUBJECT_PRONOUNS or earlier.stem for earlier in tokens[:place])
    before = next((earlier.word for earlier in reversed(tokens[:place]) if not earlier.name), "")
    return token.word not in _SUBORDINATING and (not token.name or before in _PLACING)


def subject_stems(reading: Reading) -> frozenset[str]:
    """Return the stems that a sentence begins with and that name its subject, as far as its form tells.

    They are those before the first auxiliary or past tense (`the steam pump was`, `the council rejected`), else, as the
    verb is then among them, the names (`Ada Holt moves`) or all but the last (`the ferry needs`).
    """
    tokens = reading.tokens
    start = next((at for at, token in enumerate(tokens) if token.stem), len(tokens))
    end = next((at for at in range(start, len(tokens)) if not tokens[at].stem), len(tokens))
    if any(token.word not in OPENERS for token in tokens[:start]):
        return frozenset()
    past = next((at for at in range(start + 1, end) if polarity.is_past(tokens[at].word)), None)
    if past is not None:
        end = past
    elif end == len(tokens) or tokens[end].word not in AUXILIARIES:
        names = list(itertools.takewhile(lambda at: tokens[at].name, range(start + 1, end)))
        end = names[-1] + 1 if names else end - 1
    return frozenset(token.stem for token in tokens[start:end])


def _has_rival_name(claim: Reading, sentence: Reading, context: Sequence[Reading]) -> bool:
    """Return whether the context names another than the one of whom the claim says what it says there.

    `The laser safety officer is Costin. The safety officer is Vaas.`: Vaas is not the officer of the first sentence.
    """
    given = claim.names & sentence.names
    return any(given - reading.names and reading.names - claim.names - sentence.names for reading in context)
