"""When something is so: a time that limits a state or right, and which days of a month, are kept. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, is_negation
from rag.grounding.verbs import reaches
from rag.grounding.words import BOUNDARIES, DETERMINERS, PAST_AUXILIARIES, PREPOSITIONS, stems_named
from rag.language.polarity import is_past, word_set
from rag.language.units import dimension

_CALENDAR = (
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday weekday weekend summer winter spring autumn"
)
_PERIODS = (
    f"{_CALENDAR} day week month year term season semester quarter night morning afternoon evening holiday hour "
    "midnight noon dawn dusk sunrise sunset daytime minute"
)
_STATES = (
    "free valid cover insure guarantee exempt entitle close open lock shut available allow permit prohibit forbid "
    "ban reserve accessible suspend bookable service operation"
)
"""What is so for a time, and may be otherwise at another."""
_LIMITING = word_set("for during in on at from between until till throughout before after within")
_ALWAYS = word_set("any all every each whole entire")
_OF_ALWAYS = _ALWAYS | word_set("time times hour hours moment moments day days week month year or and of the a")
_NO_LIMIT_BEHIND = word_set("at on in during throughout")
_NOT_ALWAYS = word_set("except excepting excepted excluding save but apart exception other otherwise permitting unless")
_NARROWING = word_set("of after before from within without")
_EVENTS = word_set("must shall should")
_RIGHTS = word_set("may can cannot")
_BEING = word_set("is are be")
_EACH = word_set("every each all any daily weekly")
_ORDINALS = word_set("last alternate other second")
_TOGETHER = (("at", "the", "same", "time"), ("at", "once"), ("simultaneously",), ("together",), ("side", "by", "side"))


def limit_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a time left out that limits a state or right, every Sunday for the first of a month, all for one by one."""
    if not sentence.text.startswith("|"):
        yield from _dropped_time_twists(claim, sentence)
    yield from _ordinal_twists(claim, sentence)
    yield from _together_twists(claim, sentence)


def _dropped_time_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the time in `free for the first term`, `closed on Mondays`, `may be used from May to July`, left out.

    A duty with a time is a duty without it, too; what was so once was so.
    """
    if claim.words & (PAST_AUXILIARIES | _EVENTS) or any(_is_time(claim.tokens, at) for at in range(len(claim.tokens))):
        return
    if any(not said.unit for _, said in claim.quantities):
        return  # it may be an hour: `from 9 to 11`
    if any(token.word in PAST_AUXILIARIES or is_past(token.word) for token in sentence.tokens) and not _holds(sentence):
        return
    if _opening_times(sentence) and claim.positions.keys() <= sentence.positions.keys():
        yield "that it is so at first only is left out"
        return
    states = [stem for stem in claim.content if _is_state(claim, stem)]
    if not states:
        return
    spans = reaches(sentence.tokens)
    for stem in states:
        places = sentence.positions.get(stem, ())
        inside = [span for span in spans if any(span[0] <= at < span[1] for at in places)]
        limits = [_times(sentence, *span) for span in inside]
        if places and inside and all(limits):
            yield f"the time for which it is {stem!r} is left out"
            return


def _holds(sentence: Reading) -> bool:
    """Return whether a sentence tells what holds in general: it has an auxiliary, and none of the past."""
    return bool(sentence.words & (_BEING | _RIGHTS)) and not sentence.words & PAST_AUXILIARIES


def _opening_times(sentence: Reading) -> bool:
    """Return whether something is so `for the first term`, `during the first 8 weeks`, behind its verb or in front."""
    tokens = sentence.tokens
    for at, token in enumerate(tokens):
        if token.word not in ("for", "during") or at + 3 >= len(tokens) or tokens[at + 1].word not in DETERMINERS:
            continue
        ordinal = tokens[at + 2].quantity
        if ordinal is None or ordinal.kind != "ordinal" or any(one.word in BOUNDARIES for one in tokens[:at]):
            continue
        if any(_is_time(tokens, place) for place in range(at + 3, min(at + 5, len(tokens)))):
            return True
    return False


def _is_state(claim: Reading, stem: str) -> bool:
    """Return whether a word of a claim is a state behind `is`, or the verb of a right, that nothing limits."""
    for place in claim.positions[stem]:
        before = [token.word for token in claim.tokens[max(0, place - 3) : place]]
        if stem in stems_named(_STATES) and _BEING & {*before}:
            return True
        right = next((word for word in reversed(before) if word in _RIGHTS), "")
        if right and not any(token.stem for token in claim.tokens[place - 1 : place]):
            return True
    return False


def _times(reading: Reading, start: int = 0, end: int | None = None) -> list[int]:
    """Return where times stand behind a preposition in a stretch: a clock, date, day or season, a number of months.

    `At any time of day` and `throughout the year` are none: they exclude nothing.
    """
    tokens = reading.tokens
    end = len(tokens) if end is None else end
    found = []
    for at in range(start, end):
        if tokens[at].word not in _LIMITING:
            continue
        beyond = _end_of_always(tokens, at, end)
        for place in range(beyond or at + 1, min(at + 5, end)):
            if tokens[place].word in BOUNDARIES or tokens[place].word in PREPOSITIONS - {"of"}:
                break
            if _is_time(tokens, place):
                found.append(place)
                break
    return found


def _end_of_always(tokens: Sequence[Token], place: int, end: int) -> int:
    """Return where a phrase ends that says `always` behind a preposition, 0 for one that may leave something out.

    It does where it is narrowed (`at any time of the night`, `on all days but Sundays`), and a denial of `all` does.
    """
    word, first = tokens[place].word, tokens[place + 1].word if place + 1 < end else ""
    if word not in _NO_LIMIT_BEHIND or any(token.word in _NOT_ALWAYS for token in tokens[place:]):
        return 0
    stop = place + 1
    while stop < end and (tokens[stop].word in _OF_ALWAYS or _is_night_of_day(tokens, stop)):
        stop += 1
    while tokens[stop - 1].word in ("and", "or", "of", "the", "a"):
        stop -= 1
    inside = [token.word for token in tokens[place + 1 : stop]]
    if first not in _ALWAYS and not (word == "throughout" and inside in (["the", "year"], ["the", "whole", "year"])):
        return 0
    if first != "any" and any(is_negation(token.word) for token in tokens[:end]):
        return 0
    after = tokens[stop] if stop < len(tokens) else None
    closed = after is None or after.word in BOUNDARIES | (PREPOSITIONS - _NARROWING) | {"as"}
    return stop if closed else 0


def _is_night_of_day(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word is the night of `day or night`, or of `night and day`."""
    words = [token.word for token in tokens[max(0, place - 2) : place + 3]]
    return tokens[place].word in ("night", "nights") and any(
        joint in ("and", "or") and {one, other} in ({"day", "night"}, {"days", "nights"})
        for one, joint, other in zip(words, words[1:], words[2:], strict=False)
    )


def _is_time(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.quantity and token.quantity.kind == "frequency":
        return False
    if token.quantity:
        known = dimension(token.quantity.unit)
        return token.quantity.kind in ("time", "date") or (known is not None and known[0] in ("time", "months"))
    return token.stem in stems_named(_PERIODS)


def _ordinal_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `every Sunday` for what the sentence says of the first, second or last Sunday only."""
    for stem in claim.content:
        if stem not in stems_named(_PERIODS) or stem not in sentence.positions:
            continue
        ordinals = [_ordinal_before(sentence.tokens, at) for at in sentence.positions[stem]]
        if not all(one is not None for one in ordinals):
            continue
        for place in claim.positions[stem]:
            before = claim.tokens[place - 1] if place else None
            if _ordinal_before(claim.tokens, place) is None and (
                (before is not None and before.word in _EACH) or claim.tokens[place].word.endswith("s")
            ):
                yield f"which {claim.tokens[place].word!r} is meant is left out"
                return


def _ordinal_before(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the ordinal, `last` or `alternate` right before a word, None for none."""
    before = tokens[place - 1] if place else None
    ordinal = before is not None and (
        before.word in _ORDINALS or (before.quantity and before.quantity.kind == "ordinal")
    )
    return before if ordinal else None


def _together_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `at the same time` for `one at a time`, and the reverse."""
    if any(is_negation(token.word) for token in (*claim.tokens, *sentence.tokens)):
        return
    here, there = (_singly(claim), _jointly(claim)), (_singly(sentence), _jointly(sentence))
    if (here[1] and there[0] and not there[1]) or (here[0] and there[1] and not there[0]):
        yield "one at a time and at the same time are not the same"


def _singly(reading: Reading) -> bool:
    text = f" {' '.join(reading.text.casefold().split())} "
    return any(phrase in text for phrase in (" one at a time", " one by one", " one after the other", " singly"))


def _jointly(reading: Reading) -> bool:
    words = [token.word for token in reading.tokens]
    return any(tuple(words[at : at + len(phrase)]) == phrase for phrase in _TOGETHER for at in range(len(words)))
