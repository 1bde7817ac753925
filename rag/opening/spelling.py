"""A misspelt question: the same one with words that the index knows.

Nothing is kept for it. A word that no chunk has and that is no English word is compared with its neighbours: every text
at one edit from it, of which the catalogue says in one look-up which occur, and for longer words English words at two
edits. That costs about ten milliseconds for such a word, however large the index is, and nothing where there is none.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Final, TypeAlias

from rag.opening.english import english_words, is_english
from rag.text.words import is_stopword, stems, term_id

WordCounts: TypeAlias = Callable[[Sequence[int]], Mapping[int, int]]
"""Says in how many chunks each term id occurs; `Catalogue.document_frequencies` does."""
SHORTEST: Final = 4
"""Shorter words are not corrected: too many others are near."""
SHORTEST_OF_TWO: Final = 8
"""Letters of a word from which on two edits are looked for."""
LONGEST: Final = 24
"""Longer words are not corrected: they are made up, or several in one."""
MOST_WORDS: Final = 8
"""A question with more unknown words is not corrected: it is in another language, or no language."""
_TOKEN: Final = re.compile(r"\S+")
_LETTERS: Final = re.compile(r"\w(?:.*\w)?")
"""What is between the punctuation before and behind a word."""
_ENDS: Final = frozenset(".!?:")


def corrected(question: str, counts: WordCounts) -> str | None:
    """Return the question with misspelt words put right, or None where there is nothing to put right.

    Names and identifiers stay as they are: words with a capital inside the sentence, with digits, hyphens or other
    signs within. So do words that occur in the index, and English words, which may be the very thing that is missing.

    >>> known = {term_id("glove"), term_id("dichloromethan")}
    >>> corrected("glovs for dichlormethane", lambda ids: {one: 1 for one in ids if one in known})
    'gloves for dichloromethane'
    """
    spans = list(_doubtful(question))
    known = counts([term for word, _ in spans for term in _terms(word)]) if spans else {}
    unknown = [(word, start) for word, start in spans if not any(term in known for term in _terms(word))]
    if not unknown or len(unknown) > MOST_WORDS:
        return None
    text = question
    for word, start in reversed(unknown):
        right = _nearest(word.lower(), counts) or word
        right = right.capitalize() if word[0].isupper() else right
        text = text[:start] + right + text[start + len(word) :]
    return text if text != question else None


def _doubtful(question: str) -> Iterator[tuple[str, int]]:
    begins = True
    for token in _TOKEN.finditer(question):
        plain = _LETTERS.search(token.group())
        if plain is not None and plain.group().isalpha():
            word = plain.group()
            is_name = word != word.lower() and not (begins and word[1:] == word[1:].lower())
            is_word = is_english(word) or is_stopword(word.casefold())
            if not (is_name or is_word) and SHORTEST <= len(word) <= LONGEST and word.isascii():
                yield word, token.start() + plain.start()
        begins = token.group()[-1] in _ENDS


def _terms(word: str) -> list[int]:
    return [term_id(stem) for stem in stems(word)]


def _nearest(word: str, counts: WordCounts) -> str | None:
    """Return the likeliest word of the index at one edit, else at two; None where one that says little is likelier."""
    for near in (_one_edit(word), _two_edits(word)):
        terms = {other: _terms(other) for other in near}
        found = counts(sorted({term for ids in terms.values() for term in ids}))
        held = [other for other in near if is_stopword(other) or found.keys() & terms[other]]
        if held:
            best = max(held, key=lambda other: _likelihood(word, other))
            return None if is_stopword(best) else best
    return None


def _likelihood(word: str, other: str) -> tuple[bool, bool, int, str]:
    """Return what candidates are put in order by: English, then the same first letter, then often used."""
    often = english_words().get(other, 0)
    return often > 0, word[0] == other[0], often, other


def _one_edit(word: str) -> list[str]:
    """Return every text at one edit: a letter too many, too few or another, or two beside each other exchanged."""
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    fewer = (left + right[1:] for left, right in parts if right)
    turned = (left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1)
    others = (left + letter + right[1:] for left, right in parts if right for letter in ascii_lowercase)
    more = (left + letter + right for left, right in parts for letter in ascii_lowercase)
    return sorted({*fewer, *turned, *others, *more} - {word})


def _two_edits(word: str) -> list[str]:
    if len(word) < SHORTEST_OF_TWO:
        return []
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    return [
        other for other, _, _ in extract(word, list(english_words()), scorer=OSA.distance, score_cutoff=2, limit=50)
    ]
