"""Statements of a sentence: where they begin, their subject and their verb, as far as form tells. Ground floor."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import DETERMINERS, OBJECT_PRONOUNS, PREPOSITIONS
from rag.language.polarity import is_past, word_set

CUTS = word_set(", and but while whereas")
"""What stands between two statements or parts of equal rank."""
ELSEWHERE = word_set("who which that whose whom when where if because unless although since than or not neither nor")
"""Words of a clause inside a part, which makes it no plain one."""
LEADS = PREPOSITIONS | word_set("at before after until till by between from during up beside alongside around")
"""Words that a phrase begins with."""
_ENDS = word_set("; : ( ) | — –")
_PLURALS = frozenset(("child", "man", "woman", "person"))
"""Stems of plurals without an `s`."""

Test = Callable[[Reading, Sequence[Token]], bool]
"""Whether a claim says something else than one statement of a sentence."""


def is_any_in(tests: Iterable[Test], claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim fails any of some tests against any statement of a sentence; a table's row has none."""
    if sentence.text.startswith("|"):
        return False
    spans = statements_of(sentence.tokens)
    return any(test(claim, sentence.tokens[start:end]) for test in tests for start, end in spans)


def statements_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return where the stretches between semicolons, colons and brackets begin and end."""
    edges = [-1, *(at for at, token in enumerate(tokens) if token.word in _ENDS), len(tokens)]
    return [(start + 1, end) for start, end in pairwise(edges) if end > start + 1]


def begins_with_verb(tokens: Sequence[Token]) -> bool:
    """Return whether a part begins with its verb: an auxiliary, a past, or a word with an object right behind it."""
    if tokens[0].word in AUXILIARIES or (is_past(tokens[0].word) and not tokens[0].name):
        return True
    after = tokens[1] if len(tokens) > 1 else None
    if not tokens[0].stem or after is None:
        return False
    return after.word in DETERMINERS | OBJECT_PRONOUNS or bool(after.quantity and not is_plural(tokens[0]))


def is_plural(token: Token) -> bool:
    """Return whether a word may be a plural by its form."""
    return bool(token.stem) and not token.name and (token.word.endswith("s") or token.stem in _PLURALS)


def subject_and_verb(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the subject that a part begins with, and of its verb or what stands behind its auxiliary."""
    if not tokens:
        return frozenset(), frozenset()
    end = next((at for at, token in enumerate(tokens) if at and _ends_subject(token)), len(tokens))
    run = [token.stem for token in tokens[:end] if token.stem]
    if end < len(tokens) and tokens[end].word in AUXILIARIES:
        return frozenset(run), frozenset([token.stem for token in tokens[end:] if token.stem][:1])
    cut = 1 if is_plural(tokens[0]) else max(1, len(run) - 1)
    return frozenset(run[:cut]), frozenset(run[cut : cut + 1])


def _ends_subject(token: Token) -> bool:
    return token.word in AUXILIARIES | LEADS | DETERMINERS or token.quantity is not None
