"""Comparatives and superlatives: who is the larger one stays the larger one. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import BE
from rag.language import polarity
from rag.language.polarity import word_set

_CUTS = word_set("but while whilst whereas although though yet and ;")
_DEGREES = word_set("more less fewer most least better worse best worst further farther")
_NO_DEGREES = word_set(
    "never after later earlier together other another rather whether either order chest under over water paper number "
    "member officer interest forest guest request user power layer owner"
)
_MARKS = frozenset((",", ";", ":", "(", ")", "since", "because", "while", "whereas", "although", "but"))
_PERSONS = word_set("he she they it")
_NO_SUBJECT = word_set("it they he she this these that those which who there")


def comparison_twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield a comparative whose subject or object in the claim is another than in the evidence."""
    yield from _object_twists(claim, sentence)
    yield from _attribute_twists(claim, sentence)
    yield from _pronoun_twists(claim, sentence)
    yield from _sides_twists(claim, sentence)
    yield from _degree_twists(claim, sentence)
    for place in _comparatives(claim.tokens):
        word = claim.tokens[place].word
        subject = _subject(claim.tokens, *_clause(claim.tokens, place), place)
        stated = [one for one in (sentence, *context) if any(token.word == word for token in one.tokens)]
        others = [_other_subject(one, word, subject, (sentence, *context)) for one in stated]
        if subject and others and all(others):
            yield f"{word!r} is said of {others[0]!r} there"
            return


def is_elsewhere(claim: Reading, sentence: Reading) -> bool:
    """Return whether the claim's comparative stands in a later clause, of the claim's own subject, without its `than`.

    `Copper conducts better than aluminium, although aluminium is lighter`: aluminium is lighter than copper.
    """
    tokens = sentence.tokens
    for place in _comparatives(claim.tokens):
        compared = _compared(claim.tokens, place, len(claim.tokens))
        subject = _subject(claim.tokens, *_clause(claim.tokens, place), place)
        for at in (index for index, token in enumerate(tokens) if token.word == claim.tokens[place].word):
            start, end = _clause(tokens, at)
            own = {token.stem for token in tokens[start:at] if token.stem}
            earlier = {token.stem for token in tokens[:start] if token.stem}
            shortened = start and all(token.word != "than" for token in tokens[at:end])
            if shortened and subject and subject <= own and compared and compared <= earlier:
                return True
    return False


def _comparatives(tokens: Sequence[Token]) -> list[int]:
    """Return where the comparatives and superlatives of a predicate stand: after a verb, before `than`, or joined."""
    found = []
    for place, token in enumerate(tokens):
        word = token.word
        graded = word in _DEGREES or (len(word) > 4 and word.endswith(("er", "est")) and word not in _NO_DEGREES)
        bound = any(one.quantity for one in tokens[place + 1 : place + 5])  # `less than thirty seconds`
        if not graded or bound or token.name or (place and tokens[place - 1].word in ("no", "not")):
            continue
        before = [one.word for one in tokens[max(0, place - 2) : place]]
        after = [one.word for one in tokens[place + 1 : place + 4]]
        told = (
            word in ("more", "fewer")
            or set(before) & BE
            or "than" in after
            or (word.endswith("est") and before[-1:] == ["the"])
        )
        if told and place and any(one.word in AUXILIARIES or one.stem for one in tokens[:place]):
            found.append(place)
    return found


def _subject(tokens: Sequence[Token], start: int, end: int, place: int) -> frozenset[str]:
    """Return the stems of the subject before a predicate: right before its auxiliary, else those that begin it.

    Empty where the auxiliary of the clause comes after the predicate: `Baikal, the deepest lake, was explored`.
    """
    verb = next((at for at in range(start, end) if tokens[at].word in AUXILIARIES), -1)
    if verb > place:
        return frozenset()
    if verb < 0:
        first = next((at for at in range(start, place) if tokens[at].stem), place)
        return stems_of(tokens[first : first + 1])
    begin = verb
    while begin > start and tokens[begin - 1].stem:
        begin -= 1
    return frozenset(token.stem for token in tokens[begin:verb])


def _clause(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    """Return where the clause around a place begins and ends: at a coordinator that a subject and a verb follow."""
    cuts = [at for at, token in enumerate(tokens) if token.word in _CUTS and _has_subject(tokens, at + 1)]
    start = max((at + 1 for at in cuts if at < place), default=0)
    return start, min((at for at in cuts if at > place), default=len(tokens))


def _has_subject(tokens: Sequence[Token], start: int) -> bool:
    """Return whether a noun or pronoun and then a verb that can be told begin here, no comma before it."""
    seen = False
    for token in tokens[start : start + 8]:
        if token.word in AUXILIARIES:
            return seen
        if token.word in _CUTS or token.word == ",":
            return False
        if seen and token.stem and polarity.is_past(token.word):
            return True
        seen = seen or bool(token.stem) or token.word in _NO_SUBJECT
    return False


def _other_subject(reading: Reading, word: str, subject: frozenset[str], evidence: Sequence[Reading]) -> str:
    """Return the subject of a comparative, where it is another than this one, which stands elsewhere; else nothing."""
    tokens, found = reading.tokens, ""
    for place in (at for at, token in enumerate(tokens) if token.word == word):
        start, end = _clause(tokens, place)
        own = _subject(tokens, start, end, place)
        before = {token.stem for token in tokens[start:place] if token.stem}
        foreign = subject - before
        pronoun = any(token.word in _NO_SUBJECT for token in tokens[start:place])
        if foreign and foreign == subject and foreign <= _compared(tokens, place, end):
            found = word
            continue  # `it is cheaper than bronze` makes nothing of bronze
        if not own or not foreign or pronoun or own <= subject:
            return ""
        outside = {token.stem for token in (*tokens[:start], *tokens[end:]) if token.stem}
        outside |= _compared(tokens, place, end)
        outside |= {stem for other in evidence if other is not reading for stem in other.positions}
        if not foreign <= outside:
            return ""
        found = " ".join(token.word for token in tokens[start:place] if token.stem in own)
    return found


def _compared(tokens: Sequence[Token], place: int, end: int) -> set[str]:
    """Return the stems after the `than` of a comparative."""
    than = next((at for at in range(place, end) if tokens[at].word == "than"), end)
    return {token.stem for token in tokens[than:end] if token.stem}


# --- lighter than -------------------------------------------------------------------------------------------------


def _object_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the claim says is lighter `than` something that in the sentence follows another comparison."""
    stated = _comparisons(sentence)
    for word, objects in _comparisons(claim).items():
        others = [there for other, there in stated.items() if other != word]
        if word in stated and objects and not objects & stated[word] and any(objects & there for there in others):
            yield f"{word!r} has another object"


def _attribute_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is older than granite by the claim, where the sentence sets `much older granite` beside it."""
    for place in _comparatives(claim.tokens):
        word = claim.tokens[place].word
        subject = _subject(claim.tokens, *_clause(claim.tokens, place), place)
        compared = _compared(claim.tokens, place, len(claim.tokens))
        tokens = sentence.tokens
        nouns = [after.stem for one, after in pairwise(tokens) if one.word == word]
        told = any(token.word == "than" for token in tokens)
        if nouns and not told and subject and subject <= sentence.positions.keys() and compared.issuperset(nouns):
            yield f"{word!r} is said of {nouns[0]!r} there"
            return


def _pronoun_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a pronoun that is older than somebody by the claim, and not so old as he by the sentence."""
    tokens = sentence.tokens
    for place in (at for at in _comparatives(claim.tokens) if claim.tokens[at + 1 : at + 2]):
        pronouns = {token.word for token in claim.tokens[:place]} & _PERSONS
        compared = _compared(claim.tokens, place, len(claim.tokens))
        for at in (index for index, token in enumerate(tokens[:-2]) if token.word == claim.tokens[place].word):
            turned = tokens[at + 1].word == "than" and tokens[at + 2].word in pronouns
            if turned and compared and compared <= {token.stem for token in tokens[:at]}:
                yield f"{claim.tokens[place].word!r} is said the other way round"
                return


def _sides_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the two sides of a `than` that have changed places, of the part of the sentence that it stands in."""
    said, stated = _around_than(claim.tokens), _around_than(sentence.tokens)
    if said is None or stated is None or is_elsewhere(claim, sentence):
        return
    left, right = stated[1] - stated[2], stated[2] - stated[1]
    if {said[0], stated[0]} == {"more", "less"}:
        left, right = right, left
    elif said[0] != stated[0]:
        return
    if (said[1] - said[2]) & right and (said[2] - said[1]) & left:
        yield "the two sides of its comparison have changed places"


def _around_than(tokens: Sequence[Token]) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """Return the comparative before a `than` that stands once, and the stems on either side; None for no such."""
    places = [at for at, token in enumerate(tokens) if token.word == "than"]
    if len(places) != 1 or any(token.quantity for token in tokens[places[0] + 1 : places[0] + 3]):
        return None
    start = max((at + 1 for at in range(places[0]) if tokens[at].word in _MARKS), default=0)
    end = next((at for at in range(places[0], len(tokens)) if tokens[at].word in _MARKS), len(tokens))
    graded = [at for at in _comparatives(tokens) if start <= at < places[0]]
    word = tokens[graded[-1]].word if graded else ""
    return word, stems_of(tokens[start : places[0]]), stems_of(tokens[places[0] + 1 : end])


def _degree_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a verb with `more` behind it that has `less` there: `drink less` for `drink more and sweat less`."""
    said, stated = _graded_verbs(claim.tokens), _graded_verbs(sentence.tokens)
    for verb, words in said.items():
        others = stated.get(verb, set())
        if others and not words & others and len(words) == 1 and words | others <= {"more", "less"}:
            yield f"{verb!r} is {min(others)} there"
            return


def _graded_verbs(tokens: Sequence[Token]) -> dict[str, set[str]]:
    """Return the stems with `more` or `less` right behind them that no noun follows."""
    found: dict[str, set[str]] = {}
    for place, (one, word) in enumerate(pairwise(tokens)):
        follows = any(token.stem or token.quantity for token in tokens[place + 2 : place + 3])
        if one.stem and word.word in ("more", "less") and not follows:
            found.setdefault(one.stem, set()).add(word.word)
    return found


def _comparisons(reading: Reading) -> dict[str, frozenset[str]]:
    """Return for each word before `than` the stems that follow it, up to the next comparison, `but` or verb."""
    tokens = reading.tokens
    places = [place for place, token in enumerate(tokens) if token.word == "than" and place]
    found: dict[str, frozenset[str]] = {}
    for place in places:
        ends = [at - 1 for at in places if at > place]
        stop = min(ends, default=len(tokens))
        marks = ("but", "while", "whereas", ";")
        end = next(
            (at for at in range(place, stop) if tokens[at].word in AUXILIARIES or tokens[at].word in marks), stop
        )
        stems = stems_of(tokens[place + 1 : end])
        found[tokens[place - 1].word] = found.get(tokens[place - 1].word, frozenset()) | stems
    return found
