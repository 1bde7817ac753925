"""What stands after `unlike`, `in contrast to`, `apart from`: it is no part of what is said of the rest. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation
from rag.grounding.twists.exception import is_frequency
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_ENDS = word_set("but while whereas although though because so ; : ( ) | who which that whose")
_CLAUSES = word_set("when where if while during after before")
_CONTRASTS = {
    ("in", "contrast", "to"),
    ("in", "contrast", "with"),
    ("by", "contrast", "with"),
    ("as", "opposed", "to"),
    ("contrary", "to"),
    ("compared", "to"),
    ("compared", "with"),
    ("unlike",),
}
_EXCEPTIONS = {
    ("with", "the", "exception", "of"),
    ("exception", "of"),
    ("apart", "from"),
    ("aside", "from"),
    ("other", "than"),
    ("except", "for"),
    ("save", "for"),
    ("except",),
    ("excepting",),
}
_NEEDS_OPENING = {("compared", "to"), ("compared", "with")}
_PRONOUNS = word_set("he she it they we who which")
_BESIDES = word_set("also too another additional further besides")
_ALL = polarity.UNIVERSAL | word_set("any anyone anything no none nobody nothing")
_OPPOSING = word_set("while whereas although though but against despite than without")


def contrast_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence sets against its statement or excepts from it, and the claim puts into it."""
    yield from _set_apart_twists(claim, sentence)
    yield from _but_twists(claim, sentence)


def _set_apart_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word that stands in the sentence only after `unlike` or `apart from`, and otherwise in the claim."""
    spans = _spans(sentence.tokens)
    if not spans:
        return
    apart = {place for start, end in spans for place in range(start, end)}
    own = {place for start, end in _spans(claim.tokens) for place in range(start, end)}
    for stem, places in claim.positions.items():
        stated = sentence.positions.get(stem, ())
        if not stated or not apart.issuperset(stated) or own.issuperset(places):
            continue
        if (not own and claim.words & _OPPOSING) or _is_of_relative(claim, sentence, spans):
            continue
        if _denials(claim.tokens, 0, own) == _denials(sentence.tokens, stated[0], apart):
            yield f"{claim.tokens[places[0]].word!r} is set apart there"
            return
    for at, quantity in claim.quantities:
        stated = [place for place, other in sentence.quantities if same_quantity(quantity, other)]
        if not stated or not apart.issuperset(stated) or at in own or (not own and claim.words & _OPPOSING):
            continue
        if _denials(claim.tokens, 0, own) == _denials(sentence.tokens, stated[0], apart):
            yield "its number is set apart there"
            return


def _is_of_relative(claim: Reading, sentence: Reading, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a claim takes words from what is said of the thing set apart: `unlike the old, which leaks`."""
    tokens = sentence.tokens
    for _, end in spans:
        if any(token.word in ("which", "who", "where") for token in tokens[end : end + 2]):
            stop = next((at for at in range(end + 2, len(tokens)) if tokens[at].word == ","), len(tokens))
            inside = {token.stem for token in tokens[end:stop] if token.stem}
            outside = {token.stem for token in (*tokens[:end], *tokens[stop:]) if token.stem}
            if claim.positions.keys() & (inside - outside):
                return True
    return False


def _denials(tokens: Sequence[Token], place: int, left_out: set[int]) -> int:
    """Return whether the statement around a place denies, what is set apart left out: 1 or 0."""
    starts = [at for at, token in enumerate(tokens) if token.word == ";" or _joins(tokens, at)]
    start = max((at for at in starts if at <= place), default=0)
    end = min((at for at in starts if at > place), default=len(tokens))
    return sum(is_negation(tokens[at].word) for at in range(start, end) if at not in left_out) % 2


def _joins(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].word in ("but", "and", "while", "whereas") and place > 0 and tokens[place - 1].word == ","


def _spans(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return where what is set apart begins and ends."""
    found = []
    besides = any(token.word in _BESIDES for token in tokens)
    for place in range(len(tokens)):
        contrast, exception = _length(tokens, place, _CONTRASTS), _length(tokens, place, _EXCEPTIONS)
        if exception and tokens[place].word in ("apart", "aside") and besides:
            continue
        start = place + (contrast or exception or _short_exception(tokens, place))
        if start > place:
            found.append((start, _end(tokens, start, contrast=bool(contrast), opening=place == 0)))
    return found


def _length(tokens: Sequence[Token], place: int, markers: set[tuple[str, ...]]) -> int:
    """Return how many words the longest marker that stands at a place has; 0 for none."""
    word = tokens[place].word
    lengths = [
        len(marker)
        for marker in markers
        if word == marker[0]
        and tuple(token.word for token in tokens[place : place + len(marker)]) == marker
        and not (place and marker in _NEEDS_OPENING)
    ]
    return max(lengths, default=0)


def _short_exception(tokens: Sequence[Token], place: int) -> int:
    """Return 1 for a `but` or `save` that excepts from `every day` or `all`, at once or one word before."""
    if tokens[place].word not in ("but", "save") or not place:
        return 0
    if any(token.word in AUXILIARIES for token in tokens[place + 1 : place + 4]):
        return 0
    before = [token.word for token in tokens[max(0, place - 2) : place]]
    if is_frequency(tokens[place - 1]):
        return 1  # `every day but Monday`
    return int(before[-1] in _ALL or (before[0] in _ALL and bool(tokens[place - 1].stem)))


def _end(tokens: Sequence[Token], start: int, *, contrast: bool, opening: bool) -> int:
    """Return where what is set apart ends: at a comma, a new clause or a verb, of a contrast at a preposition too."""
    clause = start < len(tokens) and tokens[start].word in _CLAUSES
    seen = False
    for place in range(start, len(tokens)):
        word, stem = tokens[place].word, tokens[place].stem
        if word == "," or word in _ENDS:
            return place
        if not clause and (word in AUXILIARIES or (seen and polarity.is_past(word) and not tokens[place].name)):
            return place
        if not clause and seen and word == "and" and not opening and _begins_verb(tokens, place + 1):
            return place
        if contrast and seen and word in PREPOSITIONS - {"of"}:
            return place
        seen = seen or bool(stem)
    return len(tokens)


def _begins_verb(tokens: Sequence[Token], place: int) -> bool:
    if place >= len(tokens):
        return False
    token = tokens[place]
    return token.word in AUXILIARIES | DETERMINERS or (token.word.endswith("s") and not token.name)


# --- safe for rabbits but deadly for humans ----------------------------------------------------------------------


def _but_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence says after `but` of another word than the claim: `safe for cats but deadly for dogs`."""
    if "but" in claim.words or any(is_negation(token.word) for token in claim.tokens):
        return
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.word != "but" or not place or _short_exception(tokens, place):
            continue
        word = place + 1
        while word + 1 < len(tokens) and tokens[word].word.endswith("ly") and tokens[word + 1].stem:
            word += 1
        if word + 2 >= len(tokens) or not tokens[word].stem or tokens[word].stem in claim.positions:
            continue
        preposition = tokens[word + 1].word
        left = next((at for at in range(place - 1, 0, -1) if tokens[at].word == preposition), 0)
        if preposition in PREPOSITIONS and left and tokens[left - 1].stem in claim.positions:
            said = next((one.stem for one in tokens[word + 2 :] if one.stem), "")
        else:
            left = _like_verb(tokens, word, place) + 1
            said = next((one.stem for one in tokens[word + 1 :] if one.stem in claim.positions), "")
        if not left or tokens[left - 1].stem not in claim.positions:
            continue
        if said in claim.positions and all(at > word for at in sentence.positions[said]):
            yield f"{tokens[left - 1].word!r} for {tokens[word].word!r}"
            return


def _like_verb(tokens: Sequence[Token], word: int, end: int) -> int:
    """Return the verb before `but` that has the form of the one after it, and an object of its own; -1 for none."""
    past, present = polarity.is_past(tokens[word].word), tokens[word].word.endswith("s") and not tokens[word].name
    if not (past or present) or tokens[word + 1].word in AUXILIARIES:
        return -1
    alike = [
        at
        for at in range(1, end - 1)
        if tokens[at].stem and (polarity.is_past(tokens[at].word) if past else tokens[at].word.endswith("s"))
    ]
    before = tokens[alike[0] - 1] if alike else None
    return alike[0] if before is not None and (before.stem or before.word in _PRONOUNS) else -1
