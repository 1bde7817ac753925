"""English words and how often they are written: the list of 82,834 that comes with symspellpy.

The list is from Google's n-grams, held against a spelling dictionary; American and British spellings are in it.
"""

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def english_words() -> dict[str, int]:
    """Return each word, in lower case, and how often it was counted. Read once, in a twentieth of a second."""
    text = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig")
    return {word: int(count) for word, count in (line.split() for line in text.splitlines() if line)}


def is_english(word: str) -> bool:
    """Return whether a word is in the list; a possessive counts as its owner, one letter as a word.

    >>> is_english("organisation"), is_english("Lab's"), is_english("dichlormethane")
    (True, True, False)
    """
    bare = word.casefold().replace("’", "'").removesuffix("'s")
    return len(bare) < 2 or bare in english_words()
