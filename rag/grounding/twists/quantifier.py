"""All for some, an added only, a condition told as a fact. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator

from rag.grounding.reading import Reading
from rag.language import polarity

_CONDITIONS = frozenset(("if", "unless", "whether"))


def quantifier_twists(claim: Reading, sentence: Reading, clauses: frozenset[int]) -> Iterator[str]:
    """Yield `all` for `some`, an added `only`, a dropped `some`, and what is true only under a condition."""
    words = frozenset(token.word for token in sentence.tokens if token.clause in clauses)
    if polarity.EXCLUSIVELY & claim.words and not polarity.EXCLUSIVELY & sentence.words:
        yield "'only' is added"
    weaker = words & (polarity.MOSTLY | polarity.PARTIAL)
    if polarity.UNIVERSAL & claim.words and weaker and not polarity.UNIVERSAL & words:
        yield f"'all' for {min(weaker)!r}"
    if polarity.MOSTLY & claim.words and words & polarity.PARTIAL and not polarity.MOSTLY & words:
        yield "'most' for 'some'"
    if not claim.words & (polarity.PARTIAL | polarity.MOSTLY) and _governs(sentence, claim, polarity.PARTIAL):
        yield "'some' is left out"
    if (
        _CONDITIONS & words
        and not (_CONDITIONS | {"when", "where", "case"}) & claim.words
        and _all_conditional(sentence, clauses)
    ):
        yield "it is only a condition there"


def _governs(sentence: Reading, claim: Reading, quantifiers: frozenset[str]) -> bool:
    """Return whether a quantifier of the sentence stands right before a word of the claim."""
    for index, token in enumerate(sentence.tokens):
        if token.word in quantifiers and not (token.stem and token.stem in claim.positions):
            following = next((later.stem for later in sentence.tokens[index + 1 :] if later.stem), "")
            if following in claim.positions:
                return True
    return False


def _all_conditional(sentence: Reading, clauses: frozenset[int]) -> bool:
    first: dict[int, str] = {}
    for token in sentence.tokens:
        first.setdefault(token.clause, token.word)
    return bool(clauses) and all(first.get(clause) in _CONDITIONS for clause in clauses)
