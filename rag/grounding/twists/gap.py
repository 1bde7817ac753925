"""A clause without its verb: `the seller may cancel in May, the buyer after a year`, `the red key for the gate, ...`.

What it says is said of its own subject. Each function compares a claim with one sentence of the evidence and yields a
plain reason for every twist it finds. Ground floor.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language import polarity
from rag.language.polarity import word_set
from rag.language.quantity_equality import same_quantity

_MODALS = word_set("can may must shall will should could might would cannot")
_SOME = word_set("some others few several many none")
_SHARES = _SOME | word_set("other half")
_RELATIVES = word_set("who which that whose whom")


def gap_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is said of the subject of a clause without a verb, and claimed of another, and the reverse."""
    yield from _subject_gap_twists(claim, sentence)
    if not sentence.text.startswith("|"):
        yield from _parallel_twists(claim, sentence)


def _subject_gap_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the subject of a clause without a verb with what the clause before says, and the reverse.

    `The seller may cancel in May, the buyer after a year`: the buyer may not cancel in May.
    """
    tokens = sentence.tokens
    for comma, token in enumerate(tokens):
        subject, rest = _gap(tokens, comma) if token.word in (",", ";") else (frozenset[str](), frozenset[str]())
        if not subject:
            continue
        start = max((at + 1 for at in range(comma) if tokens[at].word in (";", ":")), default=0)
        verb = _verb_before(tokens, start, comma)
        first = stems_of(tokens[start:verb])
        told = next((at for at in range(verb, comma) if tokens[at].word in PREPOSITIONS), comma)
        said = stems_of(tokens[told:comma]) - first - subject - rest
        rest = rest - subject - stems_of(tokens[start:comma])
        wanted = claim.positions.keys()
        of_gap, of_first = bool(wanted & subject) and not wanted & (first - subject), bool(wanted & (first - subject))
        if said and rest and ((of_gap and wanted & said and not wanted & rest) or (of_first and wanted & rest)):
            yield "it is said of another subject there"
            return


def _gap(tokens: Sequence[Token], comma: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of subject and rest of a clause without a verb behind a modal's clause, no stems for no such.

    It begins with an article, goes on with a preposition, and ends with the statement.
    """
    end = next((at for at in range(comma + 1, len(tokens)) if tokens[at].word in (";", ".")), len(tokens))
    inside = tokens[comma + 1 : end]
    head = next((at for at, token in enumerate(inside) if token.word in PREPOSITIONS - {"of"}), 0)
    verbal = any(token.word in AUXILIARIES or token.word in (",", "who", "which", "that") for token in inside)
    if head < 2 or verbal or inside[0].word not in DETERMINERS:
        return frozenset(), frozenset()
    if not (_follows_modal(tokens, comma) or _follows_alike(tokens, comma, inside[head].word)):
        return frozenset(), frozenset()
    if any(polarity.is_past(token.word) for token in inside[:head]):
        return frozenset(), frozenset()
    return stems_of(inside[:head]), stems_of(inside[head:])


def _follows_modal(tokens: Sequence[Token], comma: int) -> bool:
    """Return whether the statement before a comma has a modal, so that what follows is no apposition to a name."""
    start = max((at + 1 for at in range(comma) if tokens[at].word in (";", ":")), default=0)
    return any(token.word in _MODALS for token in tokens[start:comma]) and not tokens[comma - 1].name


def _follows_alike(tokens: Sequence[Token], comma: int, preposition: str) -> bool:
    """Return whether the statement before a comma has a subject and, behind its verb, the preposition of the gap.

    As in `Title passes on payment, the risk on handover`.
    """
    start = max((at + 1 for at in range(comma) if tokens[at].word in (";", ":")), default=0)
    verb = _verb_before(tokens, start, comma)
    alike = any(token.word == preposition for token in tokens[verb + 1 : comma])
    return start < verb < comma and alike and tokens[comma + 1].word == "the" and not tokens[comma - 1].name


def _verb_before(tokens: Sequence[Token], start: int, comma: int) -> int:
    """Return where the verb of a statement stands: its auxiliary, else the first word with the form of one."""
    formed = [
        at
        for at in range(start, comma)
        if tokens[at].word in AUXILIARIES | _MODALS
        or (at > start and tokens[at].stem and tokens[at + 1].word in PREPOSITIONS and is_formed(tokens[at]))
    ]
    return next((at for at in formed if tokens[at].word in AUXILIARIES | _MODALS), formed[0] if formed else comma)


def is_formed(token: Token) -> bool:
    """Return whether a word has the form of a past or of a present in the third person, and is no name."""
    return not token.name and (polarity.is_past(token.word) or token.word.endswith("s"))


# --- the red key for the gate, the blue key for the shed -----------------------------------------------------------


def _parallel_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield words of one of two parallel parts with those of the other, of which the second has no verb of its own.

    `The leader wears a white jersey, the best climber a green one`, `Most live in the city, some in the islands`.
    """
    tokens = sentence.tokens
    for comma, token in enumerate(tokens):
        inside = _without_verb(tokens, comma) if token.word == "," else ()
        start = max((at + 1 for at in range(comma) if tokens[at].word in (";", ":", ",")), default=0)
        cut = _second_part(inside, tokens[start:comma])
        if not cut:
            continue
        whose, what = inside[:cut], inside[cut:]
        told = _last_part(tokens[start:comma], what)
        before = stems_of(tokens[start:comma])
        own, said = stems_of(whose) - before, stems_of(what) - before
        first, first_said = stems_of(tokens[start : start + told]), stems_of(tokens[start + told : comma])
        numbers = _has_number_of(claim, what) and not _has_number_of(claim, tokens[start:comma])
        wanted = claim.positions.keys()
        of_share = inside[0].word in _SOME and not claim.words & _SHARES
        others = not own & wanted if own else of_share
        crossed = bool(wanted & said or numbers) and bool(wanted & (first - stems_of(inside))) and others
        of_first = _has_number_of(claim, tokens[start + told : comma]) and not _has_number_of(claim, what)
        turned = bool(own & wanted) and bool(wanted & (first_said - stems_of(inside)) or of_first) and not wanted & said
        if crossed or (turned and bool(said or of_first)):
            yield "it is said of another of two there"
            return


def _without_verb(tokens: Sequence[Token], comma: int) -> Sequence[Token]:
    """Return what stands behind a comma up to the next mark, nothing where it has a verb or a relative clause."""
    start = comma + 1 + any(token.word in ("and", "but") for token in tokens[comma + 1 : comma + 2])
    end = next(
        (at for at in range(start, len(tokens)) if tokens[at].word in (";", ",", ":", "(", "—", "–")), len(tokens)
    )
    inside = tokens[start:end]
    verbal = any(
        one.word in AUXILIARIES | _RELATIVES
        or (polarity.is_past(one.word) and not one.name and tokens[at - 1].word not in DETERMINERS)
        for at, one in enumerate(inside, start)
    )
    return () if verbal else inside


def _second_part(inside: Sequence[Token], before: Sequence[Token]) -> int:
    """Return where the second part of words without a verb begins that is parallel to what stands before; 0 for none.

    They have a noun in common and the same preposition (`the red key for the gate, the blue key for the shed`), or end
    with `a green one`, or begin with `some in`, or are a noun with a number of the kind of there.
    """
    if len(inside) < 3 or inside[0].quantity:
        return 0
    if inside[0].word in PREPOSITIONS:
        later = [at for at in range(2, len(inside)) if inside[at].word in PREPOSITIONS - {"of"}]
        numbers = any(token.quantity for token in inside[later[0] :]) if later else False
        return later[0] if numbers and _has_phrase(before, inside[later[0]].word) else 0
    preposition = next((at for at, token in enumerate(inside) if token.word in PREPOSITIONS - {"of"}), 0)
    known = any(token.word == inside[preposition].word for token in before) if preposition else False
    if inside[-1].word in ("one", "ones") and inside[0].word in ("the", "his", "her", "their"):
        article = [at for at in range(2, len(inside)) if inside[at].word in DETERMINERS]
        return article[0] if len(article) == 1 and not preposition else 0
    if inside[0].word in _SOME:
        return 1 if preposition == 1 and known else 0
    if preposition > 1 and known and inside[0].word in DETERMINERS:
        head = inside[preposition - 1]
        one = head.word in ("one", "ones") or (head.quantity is not None and head.quantity.values == (1.0,))
        return preposition if one or head.stem in stems_of(before) else 0
    kinds = {token.quantity.kind for token in inside if token.quantity}
    alike = bool(kinds) and kinds <= {token.quantity.kind for token in before if token.quantity}
    return 1 if preposition == 1 and alike and inside[0].word.endswith("s") and not inside[0].name else 0


def _has_phrase(tokens: Sequence[Token], preposition: str) -> bool:
    """Return whether a preposition leads to a number: `with two months' notice`."""
    places = [at for at, token in enumerate(tokens) if token.word == preposition]
    return any(token.quantity for at in places for token in tokens[at + 1 : at + 3])


def _last_part(before: Sequence[Token], what: Sequence[Token]) -> int:
    """Return where the counterpart of the second part begins: the same preposition, else any, else an article."""
    same = [at for at, token in enumerate(before) if token.word == what[0].word and at]
    placed = [at for at, token in enumerate(before) if token.word in PREPOSITIONS - {"of"} and at]
    articles = [at for at, token in enumerate(before) if token.word in DETERMINERS and at]
    if what[0].word in PREPOSITIONS:
        return (same or placed or [len(before)])[-1]
    return (articles or [len(before)])[-1]


def _has_number_of(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether some words have one of the claim's numbers."""
    return any(same_quantity(said, one.quantity) for _, said in claim.quantities for one in tokens if one.quantity)
