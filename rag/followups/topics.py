"""The question before about another topic: "And for acids?", "In the north building?", "What if it rains?"."""

import re
from collections.abc import Sequence, Set
from typing import Final

from rag.followups.grammar import Word, words_of
from rag.followups.phrases import Parts, Phrase, parts_of
from rag.followups.words import BE, PREPOSITIONS, word_set

_DEGREES: Final = word_set(
    "first second third fourth fifth sixth seventh eighth ninth tenth last next previous best worst most least left "
    "right upper lower former latter early late"
)
_OPPOSITE: Final = {
    "above": "below", "over": "under", "before": "after", "inside": "outside", "within": "outside", "with": "without",
    "during": "after", "up": "down", "below": "above", "under": "over", "after": "before", "outside": "inside",
    "without": "with",
}  # fmt: skip
_SAME: Final = {"during": "in", "within": "in", "inside": "in", "upon": "on"}
"""Prepositions that say the same as another one of what has no article: "in winter", "during summer"."""
_ALIKE: Final = 1.5
"""From here on a topic is like enough to a phrase to stand in its place: both begin without an article, say."""
_PLACES: Final = ("in", "on", "at")
_OWNING: Final = ("", "for", "of", "at")
"""What may stand before a name that takes the place of an owner: "and for Ada" after "Grace's rank"."""
_OWNS: Final = "['’]s$"
_TIMES: Final = word_set("time day night morning afternoon evening week weekend month year")
_NO_THINGS: Final = word_set(
    "abroad overseas indoors outdoors online offline upstairs downstairs nearby elsewhere everywhere anywhere home "
    "today tomorrow yesterday tonight later earlier sooner twice once alone"
)
"""Say where or when, and look like nouns."""
_JOINTS: Final = ("if", "when", "unless", "while", "because", "although", "once")


def with_topic(before: str, topic: str, *, by_likeness: bool = False) -> str:
    """Return the question before about another topic; where it has no place for it, with the topic added.

    Args:
        before: A question that stands alone.
        topic: A phrase: "acids", "for acids", "in the north building", "if it rains".
        by_likeness: The preposition of the topic says nothing: "the same for Iceland" after "to Norway".

    >>> with_topic("When is the canteen open in the south building?", "in the north building")
    'When is the canteen open in the north building?'
    >>> with_topic("What is the largest bone of the body?", "the smallest")
    'What is the smallest bone of the body?'
    >>> with_topic("Who may operate the crane?", "at night")
    'Who may operate the crane at night?'
    >>> with_topic("What was Grace's rank in 1983?", "for Ada")
    "What was Ada's rank in 1983?"
    """
    parts, words = parts_of(before), words_of(topic)
    joint = next((word.low for word in words[:2] if word.low in _JOINTS), None)
    if joint is not None:
        return _with_clause(before, topic, joint)
    if len(words) == 1 and (opposite := _opposite(parts, words[0].low)) is not None:
        return f"{before[: opposite.start]}{words[0].low}{before[opposite.end :]}"
    place = next((here for here, word in enumerate(words) if word.kind != "adverb"), 0)
    preposition = words[place].low if words and words[place].kind == "preposition" else ""
    bare = topic[words[place + 1].start :] if preposition and len(words) > place + 1 else topic
    if preposition in _OWNING and (owner := _owner(parts, bare)) is not None:
        return f"{before[: owner[0]]}{re.sub(_OWNS, '', bare)}'s{before[owner[1] :]}"
    if not preposition and _says_when(parts, words):
        return f"{before.rstrip('? ')} {topic}?"
    found = _like(parts, bare, preposition) if by_likeness else _place_for(parts, bare, preposition)
    found = found or (None if by_likeness or preposition or place else _all_named(parts, words))
    if found is not None and bare:
        return _put(before, found, _with_what_is_owned(bare, found))
    if (other := _other_place(parts, bare, preposition)) is not None:
        start = next(word.start for word in reversed(parts.words) if word.end <= other.start)
        return f"{before[:start]}{topic}{before[other.end :]}"
    if not preposition or (by_likeness and preposition in ("to", "of")):  # "apply to" is not a place of the topic
        topic = f"({bare})"
    return f"{before.rstrip('? ')} {topic}?"


def _says_when(parts: Parts, topic: Sequence[Word]) -> bool:
    """Whether a topic only says when, and no such time was named before: "a second time", "the year before"."""
    heads = [word.low for word in topic if word.kind == "noun"][-1:]
    named = {word.low.removesuffix("s") for word in parts.words}
    return bool(heads) and len(topic) > 1 and heads[0] in _TIMES and heads[0] not in named


def _owner(parts: Parts, topic: str) -> tuple[int, int] | None:
    """Return where the only name of a question stands, and as an owner, where a topic is a name: "Apple's revenue"."""
    if not all(_is_called(word) for word in words_of(topic)):
        return None
    names = [place for place, word in enumerate(parts.words) if place and (_is_called(word) or word.text == "&")]
    is_one = bool(names) and names == [*range(names[0], names[-1] + 1)]
    owners = [place for place in names if re.search(_OWNS, parts.words[place].text)]
    if not is_one or owners != names[-1:]:
        return None
    return parts.words[names[0]].start, parts.words[names[-1]].end


def _with_what_is_owned(topic: str, phrase: Phrase) -> str:
    """Return an owner with what the phrase before says is owned: "a frog's heart" for "a frog's".

    >>> question = "How many chambers does a fish heart have?"
    >>> _with_what_is_owned("a frog's", parts_of(question).phrases[-1])
    "a frog's heart"
    """
    nouns = [word for word in phrase.words if word.kind == "noun"]
    if not re.search(_OWNS, topic) or re.search(_OWNS, nouns[-1].text):
        return topic
    if len(nouns) == 1:
        return re.sub(_OWNS, "", topic)
    owner = next((place for place, word in enumerate(nouns) if re.search(_OWNS, word.text)), len(nouns) - 2)
    return " ".join([topic, *(word.text for word in nouns[owner + 1 :])])


def _is_called(word: Word) -> bool:
    """Whether a word is a name, and no figure."""
    return word.kind == "noun" and _shape(word) == "name"


def _with_clause(before: str, clause: str, joint: str) -> str:
    words = words_of(before)
    same = next((word for word in words[1:] if word.low == joint), None)
    kept = before[: same.start] if same else f"{before.rstrip('? ')} "
    return f"{kept}{clause}?"


def _opposite(parts: Parts, low: str) -> Word | None:
    return next((word for word in parts.words if _OPPOSITE.get(word.low) == low), None)


def preposition_before(parts: Parts, phrase: Phrase) -> str:
    """Return the preposition before a phrase; empty where there is none."""
    earlier = [word for word in parts.words if word.end <= phrase.start]
    return earlier[-1].low if earlier and earlier[-1].kind == "preposition" else ""


def _place_for(parts: Parts, topic: str, preposition: str) -> Phrase | None:
    """Return the phrase of the question before that a topic takes the place of."""
    noun, words = parts.asked_noun, words_of(topic)
    fits = [
        one
        for one in parts.phrases
        if not preposition or _is_led(one, preposition_before(parts, one), preposition, words)
    ]
    if not fits:
        return None
    best = max(fits, key=lambda phrase: _rank(parts, phrase, words))
    others = [phrase for phrase in fits if noun is None or phrase.start != noun.start]
    is_only = parts.auxiliary_at is None and others == [best]  # "Which enzymes digest starch?"
    return best if preposition or is_only or _rank(parts, best, words)[0] >= _ALIKE else None


def _all_named(parts: Parts, topic: Sequence[Word]) -> Phrase | None:
    """Return the one thing that a question names, for which alone another can be meant: "the paper", then "plastic"."""
    phrase = parts.phrases[0] if len(parts.phrases) == 1 else None
    is_alone = phrase is not None and parts.asked_noun is None and not preposition_before(parts, phrase)
    is_alone = is_alone and topic[-1].kind == "noun" and topic[-1].low not in _NO_THINGS
    return phrase if phrase and is_alone and _shape(phrase.head) == _shape(topic[-1]) else None


def _like(parts: Parts, topic: str, preposition: str) -> Phrase | None:
    """Return the phrase that a topic takes the place of where its preposition need not be that of the phrase.

    The same preposition tells most, then how like they are; no one but a name takes a place or time: "at night".
    """
    led = _place_for(parts, topic, preposition)
    if led is not None and _shape(led.head) == _shape(words_of(topic)[-1]):
        return led
    found = _place_for(parts, topic, "")
    is_placed = found is not None and preposition_before(parts, found) in _PLACES and not has_degree(found)
    return None if is_placed and _shape(words_of(topic)[-1]) == "word" else found


def _is_led(phrase: Phrase, led: str, preposition: str, topic: Sequence[Word]) -> bool:
    """Whether the preposition before a phrase is that of a topic, or says the same there."""
    is_same = _SAME.get(led, led) == _SAME.get(preposition, preposition)
    is_alike = not phrase.determiner and topic[0].kind == "noun" and _shape(phrase.head) == _shape(topic[-1])
    return led == preposition or (is_same and is_alike)


def _rank(parts: Parts, phrase: Phrase, words: Sequence[Word]) -> tuple[float, bool, int]:
    """Return how well a topic fits in a phrase's place: by likeness; of two alike the subject, else the last."""
    noun = parts.asked_noun
    is_asked = noun is not None and phrase.start == noun.start
    is_subject = bool(parts.subject) and parts.subject.endswith(phrase.text)
    after = 0.5 if preposition_before(parts, phrase) else 0.0
    alike = likeness(phrase, [word for word in words if word.kind == "noun"], words)
    return alike + after - 3 * is_asked, is_subject, phrase.start


def _other_place(parts: Parts, topic: str, preposition: str) -> Phrase | None:
    """Return the place that another place contrasts with, after another preposition: "in towns", "on motorways"."""
    words = words_of(topic)
    nouns = [word for word in words if word.kind == "noun"]
    fits = [phrase for phrase in parts.phrases if preposition_before(parts, phrase) in _PLACES]
    is_like = bool(fits) and likeness(fits[-1], nouns, words) >= 2 and not any(word.is_name for word in nouns)
    return fits[-1] if preposition in _PLACES and is_like else None


def likeness(phrase: Phrase, nouns: Sequence[Word], words: Sequence[Word]) -> float:
    """Return how much a topic is like a phrase, by words that they share and by their form."""
    if not nouns:
        return 0.0
    shared = {word.low for word in phrase.words if word.kind == "noun"} & {word.low for word in nouns}
    determiner = words[0].low.replace("an", "a") if words[0].kind == "determiner" else ""
    names = _shape(phrase.head) == _shape(nouns[-1])
    degrees = has_degree(phrase) and any(is_degree(word) for word in nouns)
    is_many = nouns[-1].is_many == phrase.is_many
    return (
        5.0 * bool(shared)
        + 3.0 * degrees
        + (1.0 if names else -1.0)
        + (determiner == phrase.determiner.replace("an", "a"))
        + is_many
        - 1
    )


def _shape(word: Word) -> str:
    """Return whether a word is a name, a figure or neither."""
    if any(letter.isdigit() for letter in word.text):
        return "figure"
    return "name" if word.is_name else "word"


def _put(before: str, phrase: Phrase, topic: str) -> str:
    """Return the question before with a topic in place of a phrase, or of the part that the topic contrasts with."""
    words = words_of(topic)
    nouns = [word for word in words if word.kind == "noun"]
    kept = [word for word in phrase.words if word.kind == "noun"]
    shared = next((at for at, word in enumerate(kept) if nouns and word.low == nouns[0].low), 0)
    if 0 < shared < len(kept) - 1 and words[0].kind == "noun":  # "class B" after "handling class A chemicals"
        last = kept[min(shared + len(nouns), len(kept)) - 1]
        return f"{before[: kept[shared].start]}{topic}{before[last.end :]}"
    if nouns and is_degree(nouns[-1]) and len(kept) > 1:
        degree = next((word for word in kept if is_degree(word)), kept[0])
        return f"{before[: degree.start]}{nouns[-1].text}{before[degree.end :]}"
    if nouns and nouns[0].low == kept[0].low and len(kept) > len(nouns):
        return f"{before[: phrase.start]}{topic}{before[kept[len(nouns) - 1].end :]}"
    is_part = bool(nouns) and nouns[0].low == kept[0].low
    if _is_of_a_name(before, phrase) and words[0].kind == "determiner" and not nouns[-1].is_name:
        return f"{before[: phrase.start]}{topic}{before[phrase.end :]}"
    end = _end_of(before, phrase, joints=PREPOSITIONS if is_part else {"of"})
    return f"{before[: phrase.start]}{topic}{before[end:]}"


def _is_of_a_name(before: str, phrase: Phrase) -> bool:
    """Whether a phrase is what is asked of something with a name: `the capital` of "What is the capital of Orr?"."""
    parts = parts_of(before)
    later = next((one for one in parts.phrases if one.start > phrase.end), None)
    is_owned = later is not None and before[phrase.end : later.start].strip().lower() == "of"
    is_asked = parts.asks.lower() == "what" and parts.auxiliary in BE
    return later is not None and is_owned and is_asked and later.head.is_name


def _end_of(before: str, phrase: Phrase, joints: Set[str]) -> int:
    """Return where a phrase ends with what "of" joins to it, or any preposition where only that part is another."""
    later = next((one for one in parts_of(before).phrases if one.start > phrase.end), None)
    is_joined = later is not None and before[phrase.end : later.start].strip().lower() in joints
    return later.end if later is not None and is_joined else phrase.end


def has_degree(phrase: Phrase) -> bool:
    """Whether a phrase says which of several, or how much: "the first quarter", "the largest bone"."""
    return any(is_degree(word) for word in phrase.words)


def is_degree(word: Word) -> bool:
    """Whether a word says which of several: "second", "largest", "left"."""
    return word.low in _DEGREES or (len(word.low) > 5 and word.low.endswith("est"))
