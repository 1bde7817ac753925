"""What is said under one of two openings put under the other: `Below 7 ..., and above 8 ...`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from rag.grounding.pieces import parts_of
from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import COORDINATORS, DETERMINERS, PREPOSITIONS
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity

_SUBJECTS = DETERMINERS | word_set("it they there he she we you")
_OPENING = PREPOSITIONS - {"of"} | word_set("during until since")
_MARKS = frozenset((",", ";", ":", "("))
_LEAST = 2
"""So many words a statement has at least behind its opening."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A statement behind an opening with a preposition: the stems and numbers of that, and the stems of the rest."""

    stems: frozenset[str]
    numbers: tuple[Quantity, ...]
    rest: frozenset[str]


def opening_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what a sentence says under one of two openings, and the claim under the other.

    `Below 7 the water attacks metal, and above 8 chlorine loses its effect` carries no `Above 8 the water attacks it`.
    """
    if _lacks_inserted(claim, sentence):
        yield "it is said only under an opening that is left out"
        return
    opened = _opened(sentence)
    if len(opened) < 2:
        return
    for said in parts_of(claim.text) or (claim,):
        for one, other in (*combinations(opened, 2), *combinations(opened[::-1], 2)):
            if _is_under_other(said, one, other):
                yield "it is said under another opening there"
                return


def _lacks_inserted(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim has what stands behind a phrase between commas, and nothing of that phrase.

    As in `shut on Sundays and, in August, on Mondays`.
    """
    tokens, wanted = sentence.tokens, claim.positions.keys()
    for join, token in enumerate(tokens[:-3]):
        if (
            token.word not in ("and", "but", "or")
            or tokens[join + 1].word != ","
            or tokens[join + 2].word not in _OPENING
        ):
            continue
        close = next((at for at in range(join + 3, len(tokens)) if tokens[at].word == ","), len(tokens))
        end = next((at for at in range(close + 1, len(tokens)) if tokens[at].word in _MARKS), len(tokens))
        others = stems_of((*tokens[:join], *tokens[end:]))
        inserted, behind = tokens[join + 2 : close], stems_of(tokens[close:end]) - others
        numbers = [one.quantity for one in inserted if one.quantity]
        named = any(same_quantity(said, number) for _, said in claim.quantities for number in numbers)
        if wanted & behind and not wanted & stems_of(inserted) and not named:
            return True
    return False


def _opened(sentence: Reading) -> list[_Opened]:
    """Return the statements of a sentence that begin with a preposition, none where its first one does not."""
    tokens = sentence.tokens
    if sentence.text.startswith("|") or not tokens or tokens[0].word not in _OPENING:
        return []
    joins = [at + 1 for at, token in enumerate(tokens[:-1]) if token.word in COORDINATORS]
    starts = [0, *(at for at in joins if tokens[at].word in _OPENING and _subject(tokens, at) > at)]
    found = []
    for start, end in pairwise([*starts, len(tokens)]):
        subject = _subject(tokens, start)
        numbers = tuple(token.quantity for token in tokens[start:subject] if token.quantity)
        rest = stems_of(tokens[subject:end])
        told = len(rest) >= _LEAST or (bool(rest) and any(token.word in AUXILIARIES for token in tokens[subject:end]))
        if subject > start and told:
            found.append(_Opened(stems_of(tokens[start:subject]), numbers, rest))
    return found


def _subject(tokens: Sequence[Token], start: int) -> int:
    """Return where the subject behind an opening begins: at a comma or the next article or pronoun; 0 for nowhere."""
    seen = False
    for place in range(start + 1, len(tokens)):
        word = tokens[place].word
        if seen and (word == "," or (word in _SUBJECTS and tokens[place - 1].word not in _OPENING | {"of", "and"})):
            return place
        if word in COORDINATORS or word == ",":
            return 0
        seen = seen or bool(tokens[place].stem or tokens[place].quantity)
    return 0


def _is_under_other(said: Reading, one: _Opened, other: _Opened) -> bool:
    """Return whether a statement has the opening of one, words that only the other's has, and none of its own."""
    own, foreign = one.rest - other.rest, other.rest - one.rest
    opening = one.stems - other.stems - other.rest
    numbers = [number for number in one.numbers if number not in other.numbers]
    if not (opening or numbers) or not opening <= said.positions.keys():
        return False
    if not all(any(same_quantity(have, number) for _, have in said.quantities) for number in numbers):
        return False
    if (other.stems - one.stems - one.rest) & said.positions.keys():
        return False
    words = said.positions.keys() - one.stems
    return bool(own) and len(words & foreign) >= _LEAST and not words & own
