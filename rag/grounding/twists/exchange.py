"""Words in each other's place: two words or phrases exchanged, pairs crossed. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from rag.grounding.governors import INSIDE, OTHER, governor
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import ARTICLES, BE, COORDINATORS, OBJECT_OPENERS, is_symmetric
from rag.language.polarity import is_past, stem_of, word_set

_LISTED = frozenset(("and", "or", ",", ";"))
_OPENING = word_set("if when while because although though since as after before until during between not")


def exchange_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why the same words, in each other's place, say something else."""
    yield from _word_exchange_twists(claim, sentence)
    yield from _phrase_exchange_twists(claim, sentence)
    yield from _pairing_twists(claim, sentence)


def _terms(reading: Reading) -> list[tuple[int, str]]:
    """Return the content words and numbers of a text in order, each with its place."""
    return [
        (place, token.stem or repr(token.quantity.values if token.quantity else ""))
        for place, token in enumerate(reading.tokens)
        if token.stem or token.quantity
    ]


def _word_exchange_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield two words that have changed places in an otherwise equal sentence, neighbours of one list left out."""
    said, stated = _terms(claim), _terms(sentence)
    if len(said) != len(stated) or len(said) < 4 or _prepositions(claim) != _prepositions(sentence):
        return
    moved = [place for place, (one, other) in enumerate(zip(said, stated, strict=True)) if one[1] != other[1]]
    if len(moved) != 2 or said[moved[0]][1] != stated[moved[1]][1] or said[moved[1]][1] != stated[moved[0]][1]:
        return
    first, last = said[moved[0]][0], said[moved[1]][0]
    before = [governor(claim.tokens, place) for place in (first, last)]
    moved_along = before == [governor(sentence.tokens, stated[place][0]) for place in reversed(moved)]
    if any(before) and moved_along and not (before[0] == before[1] and _is_split(claim.tokens[first + 1 : last])):
        return  # each has moved with its preposition
    if not _is_listed(claim, first, last) and not _is_equation(claim, first, last):
        yield f"{claim.tokens[first].word!r} and {claim.tokens[last].word!r} stand in each other's place"


def _is_split(between: Sequence[Token]) -> bool:
    """Return whether words stand on either side of an `and` between two: `off in May and on again in June`."""
    join = next((at for at, token in enumerate(between) if token.word in COORDINATORS), len(between))
    own = OTHER | INSIDE | OBJECT_OPENERS
    return any(token.word[0].isalnum() and token.word not in own for token in between[join + 1 :])


def _phrase_exchange_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield two runs of words that have changed places in a copy of the sentence or of a part of it."""
    said, stated = _plain(claim.tokens), _plain(sentence.tokens)
    wanted = Counter(word for word, _ in said)
    if len(said) < 3 or wanted - Counter(word for word, _ in stated):
        return
    found = ""
    for start in range(len(stated) - len(said) + 1):
        window = stated[start : start + len(said)]
        words = [word for word, _ in window]
        if words == [word for word, _ in said]:
            return
        if not found and Counter(words) == wanted:
            found = _exchanged([word for word, _ in said], words, claim, [place for _, place in said])
    if found:
        yield found


def _plain(tokens: Sequence[Token]) -> list[tuple[str, int]]:
    """Return the words and numbers without marks, possessives as two words, each with its place among the tokens."""
    found: list[tuple[str, int]] = []
    for place, token in enumerate(tokens):
        if token.quantity:
            found.append((repr((token.quantity.values, token.quantity.unit)), place))
        elif token.word[0].isalnum():
            bare = token.word.removesuffix("'s")
            found.append((bare, place))
            if bare != token.word:
                found.append(("'s", place))
    return found


def _exchanged(said: list[str], stated: list[str], claim: Reading, places: Sequence[int]) -> str:
    """Return what has changed places between two texts of the same words, where that changes what they say."""
    start = next(index for index, pair in enumerate(zip(said, stated, strict=True)) if pair[0] != pair[1])
    end = len(said)
    while said[end - 1] == stated[end - 1]:
        end -= 1
    cuts = dict.fromkeys((first, last) for first in (0, start) for last in (len(said), end))
    found = [_exchange(said, stated, claim, places, *cut) for cut in cuts]
    return "" if "" in found else next((reason for reason in found if reason is not None), "")


def _exchange(
    said: list[str], stated: list[str], claim: Reading, places: Sequence[int], start: int, end: int
) -> str | None:
    """Return what two runs at the ends of a stretch have changed places, empty where they may, None where none have."""
    here, there = said[start:end], stated[start:end]
    first = next((size for size in range(len(here) - 1, 0, -1) if here[:size] == there[-size:]), 0)
    last = next((size for size in range(len(there) - first, 0, -1) if there[:size] == here[-size:]), 0)
    middle = here[first : len(here) - last]
    if not first or not last or middle != there[last : len(there) - first]:
        return None
    left, right = here[:first], here[len(here) - last :]
    if start and middle and said[start - 1] == middle[-1] and _begins_statement(middle):
        return f"{' '.join(left)!r} and {' '.join(right)!r} stand in each other's place"
    if start and middle and said[start - 1] == middle[-1] and middle[-1] in OTHER - {"of"} | INSIDE:
        return ""  # two adjuncts of one preposition: `in 1900 ... in Bern`
    torn = bool(start and middle) and (said[start - 1] in ARTICLES) != (middle[-1] in ARTICLES)
    if torn and middle[0] in BE and set(middle) <= BE | ARTICLES:
        return f"{' '.join(left)!r} and {' '.join(right)!r} stand in each other's place"  # the article has stayed
    between = claim.tokens[places[start + first - 1] + 1 : places[end - last]]
    if not _tells_order(left, right, middle, [token.word for token in between], claim) or is_symmetric(middle):
        return ""
    return f"{' '.join(left)!r} and {' '.join(right)!r} stand in each other's place"


def _begins_statement(middle: list[str]) -> bool:
    """Return whether words begin a statement and break off after its preposition: `and the switch is on the`."""
    words = middle[:-1] if middle[-1] in ARTICLES else middle
    joins = [place for place, word in enumerate(words) if word in COORDINATORS]
    if not joins or words[-1] not in OTHER - {"of"} | INSIDE:
        return False
    own = words[joins[-1] + 1 : -1]
    verbs = [place for place, word in enumerate(own) if word in AUXILIARIES or is_past(word)]
    if len(own) > 1 and own[-1].endswith("s") and stem_of(own[-1]) and stem_of(own[-2]):
        verbs.append(len(own) - 1)
    return bool(verbs) and any(stem_of(word) for word in own[: verbs[-1]])


def _tells_order(left: list[str], right: list[str], middle: list[str], between: list[str], claim: Reading) -> bool:
    """Return whether an exchange of two runs of words says something else: not in a list, an equation, of adjuncts."""
    content = claim.positions.keys()
    if {left[0], right[0]} & (OTHER | INSIDE | _OPENING):
        return False
    if not any(stem_of(word) in content for word in left) or not any(stem_of(word) in content for word in right):
        return False
    if set(middle) <= ARTICLES:  # parts of one name, else words that may stand in either order
        named = all(stem_of(word) in claim.names for word in (*left, *right) if word != "'s")
        return named and not any(word == "," for word in between)
    if set(middle) <= ARTICLES | _LISTED | BE | COORDINATORS:
        return bool({"a", "an"} & set(middle)) and not set(middle) & (_LISTED | COORDINATORS)
    listed = bool(set(between) & _LISTED) and all(
        set(between[max(0, place - 2) : place]) & _LISTED for place, word in enumerate(between) if stem_of(word)
    )
    return not listed


def _prepositions(reading: Reading) -> Counter[str]:
    return Counter(token.word for token in reading.tokens if token.word in OTHER | INSIDE)


def _is_listed(reading: Reading, first: int, last: int) -> bool:
    """Return whether all that stands between two words is a list that they belong to: `gloves, coats and masks`."""
    between = reading.tokens[first + 1 : last]
    content = [place for place in range(first + 1, last + 1) if reading.tokens[place].stem]
    joined = all({token.word for token in reading.tokens[place - 2 : place]} & _LISTED for place in content)
    return joined and not any(token.word in AUXILIARIES for token in between)


def _is_equation(reading: Reading, first: int, last: int) -> bool:
    """Return whether two words are set equal: `the director is Ruiz`."""
    between = reading.tokens[first + 1 : last]
    return not any(token.stem or token.word in OTHER | INSIDE for token in between)


def _pairing_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield crossed pairs: of `red bins hold glass and blue bins paper`, `red` with `paper` and `blue` with `glass`."""
    said, stated = _halves(claim), _halves(sentence)
    if not said or not stated or _counts(claim) != _counts(sentence) or _prepositions(claim) != _prepositions(sentence):
        return
    first, second = stated[0] - stated[1], stated[1] - stated[0]
    if all(half & first and half & second for half in said):
        yield "its words are paired otherwise there"


def _counts(reading: Reading) -> dict[str, int]:
    return {stem: len(places) for stem, places in reading.positions.items()}


def _halves(reading: Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words before and after the one `and`, `but` or `while` between like statements, else None.

    They are like where they share a word; another comma than one before it makes a list of them.
    """
    cuts = [place for place, token in enumerate(reading.tokens) if token.word in COORDINATORS]
    commas = [place for place, token in enumerate(reading.tokens) if token.word == ","]
    if len(cuts) != 1 or any(place != cuts[0] - 1 for place in commas):
        return None
    terms = _terms(reading)
    before = frozenset(term for place, term in terms if place < cuts[0])
    after = frozenset(term for place, term in terms if place > cuts[0])
    return (before, after) if before & after else None
