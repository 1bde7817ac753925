"""What a sentence does not say is so: almost, was expected to, would if. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator

from rag.grounding.reading import Reading, Token
from rag.grounding.stretches import REACH, content_after
from rag.grounding.words import BOUNDARIES, MODALS
from rag.language import polarity


def reality_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why a claim states as a fact what the sentence does not: it almost was, was hoped for, or has ended."""
    yield from _approximation_twists(claim, sentence)
    yield from _prospect_twists(claim, sentence)
    yield from _unreal_twists(claim, sentence)


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
    found = content_after(one.tokens, place)
    return found is not None and not found.quantity and found.stem in other.positions


def _prospect_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what was only expected, tried, asked for or about to be and is claimed as done."""
    foreign = claim.positions.keys() - sentence.positions.keys()
    if claim.words & (MODALS | polarity.HEDGES | polarity.UNSURE) or polarity.prospects() & foreign:
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
    reach = 1 if sentence.tokens[place].word == "about" else REACH
    for index, token in enumerate(sentence.tokens[place + 1 : place + 1 + reach], place + 1):
        if token.word == "to":
            return content_after(sentence.tokens, index)
        if token.word in BOUNDARIES:
            return None
    return None


def _unreal_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `would be (if)` and `should have been` of a sentence where the claim has a plain fact."""
    if claim.words & (MODALS | polarity.HEDGES | {"if", "unless"}):
        return
    if _is_supposed(claim, sentence):
        yield "it is only supposed there"
        return
    supposed = bool(sentence.words & {"if", "unless", "otherwise"})
    for place, token in enumerate(sentence.tokens):
        word = token.word.removesuffix("n't")
        if word not in ("would", "should", "could", "might", "ought"):
            continue
        perfect = any(later.word == "have" for later in sentence.tokens[place + 1 : place + 3])
        found = content_after(sentence.tokens, place)
        if (perfect or (supposed and word == "would")) and found is not None and found.stem in claim.positions:
            yield f"{token.word!r} is left out"
            return


def _is_supposed(claim: Reading, sentence: Reading) -> bool:
    """Return whether all of the claim stands in a condition without `if`: `Had it been serviced, it would have run`."""
    tokens = sentence.tokens
    comma = next((at for at, token in enumerate(tokens) if token.word == ","), 0)
    if not comma or tokens[0].word not in ("had", "were", "should"):
        return False
    unreal = any(token.word in ("would", "could", "might") for token in tokens[comma:])
    return unreal and claim.positions.keys() <= {token.stem for token in tokens[:comma]}
