"""What a sentence denies in part, told as a whole, and the reverse: rarely is not never. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator

from rag.grounding.reading import Reading, is_negation
from rag.language import polarity
from rag.language.polarity import word_set

_WEAK = word_set("hardly scarcely rarely seldom barely few little")
_NO_FEW = word_set("a the quite these those first last past next every as only")


def weak_denial_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
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
