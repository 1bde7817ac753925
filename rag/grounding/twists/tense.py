"""What was so, or is still to come, told as if it were so now: formerly, until 1803, is to be. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.stretches import content_after, own_and_after
from rag.grounding.words import DETERMINERS, PAST_AUXILIARIES, PREPOSITIONS, stems_named
from rag.language import polarity
from rag.language.polarity import is_past, word_set
from rag.language.quantities import is_year

_NO_LONGER = word_set("until till originally once then since now later")
"""What tells that a past is over."""
_LASTING = (
    "name christen baptise baptize bury inter entomb make build construct erect assemble carve cast forge paint write "
    "compose dedicate consecrate found establish invent discover design translate publish print list protect bear "
    "derive link associate correlate relate cause prove show find"
)
"""What, once done or found, is so from then on: of it a year tells when it was done, not when it was over."""
_LATER_ON = word_set("on onward onwards")
_JOINERS = word_set("and but while whereas ; ,")


def tense_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is past and claimed of today (`formerly`, `used to be`) or to come and claimed as past."""
    past = bool(claim.words & (PAST_AUXILIARIES | polarity.FORMER)) or _has_run(claim, ("used",), ("to",))
    former = sorted(sentence.words & polarity.FORMER)
    if not past and former and any(_governs(sentence, word, claim) for word in former):
        yield f"{former[0]!r} is left out"
    here = sorted(claim.words & polarity.FORMER & sentence.words)
    if here and _is_after(claim, sentence, next(at for at, one in enumerate(sentence.tokens) if one.word == here[0])):
        yield f"{here[0]!r} is said of something else"
    if _is_no_longer(claim, sentence):
        yield "it was so there, and is not said to be so still"
    if not past and _has_run(sentence, ("used",), ("to",), ("be", "have")):
        yield "'used to' is left out"
    if (
        claim.words & PAST_AUXILIARIES
        and not claim.words & {"will", "would", "shall"}
        and not sentence.words & PAST_AUXILIARIES
    ):
        future = _has_run(sentence, ("is", "are"), ("to",)) or sentence.words & {"will", "shall"}
        planned = _has_run(sentence, ("is", "are"), ("to",), ("be",))
        if future and (planned or not any(token.quantity for token in claim.tokens)):
            yield "it is still to come there"


def _is_no_longer(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim says `is` of what the sentence says `was` until some time: `was owned until 1803`.

    A finding told in the past (`was associated with`) holds still.
    """
    dated, ended = _is_dated(sentence), _has_end(sentence)
    if not dated and not ended:
        return False
    for place, token in enumerate(claim.tokens[:-1]):
        following = claim.tokens[place + 1]
        places = sentence.positions.get(following.stem, ()) if token.word in ("is", "are") and following.stem else ()
        if not ended and following.stem in stems_named(_LASTING):
            continue
        if places and all(at and sentence.tokens[at - 1].word in ("was", "were") for at in places):
            return True
    return ended and _is_now(claim, sentence)


def _is_now(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim has a verb in the present that the sentence has in the past: `rehearses`, `rehearsed`."""
    for place, token in enumerate(claim.tokens):
        before = claim.tokens[place - 1].word if place else ""
        places = sentence.positions.get(token.stem, ()) if token.stem and place else ()
        if not places or is_past(token.word) or before in AUXILIARIES | DETERMINERS | PREPOSITIONS | {"to"}:
            continue
        told = [(sentence.tokens[at - 1].word if at else "", sentence.tokens[at].word) for at in places]
        if all(is_past(word) and word != token.word and earlier not in AUXILIARIES for earlier, word in told):
            return True
    return False


def _is_dated(sentence: Reading) -> bool:
    """Return whether a sentence has a year or date from which on it does not go on: not `since 1803`."""
    return any(
        (is_year(one) or one.kind in ("date", "decade")) and not _goes_on_from(sentence.tokens, at)
        for at, one in sentence.quantities
    )


def _has_end(sentence: Reading) -> bool:
    """Return whether a sentence tells that something is over: `until`, `originally`, `now`, `from 1803 to 1850`."""
    tokens = sentence.tokens
    if _has_run(sentence, ("no",), ("longer",)) or _has_run(sentence, ("that", "which"), ("ended", "ceased")):
        return True
    for at, token in enumerate(tokens):
        lasted = token.quantity is not None and token.quantity.unit in ("d", "mo", "yr")
        if lasted and at and tokens[at - 1].word == "for":
            return True
        if token.word in _NO_LONGER and not _goes_on_from(tokens, at) and not _goes_on_from(tokens, at + 1):
            return True
        span = token.quantity is not None and is_year(token.quantity) and len(token.quantity.values) == 2
        ends = at > 1 and tokens[at - 1].word in ("to", "and") and tokens[at - 2].quantity is not None
        if span or (ends and token.quantity and is_year(token.quantity) and tokens[at - 3].word in ("from", "between")):
            return True
    return False


def _goes_on_from(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a word or number tells since when something is so: `since 1803`, `since then`, `from 1803 on`."""
    if not 0 < place < len(tokens):
        return False
    before, after = tokens[place - 1].word, tokens[place + 1].word if place + 1 < len(tokens) else ""
    known = tokens[place].quantity is not None or tokens[place].word in DETERMINERS | {"then"}
    return known and (before == "since" or (before == "from" and after in _LATER_ON))


def _governs(sentence: Reading, word: str, claim: Reading) -> bool:
    """Return whether the first content word after a word, at its end the last one before it, is one of the claim's."""
    place = next(index for index, token in enumerate(sentence.tokens) if token.word == word)
    before = next((token for token in reversed(sentence.tokens[:place]) if token.stem), None)
    found = content_after(sentence.tokens, place) or before
    return found is not None and found.stem in claim.positions and not _is_after(claim, sentence, place)


def _is_after(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether a claim has words that stand only after the stretch at a place, and none that stand only in it."""
    own, after = own_and_after(claim, sentence, place, _JOINERS)
    return after > own == 0


def _has_run(reading: Reading, *steps: Sequence[str]) -> bool:
    """Return whether words stand one after another, one out of each step."""
    words = [token.word for token in reading.tokens]
    return any(
        all(words[start + offset] in step for offset, step in enumerate(steps))
        for start in range(len(words) - len(steps) + 1)
    )
