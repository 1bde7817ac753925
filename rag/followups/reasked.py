"""The question before, asked for something else: "Why?", "By whom?", "What else?", "Who does?"."""

import re

from rag.followups.grammar import Word, words_of
from rag.followups.phrases import parts_of
from rag.followups.words import BE

_HOW_MUCH = re.compile(r"how (?!many\b|much\b)\w+", re.IGNORECASE)
"""Asks by how much something is so: "how wide"."""


def with_question_word(before: str, asks: str) -> str | None:
    """Return what the question before says, asked for something else; None where that is no question.

    >>> with_question_word("When was the euro introduced?", "By whom")
    'By whom was the euro introduced?'
    >>> with_question_word("Which gloves are required for acids?", "Why")
    'Why are gloves required for acids?'
    >>> with_question_word("How high may a headstone be?", "How wide")
    'How wide may a headstone be?'
    >>> with_question_word("Who may use a hood?", "Why") is None
    True
    """
    parts = parts_of(before)
    first = parts.words[0].low if parts.words else ""
    auxiliary, noun = parts.auxiliary, parts.asked_noun
    is_argument = first in ("who", "what", "which")
    if asks.lower() in ("how much", "how many"):
        is_thing = first in ("what", "which") and noun and auxiliary
        return f"{asks} {noun.text} {auxiliary} {parts.rest}?" if is_thing and noun else None
    if not auxiliary or (is_argument and noun is None):
        return None
    if parts.subject and not is_argument and parts.words[0].low != "how":
        return f"{asks} {auxiliary} {parts.rest}?"
    if parts.subject and (parts.asks.lower().split() or [""])[-1] in ("how", "often", "long", "soon", "late", "early"):
        is_whole = " " in parts.said or parts.asks.lower() == "how" or auxiliary in BE  # not "why does it take?"
        return f"{asks} {auxiliary} {parts.rest}?" if parts.said and is_whole else None
    if parts.subject and _HOW_MUCH.fullmatch(parts.asks) and _HOW_MUCH.fullmatch(asks):
        return f"{asks} {auxiliary} {parts.rest}?"
    if noun and not parts.subject and auxiliary in BE:
        return f"{asks} {auxiliary} {noun.text} {parts.said}?"
    return None


def with_deed(question: str, before: str) -> str | None:
    """Return a question with what "do that" stands for; None where nothing is done.

    >>> with_deed("How often should I do that?", "How do you sharpen a knife?")
    'How often should I sharpen a knife?'
    >>> with_deed("Who does it?", "How often do I change the oil?")
    'Who does change the oil?'
    """
    parts = parts_of(before)
    is_deed = parts.auxiliary and parts.auxiliary not in BE and parts.subject and parts.said
    if is_deed and (who := re.match(r"(?P<asks>who (?:does|did)) (?:it|this|that|so)\W*$", question, re.IGNORECASE)):
        return f"{who['asks']} {parts.said}?"
    found = re.search(r"(?<=\w )do (?:that|this|it|so|the same)\b(?! \w+ing)", question, re.IGNORECASE)
    return f"{question[: found.start()]}{parts.said}{question[found.end() :]}" if found and is_deed else None


def with_not(question: str) -> str:
    """Return a question with "not" after its subject: "Why may the lathe not be cleaned?"."""
    parts = parts_of(question)
    if not parts.subject or not parts.said:
        return question
    return f"{parts.asks} {parts.auxiliary} {parts.subject} not {parts.said}?"


def with_else(before: str, asks: str) -> str | None:
    """Return the question before, asked for what else there is: "Which other documents are accepted?".

    >>> with_else("What does the court accept?", "what")
    'What else does the court accept?'
    """
    parts = parts_of(before)
    first, noun = parts.words[0].low if parts.words else "", parts.asked_noun
    if noun and first in ("what", "which"):
        return f"Which other {before[noun.start :]}"
    if first not in (asks, "what" if asks in ("what", "anything") else asks):
        return None
    return f"{before[: parts.words[0].end]} else{before[parts.words[0].end :]}"


def with_predicate(question: str, before: str) -> str | None:
    """Return a question that ends with its auxiliary, with what was said before; None where it does not end so.

    >>> with_predicate("Who does?", "Do administrators need a token?")
    'Who does need a token?'
    """
    words = [word for word in words_of(question) if word.kind != "mark"]
    parts = parts_of(before)
    last = next((word for word in reversed(words) if word.low != "not"), None)
    if last is None or not words or not parts.said or len(words) < 2:
        return None
    is_pronoun_last = last.kind == "pronoun" and len(words) > 2 and words[-2].kind == "auxiliary"
    if last.kind != "auxiliary" and not is_pronoun_last:
        return None
    said = parts.said if parts.auxiliary else parts.rest
    if words[0].low == "which" and words[1].kind == "auxiliary" and parts.asked_noun:
        question = f"{question[: words[0].end]} {parts.asked_noun.text}{question[words[0].end :]}"
    return f"{question.rstrip('? ')} {said}?"


def with_noun_asked(question: str, before: str) -> str | None:
    """Return the question before, asked for another noun; None where none was asked for.

    >>> with_noun_asked("What humidity?", "What temperature should the cellar have?")
    'What humidity should the cellar have?'
    """
    parts, words = parts_of(before), words_of(question.rstrip("?!. "))
    is_short = 2 <= len(words) <= 4 and words[0].low in ("what", "which", "how")
    is_noun = is_short and words[-1].kind == "noun" and all(word.kind in ("noun", "adverb") for word in words[1:])
    if not is_noun or parts.asked_noun is None or parts.words[0].kind != "asks":
        return None
    return f"{question.rstrip('?!. ')} {f'{parts.auxiliary} {parts.rest}'.strip()}?"


def with_many(question: str, before: str) -> str:
    """Return "How many employees did it have?" for "How many did it have?", where "how many" was asked of employees."""
    noun = parts_of(before).asked_noun
    many = re.match(r"how (?:many|much)(?= (?:is|are|was|were|do|does|did|can|may|must|should|will)\b)", question, re.I)
    if not many or noun is None or not before.lower().startswith(many.group().lower()):
        return question
    return f"{many.group()} {noun.text}{question[many.end() :]}"


def _is_place(word: Word) -> bool:
    return (word.kind == "noun" and word.is_name) or word.low in ("in", "at", "to", "from", "near")


def with_place(question: str, before: str) -> str | None:
    """Return a question with the place that "there" at its end stands for; None where there is none, or it names one.

    >>> with_place("What can I eat there?", "What did Darwin study in Galapagos?")
    'What can I eat in Galapagos?'
    """
    there = re.search(r"(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\W*$)", question, re.IGNORECASE)
    own = [word for word in words_of(question)[1:] if _is_place(word)]
    place = re.search(r"\b(?:in|at|on) (?=the |[^\W\d_])(?:the |an? )?[\w-]+(?: [A-Z][\w-]+)*(?=\W*$)", before)
    if not there or own or not place or question[: there.start()].count(" ") > 6:
        return None
    return f"{question[: there.start()]}{place.group()}{question[there.end() :]}"
