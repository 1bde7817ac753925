"""How what is put into a question begins: with a capital, or small where it is no name."""

from rag.followups.grammar import words_of
from rag.followups.words import AUXILIARIES, PREPOSITIONS


def capital(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    """Return a text that begins small, where its first word is no name."""
    first = words_of(text)[0]
    return text[:1].lower() + text[1:] if first.kind != "noun" or first.low in AUXILIARIES | PREPOSITIONS else text
