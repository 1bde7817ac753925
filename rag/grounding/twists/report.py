"""What a sentence only asks or reports, told as a fact: is said to, argues that, is accused of. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

import re
from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, read
from rag.grounding.stretches import own_and_after
from rag.grounding.words import BOUNDARIES, DETERMINERS, IF, MODALS, stems_named
from rag.language import polarity
from rag.language.polarity import word_set

_SAID = "say believe think allege claim report rumour rumor suppose assume"
_OPINION = "believe think allege claim argue assert contend insist suspect doubt fear assume speculate imagine pretend"
_TOLD = "say state report tell complain announce promise predict warn write declare maintain hope expect reply mention"
_HOPED = "tell complain promise predict hope expect"
"""What only persons and bodies do: whoever tells somebody, or promises."""
_TELLERS = word_set(
    "he she i we they neighbour neighbor neighbours neighbors tenant tenants driver drivers witness customer customers "
    "patient patients guest guests passenger passengers visitor visitors member members caller owner owners landlord "
    "resident residents user users student students pupil pupils parent parents colleague employee employees worker "
    "workers supplier suppliers manufacturer seller dealer mayor minister chairman chairwoman chair spokesman "
    "spokeswoman spokesperson director manager technician mechanic contractor builder doctor nurse lawyer teacher "
    "operator inspector captain mother father husband wife brother sister friend man woman someone somebody"
)
"""Who may tell what is not so; a study, a report or a rule tells what is taken as read."""
_CHARGE = "accuse suspect acquit absolve exonerate"
_WRONG = word_set("wrong incorrect false untrue mistaken mistake error misleading inaccurate erroneous myth fallacy")
_LISTENER = 6
"""Words within which `that` comes after who is told: `told the harbour office that`."""
_UNSURE = word_set("would could might may")
_TITLES = word_set("mr mrs ms miss dr sir madam mx")
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


def report_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield why a claim states as a fact what the sentence only asks, or reports."""
    yield from _question_twists(claim, sentence)
    yield from _reported_twists(claim, sentence)


def _question_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence only asks: all of the claim's words that it has stand in its question."""
    if not _QUESTION.search(sentence.text) or _QUESTION.search(claim.text):
        return
    asked = read(_BEFORE_QUESTION.sub("", sentence.text)).positions.keys()
    if claim.positions.keys() & sentence.positions.keys() <= asked:
        yield "it is only asked there"


def _reported_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what the sentence only reports as said, thought, wrong or charged, and the claim states as a fact."""
    if _is_told_behind(sentence) and not claim.words & {"say", "says", "said", "according"}:
        yield "it is only told there"
    for place, token in enumerate(sentence.tokens):
        start = _start_of_report(sentence, place)
        behind = [later.word for later in sentence.tokens[place + 1 : place + 3]]
        if token.word == "reported" and behind[:1] == ["to"] and DETERMINERS & set(behind[1:]):
            continue  # `it is reported to the porter`: to somebody, and nothing is only said
        if start is None or token.word in claim.words or (token.stem and token.stem in claim.positions):
            continue
        own, after = own_and_after(claim, sentence, start - 1, frozenset((";",)))
        if token.word == "according" and after > 2 * own:
            continue
        if token.word == "said" and claim.words & sentence.words & IF:
            continue  # a definition: it is said to be ionized if it has lost an electron
        following = next((later for later in sentence.tokens[start:] if later.stem or later.quantity), None)
        said = following is not None and (following.stem in claim.positions or bool(following.quantity))
        told = stems_named(_TOLD) & {token.stem}
        if said and not claim.words & (polarity.HEDGES | _UNSURE if told else polarity.HEDGES | MODALS):
            yield f"{token.word!r} is left out"
            return


def _is_told_behind(sentence: Reading) -> bool:
    """Return whether a sentence ends with who says so: `..., or so the mistress says`, `..., said the mayor`."""
    tokens = [token for token in sentence.tokens if token.word[0].isalnum()]
    commas = [at for at, token in enumerate(sentence.tokens) if token.word == ","]
    if not commas or not {"says", "said", "claims", "claimed"} & {token.word for token in tokens[-4:]}:
        return False
    last = sentence.tokens[commas[-1] + 1 :]
    tellers = any(token.word in _TELLERS or token.name for token in last)
    told = {token.word for token in last} & {"says", "said", "claims", "claimed"}
    return bool(told) and (tellers or "so" in {token.word for token in last}) and len(last) <= _LISTENER


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
    if stem in stems_named(_TOLD) and place and (stem in stems_named(_HOPED) or _is_teller(tokens, place - 1)):
        start = _after_that(tokens, place, far=_LISTENER)
        if start:
            return start
    if stem in stems_named(_CHARGE) and after[0] == "of":
        return place + 2
    if word in _WRONG and after[0] in ("to", "that"):
        return (_after_that(tokens, place) or place + 3) if after[1] in _SPEAK or after[0] == "that" else None
    if word in _VIEWS and _opens_with_in(tokens, place):
        return next((at + 1 for at in range(place + 1, len(tokens)) if tokens[at].word == ","), None)
    return _after_source(tokens, place) if word == "according" and after[0] == "to" else None


def _is_teller(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a person stands here, `has` or `had` between him and what he says left out."""
    place -= tokens[place].word in ("has", "had", "have", "later", "also")
    return place >= 0 and (tokens[place].word in _TELLERS or _is_titled(tokens, place))


def _is_titled(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a name with a person's title ends here: `Mr Okafor`."""
    return tokens[place].name and any(token.word in _TITLES for token in tokens[max(0, place - 2) : place])


def _opens_with_in(tokens: Sequence[Token], place: int) -> bool:
    """Return whether only `in the` or `in his` stands before a word, back to the beginning or a mark."""
    before = [token.word for token in tokens[max(0, place - 3) : place]]
    opening = "in" in before and all(word in DETERMINERS for word in before[before.index("in") + 1 :])
    return opening and (before.index("in") == 0 or before[before.index("in") - 1] in BOUNDARIES)


def _after_that(tokens: Sequence[Token], place: int, *, far: int = 3) -> int | None:
    """Return the place after the next `that`, at most so many words on and with no mark between."""
    for at in range(place + 1, min(place + 1 + far, len(tokens))):
        if tokens[at].word == "that":
            return at + 1
        if tokens[at].word in BOUNDARIES:
            return None
    return None


def _after_source(tokens: Sequence[Token], place: int) -> int | None:
    """Return where a report begins after `according to`, where its source is named persons or `some`, not a document.

    What a census, a report or a rule says, the sentence says with it.
    """
    end = next((at for at in range(place + 2, len(tokens)) if tokens[at].word == ","), None)
    source = [token for token in tokens[place + 2 : end or place + 2] if token.stem or token.quantity]
    persons = bool(source) and all(token.name for token in source)
    some = any(token.word in _SOME | _TELLERS for token in source) or tokens[place + 2].word in _SOME
    return end + 1 if end is not None and (persons or some) else None
