"""Conditions and causes: unless for if, only if, otherwise, because the other way round. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, is_negation, stems_of
from rag.grounding.words import BOUNDARIES, COORDINATORS, DETERMINERS, IF, PAST_AUXILIARIES, PREPOSITIONS
from rag.language.polarity import is_past, word_set
from rag.language.quantities import Quantity
from rag.language.quantity_equality import comparable, same_quantity

_ONLY_THEN = word_set("if when where while after once with during")
_CAUSES = (("because", "of"), ("because",), ("due", "to"), ("owing", "to"), ("as", "a", "result", "of"))
_EFFECTS = (
    ("therefore",),
    ("hence",),
    ("thus",),
    ("consequently",),
    ("accordingly",),
    ("as", "a", "result"),
    ("as", "a", "consequence"),
    ("for", "this", "reason"),
    ("for", "that", "reason"),
    ("which", "is", "why"),
    ("that", "is", "why"),
    ("this", "is", "why"),
)
_JOINS = word_set("and so but ;")
_ORDERING = word_set("before after while until")
_CONDITIONAL = word_set("if unless when whenever provided providing")
_NO_CONDITION_AFTER = word_set("even as ask asks asked know knows see only not what")
_CONDITIONS = (
    ("as", "long", "as"),
    ("so", "long", "as"),
    ("on", "condition", "that"),
    ("on", "the", "condition", "that"),
)
_EVENTS = (("in", "the", "event", "of"), ("in", "case", "of"), ("in", "the", "case", "of"))
_UNREAL = word_set("would could might")
_ELSE = (("otherwise",), ("or", "else"))


def condition_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a condition that is turned or left out, and a cause that is the effect there."""
    yield from _unless_twists(claim, sentence)
    yield from _threshold_twists(claim, sentence)
    yield from _otherwise_twists(claim, sentence)
    yield from _half_twists(claim, sentence)
    yield from _cause_twists(claim, sentence)
    yield from _dropped_twists(claim, sentence)


def _unless_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `if` for `unless`, and what holds `only if` where the claim leaves all of the condition out."""
    here, there = "unless" in claim.words, "unless" in sentence.words
    denials = [sum(is_negation(token.word) for token in reading.tokens) % 2 for reading in (claim, sentence)]
    other = sentence if here else claim
    if here != there and other.words & IF and denials[0] == denials[1]:
        yield "'unless' and 'if' have changed places"
    if not claim.words & (_ONLY_THEN | {"unless", "only", "without", "must", "before", "until"}):
        for place, token in enumerate(sentence.tokens[:-1]):
            after = sentence.tokens[place + 1].word
            own = token.word == "only" and _is_of_own_part(claim, sentence.tokens, place)
            if token.word == "only" and not own and after in _ONLY_THEN and _is_left_out(claim, sentence, place + 1):
                yield "the only condition is left out"
                return


def _is_of_own_part(claim: Reading, tokens: Sequence[Token], place: int) -> bool:
    """Return whether `only if` is said of a part behind `and` that the claim lacks: `by 4%, and by more only if`."""
    join = max((at for at in range(place) if tokens[at].word in COORDINATORS), default=place)
    inside = tokens[join + 1 : place]
    if not inside or inside[0].word not in PREPOSITIONS:
        return False
    return not stems_of(inside) & claim.positions.keys() and not {"more", "less"} & claim.words


def _threshold_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the bound of a condition that is left out: `if it is late by more than three weeks` as `if it is late`."""
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        restricts = token.word in ("who", "that") and place > 0 and bool(tokens[place - 1].stem)
        if not (token.word in IF or restricts) or token.word not in claim.words:
            continue
        end = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in (",", ";", ":")), len(tokens))
        inside = tokens[place + 1 : end]
        if restricts:
            inside = inside[: next((at for at in range(2, len(inside)) if _begins_main(inside, at)), len(inside))]
        bounds = [one.quantity for one in inside if one.quantity and one.quantity.bound]
        if not bounds or not _condition_of(claim, token.word) & stems_of(inside):
            continue
        if not any(comparable(said, bound) for _, said in claim.quantities for bound in bounds):
            yield "the bound of its condition is left out"
            return


def _half_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield one of two things that both are needed: `valid if it is signed` for `valid if it is dated and signed`."""
    if "only" in sentence.words | claim.words:
        return
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.word not in IF or token.word not in claim.words:
            continue
        end = next((at for at in range(place + 1, len(tokens)) if tokens[at].word in (",", ";", ":")), len(tokens))
        for join in (at for at in range(place + 2, end - 1) if tokens[at].word == "and"):
            pair = {tokens[join - 1].stem, tokens[join + 1].stem} - {""}
            alike = is_past(tokens[join - 1].word) and is_past(tokens[join + 1].word)
            if alike and len(pair & _condition_of(claim, token.word)) == 1 and not pair <= claim.positions.keys():
                yield "one half of its condition is left out"
                return


def _dropped_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a condition of what holds in general, left out with all its words: `if the wind rises, the lift stops`."""
    tokens = sentence.tokens
    if claim.words & (_CONDITIONAL | _ONLY_THEN | {"without", "before", "until"}):
        return
    wanted = claim.positions.keys()
    if _tells_amount(claim, tokens):
        return
    for place, token in enumerate(tokens):
        event = token.word == "in" and _has(tokens, place, _EVENTS)
        conditional = token.word in _CONDITIONAL or _has(tokens, place, _CONDITIONS)
        if not (event or conditional) or (place and tokens[place - 1].word in _NO_CONDITION_AFTER):
            continue
        end = _end_of_event(tokens, place) if event else _end_of_condition(tokens, place)
        inside, rest = tokens[place + 1 : end], (*tokens[:place], *tokens[end:])
        own = stems_of(inside) - stems_of(rest)
        general = _holds(claim) and not any(one.word in PAST_AUXILIARIES | _UNREAL for one in (*rest, *claim.tokens))
        said = any(_is_like(one, other.quantity) for _, one in claim.quantities for other in inside if other.quantity)
        main = _main_of(tokens, place, end)
        if own and general and not said and not own & wanted and wanted & stems_of(main) and wanted <= stems_of(rest):
            yield f"the condition with {token.word!r} is left out"
            return


def _tells_amount(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim only tells how much a thing is that is named with its amount: `a deposit of 20 euros`."""
    said = [token for token in claim.tokens if token.stem or token.quantity or token.word in AUXILIARIES]
    if len(said) != 3 or not said[0].stem or said[1].word not in ("is", "was") or said[2].quantity is None:
        return False
    return any(
        tokens[at].stem == said[0].stem and tokens[at + 1].word == "of" and _is_same(said[2], tokens[at + 2])
        for at in range(len(tokens) - 2)
    )


def _is_same(said: Token, stated: Token) -> bool:
    return bool(said.quantity and stated.quantity and same_quantity(said.quantity, stated.quantity))


def _is_like(said: Quantity, stated: Quantity) -> bool:
    """Return whether a claim's number may be that of a condition: of a like unit, no bare `two` for `20 mg/l`."""
    if said.unit or stated.unit:
        return comparable(said, stated) and bool(said.unit)
    return comparable(said, stated) and said.following[:1] == stated.following[:1]


def _holds(claim: Reading) -> bool:
    """Return whether a claim has an auxiliary, or no word with the form of a past: it tells no single deed."""
    return bool(claim.words & AUXILIARIES) or not any(is_past(token.word) for token in claim.tokens)


def _end_of_condition(tokens: Sequence[Token], place: int) -> int:
    """Return where a condition ends: at a mark or, where it stands first, with the sentence at the latest."""
    return next((at for at in range(place + 1, len(tokens)) if tokens[at].word in (",", ";", ":", ")")), len(tokens))


def _end_of_event(tokens: Sequence[Token], place: int) -> int:
    """Return where `in the event of a power cut` ends: at a mark, or at the article that follows its noun."""
    start = next(at for at in range(place, len(tokens)) if tokens[at].word == "of") + 2
    marks = (",", ";", ":", ")")
    ends = (at for at in range(start, len(tokens)) if tokens[at].word in marks or tokens[at].word in DETERMINERS)
    return next(ends, len(tokens))


def _main_of(tokens: Sequence[Token], place: int, end: int) -> Sequence[Token]:
    """Return the statement of a condition: what follows one that stands first, else what is before it."""
    start = max((at + 1 for at in range(place) if _begins_statement(tokens, at)), default=0)
    before = tokens[start:place]
    if any(one.stem for one in before):
        return before
    stop = next((at for at in range(end, len(tokens)) if tokens[at].word in (";", ":", "but")), len(tokens))
    return tokens[end:stop]


def _begins_statement(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a statement of its own begins behind a mark: `a key costs 9 euros, which are paid back if ...`."""
    relative = tokens[place].word == "," and any(token.word == "which" for token in tokens[place + 1 : place + 2])
    return relative or tokens[place].word in (";", ":", "but")


def _condition_of(claim: Reading, word: str) -> frozenset[str]:
    """Return the stems behind a word such as `if`, up to the next mark."""
    tokens = claim.tokens
    found: frozenset[str] = frozenset()
    for place in (at for at, token in enumerate(tokens) if token.word == word):
        end = next((at for at in range(place, len(tokens)) if tokens[at].word in (",", ";", ":")), len(tokens))
        found |= stems_of(tokens[place:end])
    return found


def _begins_main(tokens: Sequence[Token], place: int) -> bool:
    """Return whether the main clause goes on with an auxiliary right behind a noun: `who is late loses`, `may`."""
    return tokens[place].word in AUXILIARIES and bool(tokens[place - 1].stem)


def _is_left_out(claim: Reading, sentence: Reading, place: int) -> bool:
    """Return whether the claim has none of the words of a condition, and words that stand before it."""
    rest = []
    for token in sentence.tokens[place + 1 :]:
        if token.word in BOUNDARIES:
            break
        rest.append(token.stem)
    words = {stem for stem in rest if stem}
    before = {token.stem for token in sentence.tokens[:place] if token.stem}
    return bool(words) and not words & claim.positions.keys() and bool(before & claim.positions.keys())


def _otherwise_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what holds otherwise and is claimed under the very condition: `if it rains we walk` for `otherwise`."""
    tokens = sentence.tokens
    place = next((at for at in range(1, len(tokens)) if _has(tokens, at, _ELSE) and not tokens[at - 1].stem), 0)
    begins = next((at for at in range(place) if tokens[at].word in IF), -1)
    other = claim.words & {"otherwise", "unless", "else"} or any(is_negation(token.word) for token in claim.tokens)
    if other or not claim.words & IF:
        return
    if begins < 0:
        if place and _is_order_as_condition(claim, tokens[:place], tokens[place:]):
            yield "it is so otherwise there"
        return
    comma = next((at for at in range(begins, place) if tokens[at].word == ","), place)
    condition, after = stems_of(tokens[begins:comma]), stems_of(tokens[place:])
    before = stems_of(tokens[:place])
    wanted = claim.positions.keys()
    if wanted & (condition - after) and wanted & (after - before) and not wanted & (before - after - condition):
        yield "it is so otherwise there"


def _is_order_as_condition(claim: Reading, ordered: Sequence[Token], otherwise: Sequence[Token]) -> bool:
    """Return whether a claim makes a condition of what is to be done so that something else does not follow.

    `Turn it off before you open it; otherwise it may tear`: it may not tear if it is turned off before that.
    """
    if any(is_negation(token.word) or token.negated or token.stem == "avoid" for token in ordered):
        return False
    tokens = claim.tokens
    start = next(at for at, token in enumerate(tokens) if token.word in IF)
    end = next((at for at in range(start, len(tokens)) if tokens[at].word == ","), len(tokens))
    condition = tokens[start + 1 : end]
    stems, known = stems_of(condition), stems_of(ordered)
    orders = [{token.word for token in part} & _ORDERING for part in (condition, ordered)]
    follows = (claim.positions.keys() - stems) & (stems_of(otherwise) - known)
    return bool(stems) and stems <= known and bool(follows) and orders[0] == orders[1]


def _cause_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a cause of the claim that is the effect in the sentence, and its effect the cause."""
    said, stated = _cause_and_effect(claim), _cause_and_effect(sentence)
    if said is None or stated is None:
        return
    cause, effect = stated[0] - stated[1], stated[1] - stated[0]
    turned = said[0] & effect and said[1] & cause
    if turned and not said[0] & cause:
        yield "cause and effect have changed places"


def _cause_and_effect(reading: Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems of a cause and of its effect, None where no one word such as `because` tells them."""
    tokens = reading.tokens
    causes = [at for at in range(len(tokens)) if _has(tokens, at, _CAUSES)]
    effects = [at for at in range(len(tokens)) if _has(tokens, at, _EFFECTS) and at not in causes]
    if len(causes) + len(effects) != 1:
        return None
    place = (causes or effects)[0]
    start = max((at + 1 for at in range(place) if tokens[at].word == ";" and causes), default=0)
    end = next((at for at in range(place, len(tokens)) if tokens[at].word == ";"), len(tokens))
    if effects:
        join = max((at for at in range(place) if tokens[at].word in _JOINS), default=place)
        return stems_of(tokens[:join]), stems_of(tokens[join:end])
    comma = next((at for at in range(place, end) if tokens[at].word == ","), end)
    if any(token.stem for token in tokens[start:place]):
        return stems_of(tokens[place + 1 : comma]), stems_of(tokens[start:place])
    if comma == end:  # `because of rain the match was stopped`
        first = next((at for at in range(place, end) if tokens[at].stem), end)
        comma = next((at for at in range(first, end) if tokens[at].word in DETERMINERS), end)
    return stems_of(tokens[place + 1 : comma]), stems_of(tokens[comma:end])


def _has(tokens: Sequence[Token], place: int, phrases: Sequence[tuple[str, ...]]) -> bool:
    """Return whether one of some phrases begins at a place."""
    word = tokens[place].word
    return any(
        word == one[0] and tuple(token.word for token in tokens[place : place + len(one)]) == one for one in phrases
    )
