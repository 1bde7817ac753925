"""Pronouns of a question that stand for something said before it, and what they stand for."""

import re
from collections.abc import Sequence
from typing import Final

from rag.followups.grammar import Word, opening, words_of
from rag.followups.persons import is_person
from rag.followups.phrases import Parts, Phrase, parts_of
from rag.followups.words import BE, DO, MODALS, PROPERTIES, is_participle, is_verb, word_set

_ONE: Final = frozenset(("it", "its"))
_PERSON: Final = frozenset(("he", "him", "his", "she", "her", "hers"))
_MANY: Final = frozenset(("they", "them", "their", "theirs", "these", "those"))
_WHAT_WAS_SAID: Final = frozenset(("this", "that"))
_ANYBODY: Final = word_set("anybody anyone somebody someone everybody everyone nobody")
_OWNING: Final = frozenset(("its", "their", "his"))
_NO_THING: Final = r"(?!(?:the|an?|my|our|your|all|any|each|every|this|that)\b|\d|(?-i:[A-Z])|\w+s\b)"
_PERSONAL: Final = (
    "able about added applied attached built certified close connected designed due entitled equal given going known "
    "limited made meant next obliged open ready related said sensitive sent similar subject supposed used willing"
).replace(" ", "|")
_EMPTY_IT: Final = re.compile(
    r"\bit (?:that|who|which|when|if|whether)\b|\bit to \w"
    rf"|\b(?:is|was|isn't|wasn't|be|makes?|made|finds?|find) it (?:(?!(?:{_PERSONAL}) to\b)\w+ ){{1,8}}?"
    rf"(?:to {_NO_THING}|(?:that|whether|how|why|who|what)\b|called (?:when\b|if\b|an? |the |(?-i:[A-Z])))"
    rf"|\bit(?:'s| is| was| has been) (?:(?!(?:{_PERSONAL}) to\b)\w+ ){{1,6}}?(?:to {_NO_THING}|(?:that|whether)\b)"
    rf"|\bit (?:takes?|took|costs?|helps?|pays?|feels?)\b[^,]*\bto {_NO_THING}"
    r"|\bit (?:been|be) (?:\w+ ){1,3}?that\b"
    rf"|\bit (?:been|be) (?:\w+ )?(?:allowed|better|common|decided|difficult|easy|easier|hard|important|legal|"
    rf"necessary|planned|possible|safe) to {_NO_THING}"
    rf"|\bit matters? (?:(?:that|when|if|whether|about)\b|to {_NO_THING}|for [^,]*\bto )"
    r"|\bit (?:means?|happens?|comes?|seems?|appears?|follows?) "
    r"(?:(?:that|to|when|if|whether|about)\b|for [^,]*\bto )"
    r"|\bit (?:says?|makes? sense|is called when|called (?:when\b|if\b|an? |the |(?-i:[A-Z])))"
    r"|\bit(?: is|'s| was)? (?:rain|snow|hail|freez|thaw|thunder)\w*"
    r"|\b(?:time|day|date|year|month|season) (?:is|was) it\b"
    r"|\bhow (?:cold|warm|hot|dark|humid|windy|late|early|far) (?:is|was|does) it (?:get )?"
    r"(?:from|to|in|at|on|until|till)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing or for what follows: "is it true that", "how long does it take to", "if it rains"."""
_ADJECTIVE: Final = re.compile(r"\w(?:ful|ous|able|ible|less)$")
_LIKE_TRUE: Final = word_set(
    "true so correct right legal normal enough different common possible allowed required necessary safe dangerous why "
    "because how what where when the"
)


def leaning(words: Sequence[Word]) -> Word | None:
    """Return the first pronoun that can only stand for something said before the question; None where none does.

    >>> leaning(words_of("Can I change them?")).text
    'them'
    >>> leaning(words_of("What happens to a cell when it dries?")) is None
    True
    >>> leaning(words_of("Is it true that copper conducts?")) is None
    True
    """
    for place, word in enumerate(words):
        if not _is_pronoun(words, place):
            continue
        if word.low == "it" and _EMPTY_IT.search(_as_written(words)):
            return None
        return word if _has_nothing_before(words, place) and not _is_named_after(words, place) else None
    return None


def stands_for(parts: Parts, pronoun: Word, phrases: Sequence[Phrase]) -> str | None:
    """Return what a pronoun stands for, of the phrases of the question before; None where that cannot be told.

    Args:
        parts: The question before.
        pronoun: As `leaning` found it.
        phrases: What it may mean, the likeliest first.

    >>> from rag.followups.antecedents import meant
    >>> before = parts_of("Which gloves are needed for ethers?")
    >>> stands_for(before, leaning(words_of("Are they expensive?")), meant(before))
    'the gloves needed for ethers'
    """
    low = pronoun.low
    if low in _WHAT_WAS_SAID:  # a thing where a thing was asked for, else all that was said
        return phrases[0].text if phrases and parts.subject and not parts.said and not phrases[0].is_many else None
    if low in _PERSON:
        is_unknown = not parts.subject and parts.words[0].low == "who"
        fits = [phrase for phrase in phrases if not phrase.is_many and is_person(phrase.head)]
        return None if is_unknown or not fits else fits[0].text
    if low == "one":
        return next((phrase.one for phrase in phrases if phrase.one), None)
    if low in _ONE:
        fits = [phrase for phrase in phrases if not phrase.is_many or phrase.head.is_name or phrase.head.low == "data"]
        return fits[0].text if fits else None
    many = next((phrase.text for phrase in phrases if phrase.is_many), None)
    if many is None and len(phrases) == 1 and not phrases[0].determiner and not phrases[0].head.is_name:
        return phrases[0].text  # "mitochondria", "sheep"
    return many or next((phrase.many for phrase in phrases if phrase.many), None)


def names_person(pronoun: Word) -> bool:
    """Whether a pronoun stands for one person."""
    return pronoun.low in _PERSON


def is_alone(words: Sequence[Word], pronoun: Word) -> bool:
    """Whether one thing is meant by all pronouns: what "they" do to "them" they do to others."""
    others = {"they": "them", "he": "him"}.get(pronoun.low)
    return others is None or not any(word.low == others for word in words)


def put_in(words: Sequence[Word], text: str, pronoun: Word, phrase: str) -> str:
    """Return a text with a phrase in place of a pronoun, and of the same pronoun later on.

    >>> asked = "How do I clean it, and who checks its lid?"
    >>> words = words_of(asked)
    >>> put_in(words, asked, leaning(words), "the pump")
    "How do I clean the pump, and who checks the pump's lid?"
    """
    same = next(kind for kind in (_ONE, _PERSON, _MANY, _WHAT_WAS_SAID, {"one"}) if pronoun.low in kind)
    for place, word in reversed([*enumerate(words)]):
        if word.low not in same or not _is_pronoun(words, place):
            continue
        is_owner = word.low in _OWNING or (word.low == "her" and _next_is_noun(words, place))
        owner = f"{phrase}'" if phrase.endswith("s") else f"{phrase}'s"
        text = f"{text[: word.start]}{owner if is_owner else phrase}{text[word.end :]}"
    return text[:1].upper() + text[1:]


def _as_written(words: Sequence[Word]) -> str:
    return "".join(f" {word.text}" if word.kind != "mark" or word.text != "," else "," for word in words).strip()


def _is_pronoun(words: Sequence[Word], place: int) -> bool:
    """Whether a word stands for something, and not before a noun or a clause: not "that bird", not "those who"."""
    low = words[place].low
    if low in _ONE | _PERSON | {"they", "them", "their", "theirs"}:
        return True
    if low == "one":
        is_last = all(later.kind == "mark" for later in words[place + 1 :])
        return is_last and place > 0 and (words[place - 1].kind == "verb" or words[place - 1].low == "for")
    if low not in _WHAT_WAS_SAID | {"these", "those"} or words[place].kind == "joint":
        return False
    following = words[place + 1] if place + 1 < len(words) else None
    if following is None or following.kind == "mark":
        return True
    if low in ("these", "those"):
        return following.kind in ("auxiliary", "adverb") or _is_said(words, place + 1)
    is_end = place > 0 and words[place - 1].low in BE and all(later.kind == "mark" for later in words[place + 2 :])
    is_like_true = following.low in _LIKE_TRUE | PROPERTIES or is_end or bool(_ADJECTIVE.search(following.low))
    return following.kind in ("auxiliary", "adverb") or is_like_true or _is_said(words, place + 1)


def _is_said(words: Sequence[Word], place: int) -> bool:
    """Whether the word after "this" is what is said of it: "does this apply", "is that served with"."""
    start = opening(words)
    if start is None:
        return words[place].kind == "verb"
    following = words[place + 1] if place + 1 < len(words) else None
    is_end = following is None or following.kind in ("mark", "preposition", "adverb", "joint", "asks")
    is_of = following is not None and following.low == "of"
    if words[start].low in DO | MODALS:
        return is_verb(words[place].low) and (is_end or following.kind in ("determiner", "pronoun")) and not is_of  # type: ignore[union-attr]
    return words[start].low in BE and is_participle(words[place].low) and is_end


def _next_is_noun(words: Sequence[Word], place: int) -> bool:
    return place + 1 < len(words) and words[place + 1].kind == "noun"


def _has_nothing_before(words: Sequence[Word], place: int) -> bool:
    """Whether no noun stands before the pronoun that it could stand for.

    What does something to "it" is not it: in "Which glove resists it?" another thing is meant.
    """
    before = words[:place]
    nouns = [
        here for here, word in enumerate(before) if word.kind == "noun" and word.low not in PROPERTIES | {"people"}
    ]
    if before and before[-1].low == "of" and words[0].low == "which":
        return words[place].low in ("them", "it")  # "which of these" is told by what follows
    if words[0].low in ("who", "what", "which") and not nouns and not _has_subject(words, place):
        return _is_object(words, place)
    if words[place].low in _MANY and any(word.low in _ANYBODY for word in before):
        return False
    if not nouns or _is_beside_asked(words, place, nouns[-1]):
        return True
    if _is_of_pronoun(words, place, nouns):
        return True
    is_one = all(word.kind in ("noun", "determiner") for word in before[nouns[0] : nouns[-1] + 1])
    is_next = before[-1].kind == "verb" and nouns[-1] == place - 2
    return is_one and is_next and words[place].low in ("it", "them", "him") and _is_object(words, place)


def _is_of_pronoun(words: Sequence[Word], place: int, nouns: Sequence[int]) -> bool:
    """Whether all that is named belongs to the pronoun: "Is the lid of it red?", "Does the lamp on it blink?"."""
    if words[place].low not in ("it", "them", "him"):
        return False
    start = opening(words)
    after = [here for here in nouns if start is not None and here > start]
    is_one = bool(after) and all(word.kind in ("noun", "determiner") for word in words[after[0] : place - 1])
    is_last = all(word.kind == "mark" for word in words[place + 1 :])
    is_first = (
        is_one
        and start is not None
        and all(word.kind in ("noun", "determiner") for word in words[start + 1 : place - 1])
    )
    is_object = is_last and words[place - 1].low in ("of", "among", "to", "for", "against", "about")
    return is_one and (is_object or (is_first and words[place - 1].low in ("of", "on", "in", "at", "under", "above")))


def _is_beside_asked(words: Sequence[Word], place: int, noun: int) -> bool:
    """Whether the only nouns are asked for, and are not what is meant: "What colour is it?"."""
    start = opening(words)
    is_asked = any(word.kind == "asks" for word in words[:noun])
    if start is None or not noun < start < place or not is_asked:
        return False
    between = words[start + 1 : place]
    if words[start].low in ("has", "have", "had") and words[place].low in _OWNING:
        return False  # "Which team lost its coach?" asked with "had"
    is_done = len(between) == 2 and between[0].kind == "pronoun" and between[1].kind == "verb"
    return not between or is_done


def _has_subject(words: Sequence[Word], place: int) -> bool:
    """Whether somebody or something stands between the auxiliary and the pronoun, or is the pronoun itself."""
    start = opening(words)
    return start is not None and (
        start == place - 1 or any(word.kind == "pronoun" for word in words[start + 1 : place])
    )


def _is_object(words: Sequence[Word], place: int) -> bool:
    """Whether something is done to what is meant: "who pays for it", not "who says it is" or "who lost his"."""
    following = words[place + 1] if place + 1 < len(words) else None
    is_clause = following is not None and following.kind in ("auxiliary", "verb", "noun", "joint")
    is_subject = words[place].low in ("he", "she", "they", "his", "its", "their")
    return not is_subject and not is_clause and words[place - 1].kind in ("verb", "preposition", "auxiliary")


def _is_named_after(words: Sequence[Word], place: int) -> bool:
    """Whether the thing is named later: "When he was 20, where did Einstein live?", "What is it that rises?"."""
    comma = next((here for here, word in enumerate(words) if word.text == "," and here > place), None)
    if comma is None or opening(words[:comma]) is not None:
        return False
    asked = parts_of(text_after := " ".join(word.text for word in words[comma + 1 :]))
    named = words_of(asked.subject) if asked.subject else words_of(text_after)
    return any(word.kind == "noun" for word in named) and not any(word.kind == "pronoun" for word in named)
