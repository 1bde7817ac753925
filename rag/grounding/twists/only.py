"""What `only` is said of: whom, what or when it names stays the same, and what it restricts keeps it. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.words import BOUNDARIES, DETERMINERS, IF, PREPOSITIONS
from rag.language.polarity import is_past, word_set

_RESTRICTING = word_set("on in at from between by for to under within until through before after during with via")
_PASSED = DETERMINERS | PREPOSITIONS
_NO_PLURAL = ("ss", "us", "is")


@dataclass(frozen=True, slots=True)
class _Focus:
    """What an `only` is said of: its stems, and whether that is all that a verb says (`may only borrow kayaks`)."""

    stems: frozenset[str]
    of_verb: bool
    place: int
    end: int


def only_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `only` said of something else, and one left out with the time or place that it stands before."""
    stated = _focuses(sentence.tokens)
    if not stated:
        return
    said = _focuses(claim.tokens)
    for focus in said:
        known = bool(focus.stems) and focus.stems <= sentence.positions.keys()
        if known and not any(focus.stems & other.stems for other in stated):
            yield "'only' is said of something else"
            return
    if not said and _is_dropped(claim, sentence, stated):
        yield "'only' is left out with what it restricts"


def _focuses(tokens: Sequence[Token]) -> list[_Focus]:
    """Return what each `only` is said of; one before a number, or denied, is left out."""
    found = []
    for at, token in enumerate(tokens):
        if token.word not in ("only", "solely", "exclusively") or (at and is_negation(tokens[at - 1].word)):
            continue
        focus = _focus(tokens, at)
        if focus is not None:
            found.append(focus)
    return found


def _focus(tokens: Sequence[Token], at: int) -> _Focus | None:
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is None or (not after.word[0].isalnum() and not after.quantity):
        start = at
        while start and tokens[start - 1].word not in BOUNDARIES | AUXILIARIES | PREPOSITIONS:
            start -= 1
        return _Focus(stems_of(tokens[start:at]), False, at, at + 1)
    if after.quantity:
        return None
    before = tokens[at - 1].word if at else ""
    end = next((place for place in range(at + 1, len(tokens)) if tokens[place].word in BOUNDARIES), len(tokens))
    verbal = bool(after.stem) and (is_past(after.word) or before in AUXILIARIES)
    if verbal and at and tokens[at - 1].word not in BOUNDARIES:
        return _Focus(stems_of(tokens[at:end]), True, at, end)
    stop = end if after.word in IF else _end_of_phrase(tokens, at + 1, end)
    return _Focus(stems_of(tokens[at:stop]), False, at, stop)


def _end_of_phrase(tokens: Sequence[Token], start: int, end: int) -> int:
    """Return where the words after `only` end: at an auxiliary, a verb with an `s`, or behind a plain plural."""
    for place in range(start, end):
        token, before = tokens[place], tokens[place - 1]
        if not (token.stem or token.quantity or token.word in _PASSED):
            return place
        if place > start and token.word in PREPOSITIONS - {"of"} and tokens[start].word not in PREPOSITIONS:
            return place  # `only bread on weekdays`
        inflected = token.word.endswith("s") and not token.word.endswith(_NO_PLURAL)
        if token.stem and place > start and before.stem and is_past(token.word) and not token.name:
            return place  # `only the sculptor carved the head`
        if not (token.stem and inflected and place + 1 < end):
            continue
        following = tokens[place + 1]
        if place > start and before.stem and (following.stem or following.word in DETERMINERS):
            return place  # `only the shop sells cards`
        if following.stem and not token.name:
            return place + 1  # `only members borrow kayaks`
    return end


def _is_dropped(claim: Reading, sentence: Reading, stated: Sequence[_Focus]) -> bool:
    """Return whether a claim has all the rest, and nothing of what stands behind `only` and a preposition."""
    tokens = sentence.tokens
    if any(token.negated for token in claim.tokens):
        return False
    for focus in stated:
        following = tokens[focus.place + 1].word if focus.place + 1 < len(tokens) else ""
        opens = not any(token.stem for token in tokens[: focus.place])
        if opens or following not in _RESTRICTING or not focus.stems:
            continue
        start = max((at + 1 for at in range(focus.place) if tokens[at].word in BOUNDARIES), default=0)
        before = stems_of(tokens[start : focus.place])
        if not focus.stems & claim.positions.keys() and before and before <= claim.positions.keys() | {""}:
            return True
    return False
