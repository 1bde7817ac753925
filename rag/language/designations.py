"""Things told apart by a letter or number behind their name: class A, Building C, stage 2, Annex IV. Ground floor."""

import re
from functools import lru_cache

from rag.language.counts import MEASURED

_NOUNS = (
    "annex appendix article band block building bus category chamber chapter class division exhibit figure form gate"
    " grade group hall house lane level line lot model module office part phase pier plan platform pump risk room rule"
    " schedule section series site size stage step sector table tank team terminal tier track train tram type unit"
    " version volume ward wing zone"
)
"""Nouns behind which a small number, or a letter in any case, is a name."""
_LISTED = re.compile(
    rf"\b(?P<noun>{'|'.join(_NOUNS.split())})(?:e?s)?\s+(?:no\.?\s+|number\s+)?"
    r"(?P<name>[a-z]\d{0,3}|\d{1,3}[a-z]?|[ivx]{2,4})(?![\w%°]|\s?(?:%|°)|[.,]\d)",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"\b(?P<noun>[^\W\d_]{3,})\s+(?P<name>[B-HJ-Z]\d{0,3}|[IVX]{2,4})(?![\w'’-]|\.\s?[A-Z])")
_TOKEN = re.compile(r"[^\W_]+")
_CLAUSE_NUMBER = re.compile(r"(?<!\w)\d{1,2}(?:\.\d{1,2})+(?!\w)")
"""`3.1` names no Level 3."""
_NAMED_TWICE = re.compile(r"(?<=[^\W\d_] )(?P<name>[A-Z][^\W\d_]{2,}) (?P<kind>[A-Z][^\W\d_]{2,})\b(?!['’-])")
"""A name of two words, not at the beginning of a text: `Verolam Forte`."""
_POINTS_BACK = re.compile(r"\W*(?:It|They|He|She|This|These|That|Those|Its|Their|His|Her)\b")


@lru_cache(maxsize=8_192)
def designations(text: str) -> frozenset[tuple[str, str]]:
    """Return what a text names by a noun and a letter or number, both in small letters.

    >>> sorted(designations("Class A and stage 2 goods go to Building C within 30 days."))
    [('building', 'c'), ('class', 'a'), ('stage', '2')]
    """
    found = [*_LISTED.finditer(text), *_LETTERED.finditer(text)]
    return frozenset((_singular(match["noun"]), match["name"].casefold()) for match in found)


def names_another(question: str, text: str, before: str = "") -> bool:
    """Return whether a text is about another thing of a kind than the one that a question names.

    Args:
        question: As asked.
        text: A sentence.
        before: The sentence before it, where this one says more of what that names: `It takes one evening.`

    It is where it names things of that kind, and the letter or number that was asked for stands nowhere in it; of
    several that were asked for one is enough.

    >>> names_another("What is worn for class C?", "Class A: goggles.")
    True
    >>> names_another("What is worn for class C?", "Classes A to D: goggles.")
    False
    """
    if _is_namesake(question, text):
        return True
    asked = designations(question)
    if not asked:
        return False
    text = f"{before} {text}" if before and points_back(text) else text
    named = designations(text)
    tokens = {token.casefold() for token in _TOKEN.findall(_CLAUSE_NUMBER.sub(" ", text))}
    kinds = {noun for noun, _ in named}
    return any(
        noun in kinds and not any(name in tokens or _is_between(name, text) for kind, name in asked if kind == noun)
        for noun, _ in asked
    )


def points_back(text: str) -> bool:
    """Return whether a sentence begins with a word for what the one before it names: `It takes one evening.`."""
    return bool(_POINTS_BACK.match(text))


def _is_namesake(question: str, text: str) -> bool:
    """Return whether a text is about another thing that shares the first word of a name of two: another strength, kin.

    It is where that word never stands there without another name or a measure behind it, and the second word nowhere.

    >>> _is_namesake("How long does Verolam Forte keep?", "A bottle of Verolam 10 mg keeps for 90 days.")
    True
    >>> _is_namesake("How long does Verolam Forte keep?", "Verolam keeps for 90 days.")
    False
    """
    asked = [(match["name"], match["kind"]) for match in _NAMED_TWICE.finditer(question)]
    if not asked or points_back(text):
        return False
    tokens = {token.casefold() for token in _TOKEN.findall(text)}
    return any(
        name.casefold() in tokens
        and not any(token.startswith(kind.casefold()[:5]) for token in tokens)
        and all(_has_another_kind(text, end) for end in _ends_of(name, text))
        for name, kind in asked
    )


def _ends_of(name: str, text: str) -> list[int]:
    """Return where a word ends that stands in a text, in any case, each time."""
    return [match.end() for match in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]


def _has_another_kind(text: str, end: int) -> bool:
    """Return whether a name, or a measure, follows right behind a place: `Verolam Junior`, `Verolam 10 mg`."""
    behind = text[end:]
    return bool(re.match(r" [A-Z][^\W\d_]{2,}\b", behind) or (behind[:1] == " " and MEASURED.match(behind, 1)))


def _is_between(name: str, text: str) -> bool:
    """Return whether a text names a span that holds a letter or number, as `A to D` or `1-4`."""
    spans = re.findall(r"\b([A-Za-z]|\d{1,3})\s?(?:to|through|-|–|—)\s?([A-Za-z]|\d{1,3})\b", text)
    if name.isdigit():
        return any(low.isdigit() and high.isdigit() and int(low) <= int(name) <= int(high) for low, high in spans)
    return len(name) == 1 and any(
        low.isalpha() and high.isalpha() and low.casefold() <= name <= high.casefold() for low, high in spans
    )


def _singular(noun: str) -> str:
    folded = noun.casefold()
    return folded[:-1] if folded.endswith("s") and not folded.endswith(("ss", "us")) else folded
