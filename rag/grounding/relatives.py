"""Relative clauses: what `who`, `which` or `whom` stands for, and the verbs on either side. Ground floor."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rag.grounding.claimed_verbs import RELATIVES, is_adverb, is_passive
from rag.grounding.reading import AUXILIARIES, Token, stems_of
from rag.grounding.words import BE, COORDINATORS, DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set

_ENDS = word_set("; : ( ) |")
_NAMING = word_set("named called titled entitled known nicknamed dubbed")
_WHERE = word_set("in on at before after within")


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative clause: where its pronoun, its verb (-1: not told, or an object relative) and its end stand.

    `antecedents` are all the stems that the pronoun may stand for; None where the form does not tell.
    """

    pronoun: int
    verb: int
    end: int
    antecedents: frozenset[str] | None
    main: int
    """Where the verb of the clause before it stands, -1 where no form tells."""
    alike: bool
    """Whether it says what its antecedent is (`which is the largest bank`), which may then be put for it."""


def relatives(tokens: Sequence[Token]) -> list[Relative]:
    """Return the relative clauses of a sentence in order; questions and `of which` are none."""
    places = [at for at, token in enumerate(tokens) if token.word in RELATIVES and _is_relative(tokens, at)]
    bounds = [0, *places]
    ends = [*places[1:], len(tokens)]
    return [_relative(tokens, start, at, stop) for start, at, stop in zip(bounds, places, ends, strict=False)]


def _is_relative(tokens: Sequence[Token], place: int) -> bool:
    comma = place > 1 and tokens[place - 1].word == ","
    before = tokens[place - 2] if comma else tokens[place - 1] if place else tokens[place]
    return bool(before.stem or before.quantity) and (comma or not polarity.is_past(before.word))


def _relative(tokens: Sequence[Token], start: int, pronoun: int, stop: int) -> Relative:
    """Return the relative clause of a pronoun; its main clause begins at `start`, the next begins at `stop`."""
    stop = next((at for at in range(pronoun, stop) if tokens[at].word in _ENDS), stop)
    tail = next((at for at in range(pronoun + 2, stop) if tokens[at].word == "," and _is_tail(tokens, at, stop)), -1)
    verb, alike = _relative_verb(tokens, pronoun, stop)
    comma = tokens[pronoun - 1].word == ","
    main = _main_verb(tokens, start, pronoun, strict=not comma, repeated=tokens[verb].stem if verb > 0 else "")
    antecedents: frozenset[str] | None = None
    if tail > 0 and comma:
        antecedents = _stems(tokens, start, pronoun)
    elif main > 0 and _has_noun_after(tokens, main, pronoun) and not _may_mean_all(tokens, main, pronoun, verb, alike):
        antecedents = _stems(tokens, main, pronoun)
    return Relative(pronoun, verb, tail if tail > 0 else stop, antecedents, main, alike)


def _has_noun_after(tokens: Sequence[Token], main: int, end: int) -> bool:
    """Return whether another than the subject stands behind a verb: not in `A rule was passed in May, which is ...`."""
    if main + 1 < end and any(is_passive(tokens, at) for at in range(main, end) if tokens[at].stem):
        return any(token.word == "by" or token.word in PREPOSITIONS - _WHERE for token in tokens[main:end])
    return bool(_stems(tokens, main + 1, end))


def _may_mean_all(tokens: Sequence[Token], main: int, pronoun: int, verb: int, alike: bool) -> bool:
    """Return whether `which` may stand for all that happens: `The valve opens at 8 bar, which stops the pump.`"""
    before = tokens[pronoun - 2] if tokens[pronoun - 1].word == "," else tokens[pronoun - 1]
    if tokens[pronoun].word != "which" or before.name or alike:
        return False
    return verb < 0 or not (is_passive(tokens, verb) or tokens[verb].stem in _stems(tokens, main, pronoun))


def _is_tail(tokens: Sequence[Token], comma: int, stop: int) -> bool:
    """Return whether a main clause goes on with its verb after a comma: `Norco, which owns Belta, founded Cirta`."""
    place = comma + 1
    while place < stop and is_adverb(tokens[place]):
        place += 1
    if place >= stop:
        return False
    token, after = tokens[place], tokens[place + 1].word if place + 1 < stop else "."
    if token.word in AUXILIARIES:
        return True
    formed = polarity.is_past(token.word) or token.word.endswith("s")
    return bool(token.stem) and not token.name and formed and after not in ("and", "or", ",", "by")


def _relative_verb(tokens: Sequence[Token], pronoun: int, stop: int) -> tuple[int, bool]:
    """Return where the verb, or the noun behind `is the`, of a relative clause stands, and whether it is such a noun.

    -1 stands for none: another is its subject (`which Norco owns`), or it tells a name (`which was named Aurelia`).
    """
    place = pronoun + 1
    while place < stop and (tokens[place].word in AUXILIARIES or is_adverb(tokens[place])):
        place += 1
    if place >= stop or tokens[pronoun].word == "whom":
        return -1, False
    is_be = tokens[place - 1].word in BE
    if is_be and (tokens[place].word in DETERMINERS or tokens[place].name or tokens[place].word in _NAMING):
        while place < stop and tokens[place].word in DETERMINERS:
            place += 1
        if place >= stop or tokens[place].name or tokens[place].word in _NAMING:
            return -1, True
        while place + 1 < stop and tokens[place + 1].stem:
            place += 1
        return (place, True) if tokens[place].stem else (-1, True)
    return (place, False) if tokens[place].stem and not tokens[place].name else (-1, False)


def _main_verb(tokens: Sequence[Token], start: int, end: int, strict: bool, repeated: str) -> int:
    """Return where the verb of the clause before a relative clause stands, -1 where no form tells.

    `strict` asks for one with an object or an auxiliary, `repeated` is the stem of the other clause's verb.
    """
    joins = [at + 1 for at in range(start, end) if tokens[at].word in COORDINATORS]
    for begin in (*reversed(joins), start):
        for place in range(begin, end - 1 if tokens[end - 1].word == "," else end):
            subject = any(token.stem for token in tokens[begin:place]) or tokens[begin].word in RELATIVES
            if subject and (_is_strict(tokens, place, end) if strict else is_verb(tokens, place, {repeated})):
                return place
    plain = [at for at in range(start, end) if tokens[at].stem]
    all_plain = len(plain) == 3 and plain[2] - plain[0] == 2 and not any(tokens[at].name for at in plain)
    return plain[1] if all_plain and not strict else -1


def is_verb(tokens: Sequence[Token], place: int, repeated: Collection[str]) -> bool:
    """Return whether a word inside a sentence is a verb by its form, its neighbours or as one that is `repeated`."""
    token, before, after = tokens[place], tokens[place - 1], tokens[place + 1]
    if token.word in AUXILIARIES:
        return True
    if not token.stem or token.name or before.word in DETERMINERS | PREPOSITIONS or after.word == "by":
        return False
    inflected = token.word.endswith("s") and bool(before.stem or is_adverb(before)) and after.word not in ("of", ",")
    governs = bool(before.stem) and _governs(after)
    return polarity.is_past(token.word) or inflected or token.stem in repeated or governs


def _is_strict(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Return whether a word is an auxiliary or a verb with an object; its form or the place before `end` tells that."""
    inflected = polarity.is_past(tokens[place].word) or tokens[place].word.endswith("s")
    return tokens[place].word in AUXILIARIES or (
        inflected and is_verb(tokens, place, ()) and (_governs(tokens[place + 1]) or place + 2 == end)
    )


def _governs(after: Token) -> bool:
    return after.word in DETERMINERS or after.name


def _stems(tokens: Sequence[Token], start: int, end: int) -> frozenset[str]:
    return stems_of(tokens[max(start, 0) : end])
