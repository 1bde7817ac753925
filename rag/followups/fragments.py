"""The question before asked of something else: and for bases, if it rains, her number, only small ones."""

import re
from collections.abc import Sequence
from typing import Final

from rag.followups.beside import beside, said_in
from rag.followups.casing import capital, small
from rag.followups.forms import ABOUT, CLAUSE, SAME, TELLS, WHAT_IF
from rag.followups.grammar import Word, opening, words_of
from rag.followups.members import with_member
from rag.followups.ones import with_ones, with_other
from rag.followups.persons import is_person
from rag.followups.phrases import parts_of
from rag.followups.topics import with_topic
from rag.followups.words import BE, PRONOUNS

_OWNERS: Final = ("his", "her", "its")
MOST_WORDS: Final = 7
"""What is left out makes a question short; a longer one without a verb is a heading."""


def of_another_topic(body: str, before: str, *, is_joined: bool) -> str | None:
    """Read the question before about something else: "And for bases?", "Is that true for acids too?"."""
    if same := SAME.match(body):
        return with_topic(said_in(before), same["alone"] or same["topic"], by_likeness=True)
    about = ABOUT.match(body) or WHAT_IF.match(body)
    topic = (about["topic"] if about else body.rstrip("?!. ")).strip()
    words = words_of(topic)
    if not words:
        return None
    if other := with_member(said_in(before), topic):
        return other
    if words[-1].low in ("one", "ones") or re.match(r"which ones?\b(?! of\b)", topic, re.IGNORECASE):
        return _of_ones(body, topic, before)
    if owned := _of_owner(body, topic, before, is_joined=is_joined):
        return owned
    if about and words[0].low != "if" and any(word.kind == "pronoun" for word in words):
        return None
    if about:
        return with_topic(said_in(before), small(topic))
    if led := CLAUSE.match(topic):
        is_sure = is_joined or led.group().lower().endswith(("if", "unless", "because"))
        return with_topic(said_in(before), small(topic)) if is_sure and _is_only_clause(words) else None
    is_led = words[0].kind == "preposition" or words[0].low in ("only", "also", "even", "not")
    if not (is_joined or (is_led and body.endswith("?"))) or not _is_fragment(words):
        return None
    return with_topic(said_in(before), small(topic))


def _of_owner(body: str, topic: str, before: str, *, is_joined: bool) -> str | None:
    """Read "And her number?": of the one person, or thing for "its", that was spoken of, else beside what was said."""
    words = words_of(topic)
    whose = words[0].low
    is_short = 1 < len(words) <= MOST_WORDS and all(word.kind in ("noun", "preposition") for word in words[1:])
    if whose not in _OWNERS or not is_short or not (is_joined or body.endswith("?")):
        return None
    parts = parts_of(said_in(before))
    owners = [phrase for phrase in parts.phrases if whose == "its" or is_person(phrase.head)]
    if len(owners) != 1 or re.search(r"['’]s\b", owners[0].text):
        return beside(f"{capital(topic)}?", before)
    owner = owners[0]
    owned = f"{owner.text}'s {topic[words[1].start :]}"
    if parts.asks.lower() in ("who", "what") and parts.auxiliary in BE:
        return f"{'Who' if is_person(words[-1]) else 'What'} is {owned}?"
    return f"{parts.text[: owner.start]}{owned}{parts.text[owner.end :]}"


def _of_ones(body: str, topic: str, before: str) -> str | None:
    """Read "Which ones?", "The second one?", "Only small ones?"."""
    words = words_of(topic)
    if words[0].low == "which":
        return with_ones(body, said_in(before)) or (beside(body, before) if len(words) <= 2 else None)
    if len(words) > MOST_WORDS or any(word.kind in ("auxiliary", "verb", "asks") for word in words):
        return None
    return with_other(said_in(before), small(topic)) or beside(body, before)


def _is_fragment(words: Sequence[Word]) -> bool:
    """Whether words are no question by themselves and no statement: no verb, nobody who does something."""
    is_told = words[0].low in TELLS or words[0].low in PRONOUNS
    is_whole = any(word.kind in ("auxiliary", "asks", "pronoun") or word.text in (":", ",") for word in words)
    return not is_told and not is_whole and len(words) <= MOST_WORDS


def _is_only_clause(words: Sequence[Word]) -> bool:
    """Whether nothing is asked after the clause: "if it rains", not "if it rains, is it postponed"."""
    is_asked = any(word.kind == "asks" for word in words[2:]) or opening(words) is not None
    return not is_asked and not any(word.text == "," for word in words) and len(words) <= 2 * MOST_WORDS
