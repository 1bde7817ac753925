"""What "one" and "ones" stand for, and what is compared: "Which ones?", "The second one?", "Which is the fastest?"."""

import re
from collections.abc import Sequence

from rag.followups.grammar import Word, words_of
from rag.followups.phrases import Parts, Phrase, parts_of
from rag.followups.reasked import with_predicate
from rag.followups.topics import has_degree, is_degree, likeness, preposition_before
from rag.followups.words import DO


def with_ones(question: str, before: str) -> str | None:
    """Return a question with the noun that "one" or "ones" stands for; None where there is none.

    >>> with_ones("Which ones do not?", "Do all birds fly?")
    'Which birds do not fly?'
    """
    parts, words = parts_of(before), words_of(question)
    one = next((word for word in words if word.low in ("one", "ones")), None)
    nouns = [phrase for phrase in parts.phrases if phrase.is_many] or [*parts.phrases]
    if one is None or not nouns or _names_its_own(words):
        return None
    noun = parts.asked_noun or nouns[0]
    named = f"{question[: one.start]}{_kind_of(noun)}{question[one.end :]}"
    if (words[-2:-1] and one is words[-2]) or one is words[-1]:
        return _which(parts, named, noun)
    return with_predicate(named, before) or named


def with_other(before: str, topic: str) -> str | None:
    """Return the question before with another "one" of what it asked for; None where it names none.

    >>> with_other("Who was the first king of Norway?", "the second one")
    'Who was the second king of Norway?'
    >>> with_other("Are dogs allowed in the hotel?", "only small ones")
    'Are only small dogs allowed in the hotel?'
    """
    parts, words = parts_of(before), words_of(topic)
    ones = words[-1].low in ("one", "ones")
    own = [word for word in words[:-1] if word.kind == "noun"] if ones else []
    fits = [phrase for phrase in parts.phrases if not own or likeness(phrase, own[-1:], words) > 0]
    fits = [phrase for phrase in fits if phrase.is_many == (words[-1].low == "ones")] or fits
    if not ones or not own or not fits:
        return None
    preposition = words[0].low if words[0].kind == "preposition" else ""
    chosen = max(
        fits, key=lambda phrase: (preposition_before(parts, phrase) == preposition, has_degree(phrase), -phrase.start)
    )
    kept = chosen.words[1 if chosen.determiner else 0 :]
    noun = " ".join(word.text for word in (kept[1:] if len(kept) > 1 else kept))
    said = topic[words[1].start if preposition else 0 : words[-1].start]
    return f"{before[: chosen.start]}{said}{noun}{before[chosen.words[-1].end :]}"


def with_kind(question: str, before: str) -> str | None:
    """Return "Which is the fastest of the trains?" for "Which is the fastest?"; None where nothing is compared.

    >>> with_kind("Which is the fastest?", "How long do trains take?")
    'Which is the fastest of the trains?'
    """
    compared = re.match(r"which (?:one )?(?:is|was|are|were) (?:the )?(?:most \w+|\w+)\W*$", question, re.IGNORECASE)
    nouns = [phrase for phrase in parts_of(before).phrases if phrase.is_many]
    last = [word for word in words_of(question) if word.kind != "mark"][-1:]
    if not compared or not nouns or not (is_degree(last[0]) or "most " in question):
        return None
    return f"{question.rstrip('? ')} of the {_kind_of(nouns[0])}?"


def _names_its_own(words: Sequence[Word]) -> bool:
    """Whether a question itself names what "which ones" are: "Which ones are the members of the union?"."""
    of = next((place for place, word in enumerate(words) if word.low == "of"), None)
    return of is not None and any(word.kind == "noun" and not is_degree(word) for word in words[:of])


def _which(parts: Parts, named: str, noun: Phrase) -> str:
    """Return "Which carnivorous plants are there?" for "Which carnivorous plants?"."""
    if parts.subject.lower() == "there":
        return f"{named.rstrip('? ')} {parts.auxiliary} there?"
    if parts.auxiliary and parts.said and parts.subject and noun.text.lower() in parts.subject.lower():
        done = "" if parts.auxiliary in DO else f"{parts.auxiliary} "
        return f"{named.rstrip('? ')} {done}{parts.said}?"
    return named


def _kind_of(noun: Phrase) -> str:
    return " ".join(word.text for word in noun.words if word.kind == "noun")
