"""A question that leans on the one before it, made to stand alone by form only: no model, and shown as what it is.

"What about acids?" after "Which gloves are needed for ethers?" becomes "Which gloves are needed for acids?". Where the
form does not tell, a question is taken to stand alone: whoever is answered something else is worse off than whoever is
told that there is no answer.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from rag.followups.antecedents import clause, meant
from rag.followups.forms import (
    ABOUT,
    ASKED_BARE,
    CLAUSE,
    COSTS,
    COURTESY,
    ELSE,
    EXAMPLE,
    GOING_ON,
    JOINER,
    MORE,
    ONE_NOUN_ASKED,
    ONE_OF_THEM,
    SAME,
    SHORT,
    TELLS,
    THANKS,
    THAT_CASE,
    WHAT_IF,
    WHY,
)
from rag.followups.grammar import Word, opening, words_of
from rag.followups.members import with_member
from rag.followups.ones import with_kind, with_ones, with_other
from rag.followups.persons import is_person, speaks_of_person
from rag.followups.phrases import parts_of
from rag.followups.pronouns import is_alone, leaning, names_person, put_in, stands_for
from rag.followups.reasked import (
    with_deed,
    with_else,
    with_many,
    with_not,
    with_noun_asked,
    with_place,
    with_predicate,
    with_question_word,
)
from rag.followups.topics import with_topic
from rag.followups.words import AUXILIARIES, BE, DO, PREPOSITIONS, PRONOUNS
from rag.language.asked import understand
from rag.language.several import questions_in
from rag.validate import MAX_LENGTH, MIN_LENGTH

READ_AS: Final = "Read as: "
"""How the note begins that says how a follow-up was read."""
_OWNERS: Final = ("his", "her", "its")
_ALLOWS: Final = ("may", "can", "could", "might")
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|ones?|this|that|these|those|there)\b", re.IGNORECASE
)
_TOGETHER = re.compile(
    r"\b(?:between|both|together|each other|mix\w*|combin\w*|connect\w*|join\w*|relat\w*|differ\w*|common"
    r"|same|meet\w*|met|marr\w+|share\w*|link\w*|ratio|apart|agree\w*|from|versus)\b",
    re.IGNORECASE,
)
"""Says of two things what they are together, and not what each is."""
_MOST_TURNS: Final = 50
_MOST_WORDS: Final = 7
"""What is left out makes a question short; a longer one without a verb is a heading."""


def asked_at_once(question: str) -> tuple[str, ...]:
    """Return the questions that one is made of, each standing alone; nothing where it asks one, or one still leans.

    >>> asked_at_once("When does the shop open and when does it close?")
    ('When does the shop open?', 'When does the shop close?')
    """
    first, *others = questions_in(question) or ("",)
    parts = (first, *(stand_alone(other, first) or other for other in others))
    return () if not others or any(_POINTS_BACK.search(part) for part in parts) else parts


def asked_of_each(question: str) -> tuple[str, ...]:
    """Return for each of two things that a question asks the same of the question for it alone.

    Nothing where it asks of one thing, for yes or no, or for what two things are together: `the distance between A and
    B`, `how are A and B mixed`.

    >>> asked_of_each("When are lunch and dinner at sea?")
    ('When are lunch at sea?', 'When are dinner at sea?')
    >>> asked_of_each("What is the distance between the hut and the lake?")
    ()
    """
    if understand(question).yes_or_no or _TOGETHER.search(question):
        return ()
    for one, other in pairwise(parts_of(question).phrases):
        if question[one.end : other.start].casefold() in (" and ", " or "):
            return f"{question[: one.end]}{question[other.end :]}", f"{question[: one.start]}{question[other.start :]}"
    return ()


def stand_alone(question: str, previous: str) -> str | None:
    """Return a question that needs no conversation, or None where the question stands alone already.

    Args:
        question: As asked.
        previous: The question before it, itself standing alone.

    >>> stand_alone("What about acids?", "Which gloves are required for dichloromethane?")
    'Which gloves are required for acids?'
    >>> stand_alone("How long does it take?", "How often is the refresher course held?")
    'How long does the refresher course take?'
    >>> stand_alone("What happens to a cell when it dries?", "What is osmosis?") is None
    True
    """
    text, before = THANKS.sub("", _plain(question)), _plain(previous)
    joiner = JOINER.match(text)
    body = text[joiner.end() :] if joiner else text
    if not words_of(before) or COURTESY.match(text) or _means_nobody(body, before):
        return None
    ways: tuple[Callable[[], str | None], ...] = (
        lambda: _of_fixed_form(body, before),
        lambda: _of_another_topic(body, before, is_joined=joiner is not None),
        lambda: _with_noun(_capital(body), before),
        lambda: (
            with_kind(body, _said(before)) or (with_ones(body, _said(before)) if ONE_OF_THEM.search(body) else None)
        ),
        lambda: _beside(_capital(body), before) if THAT_CASE.match(body) else None,
        lambda: with_predicate(body, _said(before)) if _is_bare(body) else None,
    )
    read = next((read for way in ways if (read := way())), None)
    return read if read and read != text and len(read) <= MAX_LENGTH else None


def read_in_turn(questions: Sequence[str]) -> str:
    """Return the last question of a conversation as it is read: each question with the one before it as that was read.

    What could not have been asked, because it is too short or too long, is passed over; only the last is as it is.

    Args:
        questions: At least one, oldest first; of many the last 50 are read.

    >>> read_in_turn(["Which gloves are required for ethers?", "What about acids?", "And bases?"])
    'Which gloves are required for bases?'
    """
    *earlier, last = questions[-_MOST_TURNS:]
    read = ""
    for question in (*earlier, last):
        if MIN_LENGTH <= len(question.strip()) <= MAX_LENGTH:
            read = (stand_alone(question, read) if read else None) or question
        elif question is last:
            return last
    return read


def _of_fixed_form(body: str, before: str) -> str | None:
    """Read what has the same words in every conversation: "Why is that?", "What else?", "Tell me more."."""
    if MORE.match(body):
        return before
    if EXAMPLE.match(body):
        return f"Give an example: {before}"
    if WHY.match(body):
        return with_question_word(_said(before), "Why") or _beside("Why?", before)
    if re.match(r"^why not\W*$", body, re.IGNORECASE):
        read = with_question_word(_said(before), "Why")
        return with_not(read) if read else _beside("Why not?", before)
    if other := ELSE.match(body):
        return with_else(_said(before), other["asks"].lower()) or _beside(body, before)
    if GOING_ON.match(body):
        return _beside(_capital(body), before)
    if other_noun := with_noun_asked(body, _said(before)):
        return other_noun
    if (bare := ASKED_BARE.match(body)) and _is_question_phrase(bare["asks"]):
        return with_question_word(_said(before), _capital(bare["asks"])) or _beside(body, before)
    if ONE_NOUN_ASKED.match(body) and all(
        word.kind in ("asks", "adverb", "noun") for word in words_of(body.rstrip("?!. "))
    ):
        return _beside(_capital(body), before)
    return None


def _is_question_phrase(asks: str) -> bool:
    """Whether words are only asked with: "by which cells", "how often"; not "which boiler" and not "what burns"."""
    words = words_of(asks)
    is_short = len(words) == 1 or (words[0].low == "how" and len(words) == 2 and words[1].kind != "auxiliary")
    is_led = words[0].kind == "preposition" and len(words) <= 3 + (words[1].low == "how")
    return (is_short or is_led) and not any(word.kind in ("auxiliary", "verb", "pronoun") for word in words)


def _of_another_topic(body: str, before: str, *, is_joined: bool) -> str | None:
    """Read the question before about something else: "And for bases?", "Is that true for acids too?"."""
    if same := SAME.match(body):
        return with_topic(_said(before), same["alone"] or same["topic"], by_likeness=True)
    about = ABOUT.match(body) or WHAT_IF.match(body)
    topic = (about["topic"] if about else body.rstrip("?!. ")).strip()
    words = words_of(topic)
    if not words:
        return None
    if other := with_member(_said(before), topic):
        return other
    if words[-1].low in ("one", "ones") or re.match(r"which ones?\b(?! of\b)", topic, re.IGNORECASE):
        return _of_ones(body, topic, before)
    if owned := _of_owner(body, topic, before, is_joined=is_joined):
        return owned
    if about and words[0].low != "if" and any(word.kind == "pronoun" for word in words):
        return None
    if about:
        return with_topic(_said(before), _small(topic))
    if led := CLAUSE.match(topic):
        is_sure = is_joined or led.group().lower().endswith(("if", "unless", "because"))
        return with_topic(_said(before), _small(topic)) if is_sure and _is_only_clause(words) else None
    is_led = words[0].kind == "preposition" or words[0].low in ("only", "also", "even", "not")
    if not (is_joined or (is_led and body.endswith("?"))) or not _is_fragment(words):
        return None
    return with_topic(_said(before), _small(topic))


def _of_owner(body: str, topic: str, before: str, *, is_joined: bool) -> str | None:
    """Read "And her number?": of the one person, or thing for "its", that was spoken of, else beside what was said."""
    words = words_of(topic)
    whose = words[0].low
    is_short = 1 < len(words) <= _MOST_WORDS and all(word.kind in ("noun", "preposition") for word in words[1:])
    if whose not in _OWNERS or not is_short or not (is_joined or body.endswith("?")):
        return None
    parts = parts_of(_said(before))
    owners = [phrase for phrase in parts.phrases if whose == "its" or is_person(phrase.head)]
    if len(owners) != 1 or re.search(r"['’]s\b", owners[0].text):
        return _beside(f"{_capital(topic)}?", before)
    owner = owners[0]
    owned = f"{owner.text}'s {topic[words[1].start :]}"
    if parts.asks.lower() in ("who", "what") and parts.auxiliary in BE:
        return f"{'Who' if is_person(words[-1]) else 'What'} is {owned}?"
    return f"{parts.text[: owner.start]}{owned}{parts.text[owner.end :]}"


def _of_ones(body: str, topic: str, before: str) -> str | None:
    """Read "Which ones?", "The second one?", "Only small ones?"."""
    words = words_of(topic)
    if words[0].low == "which":
        return with_ones(body, _said(before)) or (_beside(body, before) if len(words) <= 2 else None)
    if len(words) > _MOST_WORDS or any(word.kind in ("auxiliary", "verb", "asks") for word in words):
        return None
    return with_other(_said(before), _small(topic)) or _beside(body, before)


def _is_fragment(words: Sequence[Word]) -> bool:
    """Whether words are no question by themselves and no statement: no verb, nobody who does something."""
    is_told = words[0].low in TELLS or words[0].low in PRONOUNS
    is_whole = any(word.kind in ("auxiliary", "asks", "pronoun") or word.text in (":", ",") for word in words)
    return not is_told and not is_whole and len(words) <= _MOST_WORDS


def _is_only_clause(words: Sequence[Word]) -> bool:
    """Whether nothing is asked after the clause: "if it rains", not "if it rains, is it postponed"."""
    is_asked = any(word.kind == "asks" for word in words[2:]) or opening(words) is not None
    return not is_asked and not any(word.text == "," for word in words) and len(words) <= 2 * _MOST_WORDS


def _with_noun(text: str, before: str) -> str | None:
    """Read a question with what its pronoun stands for in the pronoun's place, or beside it where that is not sure."""
    if re.search(r"\bdo (?:that|so|the same)(?: too| as well| also)?\W*$", text, re.IGNORECASE):
        return with_deed(text, _said(before)) or _beside(text, before)
    placed = with_place(text, _said(before))
    text = with_many(placed or text, _said(before))
    words = words_of(text)
    pronoun = leaning(words) if _is_question(words) else None
    if pronoun is None:
        return placed
    said = _said(before)
    if deed := with_deed(text, said):
        return deed
    if COSTS.match(text) and parts_of(said).auxiliary in _ALLOWS and parts_of(said).asks == "":
        return _beside(text, before)
    phrases = meant(parts_of(said))
    phrase = stands_for(parts_of(said), pronoun, phrases)
    if phrase is None and names_person(pronoun) and parts_of(said).words[0].low != "who":
        return placed  # nobody was spoken of
    return put_in(words, text, pronoun, phrase) if phrase and is_alone(words, pronoun) else _beside(text, before)


def _means_nobody(body: str, before: str) -> bool:
    """Whether "he" or "she" stands for somebody, and the question before speaks of no person."""
    pronoun = leaning(words_of(body))
    return pronoun is not None and names_person(pronoun) and not speaks_of_person(before)


def _is_question(words: Sequence[Word]) -> bool:
    """Whether words ask: what is told, "it does not work", is no question about what was asked before."""
    return bool(words) and (words[-1].text == "?" or words[0].kind in ("asks", "auxiliary"))


def _is_bare(body: str) -> bool:
    """Whether a question ends with its auxiliary and has no noun of its own: "Who does?", "When can I?"."""
    words = words_of(body)
    return len(words) <= _MOST_WORDS and not any(word.kind == "noun" for word in words)


def _said(before: str) -> str:
    """Return the question before without what was put beside it."""
    return re.sub(r"\s*\([^()]*\)$", "", before) or before


def _beside(text: str, before: str) -> str:
    """Return a question with what the one before says beside it, as a statement, lest that be answered again."""
    return f"{text} ({_statement(before)})"


def _statement(before: str) -> str:
    """Return what a question is about without asking it, as a heading says it: "class A chemicals kept"."""
    beside = re.search(r"\(([^()]*)\)$", before)
    parts = parts_of(before)
    if beside or not (parts.auxiliary or parts.asks):
        return beside[1] if beside else before.rstrip("?!. ")
    if parts.subject:
        said = re.sub(r"^be ", "", parts.said)
        done = clause(parts).strip() if parts.auxiliary in DO else f"{parts.subject} {said}".strip()
        is_noun_asked = parts.asked_noun is not None and parts.words[0].kind == "asks"
        return f"{parts.asked_noun.text} {done}" if parts.asked_noun and is_noun_asked else done
    named = parts.asked_noun.text if parts.asked_noun else parts.asks.lower()
    auxiliary = "" if parts.auxiliary in BE else parts.auxiliary
    return " ".join(word for word in (named, auxiliary, parts.rest) if word)


def _plain(text: str) -> str:
    """Return a text on one line, with "what is" for "what's"."""
    return SHORT.sub(r"\1 is", " ".join(text.split()))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    """Return a text that begins small, where its first word is no name."""
    first = words_of(text)[0]
    return text[:1].lower() + text[1:] if first.kind != "noun" or first.low in AUXILIARIES | PREPOSITIONS else text
