"""Where a text says another word than the question about the same thing: `weaker` for `stronger`. Ground floor.

What a question asks about can be turned round by one small word, and a passage that is near it in every other way then
answers another question. Only words of general English that shut each other out count (`rag.language.polarity`), and
only where a word beside them is the same in both. The gate weighs it, and a reader is told both words.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.language.asked import understand
from rag.language.numerals import NUMBER
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
_RECURRING = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "annual": "year",
    "annually": "year",
    "yearly": "year",
}
"""Words for how often something comes, each with the period: no two of different periods are true of the same."""
_PERIODS = frozenset(stem for pair in _RECURRING.items() for word in pair for stem in stems(word))
"""Their stems, which the nouns share: six weeks say nothing against months, but against four months they do."""
_COUNTING = re.compile(NUMBER, re.IGNORECASE)
_KEPT = word_set("before after above below over under up down most more")
"""Words that say little of what a text is about and much of what it says of that."""
_LEFT_OUT = STOPWORDS - _KEPT
_FIGURE = r"(?P<figure>\d+(?:[.,]\d+)?) ?(?P<unit>[^\W\d_]+|%|°)"
_ABOVE = re.compile(
    r"(?<!\bno )(?<!\bnot )\b(?P<bound>(?:later|more|longer|higher|greater|older|larger|heavier) than|over|above"
    rf"|beyond) {_FIGURE}",
    re.IGNORECASE,
)
_BELOW = re.compile(
    rf"\b(?P<bound>up to|within|at (?:the )?(?:most|latest)|not? (?:later|more|longer|higher|older) than"
    rf"|below|under|(?:less|earlier|shorter|younger|lower|fewer) than) {_FIGURE}",
    re.IGNORECASE,
)
"""Bounds that a figure has from either side; `up to 48 hours` says nothing of `later than 48 hours`."""
_BEYOND = re.compile(
    r"\b(?:later(?! than)|afterwards|after that|otherwise|beyond that|longer(?! than))\b", re.IGNORECASE
)
_EXCEPTION = re.compile(
    r"\b(?:unless|except(?: (?:that|when|where|if|for|in|on))?|other than)\b[^,;:.!?]*", re.IGNORECASE
)
_OPEN_FROM_TO = re.compile(
    r"\bopen\w*\b[^.;!?]*?\b(?:from|between)?\s*\d[^;!?]*?(?:\bto\b|\buntil\b|\btill\b|\band\b|[-–—])\s*\d"
    r"|\bopen\w*\b[^.;!?]*\b(?:until|till)\b",
    re.IGNORECASE,
)
"""Hours of opening say as well when it closes."""
_OPENING = frozenset(["open", "close", "shut", "closur"])
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
    said = [_said_in(text[start:end], language) for start, end in sentence_spans(text)]
    return tuple(dict.fromkeys(_pairs(asked, said)))


def _said_in(sentence: str, language: str) -> list[tuple[str, str]]:
    """Return the content words of a sentence, without `open` where it says from when to when."""
    found = _content(sentence, language)
    return [one for one in found if one[1] not in _OPENING] if _OPEN_FROM_TO.search(sentence) else found


def contrast_notes(question: str, answer: str, *, language: str = "english") -> tuple[str, ...]:
    """Return what a reader must know of an answer that says the contrary of a word of the question; else nothing."""
    pairs = (*contrasts(question, answer, language=language), *beyond_limits(question, answer))
    notes = [
        f"The question says “{one}” and the answer “{other}”: check that it answers what was asked."
        for one, other in pairs
    ]
    notes += [
        f"The question is about a case that the answer excepts (“{clause}”): check that it answers what was asked."
        for clause in _excepted(question, answer, language)
    ]
    return tuple(notes)


def beyond_limits(question: str, text: str) -> tuple[tuple[str, str], ...]:
    """Return the bounds of a question, each with that of a text which ends at the same figure from the other side.

    None where the text speaks of both sides, as with `later` in another sentence, and none for a question that is
    answered by yes or no.

    >>> beyond_limits("What if I cancel later than 48 hours before?", "You may cancel up to 48 hours before.")
    (('later than', 'up to'),)
    >>> beyond_limits("What if I cancel later than 48 hours before?", "Up to 48 hours it is free. Later, half is due.")
    ()
    """
    if understand(question).yes_or_no or _BEYOND.search(text) or (_ABOVE.search(text) and _BELOW.search(text)):
        return ()
    found = []
    for asked, said in ((_ABOVE, _BELOW), (_BELOW, _ABOVE)):
        figures = {_figure(match): match["bound"] for match in asked.finditer(question)}
        found += [
            (figures[_figure(match)], match["bound"]) for match in said.finditer(text) if _figure(match) in figures
        ]
    return tuple((one.casefold(), other.casefold()) for one, other in dict.fromkeys(found))


def _figure(match: re.Match[str]) -> str:
    """Return the figure of a bound with its unit, folded: `48 hour`."""
    return f"{match['figure']} {match['unit'].casefold().removesuffix('s')}"


def _excepted(question: str, answer: str, language: str) -> list[str]:
    """Return the clause `unless ...` of an answer's last sentence that alone has a word of the question, if any.

    A sentence after it mostly says what holds in that case.
    """
    asked = {stem for _, stem in _content(question, language)}
    found = []
    last = sentence_spans(answer)[-1][0] if answer.strip() else 0
    for match in _EXCEPTION.finditer(answer, last):
        elsewhere = {stem for _, stem in _content(answer[: match.start()] + " " + answer[match.end() :], language)}
        if (asked & {stem for _, stem in _content(match.group(), language)}) - elsewhere:
            found.append(match.group().strip())
    return found


def _pairs(asked: Sequence[tuple[str, str]], said: Sequence[Sequence[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """Yield words of a question with those of the answer that shut them out."""
    in_question = {stem for _, stem in asked}
    asks_beside = bool(in_question & _STEPS)
    in_answer = {stem for sentence in said for _, stem in sentence}
    others = {each: None for sentence in said for each in sentence if each[1] not in in_question}
    for place, (word, stem) in enumerate(asked):
        if stem in in_answer or (asks_beside and word.casefold() in _ORDINALS):
            continue
        is_unit = stem in _PERIODS and word.casefold() not in _RECURRING
        units = {each for each in others if is_unit and each[1] in _PERIODS}
        shut_out = {each for each in others if _exclude(word, stem, *each)}
        shut_out -= set() if _is_counted(asked, place) else units
        if not shut_out:
            continue
        beside = _beside(asked, place)
        for sentence in said:
            for other_place, other in enumerate(sentence):
                if other not in shut_out or (other in units and not _is_counted(sentence, other_place)):
                    continue
                if beside & _beside(sentence, other_place):
                    yield word, other[0]


def _is_counted(words: Sequence[tuple[str, str]], place: int) -> bool:
    """Return whether a number stands before a word."""
    return place > 0 and bool(_COUNTING.fullmatch(words[place - 1][0]))


@lru_cache(maxsize=32_768)
def _exclude(word: str, stem: str, other: str, other_stem: str) -> bool:
    """Return whether two words shut each other out."""
    one, two = word.casefold(), other.casefold()
    if one != two and any(one in each and two in each for each in _SETS):
        return True
    if stem in _PERIODS and other_stem in _PERIODS and (one in _RECURRING or two in _RECURRING):
        return one in _RECURRING and two in _RECURRING and _RECURRING[one] != _RECURRING[two]
    (ours, against_ours), (theirs, against_theirs) = _degrees(stem), _degrees(other_stem)
    return not against_ours.isdisjoint(theirs) or not against_theirs.isdisjoint(ours)


@lru_cache(maxsize=16_384)
def _degrees(stem: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return a stem, with that of the adjective of a comparative or superlative (`strong`); and all their opposites."""
    degrees = (stem, *(stem.removesuffix(ending) for ending in ("er", "est") if stem.endswith(ending)))
    return degrees, frozenset().union(*map(opposites_of, degrees))


def _beside(words: Sequence[tuple[str, str]], place: int) -> set[str]:
    """Return the stems beside a word."""
    return {stem for _, stem in (*words[max(0, place - _BESIDE) : place], *words[place + 1 : place + 1 + _BESIDE])}


def _content(text: str, language: str) -> list[tuple[str, str]]:
    """Return the content words of a text, each with its stem; `before` and `after` count, and `may` as a month."""
    found = []
    months = months_of_may(text)
    for match in _WORD.finditer(text):
        word = match.group()
        if word.casefold() in _LEFT_OUT and match.start() not in months:
            continue
        found.append((word, _stem_of(word, language)))
    return found


@lru_cache(maxsize=16_384)
def _stem_of(word: str, language: str) -> str:
    """Return the stem of a word; itself, case folded, where it says little. Remembered: texts repeat their words."""
    found = stems(word, language=language)
    return found[0] if found else word.casefold()
