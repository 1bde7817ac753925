"""How many tokens a text may take, whatever the model: an upper estimate without its tokenizer."""

import re
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"(?:(?<![A-Za-z0-9])| )([A-Z]?[a-z]+)(?![A-Za-z0-9])")
_VOWELS = frozenset("aeiouy")
_OFTEN_FOLLOWED_BY = {
    "a": "iuy",
    "b": "lr",
    "c": "hklrt",
    "d": "rs",
    "e": "aeiouy",
    "f": "lrt",
    "g": "hlnr",
    "i": "aeou",
    "k": "s",
    "l": "dfklmst",
    "m": "bmps",
    "n": "cdfgknst",
    "o": "aiouy",
    "p": "hlprst",
    "r": "cdgklmnrstv",
    "s": "chklmnpstw",
    "t": "hrstw",
    "u": "aei",
    "w": "hn",
    "x": "p",
    "y": "aeio",
}
"""Pairs of two vowels or of two consonants that words often have."""


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of `text` in any byte-level or byte-fallback vocabulary.

    Words of ASCII letters count as in `_word_tokens`. Everything else, digits, capitals, punctuation and other scripts,
    counts a token for each byte of UTF-8, which no such vocabulary exceeds.

    >>> estimate_tokens("Wear gloves."), estimate_tokens("42 ml"), estimate_tokens("Öl")
    (6, 4, 3)
    """
    words = sum(map(_word_tokens, _WORD.findall(text)))
    return words + len(_WORD.sub("", text).encode("utf-8", "replace"))


@lru_cache(maxsize=65_536)
def _word_tokens(word: str) -> int:
    """Return an upper estimate of the tokens of one word.

    A token for every 3 letters begun, for every 2.5 in words of 6 or more (common vocabularies need about 1 for 4.5 in
    English, 1 for 3 in languages that they know less well), and one more for each pair of letters that words seldom
    have, so that codes and odd names are not taken for words.
    """
    letters = word.lower()
    length = len(letters)
    by_length = -(-length // 3) if length < 6 else -(-2 * length // 5)
    return by_length + sum(
        (one in _VOWELS) == (other in _VOWELS) and other not in _OFTEN_FOLLOWED_BY.get(one, "")
        for one, other in pairwise(letters)
    )
