"""Phrases that stand in pairs: `at noon on weekdays and at ten on Sundays`. Ground floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.grounding.reading import Reading, Token, stems_of
from rag.grounding.verbs import reaches
from rag.grounding.words import DETERMINERS
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity

_PAIRING = word_set("at on in for with from to by during")
_LISTING = frozenset(("and", "or", ","))


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A preposition with the words and numbers behind it, a list of them as one."""

    preposition: str
    stems: frozenset[str]
    numbers: tuple[Quantity, ...]
    start: int
    end: int


def stands_paired(claim: Reading, sentence: Reading) -> bool | None:
    """Return whether two phrases of a claim stand together in the sentence and are said of the claim's subject there.

    None where the sentence has no like pairs, with the same two prepositions, or says them of another: `the museum
    opens at 9 on weekdays and at 10 on Sundays, and the library opens at 11`.
    """
    said = _phrases(claim.tokens)
    if len(said) < 2:
        return None
    stated = _phrases(sentence.tokens)
    pairs = [pair for pair in pairwise(stated) if pair[0].end == pair[1].start]
    own: list[bool] = []
    for one in said:
        for other in said:
            alike = [pair for pair in pairs if (pair[0].preposition, pair[1].preposition) == _prepositions(one, other)]
            if one.preposition == other.preposition or len(alike) < 2 or not _may_pair(one, other, said):
                continue
            first = {at for at, pair in enumerate(alike) if _is_in(one, pair[0])}
            second = {at for at, pair in enumerate(alike) if _is_in(other, pair[1])}
            if first and second and len(first) < len(alike) and len(second) < len(alike):
                if not first & second:
                    return False
                leads = [_lead(sentence.tokens, stated, alike, at) for at in first & second]
                own.append(any(_is_said_in(claim, said, sentence.tokens[start:end]) for start, end in leads))
    return True if own and all(own) else None


def _lead(
    tokens: Sequence[Token], stated: Sequence[_Phrase], alike: Sequence[tuple[_Phrase, _Phrase]], at: int
) -> tuple[int, int]:
    """Return from where to where stands what a row of like pairs is said of: `the bell rings` at ten on Sundays.

    It begins behind the row before, behind a number with the same preposition, or with the reach of its verb.
    """
    while at and all(one.word in _LISTING for one in tokens[alike[at - 1][1].end : alike[at][0].start]):
        at -= 1
    end = alike[at][0].start
    prepositions = {alike[at][0].preposition, alike[at][1].preposition}
    others = [phrase.end for phrase in stated if phrase.preposition in prepositions and phrase.numbers]
    edges = [alike[at - 1][1].end if at else 0, *others, *(start for start, _ in reaches(tokens))]
    return max(edge for edge in (0, *edges) if edge <= end), end


def _is_said_in(claim: Reading, said: Sequence[_Phrase], lead: Sequence[Token]) -> bool:
    """Return whether all that a claim says outside its phrases stands in a part of the sentence, and only once."""
    outside = [
        token for at, token in enumerate(claim.tokens) if not any(phrase.start <= at < phrase.end for phrase in said)
    ]
    stems = [token.stem for token in lead if token.stem]
    numbers = [token.quantity for token in lead if token.quantity]
    return all(stems.count(stem) == 1 for stem in stems_of(outside)) and all(
        any(same_quantity(token.quantity, number) for number in numbers) for token in outside if token.quantity
    )


def _may_pair(one: _Phrase, other: _Phrase, said: Sequence[_Phrase]) -> bool:
    """Return whether two phrases of a claim belong together: neighbours, or the only ones with their prepositions."""
    alike = [phrase for phrase in said if phrase.preposition in (one.preposition, other.preposition)]
    return len(alike) == 2 or one.end == other.start


def _prepositions(one: _Phrase, other: _Phrase) -> tuple[str, str]:
    return one.preposition, other.preposition


def _is_in(said: _Phrase, stated: _Phrase) -> bool:
    """Return whether a phrase of the claim says no more than one of the sentence."""
    return said.stems <= stated.stems and all(
        any(same_quantity(number, other) for other in stated.numbers) for number in said.numbers
    )


def _phrases(tokens: Sequence[Token]) -> list[_Phrase]:
    found = []
    for at, token in enumerate(tokens):
        end = _end(tokens, at + 1) if token.word in _PAIRING else at
        inside = tokens[at + 1 : end]
        if inside:
            numbers = tuple(one.quantity for one in inside if one.quantity)
            found.append(_Phrase(token.word, stems_of(inside), numbers, at, end))
    return found


def _end(tokens: Sequence[Token], start: int) -> int:
    """Return where the words behind a preposition end, those of a list that it leads included."""
    place = start
    while place < len(tokens):
        token, after = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else None
        known = bool(token.stem or token.quantity) or token.word in DETERMINERS
        listed = token.word in _LISTING and after is not None and bool(after.stem or after.quantity)
        if not known and not (listed and place > start):
            break
        place += 1
    return place
