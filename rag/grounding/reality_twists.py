"""What a sentence does not say is so: almost, was to, would if, is said to, formerly, rarely. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

import re
from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, is_negation, read
from rag.grounding.words import BOUNDARIES, DETERMINERS, IF, PAST_AUXILIARIES, stems_named
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantities import is_year

_MODALS = word_set("will would shall should may might could can ought must")
_NO_LONGER = word_set("until till originally once then since now later")
"""What tells that a past is over."""
_LASTING = (
    "name christen baptise baptize bury inter entomb make build construct erect assemble carve cast forge paint write "
    "compose dedicate consecrate found establish invent discover design translate publish print list protect bear "
    "derive link associate correlate relate cause prove show find"
)
"""What, once done or found, is so from then on: of it a year tells when it was done, not when it was over."""
_LATER_ON = word_set("on onward onwards")
_WEAK = word_set("hardly scarcely rarely seldom barely few little")
_NO_FEW = word_set("a the quite these those first last past next every as only")
_SAID = "say believe think allege claim report rumour rumor suppose assume"
_OPINION = "believe think allege claim argue assert contend insist suspect doubt fear assume speculate imagine pretend"
_CHARGE = "accuse suspect acquit absolve exonerate"
_WRONG = word_set("wrong incorrect false untrue mistaken mistake error misleading inaccurate erroneous myth fallacy")
_SPEAK = word_set("say claim think believe assume suppose suggest assert state conclude call argue")
_VIEWS = word_set("opinion view judgement judgment estimation belief")
_SOME = word_set(
    "some others critics opponents supporters proponents sceptics skeptics rivals rumour rumor rumours rumors legend "
    "legends tradition myth folklore witnesses sources"
)
_QUESTION = re.compile(r"\?[\s\"'”’)*_]*$")
_BEFORE_QUESTION = re.compile(r"^.*(?:[:“]|(?<!\w)\"(?=\w)|, (?:but|and|so|yet) )", re.DOTALL)
"""What a sentence says before it asks: `he asked: "Is it?"`, `it grows, but how?`."""
_STATED = word_set("is are was were been")
_JOINERS = word_set("and but while whereas ; ,")
_REACH = 4


def reality_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why a claim states as a fact what the sentence does not: it almost was, was hoped for, or has ended."""
    yield from _approximation_twists(claim, sentence)
    yield from _prospect_twists(claim, sentence)
    yield from _unreal_twists(claim, sentence)
    yield from _question_twists(claim, sentence)
    yield from _report_twists(claim, sentence)
    yield from _tense_twists(claim, sentence)
    yield from _weak_denial_twists(claim, sentence)


def _following(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the first content word or number after a place, at most four words on and in the same stretch."""
    for token in tokens[place + 1 : place + 1 + _REACH]:
        if token.stem or token.quantity:
            return token
        if token.word in BOUNDARIES:
            return None
    return None


# --- almost ------------------------------------------------------------------------------------------------------


def _approximation_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `almost` that stands before a word in one of the two and nowhere in the other."""
    for one, other in ((claim, sentence), (sentence, claim)):
        if other.words & polarity.APPROXIMATORS:
            continue
        for place, token in enumerate(one.tokens):
            if token.word in polarity.APPROXIMATORS and _is_approximated(one, place, other, one is sentence):
                yield f"{token.word!r} is {'left out' if one is sentence else 'added'}"
                return


def _is_approximated(one: Reading, place: int, other: Reading, dropped: bool) -> bool:
    """Return whether the other text says flatly the word after `almost`; a rounded number is no twist."""
    after = one.tokens[place + 1].word if place + 1 < len(one.tokens) else ""
    if after in polarity.UNIVERSAL:
        return dropped and bool(other.words & polarity.UNIVERSAL)
    found = _following(one.tokens, place)
    return found is not None and not found.quantity and found.stem in other.positions


# --- was expected to, would if -----------------------------------------------------------------------------------


def _prospect_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what was only expected, tried, asked for or about to be and is claimed as done."""
    foreign = claim.positions.keys() - sentence.positions.keys()
    if claim.words & (_MODALS | polarity.HEDGES | polarity.UNSURE) or polarity.prospects() & foreign:
        return
    for place, token in enumerate(sentence.tokens):
        wanted = token.stem in polarity.prospects() or token.word == "about"
        open_ = (wanted or token.stem in polarity.requests()) and token.word not in claim.words
        done = _infinitive(sentence, place) if open_ and token.stem not in claim.positions else None
        if done is None or done.stem not in claim.positions:
            continue
        if wanted or any(polarity.is_past(claim.tokens[index].word) for index in claim.positions[done.stem]):
            yield f"{token.word!r} is left out"
            return


def _infinitive(sentence: Reading, place: int) -> Token | None:
    """Return the verb of `to approve` after a word such as `expected`, which may have an object before it."""
    reach = 1 if sentence.tokens[place].word == "about" else _REACH
    for index, token in enumerate(sentence.tokens[place + 1 : place + 1 + reach], place + 1):
        if token.word == "to":
            return _following(sentence.tokens, index)
        if token.word in BOUNDARIES:
            return None
    return None


def _unreal_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `would be (if)` and `should have been` of a sentence where the claim has a plain fact."""
    if claim.words & (_MODALS | polarity.HEDGES | {"if", "unless"}):
        return
    if _is_supposed(claim, sentence):
        yield "it is only supposed there"
        return
    supposed = bool(sentence.words & {"if", "unless", "otherwise"})
    for place, token in enumerate(sentence.tokens):
        word = token.word.removesuffix("n't")
        if word not in ("would", "should", "could", "might", "ought"):
            continue
        perfect = any(later.word == "have" for later in sentence.tokens[place + 1 : place + 3])
        found = _following(sentence.tokens, place)
        if (perfect or (supposed and word == "would")) and found is not None and found.stem in claim.positions:
            yield f"{token.word!r} is left out"
            return


def _is_supposed(claim: Reading, sentence: Reading) -> bool:
    """Return whether all of the claim stands in a condition without `if`: `Had it been serviced, it would have run`."""
    tokens = sentence.tokens
    comma = next((at for at, token in enumerate(tokens) if token.word == ","), 0)
    if not comma or tokens[0].word not in ("had", "were", "should"):
        return False
    unreal = any(token.word in ("would", "could", "might") for token in tokens[comma:])
    return unreal and claim.positions.keys() <= {token.stem for token in tokens[:comma]}


# --- asked, said, accused ----------------------------------------------------------------------------------------


def _question_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence only asks: all of the claim's words that it has stand in its question."""
    if not _QUESTION.search(sentence.text) or _QUESTION.search(claim.text):
        return
    asked = read(_BEFORE_QUESTION.sub("", sentence.text)).positions.keys()
    if claim.positions.keys() & sentence.positions.keys() <= asked:
        yield "it is only asked there"


def _report_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence only reports as said, thought, wrong or charged, and the claim states as a fact."""
    for place, token in enumerate(sentence.tokens):
        start = _start_of_report(sentence, place)
        if start is None or token.word in claim.words or (token.stem and token.stem in claim.positions):
            continue
        own, after = _own_and_after(claim, sentence, start - 1, frozenset((";",)))
        if token.word == "according" and after > 2 * own:
            continue
        if token.word == "said" and claim.words & sentence.words & IF:
            continue  # a definition: it is said to be ionized if it has lost an electron
        following = next((later for later in sentence.tokens[start:] if later.stem or later.quantity), None)
        said = following is not None and (following.stem in claim.positions or bool(following.quantity))
        if said and not claim.words & (polarity.HEDGES | _MODALS):
            yield f"{token.word!r} is left out"
            return


def _start_of_report(sentence: Reading, place: int) -> int | None:
    """Return where what is only reported begins, if a word reports it: `said to be`, `argues that`, `accused of`."""
    tokens = sentence.tokens
    after = [token.word for token in tokens[place + 1 : place + 3]] + ["", ""]
    before = tokens[place - 1].word if place else ""
    word, stem = tokens[place].word, tokens[place].stem or polarity.stem_of(tokens[place].word)
    passive = before in _STATED or (place > 1 and before.endswith("ly") and tokens[place - 2].word in _STATED)
    if stem in stems_named(_SAID) and passive and polarity.is_past(word) and after[0] == "to":
        return place + 2
    if (stem in stems_named(_OPINION) or (passive and stem in stems_named(_SAID))) and after[0] == "that":
        return place + 2
    if stem in stems_named(_CHARGE) and after[0] == "of":
        return place + 2
    if word in _WRONG and after[0] in ("to", "that"):
        return _after_that(tokens, place) if after[1] in _SPEAK or after[0] == "that" else None
    if word in _VIEWS and _opens_with_in(tokens, place):
        return next((at + 1 for at in range(place + 1, len(tokens)) if tokens[at].word == ","), None)
    return _after_source(tokens, place) if word == "according" and after[0] == "to" else None


def _opens_with_in(tokens: Sequence[Token], place: int) -> bool:
    """Return whether only `in the` or `in his` stands before a word, back to the beginning or a mark."""
    before = [token.word for token in tokens[max(0, place - 3) : place]]
    opening = "in" in before and all(word in DETERMINERS for word in before[before.index("in") + 1 :])
    return opening and (before.index("in") == 0 or before[before.index("in") - 1] in BOUNDARIES)


def _after_that(tokens: Sequence[Token], place: int) -> int | None:
    """Return the place after the next `that` or, without one, after `to say`."""
    found = next((at + 1 for at in range(place + 1, min(place + 4, len(tokens))) if tokens[at].word == "that"), None)
    return found if found is not None else place + 3


def _after_source(tokens: Sequence[Token], place: int) -> int | None:
    """Return where a report begins after `according to`, where its source is named persons or `some`, not a document.

    What a census, a report or a rule says, the sentence says with it.
    """
    end = next((at for at in range(place + 2, len(tokens)) if tokens[at].word == ","), None)
    source = [token for token in tokens[place + 2 : end or place + 2] if token.stem or token.quantity]
    persons = bool(source) and all(token.name for token in source)
    some = any(token.word in _SOME for token in source) or tokens[place + 2].word in _SOME
    return end + 1 if end is not None and (persons or some) else None


# --- formerly, in future -----------------------------------------------------------------------------------------


def _tense_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
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
    for at, token in enumerate(tokens):
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
    found = _following(sentence.tokens, place) or before
    return found is not None and found.stem in claim.positions and not _is_after(claim, sentence, place)


def _is_after(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether a claim has words that stand only after the stretch at a place, and none that stand only in it."""
    own, after = _own_and_after(claim, sentence, place, _JOINERS)
    return after > own == 0


def _own_and_after(claim: Reading, sentence: Reading, place: int, ends: frozenset[str]) -> tuple[int, int]:
    """Count the claim's words that stand only in the stretch that begins at a place, and those only after it.

    `formerly owned by Aldine and is now owned by Corvex`: of Aldine's claim one and none, of Corvex's none and one.
    """
    tokens = sentence.tokens
    end = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in ends), len(tokens))
    inside, after, before = (
        {token.stem for token in part if token.stem} for part in (tokens[place + 1 : end], tokens[end:], tokens[:place])
    )
    wanted = claim.positions.keys()
    return len(wanted & (inside - after - before)), len(wanted & (after - inside - before))


def _has_run(reading: Reading, *steps: Sequence[str]) -> bool:
    """Return whether words stand one after another, one out of each step."""
    words = [token.word for token in reading.tokens]
    return any(
        all(words[start + offset] in step for offset, step in enumerate(steps))
        for start in range(len(words) - len(steps) + 1)
    )


# --- rarely is not never, few are not most -----------------------------------------------------------------------


def _weak_denial_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `never` for `rarely` or `not all`, `few` for `most`, and `most` for `many`."""
    partly = _denies_all(sentence)
    strong = [token.word for token in claim.tokens if is_negation(token.word) and token.word not in _WEAK]
    stated = [token.word for token in sentence.tokens if is_negation(token.word) and token.word not in _WEAK]
    weak = sorted(sentence.words & (_WEAK - {"little", "few"}))
    if strong and not claim.words & _WEAK and not _denies_all(claim) and len(stated) == partly and (weak or partly):
        yield f"{strong[0]!r} for {weak[0] if weak else 'not all'!r}"
    large = sentence.words & (polarity.MOSTLY | polarity.UNIVERSAL | {"several", "some", "both"})
    if _has_few(claim) and large and not sentence.words & (_WEAK | polarity.NEGATIONS | {"minority"}):
        yield f"'few' for {min(large)!r}"
    if {"most", "majority"} & claim.words and "many" in sentence.words and not sentence.words & {"most", "majority"}:
        yield "'most' for 'many'"


def _denies_all(reading: Reading) -> int:
    """Count the denials that leave a part: `not all`, `not always`."""
    tokens = reading.tokens
    return sum(
        is_negation(token.word) and place + 1 < len(tokens) and tokens[place + 1].word in polarity.UNIVERSAL
        for place, token in enumerate(tokens)
    )


def _has_few(reading: Reading) -> bool:
    """Return whether a text says `few` in the sense of hardly any; `a few` and `the first few` are some."""
    tokens = reading.tokens
    return any(
        token.word == "few" and not (place and tokens[place - 1].word in _NO_FEW) for place, token in enumerate(tokens)
    )
