"""One sentence, read: words with stems, clauses, negation, numbers and names. Ground floor."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from rag.grounding.normal import normal_form
from rag.language import polarity
from rag.language.letters import is_letter_name
from rag.language.periods import months_of_may
from rag.language.polarity import word_set
from rag.language.quantities import Quantity, quantities

_TOKEN = re.compile(r"\ue000+|[^\W_]+(?:['’][^\W_]+)*|[,;:()\[\]|]|[—–]|\s-\s|\n")
_CLAUSE_STARTERS = word_set(
    "but however although though whereas while because unless if so yet which who whose when where since then otherwise"
)
_SUBORDINATE = word_set(
    "if when since because although though while whereas unless whether once as which who whose where"
)
_COORDINATED = word_set(
    "is are was were be has have had it they this these that he she we you i can must should will may does do did "
    "the a an"
)
_EXCLUDED = word_set("if when where because since while")
"""What `not` denies as a clause where it stands right before it: `free if you cancel, not if you do not come`."""
_RELATIVES = frozenset(("that", "which", "who", "to"))
_FORWARD = polarity.FORWARD_VERBS | polarity.RARELY
_INSTEAD = {"other": "than", "rather": "than", "instead": "of"}
_BREAKS = frozenset((";", ":", "(", ")", "—", "–", "|", "\n"))
AUXILIARIES = word_set(
    "is are was were be been has have had can could may might must should will would do does did cannot"
)
_MOTION = word_set(
    "go goes going went gone come comes coming came rise rises rising rose risen climb climbs climbing climbed pull "
    "pulls pulling pulled push pushes pushing pushed move moves moving moved walk walks walking walked ride rides "
    "riding rode ridden drive drives driving drove driven step steps stepping stepped fly flies flying flew flown jump "
    "jumps jumping jumped shoot shoots shooting shot soar soars soaring soared creep creeps creeping crept float "
    "floats floating floated lead leads leading led swing swings swinging swung"
)
_STOPS_SUBJECT = AUXILIARIES | _RELATIVES


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a number of a sentence. `stem` is empty for function words; numbers carry their `quantity`.

    `before_denial`: it stands before the negation of its own clause, as the subject of what is denied does.
    """

    word: str
    stem: str
    clause: int
    negated: bool
    name: bool
    quantity: Quantity | None = None
    before_denial: bool = False

    @property
    def key(self) -> object:
        """What it is known by: its stem, or the values of a number; None for a function word."""
        return self.stem or (self.quantity.values if self.quantity else None)


@dataclass(frozen=True)
class Reading:
    """A sentence with everything that a comparison needs."""

    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Where each content stem stands, as indexes of tokens."""
        found: dict[str, list[int]] = {}
        for index, token in enumerate(self.tokens):
            if token.stem:
                found.setdefault(token.stem, []).append(index)
        return found

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The content stems, each once, in order."""
        return tuple(self.positions)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, function words included."""
        return frozenset(token.word for token in self.tokens)

    @cached_property
    def quantities(self) -> tuple[tuple[int, Quantity], ...]:
        """The numbers, each with its index among the tokens."""
        return tuple((index, token.quantity) for index, token in enumerate(self.tokens) if token.quantity)

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of the words that are written as names."""
        return frozenset(token.stem for token in self.tokens if token.name and token.stem)


def stems_of(tokens: Iterable[Token]) -> frozenset[str]:
    """Return the content stems of some tokens."""
    return frozenset(token.stem for token in tokens if token.stem)


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Read one sentence."""
    normal = normal_form(text)
    found = quantities(normal)
    masked = normal
    for quantity in found:
        masked = masked[: quantity.start] + "\ue000" * (quantity.end - quantity.start) + masked[quantity.end :]
    by_start = {quantity.start: quantity for quantity in found}
    return Reading(text, tuple(_without_yes(_tokens(masked, by_start))))


@lru_cache(maxsize=4096)
def read_row(text: str) -> Reading:
    """Read what a table's row says, `head: cell` for each column; a head with the cell `no` is denied.

    >>> [token.word for token in read_row("Room: 4; Balcony: no").tokens if token.negated]
    ['balcony']
    """
    tokens = list(read(text).tokens)
    edges = [-1, *(place for place, token in enumerate(tokens) if token.word == ";"), len(tokens)]
    for start, end in pairwise(edges):
        colon = next((place for place in range(start + 1, end) if tokens[place].word == ":"), end)
        if [token.word for token in tokens[colon + 1 : end]] == ["no"]:
            head = range(start + 1, colon)
            tokens[start + 1 : colon] = [replace(tokens[at], negated=bool(tokens[at].stem)) for at in head]
    return Reading(text, tuple(tokens))


def _without_yes(tokens: list[Token]) -> list[Token]:
    """Return the tokens with no stem for a `Yes,` that opens a sentence which denies nothing: it adds nothing to it."""
    words = [token.word for token in tokens]
    if words[:2] != ["yes", ","] or any(map(is_negation, words)) or any(token.negated for token in tokens):
        return tokens
    return [replace(tokens[0], stem=""), *tokens[1:]]


def _tokens(masked: str, by_start: dict[int, Quantity]) -> list[Token]:
    """Return the tokens; one pass that follows clauses and the reach of negation."""
    raw = [(match[0], match.start()) for match in _TOKEN.finditer(masked)]
    shouted = masked.isupper() and len(raw) > 3
    months = months_of_may(masked)
    negation = _Negation()
    tokens: list[Token] = []
    clause, first, subordinate = 0, True, False
    for index, (piece, start) in enumerate(raw):
        word = piece.casefold()
        following = raw[index + 1][0].casefold() if index + 1 < len(raw) else ""
        if piece[0] == "\ue000":
            tokens.extend(_numbers(start, len(piece), by_start, clause))
            continue
        if _opens_clause(word, following, tokens) or (word == "," and subordinate):
            clause += 1
            if not (word in _EXCLUDED and tokens and tokens[-1].word == "not"):
                negation.end()
            subordinate = word in _SUBORDINATE or (word == "," and following in _SUBORDINATE)
        if not piece[0].isalnum():
            negation.pause(piece)
            tokens.append(Token(piece, "", clause, False, False))
            continue
        letter = len(word) == 1 and is_letter_name(masked, start)
        stem = polarity.stem_of(word) if len(word) > 1 or piece.isdigit() or letter else ""
        bound = word == "up" and following == "to" and raw[index + 2 : index + 3] and raw[index + 2][0][0] == "\ue000"
        if is_negation(word) or (bound and not _moves(tokens)):
            stem = ""  # `up to 5` is a bound; that of `went up to 5` is a direction
        if letter and not stem:
            stem = f"letter{word}"  # the A of a building, no article
        if not stem and piece.isupper() and len(piece) > 1 and not shouted:
            stem = word  # an acronym that looks like a function word: IT, US, WHO
        if start in months:
            word, stem = piece, word  # with its capital it is none of the hedges and auxiliaries
        negated = negation.reaches(word, raw[index + 1 : index + 6], stem, _is_inserted(tokens))
        if negation.begins:
            _mark_subject(tokens, clause)
        tokens.append(Token(word, stem, clause, negated, letter or (not shouted and _is_name(piece, first))))
        first = False
    return _with_clause_negation(tokens)


def _moves(tokens: list[Token]) -> bool:
    """Return whether the last word is a verb of motion, or the object of one: `rose up`, `pulled the rope up`."""
    before = [token.word for token in tokens[-3:]]
    return before[-1:] != [] and (before[-1] in _MOTION or (before[0] in _MOTION and before[1:2] == ["the"]))


def _is_inserted(tokens: list[Token]) -> bool:
    """Return whether the next word stands behind a comma, or one with `but`: `advised, but not obliged, to go`."""
    before = [token.word for token in tokens[-2:]]
    return before[-1:] == [","] or before == [",", "but"]


def _mark_subject(tokens: list[Token], clause: int) -> None:
    """Mark the subject of a denial: what stands before `must not`, back to the last verb or relative pronoun."""
    place = len(tokens) - 1
    while place >= 0 and tokens[place].word in AUXILIARIES:
        place -= 1
    while place >= 0 and tokens[place].clause == clause and tokens[place].word not in _STOPS_SUBJECT:
        if tokens[place].before_denial:
            return  # and so is all before it
        tokens[place] = replace(tokens[place], before_denial=True)
        place -= 1


def _numbers(start: int, length: int, by_start: dict[int, Quantity], clause: int) -> list[Token]:
    found = (by_start[place] for place in range(start, start + length) if place in by_start)
    return [Token("#", "", clause, False, False, quantity) for quantity in found]


def _opens_clause(word: str, following: str, tokens: list[Token]) -> bool:
    if word in _BREAKS or word == " - ":
        return True
    if word == ",":
        return (
            following in _CLAUSE_STARTERS
            or (following in ("and", "or") and bool(tokens))
            or _orders_again(following, tokens)
        )
    return word in _CLAUSE_STARTERS or (word == "and" and following in _COORDINATED)


def _orders_again(following: str, tokens: list[Token]) -> bool:
    """Return whether the verb of a ban comes again behind its comma, as an order: `Do not store it here, store it`."""
    words = [token.word for token in tokens]
    start = 1 if words[:1] == ["do"] else 0
    return bool(words[start : start + 1]) and is_negation(words[start]) and words[start + 1 : start + 2] == [following]


def _is_name(piece: str, first: bool) -> bool:
    if piece.islower() or piece.isdigit():
        return False
    return not first or not piece[1:].islower()


def is_negation(word: str) -> bool:
    """Return whether a folded word denies: `not`, `never`, `isn't`."""
    return word in polarity.NEGATIONS or word.endswith("n't")


def _is_bound(ahead: list[tuple[str, int]]) -> bool:
    """Return whether what follows `not` makes a bound or a list of it, no denial: `not more than 5`, `not only`."""
    if len(ahead) > 1 and ahead[0][0].endswith("er") and ahead[1][0] == "than":
        return any(piece[0] == "\ue000" for piece, _ in ahead)  # `no faster than 9 metres`
    if not ahead or ahead[0][0].casefold() not in polarity.NEUTRAL_AFTER_NOT:
        return False
    return ahead[0][0].casefold() == "only" or any(piece[0] == "\ue000" for piece, _ in ahead)


class _Negation:
    """How far the last negation reaches: to the end of the clause, or over the next three content words."""

    def __init__(self) -> None:
        self._left = 0
        self._inserted = False
        self.begins = False

    def end(self) -> None:
        """End the reach: a new clause has begun."""
        self._left = 0

    def pause(self, mark: str) -> None:
        """End a short reach, or one that began after a comma (`zinc, not copper, conducts`), at a comma."""
        if mark == "," and (self._left <= 3 or self._inserted):
            self._left = 0

    def reaches(self, word: str, ahead: list[tuple[str, int]], stem: str, after_comma: bool) -> bool:
        """Return whether the word is negated, and take up a negation that it begins."""
        reached = self._left > 0 and bool(stem)
        self.begins = False
        if stem and self._left:
            self._left -= 1
        if self._left and self._left <= 3 and word in AUXILIARIES:
            self._left = 0
        if (is_negation(word) and not _is_bound(ahead)) or word in _FORWARD:
            self._left = 1000
            self._inserted = after_comma
            self.begins = not after_comma
        elif word in polarity.SHORT_NEGATIONS or (word in _INSTEAD and ahead and ahead[0][0] == _INSTEAD[word]):
            self._left = max(self._left, 3)
        return reached


def _with_clause_negation(tokens: list[Token]) -> list[Token]:
    """Return the tokens with whole clauses negated whose predicate is one like `prohibited` or `false`."""
    clauses = {
        token.clause
        for place, token in enumerate(tokens)
        if token.word in polarity.CLAUSE_NEGATIONS
        and not (token.word == "false" and any(one.stem for one in tokens[place + 1 : place + 2]))  # `a false start`
    }
    if not clauses:
        return tokens
    return [
        replace(token, negated=True)
        if token.clause in clauses and token.word not in polarity.CLAUSE_NEGATIONS
        else token
        for token in tokens
    ]
