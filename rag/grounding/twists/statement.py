"""Subjects, numbers and times of one of two statements with what the other says. Ground floor.

`Basaltic lava is runny, while rhyolitic lava is stiff`, `it destroyed the tower, which was rebuilt in 1951`, `members
who pay are entitled to vote`. Each function compares a claim with one sentence of the evidence and yields a plain
reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, takewhile

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_CONTRASTS = word_set("while whereas but ;")
_RELATIVES = word_set("which who")
_PRONOUNS = word_set("it they he she")
_LATER = word_set("after following then from once thereafter afterwards")
_GENERAL = word_set("is are may must shall can cannot will need")
"""Auxiliaries of what holds in general; in the past, `a man who lived in Bern was seen` tells of a man."""
_LIMITING = word_set("under over above below aged")
_ONE_KNOWN = word_set("the this that these those")


def statement_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield words of one of two statements of a sentence that the claim joins with those of the other."""
    if sentence.text.startswith("|"):
        return
    yield from _contrasted_twists(claim, sentence)
    yield from _relative_number_twists(claim, sentence)
    yield from _restriction_twists(claim, sentence)
    yield from _age_twists(claim, sentence)
    yield from _turned_pronoun_twists(claim, sentence)
    yield from _after_which_twists(claim, sentence)


def _contrasted_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the subject of one statement with what is said of the other: two kinds of lava, each with its `is`."""
    tokens = sentence.tokens
    cuts = [-1, *(at for at, token in enumerate(tokens) if token.word in _CONTRASTS), len(tokens)]
    parts = [tokens[start + 1 : end] for start, end in pairwise(cuts)]
    told = [(_subject(part), stems_of(part)) for part in parts]
    wanted = claim.positions.keys()
    if claim.words & _CONTRASTS:
        return
    for (one, first), (other, second) in permutations(told, 2):
        own = one & other and one - second and other - first
        if not own or not wanted & (other - first) or wanted & (one - second):
            continue
        if len(wanted & (first - second - one)) > 1 and not wanted & (second - first - other):
            yield "it is said of the other of two there"
            return


def _subject(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the stems that a statement begins with, where an auxiliary follows them."""
    start = next((at for at, token in enumerate(tokens) if token.word not in DETERMINERS), len(tokens))
    found = [*takewhile(lambda token: bool(token.stem), tokens[start:])]
    after = tokens[start + len(found) : start + len(found) + 1]
    return stems_of(found) if any(token.word in AUXILIARIES for token in after) else frozenset()


def _relative_number_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a number of a clause with `which` put to a verb before it: `destroyed the tower, which was rebuilt in`."""
    tokens = sentence.tokens
    verbs = {token.stem for token in claim.tokens if token.stem and polarity.is_past(token.word)}
    for place, token in enumerate(tokens[1:], 1):
        if token.word not in _RELATIVES or tokens[place - 1].word != ",":
            continue
        end = next((at for at in range(place, len(tokens)) if tokens[at].word in (",", ";")), len(tokens))
        own = stems_of(tokens[place:end]) - stems_of(tokens[:place]) - stems_of(tokens[end:])
        inside = [one.quantity for one in tokens[place:end] if one.quantity]
        outside = [one for at, one in sentence.quantities if not place <= at < end]
        said = [one for _, one in claim.quantities if any(same_quantity(one, other) for other in inside)]
        moved = [one for one in said if not any(same_quantity(one, other) for other in outside)]
        if moved and own and not own & claim.positions.keys() and verbs & stems_of(tokens[:place]):
            yield f"its number belongs to the clause with {token.word!r} there"
            return


def _restriction_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `members may vote` where the sentence says it of `members who have paid`."""
    tokens = sentence.tokens
    for place in range(1, len(tokens) - 2):
        noun = tokens[place - 1]
        if tokens[place].word not in ("who", "that") or not noun.stem or _is_known(tokens, place - 1):
            continue
        main = next((at for at in range(place + 2, len(tokens)) if tokens[at].word in AUXILIARIES), place)
        plain = _verb_of(claim, noun.stem) if main == place else ""
        main = next((at for at in range(place + 3, len(tokens)) if plain and tokens[at].word == plain), main)
        inside = tokens[place + 1 : main]
        if (tokens[main].word not in _GENERAL and not (plain and main > place)) or any(
            one.word in (",", ";") for one in inside
        ):
            continue
        own = stems_of(inside) - stems_of(tokens[:place]) - stems_of(tokens[main:])
        told = bool(own & claim.positions.keys()) or any(_has(claim, one) for one in inside)
        predicate = stems_of(tokens[main:]) - {noun.stem}
        if own and not told and predicate & claim.positions.keys() and _is_bare(claim, sentence, noun.stem):
            yield f"which {noun.word!r} are meant is left out"
            return


def _age_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `guests need a letter` where the sentence says it of `guests under 18`, `parcels above 30 kg`."""
    tokens = sentence.tokens
    for place in range(1, len(tokens) - 2):
        noun, number = tokens[place - 1], tokens[place + 1]
        begins = place == 1 or not (tokens[place - 2].stem or tokens[place - 2].word in DETERMINERS | PREPOSITIONS)
        if tokens[place].word not in _LIMITING or number.quantity is None or not noun.stem or not begins:
            continue
        predicate = stems_of(tokens[place + 2 :]) - {noun.stem}
        bare = claim.tokens[0].stem == noun.stem and len(sentence.positions[noun.stem]) == 1
        after = claim.tokens[1].word if len(claim.tokens) > 1 else ""
        plain = noun.word.endswith("s") or noun.word in ("children", "people")
        if plain and bare and after not in _LIMITING and predicate & claim.positions.keys() and not _has(claim, number):
            yield f"which {noun.word!r} are meant is left out"
            return


def _verb_of(claim: Reading, noun: str) -> str:
    """Return the word behind a plain plural that begins a claim, where it has the form of a present: `members get`."""
    tokens = claim.tokens
    plain = len(tokens) > 2 and tokens[0].stem == noun and tokens[0].word.endswith("s")
    return tokens[1].word if plain and tokens[1].stem and not polarity.is_past(tokens[1].word) else ""


def _is_known(tokens: Sequence[Token], noun: int) -> bool:
    """Return whether a noun is a name, or stands behind `the`."""
    start = noun
    while start and tokens[start - 1].stem:
        start -= 1
    return tokens[noun].name or (start > 0 and tokens[start - 1].word in _ONE_KNOWN)


def _is_bare(claim: Reading, sentence: Reading, noun: str) -> bool:
    """Return whether a noun that the sentence has once stands in the claim without a `who` or `that` of its own."""
    following = (one.word for at in claim.positions.get(noun, ()) for one in claim.tokens[at + 1 : at + 2])
    stated = noun in claim.positions and len(sentence.positions[noun]) == 1
    return stated and not any(word in ("who", "that", "which") for word in following)


def _has(claim: Reading, token: Token) -> bool:
    """Return whether a claim states the number that a token is."""
    return token.quantity is not None and any(same_quantity(said, token.quantity) for _, said in claim.quantities)


def _turned_pronoun_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield as the subject of a verb its object there: `dust is harmful because it damages the varnish`."""
    tokens = sentence.tokens
    for place, token in enumerate(claim.tokens[:-1]):
        places = sentence.positions.get(token.stem, ()) if place and token.stem else ()
        subject, following = claim.tokens[place - 1], claim.tokens[place + 1]
        twice = len(claim.positions.get(subject.stem, ())) > 1
        if not places or not subject.stem or twice or not (following.stem or following.word in DETERMINERS):
            continue
        if all(_is_object_of_pronoun(tokens, at, subject.stem) for at in places):
            yield f"{subject.word!r} is what it is done to there"
            return


def _is_object_of_pronoun(tokens: Sequence[Token], verb: int, thing: str) -> bool:
    """Return whether a verb has a pronoun right before it and a thing as its object: `it damages the varnish`."""
    if not verb or tokens[verb - 1].word not in _PRONOUNS:
        return False
    start = next((at for at in range(verb + 1, len(tokens)) if tokens[at].word not in DETERMINERS), len(tokens))
    phrase = [*takewhile(lambda token: bool(token.stem), tokens[start:])]
    return start > verb + 1 and bool(phrase) and phrase[-1].stem == thing


def _after_which_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what comes after a time put into it: `free for the first term, after which a fee is due`."""
    tokens = sentence.tokens
    for place, (one, other) in enumerate(pairwise(tokens)):
        if one.word != "after" or other.word != "which" or not place or claim.words & _LATER:
            continue
        start = max((at for at in range(place) if tokens[at].word in PREPOSITIONS - {"of"}), default=place)
        before, then = stems_of(tokens[start:place]), stems_of(tokens[place + 2 :])
        if before & claim.positions.keys() and (then - stems_of(tokens[:place])) & claim.positions.keys():
            yield "it is so only after that there"
            return
