"""What a sentence does not say has happened: almost, was to, would if, formerly, rarely, unless. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag import polarity
from rag.number_twists import BOUNDARIES
from rag.polarity import word_set
from rag.reading import Reading, Token, is_negation

_MODALS = word_set("will would shall should may might could can ought must")
_PAST = word_set("was were had did been")
_IF = word_set("if when where provided providing once whenever")
_ONLY_THEN = word_set("if when where while after once with during")
_WEAK = word_set("hardly scarcely rarely seldom barely few little")
_NO_FEW = word_set("a the quite these those first last past next every as only")
_REACH = 4


def reality_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why a claim states as a fact what the sentence does not: it almost was, was hoped for, or has ended."""
    yield from _approximation_twists(claim, sentence)
    yield from _prospect_twists(claim, sentence)
    yield from _unreal_twists(claim, sentence)
    yield from _tense_twists(claim, sentence)
    yield from _weak_denial_twists(claim, sentence)
    yield from _condition_twists(claim, sentence)


def _following(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the first content word or number after a place, at most four words on and in the same stretch."""
    for token in tokens[place + 1 : place + 1 + _REACH]:
        if token.stem or token.quantity:
            return token
        if token.word in BOUNDARIES:
            return None
    return None


# --- almost ------------------------------------------------------------------------------------------------------


def _approximation_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `almost` that stands before a word in one of the two and nowhere in the other."""
    for one, other in ((claim, sentence), (sentence, claim)):
        if other.words & polarity.APPROXIMATORS:
            continue
        for place, token in enumerate(one.tokens):
            if token.word in polarity.APPROXIMATORS and _is_approximated(one, place, other, one is sentence):
                yield f"{token.word!r} is {'left out' if one is sentence else 'added'}"
                return


def _is_approximated(one: Reading, place: int, other: Reading, dropped: bool) -> bool:
    """Return whether the other text says flatly the word after `almost`; a rounded number is no twist."""
    after = one.tokens[place + 1].word if place + 1 < len(one.tokens) else ""
    if after in polarity.UNIVERSAL:
        return dropped and bool(other.words & polarity.UNIVERSAL)
    found = _following(one.tokens, place)
    return found is not None and not found.quantity and found.stem in other.positions


# --- was expected to, would if -----------------------------------------------------------------------------------


def _prospect_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what was only expected, tried, asked for or about to be and is claimed as done."""
    foreign = claim.positions.keys() - sentence.positions.keys()
    if claim.words & (_MODALS | polarity.HEDGES | polarity.UNSURE) or polarity.prospects() & foreign:
        return
    for place, token in enumerate(sentence.tokens):
        wanted = token.stem in polarity.prospects() or token.word == "about"
        open_ = (wanted or token.stem in polarity.requests()) and token.word not in claim.words
        done = _infinitive(sentence, place) if open_ and token.stem not in claim.positions else None
        if done is None or done.stem not in claim.positions:
            continue
        if wanted or any(polarity.is_past(claim.tokens[index].word) for index in claim.positions[done.stem]):
            yield f"{token.word!r} is left out"
            return


def _infinitive(sentence: Reading, place: int) -> Token | None:
    """Return the verb of `to approve` after a word such as `expected`, which may have an object before it."""
    reach = 1 if sentence.tokens[place].word == "about" else _REACH
    for index, token in enumerate(sentence.tokens[place + 1 : place + 1 + reach], place + 1):
        if token.word == "to":
            return _following(sentence.tokens, index)
        if token.word in BOUNDARIES:
            return None
    return None


def _unreal_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `would be (if)` and `should have been` of a sentence where the claim has a plain fact."""
    if claim.words & (_MODALS | polarity.HEDGES | {"if", "unless"}):
        return
    supposed = bool(sentence.words & {"if", "unless", "otherwise"})
    for place, token in enumerate(sentence.tokens):
        word = token.word.removesuffix("n't")
        if word not in ("would", "should", "could", "might", "ought"):
            continue
        perfect = any(later.word == "have" for later in sentence.tokens[place + 1 : place + 3])
        found = _following(sentence.tokens, place)
        if (perfect or (supposed and word == "would")) and found is not None and found.stem in claim.positions:
            yield f"{token.word!r} is left out"
            return


# --- formerly, in future -----------------------------------------------------------------------------------------


def _tense_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is past and claimed of today (`formerly`, `used to be`) or to come and claimed as past."""
    past = bool(claim.words & (_PAST | polarity.FORMER | {"used"}))
    former = sorted(sentence.words & polarity.FORMER)
    if not past and former and any(_governs(sentence, word, claim) for word in former):
        yield f"{former[0]!r} is left out"
    if not past and _has_run(sentence, ("used",), ("to",), ("be", "have")):
        yield "'used to' is left out"
    if claim.words & _PAST and not claim.words & {"will", "would", "shall"} and not sentence.words & _PAST:
        future = _has_run(sentence, ("is", "are"), ("to",)) or sentence.words & {"will", "shall"}
        if future and not any(token.quantity for token in claim.tokens):
            yield "it is still to come there"


def _governs(sentence: Reading, word: str, claim: Reading) -> bool:
    """Return whether the first content word after a word, at its end the last one before it, is one of the claim's."""
    place = next(index for index, token in enumerate(sentence.tokens) if token.word == word)
    before = next((token for token in reversed(sentence.tokens[:place]) if token.stem), None)
    found = _following(sentence.tokens, place) or before
    return found is not None and found.stem in claim.positions


def _has_run(reading: Reading, *steps: Sequence[str]) -> bool:
    """Return whether words stand one after another, one out of each step."""
    words = [token.word for token in reading.tokens]
    return any(
        all(words[start + offset] in step for offset, step in enumerate(steps))
        for start in range(len(words) - len(steps) + 1)
    )


# --- rarely is not never, few are not most -----------------------------------------------------------------------


def _weak_denial_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `never` for `rarely` or `not all`, `few` for `most`, and `most` for `many`."""
    partly = _denies_all(sentence)
    strong = [token.word for token in claim.tokens if is_negation(token.word) and token.word not in _WEAK]
    stated = [token.word for token in sentence.tokens if is_negation(token.word) and token.word not in _WEAK]
    weak = sorted(sentence.words & (_WEAK - {"little", "few"}))
    if strong and not claim.words & _WEAK and not _denies_all(claim) and len(stated) == partly and (weak or partly):
        yield f"{strong[0]!r} for {weak[0] if weak else 'not all'!r}"
    large = sentence.words & (polarity.MOSTLY | polarity.UNIVERSAL | {"several", "some", "both"})
    if _has_few(claim) and large and not sentence.words & (_WEAK | polarity.NEGATIONS | {"minority"}):
        yield f"'few' for {min(large)!r}"
    if {"most", "majority"} & claim.words and "many" in sentence.words and not sentence.words & {"most", "majority"}:
        yield "'most' for 'many'"


def _denies_all(reading: Reading) -> int:
    """Count the denials that leave a part: `not all`, `not always`."""
    tokens = reading.tokens
    return sum(
        is_negation(token.word) and place + 1 < len(tokens) and tokens[place + 1].word in polarity.UNIVERSAL
        for place, token in enumerate(tokens)
    )


def _has_few(reading: Reading) -> bool:
    """Return whether a text says `few` in the sense of hardly any; `a few` and `the first few` are some."""
    tokens = reading.tokens
    return any(
        token.word == "few" and not (place and tokens[place - 1].word in _NO_FEW) for place, token in enumerate(tokens)
    )


# --- unless ------------------------------------------------------------------------------------------------------


def _condition_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `if` for `unless`, and what holds `only if` where the claim leaves all of the condition out."""
    here, there = "unless" in claim.words, "unless" in sentence.words
    denials = [sum(is_negation(token.word) for token in reading.tokens) % 2 for reading in (claim, sentence)]
    other = sentence if here else claim
    if here != there and other.words & _IF and denials[0] == denials[1]:
        yield "'unless' and 'if' have changed places"
    if not claim.words & (_ONLY_THEN | {"unless", "only", "without", "must", "before", "until"}):
        for place, token in enumerate(sentence.tokens[:-1]):
            after = sentence.tokens[place + 1].word
            if token.word == "only" and after in _ONLY_THEN and _is_left_out(claim, sentence, place + 1):
                yield "the only condition is left out"
                return


def _is_left_out(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether the claim has none of the words of a condition, and words that stand before it."""
    rest = []
    for token in sentence.tokens[place + 1 :]:
        if token.word in BOUNDARIES:
            break
        rest.append(token.stem)
    words = {stem for stem in rest if stem}
    before = {token.stem for token in sentence.tokens[:place] if token.stem}
    return bool(words) and not words & claim.positions.keys() and bool(before & claim.positions.keys())
