"""What a list gives to each of several things, given to another: `check the plates daily and the rope weekly`.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
Ground floor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import ARTICLES, PLACING

_TIMES = PLACING | {"before", "after", "during", "until", "every", "each", "once", "twice"}
"""What may begin what is told of a thing, where no number or `weekly` does."""
_ARTICLES = ARTICLES | {"its", "their", "his", "her", "our", "your", "my"}
_PRONOUNS = frozenset(("it", "them", "they", "he", "she", "him", "this", "who", "which", "that"))
_JOINTS = frozenset((",", "and", "or", ";"))


@dataclass(frozen=True, slots=True)
class _Item:
    """A thing of a list by its words, and what is told of it: words, and values of numbers."""

    thing: frozenset[str]
    told: frozenset[object]


def listed_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a thing of a list with what the list tells of another one."""
    stated = _items(sentence.tokens)
    if any(
        _is_crossed(item, own, other)
        for item in (_items(claim.tokens) if len(stated) > 1 else ())
        for own, other in permutations(stated, 2)
    ):
        yield "its list tells that of another thing"
    numbers = _listed_numbers(claim.tokens)
    if numbers and _stand_apart(numbers, sentence.tokens):
        yield "its numbers stand in two statements there"


def _is_crossed(item: _Item, own: _Item, other: _Item) -> bool:
    """Return whether an item of the claim has the thing of one item of the list and what is told of another alone."""
    thing = own.thing - other.thing
    if not thing or not thing <= item.thing or (other.thing - own.thing) & item.thing:
        return False
    return bool((other.told - own.told) & item.told) and not (own.told - other.told) & item.told


def _items(tokens: Sequence[Token]) -> list[_Item]:
    """Return the items between commas and `and` that name a thing behind an article and tell something of it."""
    edges = [-1, *(at for at in range(len(tokens)) if tokens[at].word in _JOINTS), len(tokens)]
    found = []
    for start, end in pairwise(edges):
        item = _item(tokens[start + 1 : end], first=start < 0)
        if item:
            found.append(item)
    return found


def _item(tokens: Sequence[Token], *, first: bool) -> _Item | None:
    """Return an item: of the first, which has subject and verb, what stands behind its last article."""
    opens = [at for at, token in enumerate(tokens) if token.word in _ARTICLES and not _is_time(tokens, at)]
    if not opens or (not first and opens[0] != 0) or any(token.word in _PRONOUNS for token in tokens):
        return None
    tail = next((at for at in range(opens[0] + 2, len(tokens)) if _is_time(tokens, at)), None)
    if tail is None:
        return None
    begin = max(at for at in opens if at < tail)
    verb = next((at for at in range(begin, tail) if tokens[at].word in AUXILIARIES), tail)
    thing = stems_of(tokens[begin:verb])
    told = frozenset(key for token in tokens[tail:] if (key := token.key))
    return _Item(thing, told) if thing and told else None


def _is_time(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return token.word in _TIMES or (token.quantity is not None and token.quantity.kind == "frequency")


def _listed_numbers(tokens: Sequence[Token]) -> list[Token]:
    """Return the numbers of the first list of numbers: `Blocks 3, 4 and 5`."""
    run: list[Token] = []
    for at, token in enumerate(tokens):
        joins = token.word in _JOINTS and bool(tokens[at + 1 :])
        if token.quantity:
            run.append(token)
        elif not joins or not (tokens[at + 1].quantity or tokens[at + 1].word in _JOINTS):
            if len(run) > 1:
                return run
            run = []
    return run if len(run) > 1 else []


def _stand_apart(numbers: Sequence[Token], tokens: Sequence[Token]) -> bool:
    """Return whether each of some numbers stands in a sentence, but no part of it between semicolons has them all."""
    cuts = [-1, *(at for at, token in enumerate(tokens) if token.word == ";"), len(tokens)]
    pieces = [{token.key for token in tokens[start + 1 : end]} for start, end in pairwise(cuts)]
    wanted = {number.key for number in numbers}
    return len(pieces) > 1 and wanted <= set().union(*pieces) and not any(wanted <= piece for piece in pieces)
