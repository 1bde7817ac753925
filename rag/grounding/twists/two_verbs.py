"""What one of two verbs of a subject has behind it, said with the other one. Ground floor.

`The pool opens at 7 on weekdays but closes at noon in winter` carries no `the pool closes at noon on weekdays`, nor
does `helmets are included in the set but cost 6 euros for adults` carry `helmets are included for adults`.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.statements import CUTS, ELSEWHERE, LEADS, begins_with_verb, is_any_in
from rag.grounding.words import ARTICLES, BE, DETERMINERS
from rag.language.polarity import is_past, word_set
from rag.language.quantity_equality import same_quantity

_PRONOUNS = word_set("they he she we you its their him her")

_FURTHER = word_set("further other next last same")


def two_verbs_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is said of a subject with one verb and claimed with the other."""
    if not claim.words & (CUTS | {",", ";"}) and is_any_in(
        (_crosses_verbs, _crosses_objects, _crosses_subjects), claim, sentence
    ):
        yield "it is said with the other of two verbs or things there"


def _crosses_verbs(claim: Reading, tokens: Sequence[Token]) -> bool:
    wanted = claim.positions.keys()
    for join in (at for at, token in enumerate(tokens[:-2]) if token.word in ("and", "but")):
        second = _verb_behind(tokens, join)
        first = _verb_before(tokens, join) if second else 0
        end = next((at for at in range(join + 1, len(tokens)) if tokens[at].word in CUTS | {","}), len(tokens))
        if not first or any(token.word in ELSEWHERE | _PRONOUNS for token in tokens[:end]):
            continue
        before, behind = _phrases(tokens[first + 1 : join]), _phrases(tokens[second + 1 : end])
        one, other = tokens[first].stem, tokens[second].stem
        if not before or one == other:
            continue
        own = before - stems_of(tokens[:first]) - stems_of(tokens[join:])
        theirs = behind - stems_of(tokens[:join]) - stems_of(tokens[end:])
        if other in wanted and one not in wanted and wanted & own:
            return True
        if one in wanted and other not in wanted and wanted & theirs and not own <= wanted:
            return True
    return False


def _crosses_objects(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has one of two objects with the phrase of the other.

    As in `they receive their badge on the first day and their laptop within a week`.
    """
    wanted = claim.positions.keys()
    for join in (at for at in range(4, len(tokens) - 4) if tokens[at].word == "and"):
        opens = tokens[join + 1].word
        lead = max((at for at in range(join) if tokens[at].word in LEADS - {"of"}), default=0)
        behind = next((at for at in range(join + 2, min(join + 5, len(tokens))) if not _is_noun(tokens[at])), join)
        if opens not in DETERMINERS or lead < 2 or behind >= len(tokens) or tokens[behind].word not in LEADS - {"of"}:
            continue
        start = next((at for at in range(lead - 1, max(-1, lead - 4), -1) if not _is_noun(tokens[at])), 0)
        if tokens[start].word != opens or behind == join + 2:
            continue
        end = next((at for at in range(behind + 1, len(tokens)) if tokens[at].word in CUTS | {","}), len(tokens))
        if any(token.word in AUXILIARIES for token in (*tokens[lead:join], *tokens[behind:end])):
            continue
        one, other = tokens[lead - 1].stem, tokens[behind - 1].stem
        first, second = stems_of(tokens[lead:join]), stems_of(tokens[behind:end])
        for here, there, own, theirs in ((one, other, first, second), (other, one, second, first)):
            if here in wanted and there not in wanted and wanted & (theirs - own) and not wanted & (own - theirs):
                return True
    return False


def _crosses_subjects(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of one of two like things what is said of the other.

    As in `the first hour is free and each further hour costs 1.50 euros`.
    """
    for join in (at for at in range(3, len(tokens) - 3) if tokens[at].word in CUTS):
        verb = _verb_of_subject(tokens, join + 1)
        start = max((at + 1 for at in range(join) if tokens[at].word in (",", ";", "where")), default=0)
        before = _verb_of_subject(tokens, start)
        if not verb or not before or before >= join or tokens[verb - 1].stem != tokens[before - 1].stem:
            continue
        end = next((at for at in range(verb, len(tokens)) if tokens[at].word in CUTS | {","}), len(tokens))
        one, other = tokens[start:before], tokens[join + 1 : verb]
        first, second = tokens[before:join], tokens[verb:end]
        for here, there, own, theirs in ((one, other, first, second), (other, one, second, first)):
            if _names(claim, here, there) and not _names(claim, there, here):
                return _has_any(claim, theirs, (*own, *here)) and not _has_any(claim, own, (*theirs, *there))
    return False


def _verb_of_subject(tokens: Sequence[Token], start: int) -> int:
    """Return where the verb of a subject that begins here with an article stands; 0 for none."""
    if start >= len(tokens) or tokens[start].word not in DETERMINERS:
        return 0
    end = start + 1
    while end < min(len(tokens), start + 4) and _may_be_of_subject(tokens[end]):
        token, after = tokens[end], tokens[end + 1 : end + 2]
        governs = bool(after) and (after[0].quantity is not None or after[0].word in DETERMINERS | LEADS)
        if end > start + 1 and token.word.endswith("s") and governs:
            return end
        end += 1
    return end if end < len(tokens) and end > start + 1 and tokens[end].word in AUXILIARIES else 0


def _may_be_of_subject(token: Token) -> bool:
    return bool(token.stem or token.quantity) or token.word in _FURTHER


def _is_noun(token: Token) -> bool:
    return bool(token.stem) and token.word not in LEADS


def _names(claim: Reading, tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    """Return whether a claim has a word of a subject, `further` among them, that the other subject lacks."""
    own = {token.word for token in tokens} - {token.word for token in others} - ARTICLES - {"#"}
    return bool(own & claim.words) or _has_any(claim, tokens, others)


def _has_any(claim: Reading, tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    """Return whether a claim has a word or number of some tokens that the others lack."""
    if claim.positions.keys() & (stems_of(tokens) - stems_of(others)):
        return True
    numbers = [token.quantity for token in tokens if token.quantity]
    rest = [token.quantity for token in others if token.quantity]
    own = [one for one in numbers if not any(same_quantity(one, other) for other in rest)]
    return any(same_quantity(said, one) for _, said in claim.quantities for one in own)


def _verb_before(tokens: Sequence[Token], join: int) -> int:
    """Return where the verb of a sentence's subject stands, that its auxiliary or form tells; 0 for none."""
    auxiliary = next((at for at in range(1, join) if tokens[at].word in AUXILIARIES), 0)
    if auxiliary:
        found = next((at for at in range(auxiliary + 1, min(join, auxiliary + 4)) if tokens[at].stem), 0)
        passive = tokens[auxiliary].word in BE
        return found if not passive or is_past(tokens[found].word) else 0
    for at in range(1, join - 1):
        token, before = tokens[at], tokens[at - 1]
        formed = is_past(token.word) or (token.word.endswith("s") and not before.word.endswith("s"))
        plain = at == 1 and before.word.endswith("s") and tokens[at + 1].word in DETERMINERS  # `volunteers sort the`
        governs = tokens[at + 1].word in LEADS | DETERMINERS or tokens[at + 1].quantity is not None
        if token.stem and not token.name and (formed or plain) and governs and before.stem:
            return at
    return 0


def _verb_behind(tokens: Sequence[Token], join: int) -> int:
    """Return where the second verb stands, right behind `and`, its auxiliaries passed over; 0 for none."""
    rest = tokens[join + 1 :]
    place = next((at for at, token in enumerate(rest) if token.word not in AUXILIARIES), 0)
    if place >= len(rest) - 1 or not rest[place].stem:
        return 0
    after = rest[place + 1]
    inflected = rest[place].word.endswith("s") and not rest[place].name and after.word in LEADS | DETERMINERS
    counted = rest[place].word.endswith("s") and after.quantity is not None and not after.quantity.following
    return join + 1 + place if place or begins_with_verb(rest) or inflected or counted else 0


def _phrases(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the stems behind the first preposition of some words: not the object, which two verbs may share."""
    start = next((at for at, token in enumerate(tokens) if token.word in LEADS - {"of"}), len(tokens))
    return stems_of(tokens[start:])
