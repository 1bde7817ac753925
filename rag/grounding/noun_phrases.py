"""Noun phrases: where one begins and ends, what tells it from another, and its preposition. Ground floor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set

_NO_ADVERBS = word_set(
    "family assembly supply reply ally rally monopoly anomaly fly bully belly jelly lily homily butterfly italy sicily "
    "july"
)
_TITLES = word_set("dr prof professor mr sir lord ms mrs miss madam lady")
_ARTICLES = word_set("the a an each every")
_ENDS_REACH = word_set("; ( ) : | that which who whose whom while whereas but so")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word, a preposition and what follows it: `capital`, `of`, `Norway`; `Norway's capital` is read as the same.

    `head` is empty where no content word stands before the preposition: `..., and for toluene it is 50`.
    """

    head: str
    preposition: str
    near: tuple[Token, ...]
    reach: frozenset[str]
    """All stems up to the next verb or clause: the object, with all that may still belong to it."""


def phrases(reading: Reading) -> list[Phrase]:
    """Return the prepositions of a sentence, each with the word before it and what follows."""
    tokens = reading.tokens
    found: list[Phrase] = []
    for place, token in enumerate(tokens):
        if token.word in PREPOSITIONS:
            near = noun_phrase(tokens, place + 1)
            if near:
                head = tokens[place - 1].stem if place else ""
                found.append(Phrase(head, token.word, near, reach_of(tokens, place + 1)))
        elif owns(token):
            owner = _names_before(tokens, place)
            stems = frozenset(one.stem for one in owner)
            found += [Phrase(head.stem, "of", owner, stems) for head in noun_phrase(tokens, place + 1)]
    return found


def ends_as_adverb(token: Token) -> bool:
    """Return whether a word has the form of an adverb: `finally`, and neither `family` nor a name."""
    return token.word.endswith("ly") and token.word not in _NO_ADVERBS and not token.name


def owns(token: Token) -> bool:
    """Return whether a word is a possessive: `Maria's`."""
    return bool(token.stem) and token.word.endswith("'s")


def noun_phrase(tokens: Sequence[Token], start: int) -> tuple[Token, ...]:
    """Return the words of the noun phrase that begins here: of one that begins with a name the name alone."""
    start = _begin(tokens, start)
    end = start
    while end < len(tokens) and tokens[end].stem and tokens[end].word not in polarity.LIGHT | PREPOSITIONS:
        if end > start and tokens[start].name and not tokens[end].name:
            break
        end += 1
    return tuple(tokens[start:end])


def core_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Return what tells a person or thing from another: the stems without titles, of a common noun the last."""
    stems = [token.stem for token in tokens if token.stem and token.word not in _TITLES]
    named = any(token.name for token in tokens)
    return frozenset(stems if named else stems[-1:])


def _begin(tokens: Sequence[Token], start: int) -> int:
    """Return where the first word of a noun phrase stands, its article and number passed over."""
    while start < len(tokens) and tokens[start].word in DETERMINERS | polarity.LIGHT:
        start += 1
    while start < len(tokens) and tokens[start].quantity:
        start += 1
    return start


def reach_of(tokens: Sequence[Token], start: int) -> frozenset[str]:
    """Return the stems from the first word of a phrase to the next verb that can be told, or clause."""
    found: set[str] = set()
    start = _begin(tokens, start)
    for place, token in enumerate(tokens[start:], start):
        if token.word in AUXILIARIES or token.word in _ENDS_REACH or (found and _is_past_verb(tokens, place)):
            break
        if found and not token.stem and token.word in _ARTICLES and tokens[place - 1].stem:
            break  # `on the death of a member the widow ...`
        if token.stem:
            found.add(token.stem)
    return frozenset(found)


def _is_past_verb(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word has the form of a past and stands between a noun and an article: `of Odda met the ...`."""
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return bool(tokens[place - 1].stem) and following in DETERMINERS and polarity.is_past(tokens[place].word)


def _names_before(tokens: Sequence[Token], place: int) -> tuple[Token, ...]:
    """Return a word with the words of its name before it, the first word of the sentence told by the name after it."""
    start = place
    while start and tokens[place].name and tokens[start - 1].stem and (tokens[start - 1].name or start == 1):
        start -= 1
    return tuple(replace(token, name=tokens[place].name) for token in tokens[start : place + 1])
