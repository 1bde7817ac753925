"""The subject of one clause with the predicate of another: at `and`, a semicolon, a shortened clause. Ground floor.

`A does X and B does Y` carries no `A does Y`. Each function compares a claim with one sentence of the evidence and
yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, takewhile

from rag.grounding.matching import displaces, matches
from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.twists.comparison import is_elsewhere
from rag.grounding.twists.gap import gap_twists, is_formed
from rag.grounding.words import BE, COORDINATORS, DETERMINERS, IF
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_PRONOUNS = word_set("it they this these he she which")
_SUBORDINATING = word_set("as because since although though while after before until unless that who which whose")
_RELATIVES = word_set("that who which whose")
_PLACES = word_set("in at to from on near")
_ANOTHER = word_set("second third other another others")
_LONGEST_OTHER = 4
"""Words at most that begin another subject: `the other two`."""


def clause_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a subject of one clause with the predicate of another."""
    denied = denied_by_ellipsis(claim, sentence)
    if denied is not None:
        if denied != any(token.negated or token.before_denial for token in claim.tokens):
            yield "it is denied of this one" if denied else "it is not denied of this one"
        return
    if len(_clausal_stretches(claim)) > 1 or is_elsewhere(claim, sentence):
        return
    if _mixes_clauses(claim, sentence):
        yield "its words belong to different statements"
    elif not sentence.text.startswith("|") and len(_sides(claim)) < 2:
        yield from _other_side_twists(claim, sentence)
    yield from gap_twists(claim, sentence)
    yield from _place_twists(claim, sentence)


def _mixes_clauses(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim takes a part of each of two clauses, and neither whole."""
    spans = _clausal_stretches(sentence)
    stretches = [stems_of(sentence.tokens[start:end]) for start, end in spans]
    wanted = frozenset(claim.content)
    for (one, _), (other, span) in combinations(zip(stretches, spans, strict=True), 2):
        continued = any(sentence.tokens[place].word in ("it", "they") for place in range(*span))
        mixed = (one - other) & wanted and (other - one) & wanted
        if mixed and one - wanted and other - wanted and not continued:
            return True
    return False


def _clausal_stretches(reading: Reading, *, spliced: bool = True) -> list[tuple[int, int]]:
    """Cut a sentence at `and`, `but`, `while` and semicolons into stretches that have a subject and a verb each.

    `spliced`: also at a comma that joins two clauses by itself.
    """
    tokens = reading.tokens
    joins = (at for at, one in enumerate(tokens) if one.word in COORDINATORS or (spliced and _is_spliced(tokens, at)))
    cuts = [0, *joins, len(tokens)]
    pieces = [(start, end) for start, end in pairwise(cuts) if end > start]
    counts = {stem: len(places) for stem, places in reading.positions.items()}
    merged: list[tuple[int, int]] = []
    pending: int | None = None
    for start, end in pieces:
        begin = start if pending is None else pending
        if _is_clause(reading, begin, end, counts):
            merged.append((begin, end))
            pending = None
        elif merged:
            merged[-1] = (merged[-1][0], end)
        else:
            pending = begin
    return merged


def _is_spliced(tokens: Sequence[Token], comma: int) -> bool:
    """Return whether a comma alone joins two clauses: `Wetsuits can be hired, boots must be bought`.

    Each has a noun and then an auxiliary; a clause that begins with `if`, `as` or the like is none by itself.
    """
    if tokens[comma].word != ",":
        return False
    start = max((at + 1 for at in range(comma) if tokens[at].word in (";", ",", ":")), default=0)
    before, after = tokens[start:comma], tokens[comma + 1 :]
    nouns = [*takewhile(lambda token: bool(token.stem) or token.word in DETERMINERS, after)]
    verb = after[len(nouns)].word if len(nouns) < len(after) else ""
    opens = not before or before[0].word in AUXILIARIES | _SUBORDINATING | IF
    verbs = sum(token.word in AUXILIARIES for token in before) - sum(token.word in _RELATIVES for token in before)
    return not opens and verbs > 0 and verb in AUXILIARIES and any(token.stem for token in nouns)


def _is_clause(reading: Reading, start: int, end: int, counts: dict[str, int]) -> bool:
    """Return whether a stretch has a word and, after it, an auxiliary or a verb that another stretch repeats."""
    seen = False
    for token in reading.tokens[start:end]:
        if seen and (token.word in AUXILIARIES or counts.get(token.stem, 0) > 1):
            return True
        if not seen and token.word in AUXILIARIES:
            return False
        seen = seen or bool(token.stem)
    return False


# --- operators cannot ---------------------------------------------------------------------------------------------


_PLACING = frozenset(("in", "on", "at", "for"))


def denied_by_ellipsis(claim: Reading, sentence: Reading) -> bool | None:
    """Return for a claim about the subject of a shortened clause (`...; operators cannot`) whether that denies it.

    None where the sentence has no such clause, or the claim is not about its subject.
    """
    if _is_of_denied_end(claim, sentence):
        return True
    for start, end in _clausal_stretches(sentence, spliced=False)[1:]:
        tokens = [token for token in sentence.tokens[start:end] if token.word[0].isalnum()]
        if tokens and _is_cut_short(tokens) and any(token.stem in claim.positions for token in tokens if token.stem):
            return _is_denied(tokens)
    if _is_of_short_end(claim, sentence):
        return True
    return None if sentence.text.startswith("|") else _denied_behind_comma(claim, sentence)


def _is_of_short_end(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim is about the subject of an end such as `while the red paint does not`."""
    tokens = sentence.tokens
    join = max((at for at, token in enumerate(tokens) if token.word in COORDINATORS), default=0)
    end = [token for token in tokens[join + 1 :] if token.word[0].isalnum()]
    short = join > 0 and len(end) > 2 and _ends_open(end) and _is_denied(end)
    return short and bool((stems_of(end) - stems_of(tokens[:join])) & claim.positions.keys())


def _is_of_denied_end(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim is about what the sentence ends by denying: `includes packaging but not freight`.

    The claim has the words of that end, and no other words of the statement that has none of its own denials.
    """
    tokens = sentence.tokens
    place = next((at for at in range(len(tokens) - 1, 0, -1) if tokens[at].word == "not"), 0)
    if not place or tokens[place - 1].word not in (",", "but") or _denials_before(tokens, place):
        return False
    end = tokens[place + 1 :]
    end = end[1:] if end and end[0].word in _PLACING else end  # `allowed on the terrace but not in the hall`
    if not end or any(token.word in AUXILIARIES or token.word in (",", ";", "but", "by") for token in end):
        return False
    if any(polarity.is_past(token.word) for token in end) or not all(
        token.stem or token.word in DETERMINERS | {"of"} for token in end
    ):
        return False
    own, before = stems_of(end), stems_of(tokens[:place])
    wanted = claim.positions.keys()
    head = next((token.stem for token in end if token.stem), "")
    verbs = {token.stem for token in tokens[:place] if token.stem and is_formed(token)}
    return bool(own - before) and head in wanted and own - before <= wanted and bool(verbs & wanted)


def _denials_before(tokens: Sequence[Token], place: int) -> bool:
    return any(is_negation(token.word) for token in tokens[:place])


def _denied_behind_comma(claim: Reading, sentence: Reading) -> bool | None:
    """Return the same for a clause behind a comma: `Compost may be used, weed killers may not`.

    The claim must have words that only this clause has, and none that only the words before it have as their subject.
    """
    tokens = sentence.tokens
    marks = [at for at, token in enumerate(tokens) if token.word in (",", ";")] + [len(tokens)]
    for (before, start), end in zip(pairwise([-1, *marks[:-1]]), marks[1:], strict=True):
        inside = [token for token in tokens[start + 1 : end] if token.word[0].isalnum()]
        if not inside or not inside[0].stem or not _ends_open(inside):
            continue
        own = stems_of(inside)
        first = next((at for at in range(before + 1, start) if tokens[at].word in AUXILIARIES), start)
        subject = stems_of(tokens[before + 1 : first])
        if (own - subject) & claim.positions.keys() and not (subject - own) & claim.positions.keys():
            return _is_denied(inside)
    return None


def _is_cut_short(tokens: Sequence[Token]) -> bool:
    return tokens[-1].word in AUXILIARIES or is_negation(tokens[-1].word)


def _ends_open(tokens: Sequence[Token]) -> bool:
    """Return whether words end in an auxiliary, denied or not, so that a verb is to be understood."""
    denied = tokens[-1].word == "not" and len(tokens) > 1
    return tokens[-2 if denied else -1].word in AUXILIARIES or tokens[-1].word.endswith("n't")


def _is_denied(tokens: Sequence[Token]) -> bool:
    return any(is_negation(token.word) for token in tokens)


# --- semicolons ---------------------------------------------------------------------------------------------------


def _sides(reading: Reading) -> list[tuple[int, int]]:
    """Return where the parts of a sentence between its semicolons begin and end."""
    cuts = [place for place, token in enumerate(reading.tokens) if token.word == ";"]
    edges = [-1, *cuts, len(reading.tokens)]
    return [(start + 1, end) for start, end in pairwise(edges) if end > start + 1]


def _other_side_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a word or number of one side of a semicolon in what the other side says."""
    sides = [Reading(sentence.text, sentence.tokens[start:end]) for start, end in _sides(sentence)]
    if len(sides) < 2:
        return
    found = [matches(claim, side).keys() for side in sides]
    if _is_of_another(claim, sides):
        yield "its words belong to two things on the sides of a semicolon"
        return
    if any(stems and _leads_back(side) for side, stems in zip(sides[1:], found[1:], strict=True)):
        return
    counts = [len(stems) + _numbers_in(claim, side) for stems, side in zip(found, sides, strict=True)]
    known = frozenset[str]().union(*found)
    fullest = [at for at, count in enumerate(counts) if count == max(counts)]
    strangers = [
        [stem for stem in sorted(known - found[at]) if displaces(claim, _without_numbers_of(claim, sides[at]), stem)]
        for at in fullest
    ]
    if (max(counts) > 1 and any(strangers)) or (len(known) > 1 and all(strangers)):
        yield f"{next(stem for stems in strangers for stem in stems)!r} stands on the other side of a semicolon"
        return
    for place, side in enumerate(sides[1:], 1):
        own = found[place] - frozenset[str]().union(*(found[other] for other in range(len(sides)) if other != place))
        before = Reading(sentence.text, tuple(token for one in sides[:place] for token in one.tokens))
        if own and _has_own_topic(side, before) and _numbers_in(claim, before) > _numbers_in(claim, side):
            yield "its number stands on the other side of a semicolon"
            return


def _is_of_another(claim: Reading, sides: Sequence[Reading]) -> bool:
    """Return whether a claim joins words of one thing and of `another` or `a second one` behind a semicolon."""
    if any(token.word in COORDINATORS or token.word in _ANOTHER for token in claim.tokens):
        return False
    for place, side in enumerate(sides[1:], 1):
        ahead = [*takewhile(lambda token: token.word not in AUXILIARIES, side.tokens[:_LONGEST_OTHER])]
        if not ahead or ahead[0].word not in ("a", "an", "the", "another", "others") or not _names_another(ahead):
            continue
        before = frozenset[str]().union(*(matches(claim, one).keys() for one in sides[:place]))
        here = frozenset(matches(claim, side).keys())
        if here - before and len(before - here) > 1:
            return True
    return False


def _names_another(ahead: Sequence[Token]) -> bool:
    """Return whether words begin a subject that is another one of what was said: `a second one`, `the other`."""
    other = next((at for at, token in enumerate(ahead) if token.word in _ANOTHER or token.quantity), -1)
    if other < 0:
        return False
    following = ahead[other + 1 :]
    return not following or following[0].word in ("one", "ones") or bool(polarity.is_past(following[0].word))


def _without_numbers_of(claim: Reading, side: Reading) -> Reading:
    """Return a part of a sentence without the numbers that the claim has, too, as they stand in no word's place."""
    said = [quantity for _, quantity in claim.quantities]
    kept = (one for one in side.tokens if not (one.quantity and any(same_quantity(own, one.quantity) for own in said)))
    return Reading(side.text, tuple(kept))


def _numbers_in(claim: Reading, side: Reading) -> int:
    return sum(any(same_quantity(said, stated) for _, stated in side.quantities) for _, said in claim.quantities)


def _leads_back(side: Reading) -> bool:
    """Return whether a part begins with a pronoun, so that its subject stands in the part before it."""
    return any(token.word in _PRONOUNS for token in takewhile(lambda token: not token.stem, side.tokens))


def _has_own_topic(side: Reading, before: Reading) -> bool:
    """Return whether a part begins with a word that was not said before, and no pronoun leads back from it."""
    first = next((token.stem for token in side.tokens if token.stem), "")
    return bool(first) and first not in before.positions and not side.words & _PRONOUNS


# --- died in Kiel and was buried in Riga --------------------------------------------------------------------------


def _place_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a place of one verb with another verb, joined by `and`, that has a place of its own."""
    tokens = sentence.tokens
    said = _named_places(claim.tokens, 0, len(claim.tokens))
    for join, token in enumerate(tokens):
        verb = _verb_behind(tokens, join) if said and token.word == "and" else -1
        if verb < 0:
            continue
        end = next((at for at in range(verb, len(tokens)) if tokens[at].word in COORDINATORS | {","}), len(tokens))
        start = max((at + 1 for at in range(join) if tokens[at].word in COORDINATORS | {","}), default=0)
        own = _names_in(tokens[start:join]), _names_in(tokens[verb:end])
        places = _named_places(tokens, start, join), _named_places(tokens, verb, end)
        verbs = {one.stem for one in tokens[start:join] if polarity.is_past(one.word)}, {tokens[verb].stem}
        for here, other in ((0, 1), (1, 0)):
            if not verbs[here] & claim.positions.keys() or verbs[other] & claim.positions.keys():
                continue
            moved = _moved(said, places[here], own[other] - own[here])
            if moved and any(len(sentence.positions[stem]) == 1 for stem in verbs[here] & claim.positions.keys()):
                yield f"{moved!r} is the place of another verb there"
                return


def _moved(said: Mapping[str, set[str]], own: Mapping[str, set[str]], others: frozenset[str]) -> str:
    """Return a name that is said with a preposition under which a verb has other places; empty for none."""
    found = (said[word] & others for word in said.keys() & own.keys() if not said[word] & own[word])
    return min((name for names in found for name in names), default="")


def _names_in(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if token.name and token.stem)


def _verb_behind(tokens: Sequence[Token], join: int) -> int:
    """Return where a past tense or participle stands right behind `and`, auxiliaries passed over; -1 for none."""
    place = join + 1
    while place < len(tokens) and tokens[place].word in BE | {"later", "then", "had"}:
        place += 1
    is_verb = place < len(tokens) and bool(tokens[place].stem) and polarity.is_past(tokens[place].word)
    return place if is_verb and not tokens[place].name else -1


def _named_places(tokens: Sequence[Token], start: int, end: int) -> dict[str, set[str]]:
    """Return the names that stand right behind each preposition of place."""
    found: dict[str, set[str]] = {}
    for place in range(start, end - 1):
        if tokens[place].word in _PLACES and tokens[place + 1].name and tokens[place + 1].stem:
            found.setdefault(tokens[place].word, set()).add(tokens[place + 1].stem)
    return found
