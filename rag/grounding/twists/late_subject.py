"""The subject of a later clause with the verb of an earlier one that has a subject of its own. Ground floor.

`The tower, restored in 1988, is 40 m high and the chapel 12 m` carries no `the chapel was restored in 1988`, nor does
`a family ticket costs 22 euros; it covers a boat trip` carry `a boat trip costs 22 euros`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.statements import CUTS, LEADS, subject_and_verb
from rag.grounding.words import BE, DETERMINERS, IF
from rag.language.polarity import is_past, opposites_of, word_set
from rag.language.quantity_equality import same_quantity

_CLOSES = word_set(", ; : ) |")
_LIKEWISE = word_set("as so like too also likewise neither nor same both does do did than")
"""What says of a later subject what was said of an earlier one: `..., and so does the chapel`."""
_COMPLEX = word_set("by , who which that")
_OPENS = IF | LEADS | word_set("while although though because since as until unless before after not")


def late_subject_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a subject that the sentence names only behind the clause of its verb, which is said of another there."""
    tokens = sentence.tokens
    if sentence.text.startswith("|") or claim.words & _COMPLEX:
        return
    subject, verb = subject_and_verb(claim.tokens)
    stem = next(iter(verb), "")
    places = sentence.positions.get(stem, ())
    late = [at for one in subject for at in sentence.positions.get(one, ())]
    if not places or not subject or len(late) < len(subject) or not _is_verb(claim, stem):
        return
    rest = (claim.positions.keys()) - subject - verb
    if all(_is_of_another(claim, tokens, at, late, rest) for at in places):
        yield f"{stem!r} is said of another there, in a clause before"


def relative_object_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a passive of what the sentence says of another thing: `entered in the log, which the foreman signs`."""
    tokens = sentence.tokens
    for place, (noun, aux) in enumerate(pairwise(claim.tokens)):
        verb = next((token for token in claim.tokens[place + 2 : place + 4] if token.stem), None)
        if not noun.stem or aux.word not in BE or verb is None or not is_past(verb.word):
            continue
        places = sentence.positions.get(verb.stem, ())
        if places and all(_is_done_to_another(tokens, at, noun.stem) for at in places):
            yield f"{verb.word!r} is said of another thing there, before 'which'"
            return


def other_one_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield of the old one what the sentence says of a new key: `a new key costs 35 euros, the old one is lost`."""
    tokens = sentence.tokens
    for at in range(1, len(tokens)) if not claim.words & IF else ():
        which = tokens[at - 1]
        if tokens[at].word not in ("one", "ones") or not which.stem or which.stem not in claim.positions:
            continue
        others = opposites_of(which.stem) & sentence.positions.keys() - claim.positions.keys()
        nouns = {tokens[place + 1].stem for one in others for place in sentence.positions[one] if tokens[place + 1 :]}
        told = {token.stem for token in claim.tokens[claim.positions[which.stem][0] + 1 :][:1]}
        edges = [place for place, token in enumerate(tokens) if token.word in _CLOSES | CUTS | IF]
        start = max((place for place in edges if place < at), default=0)
        inside = tokens[start : next((place for place in edges if place > at), len(tokens))]
        stated = [token.quantity for token in inside if token.quantity]
        said = [quantity for _, quantity in claim.quantities]
        if nouns & told - {""} and said and not any(same_quantity(one, two) for one in said for two in stated):
            yield f"it is not said of the {which.word!r} one there"
            return


def _is_done_to_another(tokens: Sequence[Token], verb: int, thing: str) -> bool:
    """Return whether a verb ends `which` and a subject of its own, of another noun than one that stands before it."""
    start = verb - 1
    while start > 0 and tokens[start].stem and tokens[start].word not in LEADS:
        start -= 1
    if start < 1 or start == verb - 1 or tokens[start].word not in DETERMINERS:
        return False
    if tokens[start - 1].word not in ("which", "that", "whom"):
        return False
    before = [token for token in tokens[: start - 1] if token.word != ","]
    return bool(before) and bool(before[-1].stem) and before[-1].stem != thing and thing in stems_of(before)


def _is_of_another(
    claim: Reading, tokens: Sequence[Token], verb: int, late: Sequence[int], rest: frozenset[str] | set[str]
) -> bool:
    """Return whether a verb has a subject that the claim lacks, and the claim's stands only behind its clause."""
    end = next((at for at in range(verb + 1, len(tokens)) if tokens[at].word in _CLOSES), len(tokens))
    if end == len(tokens) or any(at < end for at in late):
        return False
    start = max((at + 1 for at in range(verb) if tokens[at].word in (";", ":")), default=0)
    before = tokens[start:verb]
    first = next((token for token in before if token.stem or token.word not in DETERMINERS), None)
    if first is None or not first.stem or first.word in _OPENS | AUXILIARIES or is_past(first.word):
        return False
    if stems_of(before) <= claim.positions.keys():
        return False
    if _is_cut_short(tokens[max(late) + 1 :]):
        return False
    if end + 1 == min(late) and tokens[end + 1].name:
        return False  # `the first man arrested in 1988, Karl Voss, ...`
    between = tokens[end : min(late)]
    joined = any(token.word in ("and", "or") for token in between[1:2])
    if (joined or any(token.word in _LIKEWISE for token in between)) and not _has_verb(tokens, end, min(late)):
        return False
    return _is_told(claim, tokens[start:end], rest)


def _is_cut_short(behind: Sequence[Token]) -> bool:
    """Return whether an auxiliary right behind a subject has no verb: `administrators can delete it; others cannot`."""
    inside = behind[: next((at for at, token in enumerate(behind) if token.word in _CLOSES), len(behind))]
    return any(token.word in AUXILIARIES for token in inside[:1]) and not any(token.stem for token in inside)


def _is_verb(claim: Reading, stem: str) -> bool:
    """Return whether a word of a claim is its verb: behind `is` a participle, and no noun behind an article."""
    place = claim.positions[stem][0]
    before = claim.tokens[place - 1].word if place else ""
    return before not in DETERMINERS and (before not in BE or is_past(claim.tokens[place].word))


def _has_verb(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return whether an auxiliary or a past stands in a stretch: behind it `and` joins another clause."""
    words = [token.word for token in tokens[start:end]]
    return any(word in AUXILIARIES - {"do", "does", "did"} or is_past(word) for word in words)


def _is_told(claim: Reading, inside: Sequence[Token], rest: frozenset[str] | set[str]) -> bool:
    """Return whether the clause of a verb has all that the claim says besides, and the claim says something."""
    numbers = [quantity for _, quantity in claim.quantities]
    stated = [token.quantity for token in inside if token.quantity]
    known = all(any(same_quantity(one, other) for other in stated) for one in numbers)
    return bool(rest or numbers) and known and rest <= stems_of(inside)
