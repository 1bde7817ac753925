"""A word left out that changes what is counted or permitted: `ten business days`, `registered nurses`. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.noun_phrases import ends_as_adverb
from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.twists.share import stretch_of
from rag.grounding.words import BOUNDARIES, DETERMINERS, PAST_AUXILIARIES, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantities import Quantity
from rag.language.units import canonical

_TIMES = word_set("minute minutes hour hours day days night nights week weeks month months year years")
_MODALS = word_set("must may can shall cannot")
_WITH_TO = word_set("allowed permitted required obliged entitled")
_BEING = word_set("is are was were")
_BINDING = _MODALS - {"can", "cannot"} | _WITH_TO | {"only"}
_DEFINITE = word_set("the this that these those its their his her our your my")
_LOOSE = word_set(
    "immediately simply really finally normally only possibly accidentally probably actually entirely completely fully "
    "exactly approximately roughly early daily weekly monthly yearly hourly newly recently currently personally"
)
"""Adverbs that a condition may lack and say hardly more."""
_REPEATED = word_set("second third fourth further additional another repeated")
_OPENING_CONDITION = word_set("if when whenever who whoever that which unless once until")
_SHARES = {
    **dict.fromkeys(("all", "every", "each"), "all"),
    **dict.fromkeys(("most", "majority"), "most"),
    **dict.fromkeys(("no", "none"), "no"),
    "few": "few",
}
_SAYS_NOTHING = word_set(
    "full whole entire long short calendar different separate individual single several many various"
)
"""Modifiers without which the same is counted: `two full years` are two years."""
_STILL_COUNTS = word_set("newly recently previously formerly partly")
_REACH = 3
"""How many words a noun phrase has at most: `ten further business days`."""


def modifier_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word before a noun that a number, a share, `only`, a right or a duty depends on and the claim lacks."""
    for words in (_counted(claim, sentence), _of_shares(claim, sentence), _of_only(claim, sentence)):
        missing = next((word for word in words if word), "")
        if missing:
            yield f"{missing!r} is left out"
            return
    dropped = (_of_subjects, _of_plurals, _of_repeated, _of_conditions)
    missing = next((word for find in dropped for word in find(claim, sentence) if word), "")
    if missing:
        yield f"{missing!r} is left out"
    added = next(_added_to_only(claim, sentence), "")
    if added:
        yield f"{added!r} is another of whom it is not said there"


def _phrase(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """Return the words of the noun phrase after a place, articles, `of` and numbers between passed over."""
    start = place + 1
    while start < len(tokens) and (tokens[start].word in DETERMINERS | {"of"} or tokens[start].quantity):
        start += 1
    end = start
    while end < len(tokens) and end - start <= _REACH and tokens[end].stem:
        end += 1
    return tokens[start:end]


def _missing_before(phrase: Sequence[Token], end: int, claim: Reading) -> str:
    """Return the first of the words before a noun that says which ones are meant and that the claim lacks."""
    for place, token in enumerate(phrase[:end]):
        if token.word in _SAYS_NOTHING | polarity.LIGHT or _is_no_modifier(token, phrase[place + 1]):
            continue
        if not ({token.stem} | polarity.synonyms(token.stem) | polarity.implying(token.stem)) & claim.positions.keys():
            return token.word
    return ""


def _is_no_modifier(token: Token, following: Token) -> bool:
    """Return whether a word is a plural or verb (`users` in `all users register`) or a mere adverb of a participle."""
    adverb = token.word.endswith("ly") and polarity.is_past(following.word) and token.word not in _STILL_COUNTS
    return adverb or (token.word.endswith("s") and not token.word.endswith(("ss", "us")))


def _place_of(stem: str, phrase: Sequence[Token]) -> int:
    """Return where a noun stands in a phrase behind another word, 0 where it does not."""
    return next((place for place, token in enumerate(phrase) if place and stem and token.stem == stem), 0)


def _counted(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word between a number and what it counts: units of time, and whatever a limit or duty is about."""
    for place, stated in sentence.quantities:
        if stated.kind not in ("number", "ordinal") or stated.unit:
            continue
        phrase = _phrase(sentence.tokens, place)
        start, end = stretch_of(sentence.tokens, place)
        binding = bool(stated.bound) or any(token.word in _BINDING for token in sentence.tokens[start:end])
        for at, said in claim.quantities:
            if said.values != stated.values or said.kind != stated.kind:
                continue
            noun = _place_counted(claim, at, said, phrase)
            if noun and (binding or phrase[noun].word in _TIMES):
                yield _missing_before(phrase, noun, claim)


def _place_counted(claim: Reading, place: int, said: Quantity, phrase: Sequence[Token]) -> int:
    """Return where a phrase has the noun or unit that follows a number of the claim, 0 for nowhere."""
    if said.unit:
        units = (at for at, token in enumerate(phrase) if at and token.word in _TIMES)
        return next((at for at in units if canonical(phrase[at].word) == said.unit), 0)
    following = claim.tokens[place + 1 : place + 2]
    return _place_of(following[0].stem, phrase) if following else 0


def _of_shares(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word between a share and its base: `5% of the net income`, `most retired officers`."""
    for place, token in enumerate(sentence.tokens):
        share = _share(token)
        if share is None:
            continue
        phrase = _phrase(sentence.tokens, place)
        for at, other in enumerate(claim.tokens):
            following = _phrase(claim.tokens, at) if _share(other) == share else ()
            if following:
                yield _missing_before(phrase, _place_of(following[0].stem, phrase), claim)


def _share(token: Token) -> str | tuple[float, ...] | None:
    """Return which share a token is: a percentage or fraction by its values, `all` or `most` by name."""
    if token.quantity is None:
        return _SHARES.get(token.word)
    fraction = not token.quantity.unit and all(0 < value < 1 for value in token.quantity.values)
    return token.quantity.values if token.quantity.unit == "%" or fraction else None


def _of_only(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word between `only` and its noun: `only registered nurses`."""
    said = [_phrase(claim.tokens, place) for place, token in enumerate(claim.tokens) if token.word == "only"]
    for place, token in enumerate(sentence.tokens):
        phrase = _phrase(sentence.tokens, place) if token.word == "only" else ()
        for following in said:
            if phrase and following:
                yield _missing_before(phrase, _place_of(following[0].stem, phrase), claim)


def _added_to_only(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word between `only` and its noun with which the sentence names another: `only the deputy manager`.

    There the sentence says it of `only the manager`, and speaks of a `deputy manager`, too.
    """
    stated = [_phrase(sentence.tokens, place) for place, token in enumerate(sentence.tokens) if token.word == "only"]
    for place, token in enumerate(claim.tokens):
        said = _phrase(claim.tokens, place) if token.word == "only" else ()
        for one, noun in pairwise(said):
            bare = [phrase for phrase in stated if phrase and phrase[0].stem == noun.stem]
            elsewhere = any(a.stem == one.stem and b.stem == noun.stem for a, b in pairwise(sentence.tokens))
            if bare and len(bare) == len(stated) and elsewhere:
                yield one.word


def _of_repeated(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `second`, `further` or a number of what is a condition: `a player who is cautioned a second time`."""
    tokens = sentence.tokens
    if any(_is_repeated(token) for token in claim.tokens):
        return
    for stem, places in claim.positions.items():
        stated = sentence.positions.get(stem, ())
        if not stated or any(at and _names_which(claim.tokens[at - 1]) for at in places):
            continue
        heads = [_begin(tokens, at) for at in stated]
        if all(at >= 0 and _is_repeated(tokens[at]) and _is_in_condition(tokens, at) for at in heads):
            yield _shown(tokens[heads[0]])


def _of_conditions(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield an adverb beside a verb of a condition: `anyone who arrives repeatedly late`, `if it is badly torn`."""
    tokens = sentence.tokens
    if claim.words.isdisjoint(_OPENING_CONDITION):
        return
    for place, token in enumerate(tokens[1:], 1):
        if not ends_as_adverb(token) or token.word in polarity.LIGHT | _LOOSE or token.stem in claim.positions:
            continue
        beside = {one.stem for one in tokens[place - 1 : place + 2] if one.stem} - {token.stem}
        opener = max((at for at in range(place) if tokens[at].word in _OPENING_CONDITION), default=place)
        same = tokens[opener].word in claim.words
        if same and beside & claim.positions.keys() and _is_in_condition(tokens, place):
            yield token.word


def _begin(tokens: Sequence[Token], noun: int) -> int:
    """Return where the number before a noun and its adjectives stands, or what is right before them; -1 for nothing."""
    at = noun - 1
    while at > 0 and noun - at < _REACH and tokens[at].stem and not _is_repeated(tokens[at]):
        at -= 1
    return at


def _shown(token: Token) -> str:
    return token.word if token.quantity is None else f"{token.quantity.values[0]:g}"


def _names_which(token: Token) -> bool:
    """Return whether a word before a noun says which or how many are meant: `the`, `two`."""
    return bool(token.quantity) or token.word in _DEFINITE


def _is_repeated(token: Token) -> bool:
    """Return whether a word says that it is not the first one, or that there are several."""
    if token.quantity is None:
        return token.word in _REPEATED
    value = token.quantity.values[0]
    share = not token.quantity.unit and 0 < value < 0.5  # `a third` before its noun
    return share or (token.quantity.kind in ("ordinal", "number") and not token.quantity.unit and value > 1)


def _is_in_condition(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a place stands in a clause with `if` or `who` that tells no single deed of the past."""
    start = next((at for at in range(place - 1, -1, -1) if tokens[at].word in _OPENING_CONDITION), -1)
    if start < 0 or any(token.word in BOUNDARIES for token in tokens[start:place]):
        return False
    past = [
        at
        for at in range(start, place)
        if polarity.is_past(tokens[at].word) and tokens[at - 1].word not in ("is", "are", "be", "has", "have", "been")
    ]
    return not past and not any(token.word in PAST_AUXILIARIES for token in tokens[start:place])


def _of_subjects(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word before the subject of a right or duty: `a certified electrician must replace the fuse`."""
    if not claim.words & (_MODALS | _WITH_TO):
        return
    for place in range(len(sentence.tokens)):
        if not _is_modal(sentence.tokens, place):
            continue
        verb = next((later.stem for later in sentence.tokens[place + 1 :] if _is_verb(later)), "")
        phrase = _subject(sentence.tokens, place)
        if not phrase or phrase[-1].name or verb not in claim.positions or phrase[-1].stem not in claim.positions:
            continue
        missing = _missing_before(phrase, len(phrase) - 1, claim)
        if missing and len(sentence.positions[phrase[-1].stem]) == 1:
            yield missing


def _of_plurals(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word before a plain plural of which something holds in general: `damaged parcels are returned`."""
    tokens, first = sentence.tokens, claim.tokens[0] if claim.tokens else None
    if first is None or not first.stem or not first.word.endswith("s") or len(claim.positions[first.stem]) > 1:
        return
    places = sentence.positions.get(first.stem, ())
    if len(places) != 1 or claim.words & PAST_AUXILIARIES:
        return
    yield _told_behind(claim, sentence, places[0])
    if not _is_present(tokens, places[0]):
        return
    start = places[0]
    while start and places[0] - start < _REACH and tokens[start - 1].stem and tokens[start - 1].word not in BOUNDARIES:
        start -= 1
    bare = start == 0 or tokens[start - 1].word in BOUNDARIES
    phrase = tokens[start : places[0] + 1]
    if bare and tokens[places[0]].word == first.word and not any(token.name for token in phrase):
        yield _missing_before(phrase, len(phrase) - 1, claim)


def _told_behind(claim: Reading, sentence: Reading, noun: int) -> str:
    """Return a word that says behind a plain plural which ones are meant: `boats longer than 12 m must carry a radio`.

    The claim begins with that plural and goes on with the very auxiliary.
    """
    tokens, verb = sentence.tokens, claim.tokens[1].word if len(claim.tokens) > 1 else ""
    end = next((at for at in range(noun + 1, len(tokens)) if tokens[at].word in AUXILIARIES | BOUNDARIES), noun)
    inside = tokens[noun + 1 : end]
    if end <= noun + 1 or tokens[end].word != verb or verb in PAST_AUXILIARIES or inside[0].word == "of":
        return ""
    narrowed = (
        inside[0].word in PREPOSITIONS
        or polarity.is_past(inside[0].word)
        or any(token.word == "than" for token in inside)
    )
    told = stems_of(inside) & claim.positions.keys() or any(token.quantity for token in claim.tokens)
    first = next((token.word for token in inside if token.stem or token.quantity), "")
    return first if narrowed and not told else ""


def _is_present(tokens: Sequence[Token], noun: int) -> bool:
    """Return whether a noun has a verb right behind it that is no past: `are`, `may`, `need`."""
    after = tokens[noun + 1] if noun + 1 < len(tokens) else None
    if after is None or after.word in PAST_AUXILIARIES:
        return False
    return after.word in AUXILIARIES or (bool(after.stem) and not polarity.is_past(after.word))


def _is_modal(tokens: Sequence[Token], place: int) -> bool:
    """Return whether `may`, `must` or the `are` of `are allowed to` stands at a place."""
    if tokens[place].word in _BEING:
        return any(token.word in _WITH_TO for token in tokens[place + 1 : place + 3])
    return tokens[place].word in _MODALS and not tokens[place].stem


def _is_verb(token: Token) -> bool:
    return bool(token.stem) and token.word not in _WITH_TO and token.word not in polarity.LIGHT


def _subject(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """Return the noun phrase right before a modal, empty for a definite one: `the relief valve` is one known valve."""
    end = place
    while end and (tokens[end - 1].word.endswith("ly") or tokens[end - 1].word in polarity.LIGHT):
        end -= 1
    start = end
    while start and end - start < _REACH and tokens[start - 1].stem:
        start -= 1
    definite = start and tokens[start - 1].word in _DEFINITE and "only" not in (token.word for token in tokens[:start])
    return () if definite else tokens[start:end]
