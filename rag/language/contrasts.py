"""Where a text says another word than the question about the same thing: `weaker` for `stronger`. Ground floor.

What a question asks about can be turned round by one small word, and a passage that is near it in every other way then
answers another question. Only words of general English that shut each other out count (`rag.language.polarity`), and
only where a word beside them is the same in both. The gate weighs it, and a reader is told both words.
"""

import re
from collections.abc import Iterator, Sequence

from rag.language.asked import understand
from rag.language.periods import months_of_may
from rag.language.polarity import opposites_of, word_set
from rag.language.text import STOPWORDS, sentence_spans, stems

_WORD = re.compile(r"[^\W_]+")
_ORDINALS = word_set("first second third fourth fifth sixth seventh eighth ninth tenth last")
_STEPS = frozenset(["follow", "next", "after", "before", "preced", "previous"])
"""Stems that ask for another place in a row than the one that is named."""
_SETS = (
    _ORDINALS,
    word_set("breakfast lunch dinner supper"),
    word_set("northern southern eastern western"),
    word_set("mother father sister brother daughter son aunt uncle wife husband"),
    word_set("alpha beta gamma delta"),
)
"""Words that shut each other out in a question and need not in a statement, beside those of `rag.language.polarity`."""
_KEPT = word_set("before after above below over under up down most more")
"""Words that say little of what a text is about and much of what it says of that."""
_BESIDE = 2
"""How many content words on either side count as beside a word."""


def contrasts(question: str, text: str, *, language: str = "english") -> tuple[tuple[str, str], ...]:
    """Return the words of a question, each with the word of a text that shuts it out; mostly none.

    None for a question that is answered by yes or no: there the contrary word is the answer. A word that the text
    says, too, is not shut out.

    Args:
        question: The question.
        text: A passage, or what is shown as the answer.
        language: Snowball stemmer.

    >>> contrasts("Which valve has a stronger spring?", "The inlet valve has a weaker spring.")
    (('stronger', 'weaker'),)
    >>> contrasts("Is the spring stronger?", "The spring is weaker.")
    ()
    """
    asked = _content(question, language)
    if not asked or understand(question).yes_or_no:
        return ()
    said = [_content(text[start:end], language) for start, end in sentence_spans(text)]
    return tuple(dict.fromkeys(_pairs(asked, said)))


def contrast_notes(question: str, answer: str, *, language: str = "english") -> tuple[str, ...]:
    """Return what a reader must know of an answer that says the contrary of a word of the question; else nothing."""
    return tuple(
        f"The question says “{one}” and the answer “{other}”: check that it answers what was asked."
        for one, other in contrasts(question, answer, language=language)
    )


def _pairs(asked: Sequence[tuple[str, str]], said: Sequence[Sequence[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """Yield words of a question with those of the answer that shut them out."""
    in_question = {stem for _, stem in asked}
    asks_beside = bool(in_question & _STEPS)
    in_answer = {stem for sentence in said for _, stem in sentence}
    for place, (word, stem) in enumerate(asked):
        if stem in in_answer or (asks_beside and word.casefold() in _ORDINALS):
            continue
        beside = _beside(asked, place)
        for sentence in said:
            for other_place, (other, other_stem) in enumerate(sentence):
                shut_out = other_stem not in in_question and _exclude(word, stem, other, other_stem)
                if shut_out and beside & _beside(sentence, other_place):
                    yield word, other


def _exclude(word: str, stem: str, other: str, other_stem: str) -> bool:
    """Return whether two words shut each other out."""
    one, two = word.casefold(), other.casefold()
    if any(one in each and two in each and one != two for each in _SETS):
        return True
    pairs = [(left, right) for left in _degrees(stem) for right in _degrees(other_stem)]
    return any(right in opposites_of(left) or left in opposites_of(right) for left, right in pairs)


def _degrees(stem: str) -> list[str]:
    """Return a stem, and of a comparative or superlative that of the adjective: `stronger` and `strong`."""
    return [stem, *(stem.removesuffix(ending) for ending in ("er", "est") if stem.endswith(ending))]


def _beside(words: Sequence[tuple[str, str]], place: int) -> set[str]:
    """Return the stems beside a word."""
    return {stem for _, stem in (*words[max(0, place - _BESIDE) : place], *words[place + 1 : place + 1 + _BESIDE])}


def _content(text: str, language: str) -> list[tuple[str, str]]:
    """Return the content words of a text, each with its stem; `before` and `after` count, and `may` as a month."""
    found = []
    months = months_of_may(text)
    for match in _WORD.finditer(text):
        word = match.group()
        if word.casefold() in STOPWORDS - _KEPT and match.start() not in months:
            continue
        stem = stems(word, language=language)
        found.append((word, stem[0] if stem else word.casefold()))
    return found
