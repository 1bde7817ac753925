"""Duty, advice, permission, possibility and fact: one scale, and a step on it is another statement. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation
from rag.grounding.words import DETERMINERS, PAST_AUXILIARIES, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set

_DUTY, _ADVICE, _LEAVE, _CHANCE = "a duty", "advice", "a permission", "a possibility"
_FUTURE, _FACT = "to come", "a fact"
_STEPS = {
    **dict.fromkeys(word_set("must shall"), _DUTY),
    **dict.fromkeys(word_set("should ought"), _ADVICE),
    **dict.fromkeys(word_set("may"), _LEAVE),
    **dict.fromkeys(word_set("can could might cannot"), _CHANCE),
    **dict.fromkeys(word_set("will"), _FUTURE),
}
_WITH_TO = {
    **dict.fromkeys(word_set("have has had need needs needed required obliged"), _DUTY),
    **dict.fromkeys(word_set("advised recommended encouraged"), _ADVICE),
    **dict.fromkeys(word_set("allowed permitted"), _LEAVE),
}
_TWISTED = {
    _DUTY: {_ADVICE, _LEAVE, _CHANCE, _FACT},
    _ADVICE: {_DUTY, _LEAVE, _CHANCE, _FACT},
    _LEAVE: {_DUTY, _ADVICE},
    _CHANCE: {_DUTY, _ADVICE, _FACT},
}
"""For what the sentence has, what a claim may not make of it: a plain order (`replace it`) may be read as a duty."""
_MODAL = polarity.HEDGES | polarity.UNSURE | polarity.ADVICE | polarity.OBLIGATIONS | polarity.PERMISSIONS
_MARKS = word_set(", ; : ( ) and or then |")
_REACH = 4


def modality_twists(claim: Reading, sentence: Reading, clauses: frozenset[int]) -> Iterator[str]:
    """Yield a duty for a permission or advice, a permission for a duty, and a fact for any of these."""
    words = frozenset(token.word for token in sentence.tokens if token.clause in clauses)
    duty, stated_duty = polarity.OBLIGATIONS & claim.words, polarity.OBLIGATIONS & words
    weaker = words & (polarity.ADVICE | polarity.PERMISSIONS)
    if duty and not stated_duty and weaker and not _has_duty(sentence):
        yield f"{min(duty)!r} for {min(weaker)!r}"
    granted = claim.words & polarity.PERMISSIONS and not (_denies(claim) and _denies(sentence))
    if granted and not duty and stated_duty and not words & polarity.PERMISSIONS:
        yield f"a permission for {min(stated_duty)!r}"
    if duty and not stated_duty and not weaker and _is_habit(claim, sentence):
        yield f"{min(duty)!r} for what is only done"
    unsure = _unsure_words(claim, sentence) | (words & polarity.HEDGES) - _compared(sentence)
    excused = polarity.PERMISSIONS if unsure <= {"may", "might"} else polarity.POSSIBLE
    if unsure and not claim.words & (polarity.UNSURE | polarity.HEDGES | excused):
        yield f"{min(unsure)!r} is left out"
    yield from _step_twists(claim, sentence)


def _unsure_words(claim: Reading, sentence: Reading) -> frozenset[str]:
    """Return the words that tell a doubt, none of a sentence of which the claim takes another of two statements.

    `The coach decides whether they go out, and the club pays for it` leaves no doubt about who pays.
    """
    found = sentence.words & polarity.UNSURE
    if not found:
        return found
    tokens = sentence.tokens
    cuts = [at for at, token in enumerate(tokens) if _parts_statements(tokens, at)]
    for start, end in pairwise([0, *cuts, len(tokens)]):
        part = tokens[start:end]
        if not any(token.word in found for token in part) and claim.positions.keys() <= {token.stem for token in part}:
            return frozenset()
    return found


def _parts_statements(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a semicolon stands here, or a comma with `and` or `but` and an article behind it."""
    following = [token.word for token in tokens[place + 1 : place + 3]]
    return tokens[place].word == ";" or (
        tokens[place].word == "," and following[:1] in (["and"], ["but"]) and bool(set(following[1:]) & DETERMINERS)
    )


def _is_habit(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim makes a duty of what a noun of the sentence does: `most hikers carry a map`.

    An order (`Carry a map`) and what is done with a thing (`gloves are worn`) may be read as duties.
    """
    stems = [stem for stem, steps in _governed(claim).items() if _DUTY in steps]
    if len(stems) != 1 or _has_duty(sentence) or _denies(claim):
        return False
    for place in sentence.positions.get(stems[0], ()):
        before = sentence.tokens[place - 1] if place else None
        if before is None or not before.stem or before.stem not in claim.positions or before.word in polarity.LIGHT:
            return False
        if sentence.tokens[place].word in AUXILIARIES or not _has_thing(sentence.tokens, place):
            return False
    return stems[0] in sentence.positions


def _has_thing(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether an object or a preposition stands right behind a verb."""
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    return after is not None and (after.word in DETERMINERS | PREPOSITIONS or bool(after.stem or after.quantity))


def _compared(reading: Reading) -> frozenset[str]:
    """Return the words that stand only behind `than` or `as`: what was `planned` of `a month later than planned`."""
    tokens = reading.tokens
    behind = [at for at, token in enumerate(tokens) if at and tokens[at - 1].word in ("than", "as")]
    return frozenset(tokens[at].word for at in behind) - {
        token.word for at, token in enumerate(tokens) if at not in behind
    }


def _denies(reading: Reading) -> bool:
    """Return whether a duty or permission is denied: `you must not` and `you may not` say the same."""
    words = [token.word for token in reading.tokens]
    known = {"must", "shall", "may", "can"}
    after = any(is_negation(later) for word, later in pairwise(words) if word in known)
    return after or any(is_negation(word) for word, later in pairwise(words) if later in ("allowed", "permitted"))


def _has_duty(reading: Reading) -> bool:
    return any(step == _DUTY for steps in _governed(reading).values() for step in steps)


def _step_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a verb that stands under another modal than in the sentence, or as a fact."""
    stated, said = _governed(sentence), _governed(claim)
    for stem in claim.content:
        if _FUTURE in said.get(stem, set()) and _is_done(sentence, stem):
            yield f"{stem!r} is done there"
            return
        there, here = stated.get(stem, set()), said.get(stem, set()) or _as_fact(claim, stem)
        if not there or not here or len(sentence.positions[stem]) > len(there):
            continue
        if _is_still_to_come(claim, sentence, stem, here, there):
            yield f"{stem!r} is still to come there"
            return
        here, there = here - there, there - here
        if here and there and all(here <= _TWISTED.get(step, set()) for step in there):
            yield f"{min(here)} for {min(there)}: {stem!r}"
            return


def _is_done(sentence: Reading, stem: str) -> bool:
    """Return whether the sentence says a verb in the past alone, with its subject or auxiliary before it."""
    places = sentence.positions.get(stem, ())
    words = sentence.words & {"will", "would", "shall", "to", "if", "be", "is", "are"}
    return bool(places) and not words - {"to"} and all(polarity.is_past(sentence.tokens[at].word) for at in places)


def _governed(reading: Reading) -> dict[str, set[str]]:
    """Return for each verb that stands under a modal which it is; a denied one says something else and is left out."""
    found: dict[str, set[str]] = {}
    for place in range(len(reading.tokens)):
        step, start = _step(reading.tokens, place)
        verb = _verb_after(reading.tokens, start) if step else None
        if verb is not None:
            found.setdefault(verb.stem, set()).add(step)
    return found


def _step(tokens: Sequence[Token], place: int) -> tuple[str, int]:
    """Return what a word or a word with `to` says of the verb after it, and where that begins; empty for nothing."""
    word = tokens[place].word
    if word in _WITH_TO and place + 1 < len(tokens) and tokens[place + 1].word == "to":
        denied = place and (is_negation(tokens[place - 1].word) or tokens[place - 1].word in ("do", "does", "did"))
        return ("", 0) if denied else (_WITH_TO[word], place + 2)
    if word not in _STEPS or word == "cannot":
        return "", 0
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return ("", 0) if is_negation(after) or tokens[place].stem else (_STEPS[word], place + 1)


def _verb_after(tokens: Sequence[Token], start: int) -> Token | None:
    """Return the verb that a modal governs, auxiliaries and adverbs between them passed over."""
    for token in tokens[start : start + _REACH]:
        if token.word in _MARKS or token.quantity or token.word in _STEPS or is_negation(token.word):
            return None
        if token.stem and not token.word.endswith("ly") and token.word not in ("also", "always", "only", "have"):
            return token
    return None


def _as_fact(claim: Reading, stem: str) -> set[str]:
    """Return that the claim states a verb as a fact: with a subject before it, under no modal, not after `to`."""
    if claim.words & (_STEPS.keys() | _MODAL) or any(
        _step(claim.tokens, place)[0] for place in range(len(claim.tokens))
    ):
        return set()
    for place in claim.positions[stem]:
        before = claim.tokens[place - 1] if place else None
        stands = before is not None and (before.stem or before.word in AUXILIARIES) and before.word not in _MARKS
        if not stands or is_negation(before.word if before else ""):
            return set()
    return {_FACT}


def _is_still_to_come(claim: Reading, sentence: Reading, stem: str, here: set[str], there: set[str]) -> bool:
    """Return whether the sentence says of a verb only that it will be, and the claim that it was."""
    if there != {_FUTURE} or _FACT not in here:
        return False
    place = claim.positions[stem][0]
    before = {token.word for token in claim.tokens[max(0, place - 3) : place]}
    return bool(before & PAST_AUXILIARIES) or (polarity.is_past(claim.tokens[place].word) and not before & AUXILIARIES)
