"""A question that leans on the one before it, made to stand alone by form only: no model, and shown as what it is.

"What about acids?" after "Which gloves are needed for ethers?" becomes "Which gloves are needed for acids?". Where the
form does not tell, a question is taken to stand alone: whoever is answered something else is worse off than whoever is
told that there is no answer.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from rag.followups.antecedents import meant
from rag.followups.beside import beside, said_in
from rag.followups.casing import capital
from rag.followups.fixed_forms import of_fixed_form
from rag.followups.forms import COSTS, COURTESY, JOINER, ONE_OF_THEM, SHORT, THANKS, THAT_CASE
from rag.followups.fragments import MOST_WORDS, of_another_topic
from rag.followups.grammar import Word, words_of
from rag.followups.ones import with_kind, with_ones
from rag.followups.persons import speaks_of_person
from rag.followups.phrases import parts_of
from rag.followups.pronouns import is_alone, leaning, names_person, put_in, stands_for
from rag.followups.reasked import with_deed, with_many, with_place, with_predicate
from rag.language.asked import understand
from rag.language.several import questions_in
from rag.validate import MAX_LENGTH, MIN_LENGTH

READ_AS: Final = "Read as: "
"""How the note begins that says how a follow-up was read."""
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
        lambda: of_fixed_form(body, before),
        lambda: of_another_topic(body, before, is_joined=joiner is not None),
        lambda: _with_noun(capital(body), before),
        lambda: (
            with_kind(body, said_in(before)) or (with_ones(body, said_in(before)) if ONE_OF_THEM.search(body) else None)
        ),
        lambda: beside(capital(body), before) if THAT_CASE.match(body) else None,
        lambda: with_predicate(body, said_in(before)) if _is_bare(body) else None,
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


def _with_noun(text: str, before: str) -> str | None:
    """Read a question with what its pronoun stands for in the pronoun's place, or beside it where that is not sure."""
    if re.search(r"\bdo (?:that|so|the same)(?: too| as well| also)?\W*$", text, re.IGNORECASE):
        return with_deed(text, said_in(before)) or beside(text, before)
    placed = with_place(text, said_in(before))
    text = with_many(placed or text, said_in(before))
    words = words_of(text)
    pronoun = leaning(words) if _is_question(words) else None
    if pronoun is None:
        return placed
    said = said_in(before)
    if deed := with_deed(text, said):
        return deed
    if COSTS.match(text) and parts_of(said).auxiliary in _ALLOWS and parts_of(said).asks == "":
        return beside(text, before)
    phrases = meant(parts_of(said))
    phrase = stands_for(parts_of(said), pronoun, phrases)
    if phrase is None and names_person(pronoun) and parts_of(said).words[0].low != "who":
        return placed  # nobody was spoken of
    return put_in(words, text, pronoun, phrase) if phrase and is_alone(words, pronoun) else beside(text, before)


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
    return len(words) <= MOST_WORDS and not any(word.kind == "noun" for word in words)


def _plain(text: str) -> str:
    """Return a text on one line, with "what is" for "what's"."""
    return SHORT.sub(r"\1 is", " ".join(text.split()))
