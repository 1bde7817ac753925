"""The subject, condition or time of one clause with what another says: `..., and the seals are wiped once a month`.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
Ground floor.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.statements import (
    CUTS,
    ELSEWHERE,
    LEADS,
    begins_with_verb,
    is_any_in,
    is_plural,
    subject_and_verb,
)
from rag.grounding.words import ARTICLES, BE, DETERMINERS, OBJECT_PRONOUNS
from rag.language.polarity import NEGATIONS, is_past, word_set
from rag.language.quantity_equality import same_quantity

_CONDITIONS = word_set("if when unless until once")
_ONES = word_set("one ones")
_RELATIVES = word_set("who which")


def two_clauses_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what one clause of a sentence says with the subject, the condition or the time of another."""
    tests = (
        _crosses_clauses,
        _crosses_purpose,
        _has_other_condition,
        _is_if_for_unless,
        _is_of_the_one,
        _is_of_owner,
        _crosses_relative,
        _is_of_place,
        _has_other_agent,
        _is_denied_of_both,
    )
    if is_any_in(tests, claim, sentence):
        yield "it is said of another in a clause there"


# --- infants travel on the lap, and children from the age of two need a seat ----------------------------------------


def _crosses_clauses(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has the subject of one of two clauses joined by `, and` with what the other says."""
    joins = [at for at, token in enumerate(tokens[:-1]) if token.word == "," and tokens[at + 1].word in CUTS]
    if len(joins) != 1 or sum(token.word == "," for token in tokens) > 1:
        return False
    before, after = tokens[: joins[0]], tokens[joins[0] + 2 :]
    if len(after) < 3 or not _has_own_subject(before) or not _has_own_subject(after) or after[1].word in _ONES:
        return False
    if any(token.word in ELSEWHERE for token in after) or _has_object_pronoun((*before, *after)):
        return False
    one, verb = subject_and_verb(before)
    other, _ = subject_and_verb(after)
    first, second = stems_of(before), stems_of(after)
    wanted = claim.positions.keys()
    if not one - second or not other - first or (wanted & one and wanted & other):
        return False
    if wanted & other and wanted & (verb - second):
        return True
    if is_plural(after[0]) and after[1].word in LEADS and wanted & one and wanted & (second - first):
        return True  # `dogs travel free, and bicycles at half fare`
    numbers = [one.quantity for one in after if one.quantity]
    known = sum(any(same_quantity(said, number) for number in numbers) for _, said in claim.quantities)
    return bool(wanted & one) and not wanted & (first - one) and len(wanted & (second - first)) + known > 1


def _has_object_pronoun(tokens: Sequence[Token]) -> bool:
    """Return whether a verb has a pronoun as its object, so that two clauses are of one thing."""
    return any(
        token.word in OBJECT_PRONOUNS and at and tokens[at - 1].word not in LEADS for at, token in enumerate(tokens)
    )


def _crosses_purpose(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has the first subject with what follows `so that the uncle played the accordion`."""
    place = next(
        (at for at in range(1, len(tokens) - 3) if tokens[at].word == "so" and tokens[at + 1].word == "that"), 0
    )
    after = tokens[place + 2 :]
    if not place or after[0].word not in ARTICLES or _has_object_pronoun(after):
        return False
    one, _ = subject_and_verb(tokens[:place])
    other, _ = subject_and_verb(after)
    first, second = stems_of(tokens[:place]), stems_of(after)
    wanted = claim.positions.keys()
    alone = wanted & one and not wanted & (first - one) and not wanted & (other - first)
    return bool(alone) and len(wanted & (second - first)) > 1


def _is_if_for_unless(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has with `if` what the sentence has with `unless`: `free if it was spilled`."""
    place = next((at for at, token in enumerate(claim.tokens) if token.word in ("if", "when")), -1)
    unless = next((at for at, token in enumerate(tokens) if token.word == "unless"), 0)
    if place < 0 or not unless:
        return False
    close = next((at for at in range(unless, len(tokens)) if tokens[at].word == ","), len(tokens))
    end = next((at for at in range(place, len(claim.tokens)) if claim.tokens[at].word == ","), len(claim.tokens))
    main = (*claim.tokens[:place], *claim.tokens[end:])
    if any(is_negation(token.word) for token in (*claim.tokens, *tokens[:close])):
        return False
    condition, said = stems_of(claim.tokens[place:end]), stems_of(main)
    return (
        bool(condition and said) and condition <= stems_of(tokens[unless:close]) and said <= stems_of(tokens[:unless])
    )


def _crosses_relative(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has the verb of a clause between commas with the time of the main one, or the reverse.

    As in `the band, which had been booked in January, cancelled two days before the wedding`.
    """
    wanted = claim.positions.keys()
    if claim.words & (_RELATIVES | {",", "and"}):
        return False
    for place, token in enumerate(tokens[:-3]):
        if token.word != "," or tokens[place + 1].word not in _RELATIVES:
            continue
        close = next((at for at in range(place + 2, len(tokens)) if tokens[at].word == ","), 0)
        end = next((at for at in range(close + 1, len(tokens)) if tokens[at].word in CUTS), len(tokens))
        inside = [one.stem for one in tokens[place:close] if one.stem]
        behind = [one.stem for one in tokens[close:end] if one.stem]
        if not close or not inside or not behind or not is_past(tokens[close + 1].word):
            continue
        subject = stems_of(tokens[:place])
        for own, other in ((inside, behind), (behind, inside)):
            said = frozenset(other[1:]) - frozenset(own) - subject
            if own[0] in wanted and wanted & said and other[0] not in wanted:
                return True
    return False


def _is_of_place(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of a place what is said of what stands there: of `the stop at the hospital`."""
    place = next((at for at in range(1, min(6, len(tokens) - 3)) if tokens[at].word in LEADS), 0)
    if tokens[0].word not in ARTICLES or not place or tokens[place].word == "of" or not tokens[place - 1].stem:
        return False
    verb = next((at for at in range(place + 2, len(tokens)) if tokens[at].word in BE), 0)
    inside = tokens[place + 1 : verb]
    if not verb or inside[0].word not in ARTICLES or not all(one.stem for one in inside[1:]):
        return False
    thing, where = stems_of(tokens[:place]), stems_of(inside)
    opening = next((at for at, token in enumerate(claim.tokens) if token.word in AUXILIARIES), 0)
    subject = stems_of(claim.tokens[:opening])
    behind = stems_of(tokens[verb:])
    return bool(subject) and subject <= where - behind and not claim.positions.keys() & (thing - behind)


def _has_other_agent(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim gives the doer behind the second of two verbs to the first, which has a phrase of its own.

    As in `is weighed at the desk and carried on board by porters`; in `is washed and dried by nurses` it is of both.
    """
    wanted = claim.positions.keys()
    for join, token in enumerate(tokens[:-3]):
        if token.word != "and" or not is_past(tokens[join + 1].word):
            continue
        by = next((at for at in range(join + 2, len(tokens) - 1) if tokens[at].word == "by"), 0)
        be = max((at for at in range(join) if tokens[at].word in BE), default=0)
        placed = any(one.word in LEADS for one in tokens[be:join])
        end = next((at for at in range(by + 1, len(tokens)) if not tokens[at].stem and at > by + 1), len(tokens))
        if not by or not be or not placed:
            continue
        doer, first = stems_of(tokens[by + 1 : end]) - stems_of(tokens[:by]), tokens[be + 1].stem
        if wanted & doer and first in wanted and tokens[join + 1].stem not in wanted:
            return True
    return False


def _has_other_condition(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim puts the condition of one clause to the next, which has a subject of its own.

    As in `it is cleaned when the lamp is red, and the seals are wiped once a month`.
    """
    wanted = claim.positions.keys()
    for join, token in enumerate(tokens[:-2]):
        begins = join + 2 if token.word == "," and tokens[join + 1].word in ("and", "but", "while") else 0
        opening = max((at for at in range(join) if tokens[at].word in _CONDITIONS), default=0)
        if not begins or not opening or any(one.word in ELSEWHERE | OBJECT_PRONOUNS for one in tokens[begins:]):
            continue
        if not _has_own_subject(tokens[begins:]):
            continue
        main, condition, after = stems_of(tokens[:opening]), stems_of(tokens[opening:join]), stems_of(tokens[begins:])
        said = wanted & (condition - main - after)
        if said and len(wanted & (after - main - condition)) > 1 and not wanted & (main - condition - after):
            return True
    return False


def _is_of_the_one(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of `the one at the gate` what is said of the other: `the hut in the wood is shut`."""
    for cut, token in enumerate(tokens[:-4]):
        if token.word not in (",", "while", "and", "but", "whereas") or not cut > 2:
            continue
        start = cut + 1 + (tokens[cut + 1].word in ("and", "while", "but", "whereas"))
        opening = [one.word for one in tokens[start : start + 3]]
        counted = start + 1 < len(tokens) and tokens[start + 1].quantity is not None
        of_one = opening[:1] == ["the"] and (opening[1:2] in (["one"], ["ones"]) or counted)
        place = start + 2 if of_one else start + 1 if opening[:1] in (["those"], ["that"]) else 0
        if not place or place >= len(tokens) or tokens[place].word not in LEADS - {"of"}:
            continue
        end = next((at for at in range(place + 1, len(tokens)) if _begins_predicate(tokens, at)), len(tokens))
        first = next((at for at in range(1, cut) if tokens[at].word in LEADS - {"of"}), 0)
        stop = next((at for at in range(first + 1, cut) if first and _begins_predicate(tokens, at)), 0)
        if not stop or end == len(tokens):
            continue
        own, theirs = stems_of(tokens[first:stop]), stems_of(tokens[place:end])
        says, they_say = stems_of(tokens[stop:cut]), stems_of(tokens[end:])
        wanted = claim.positions.keys()
        for here, there, said, other in ((own, theirs, they_say, says), (theirs, own, says, they_say)):
            if wanted & (here - there) and wanted & (said - other) and not wanted & ((there - here) | (other - said)):
                return True
    return False


def _begins_predicate(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a verb that its form tells stands here, behind a noun."""
    token, before = tokens[place], tokens[place - 1]
    if token.word in AUXILIARIES:
        return True
    formed = bool(token.stem) and not token.name and (token.word.endswith("s") or is_past(token.word))
    return formed and bool(before.stem) and before.word not in DETERMINERS | LEADS


# --- Marta Blom, whose brother directed the film -------------------------------------------------------------------


def _is_of_owner(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of somebody what is said of what is theirs: `Blom, whose brother led the band`."""
    wanted = claim.positions.keys()
    for place, token in enumerate(tokens[:-2]):
        if token.word != "whose" or not place:
            continue
        end = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in (",", "and", "but")), len(tokens))
        verb = next((at for at in range(place + 2, end) if _begins_predicate(tokens, at)), 0)
        behind = tokens[place - 2 if tokens[place - 1].word == "," else place - 1]
        if not verb or not behind.stem:
            continue
        owned, others = stems_of(tokens[place + 1 : verb]), stems_of((*tokens[:place], *tokens[end:]))
        said = stems_of(tokens[verb:end]) - others - owned
        if behind.stem in wanted and wanted & said and not wanted & owned:
            return True
    return False


def _has_own_subject(tokens: Sequence[Token]) -> bool:
    """Return whether words begin with a noun that is none of the verbs: behind an article, or a bare plural."""
    if not tokens or tokens[0].word in ARTICLES:
        return bool(tokens)
    return is_plural(tokens[0]) and not begins_with_verb(tokens)


# --- hats are allowed, boots and coats are not ---------------------------------------------------------------------


def _is_denied_of_both(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim denies of both subjects what a shortened end denies of the second only."""
    words = [token.word for token in tokens]
    if words[-1] != "not" or len(words) < 4 or words[-2] not in AUXILIARIES:
        return False
    if sum(token.word in AUXILIARIES for token in claim.tokens) != 1 or claim.words.isdisjoint(NEGATIONS):
        return False
    cut = max((at for at, word in enumerate(words) if word in (",", "but", "while", "whereas")), default=0)
    verb = next((at for at, word in enumerate(words[:cut]) if word == words[-2]), 0)
    if not cut or not verb or any(is_negation(word) for word in words[:cut]):
        return False
    first, second = stems_of(tokens[:verb]), stems_of(tokens[cut:])
    wanted = claim.positions.keys()
    return bool(wanted & (first - second)) and bool(wanted & (second - first))
