"""The words of an English question, each with the part it plays: by closed lists and by where it stands, no model.

Nouns and adjectives are one kind, because form does not tell them apart. What is not sure is left a noun.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from rag.followups.words import (
    ADVERBS,
    ASKS,
    AUXILIARIES,
    BE,
    BEFORE_TO,
    DETERMINERS,
    DO,
    JOINTS,
    LETS,
    MODALS,
    NOT_ADVERBS,
    PLURALS,
    PREPOSITIONS,
    PRONOUNS,
    PROPERTIES,
    is_participle,
    is_verb,
)

Kind = Literal["asks", "auxiliary", "determiner", "preposition", "pronoun", "joint", "adverb", "verb", "noun", "mark"]


_WORD: Final = re.compile(r"\w+(?:[.,:’'-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, in the part it plays."""

    text: str
    start: int
    end: int
    kind: Kind

    @property
    def low(self) -> str:
        """The word in small letters, with a straight apostrophe."""
        return self.text.lower().replace("’", "'")

    @property
    def is_name(self) -> bool:
        """Whether it has a capital letter or a figure; the first word of a sentence always has."""
        return not self.text.islower()

    @property
    def is_many(self) -> bool:
        """Whether it has the form of a plural."""
        return self.low in PLURALS or bool(re.search(r"[^\Wsui]s$", self.low))


def words_of(question: str) -> tuple[Word, ...]:
    """Return the words and marks of a question, verbs marked as far as form tells.

    >>> [word.text for word in words_of("How often must the hydraulic pump be serviced?") if word.kind == "noun"]
    ['hydraulic', 'pump']
    >>> [word.text for word in words_of("When does the last bus leave on Sundays?") if word.kind == "verb"]
    ['leave']
    """
    words = tuple(
        Word(found.group(), found.start(), found.end(), _kind(found.group())) for found in _WORD.finditer(question)
    )
    words = tuple(_in_its_place(before, word) for before, word in zip((None, *words), words, strict=False))
    verbs = frozenset(_verbs(words))
    return tuple(_settled(words, place, is_verb=place in verbs) for place in range(len(words)))


def _settled(words: Sequence[Word], place: int, *, is_verb: bool) -> Word:
    """Return a word as a verb where it is one; a "that" after which nothing comes joins nothing."""
    word = words[place]
    if is_verb:
        return replace(word, kind="verb")
    is_last = all(later.kind == "mark" for later in words[place + 1 :])
    return replace(word, kind="determiner") if word.kind == "joint" and word.low == "that" and is_last else word


def _in_its_place(before: Word | None, word: Word) -> Word:
    """Return a word in the part that the one before it leaves it: "how long", "a will", "class A"."""
    if before is None:
        return word
    if before.low == "how" and word.kind == "noun":
        return replace(word, kind="adverb")
    if word.low in ("that", "who", "which") and before.kind in ("noun", "pronoun"):
        return replace(word, kind="joint")
    is_letter = word.text == "A" and before.kind == "noun"
    is_thing = before.kind == "determiner" and word.low in MODALS
    return replace(word, kind="noun") if is_letter or is_thing else word


def _kind(text: str) -> Kind:
    low = text.lower().replace("’", "'")
    if not text[0].isalnum():
        return "mark"
    if low.endswith("ly") and len(low) > 4 and low not in NOT_ADVERBS:
        return "adverb"
    named: tuple[tuple[Kind, frozenset[str]], ...] = (
        ("auxiliary", AUXILIARIES), ("asks", ASKS), ("determiner", DETERMINERS), ("preposition", PREPOSITIONS),
        ("pronoun", PRONOUNS), ("joint", JOINTS), ("adverb", ADVERBS),
    )  # fmt: skip
    return next((kind for kind, words in named if low in words), "noun")


def opening(words: Sequence[Word]) -> int | None:
    """Return where the auxiliary stands that makes the words a question; None where there is none.

    >>> opening(words_of("At which temperature does it boil?")), opening(words_of("Who built it?"))
    (3, None)
    """
    for place, word in enumerate(words[:9]):
        if word.kind == "auxiliary":
            return place if place == 0 or any(earlier.kind == "asks" for earlier in words[:place]) else None
        is_of = place > 1 and words[place - 1].low == "of" and word.kind == "determiner"
        if word.kind not in ("asks", "noun", "adverb", "preposition") and not is_of:
            return None
    return None


def _verbs(words: Sequence[Word]) -> Iterator[int]:
    """Find what stands where only a verb can stand."""
    place = opening(words)
    if place is not None:
        yield from _after_auxiliary(words, place)
    elif words and words[0].low in ("who", "what", "which", "how"):
        yield from _without_auxiliary(words)
    for here in range(1, len(words)):
        if words[here].kind == "noun" and _stands_as_verb(words, here, asked=place):
            yield here


def _stands_as_verb(words: Sequence[Word], here: int, asked: int | None) -> bool:
    """Whether the word before leaves nothing but a verb."""
    before, word = words[here - 1], words[here]
    is_known = is_verb(word.low) or is_participle(word.low)
    if before.low == "to" and here > 1 and words[here - 2].low in BEFORE_TO:
        return True
    if before.low == "to" or (before.kind == "joint" and before.low in ("that", "who", "which")):
        return is_known and not (before.low == "to" and word.is_many)
    if before.kind == "pronoun" and before.low != "there":
        return is_known or (asked == here - 2 and words[asked].low in DO | MODALS)
    if before.kind == "auxiliary":
        is_argument = words[0].low in ("who", "which", "what") or words[1].low in ("many", "much")
        if before.low not in MODALS:
            return here > 1 and is_participle(word.low)
        is_last = here == 2 or not _nouns(words, here + 1)
        return here > 1 and is_argument and (is_known or (is_last and not word.is_many))
    is_last = here + 1 == len(words) or words[here + 1].kind != "noun"
    if before.low in ("so", "very", "too"):
        return is_last and here > 2
    return before.kind == "noun" and is_last and is_participle(word.low)


def _nouns(words: Sequence[Word], start: int) -> list[int]:
    return [here for here in _run(words, start) if words[here].kind == "noun"]


def _after_auxiliary(words: Sequence[Word], auxiliary: int) -> Iterator[int]:
    """Find the verb or the adjective that is said of a subject."""
    is_said = is_participle if words[auxiliary].low in BE | {"has", "have", "had"} else is_verb
    start, unsure = auxiliary + 1, None
    while start < len(words):
        run, end = _nouns(words, start), next(iter(_after(words, start)), len(words))
        is_after_it = start > auxiliary + 1 and words[start - 1].kind == "pronoun"  # "the light on it [means]"
        later = [here for here in (run if is_after_it else run[1:]) if not words[here].is_name]
        following = words[end] if end < len(words) else None
        known = next((here for here in later if is_said(words[here].low)), None)
        if following is not None and following.low in ("be", "been", "have"):
            return
        if known is not None:
            yield known
            return
        if unsure is None and (said := _maybe_said(words, later, auxiliary, following)) is not None:
            unsure = said
        is_it = following is not None and following.low in ("it", "them") and words[end - 1].kind == "preposition"
        if following is None or not (following.kind == "preposition" or is_it):
            break
        start = end + 1
    if unsure is not None:
        yield unsure


def _maybe_said(words: Sequence[Word], later: Sequence[int], auxiliary: int, following: Word | None) -> int | None:
    """Return the noun of a run that is rather what is said of it; None where none is."""
    low = words[auxiliary].low
    if not later or low in ("has", "have", "had"):
        return None
    if following is not None and (following.low == "of" or following.kind == "auxiliary"):
        return None
    if low in BE:
        is_said = words[later[-1]].low in PROPERTIES or _wants_adjective(words[:auxiliary])
        return later[-1] if is_said else None
    return next((here for here in reversed(later) if not words[here].is_many), None)  # "lend laptops"


def _wants_adjective(asked: Sequence[Word]) -> bool:
    """Whether what is asked leaves a property to be said: "when is it open", not "what is it" or "how deep is it"."""
    lows = [word.low for word in asked]
    return not lows or lows[-1] in ("when", "why", "how", "often", "whom") or asked[0].kind == "preposition"


def _without_auxiliary(words: Sequence[Word]) -> Iterator[int]:
    """Find the verb of "who built it", "which enzymes digest starch"."""
    nouns = _nouns(words, 1)
    if words[0].low == "who" or (words[0].low == "what" and nouns and words[nouns[0]].low.endswith(("s", "ed"))):
        yield from nouns[:1]
        if len(nouns) > 2 and words[nouns[0]].low in LETS and is_verb(words[nouns[-1]].low):
            yield nouns[-1]
        return
    for before, here in pairwise(nouns):
        low = words[here].low
        if is_verb(low) or is_participle(low) or words[before].is_many or low.endswith("s"):
            yield here
            return


def _run(words: Sequence[Word], start: int) -> range:
    """Return the places of a run of determiners, nouns and adverbs."""
    return range(start, next(iter(_after(words, start)), len(words)))


def _after(words: Sequence[Word], start: int) -> Iterator[int]:
    runs = ("determiner", "noun", "adverb")
    for here in range(start, len(words)):
        is_second = words[here].kind == "determiner" and any(word.kind == "noun" for word in words[start:here])
        if words[here].kind not in runs or is_second:
            yield here
