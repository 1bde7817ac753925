"""A second statement that leaves out what the first has said: `boys a green card, girls a red one`, `Dr Amato adults`.

What is left out is that of the statement before; what is said stays with its own words. Each function compares a claim
with one sentence of the evidence and yields a plain reason for every twist it finds. Ground floor.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import AUXILIARIES, Reading, Token, stems_of
from rag.grounding.statements import CUTS, ELSEWHERE, is_any_in, subject_and_verb
from rag.grounding.twists.parallel import phrases_of
from rag.grounding.words import ARTICLES, DETERMINERS
from rag.language.polarity import is_past, word_set
from rag.language.quantity_equality import same_quantity

_OTHERS = word_set("other others rest else remaining everyone everybody")


def shortened_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what a shortened second statement says with the words of the first, or the reverse."""
    tests = (_crosses_names, _crosses_ones, _is_of_others, _crosses_alternatives)
    if is_any_in(tests, claim, sentence):
        yield "it is said of another of two parts there"


# --- boys a green card, girls a red one ----------------------------------------------------------------------------


def _crosses_ones(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has `a red card` for whom there is `a green card`, behind which stands `a red one`."""
    for comma, token in enumerate(tokens):
        end = next((at for at in range(comma + 1, len(tokens)) if tokens[at].word in CUTS), len(tokens))
        place = end - 3
        if token.word not in (",", "and") or place <= comma + 1 or tokens[place].word not in ("a", "an", "the"):
            continue
        if tokens[end - 1].word != "one" and not tokens[end - 1].quantity:
            continue
        kind = next((at for at in range(comma - 1, 0, -1) if tokens[at].word in ARTICLES), 0)
        whose, first = stems_of(tokens[comma + 1 : place]), subject_and_verb(tokens[:comma])[0]
        mine, theirs = {tokens[kind + 1].stem} - {""}, {tokens[end - 2].stem} - {""}
        wanted = claim.positions.keys()
        for own, said, rival, other in ((first, theirs, mine, whose), (whose, mine, theirs, first)):
            if kind and wanted & (own - other) and wanted & said and not wanted & rival and not wanted & (other - own):
                return True
    return False


# --- Ms Tanaka teaches maths, Mr Osei biology ----------------------------------------------------------------------


def _crosses_names(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim gives the object of one name to another: `Dr Weiss sees children and Dr Amato adults`."""
    for cut, token in enumerate(tokens):
        if token.word not in (",", "and", "but") or cut < 3:
            continue
        named = cut + 1 + (tokens[cut + 1].word in ("and", "but") if cut + 1 < len(tokens) else 0)
        subject = _names(tokens, named)
        first = _names(tokens, 0) or 1
        if subject == named or not tokens[0].stem or first >= cut - 1:
            continue
        end = next((at for at in range(named, len(tokens)) if tokens[at].word in ("but", "while")), len(tokens))
        rest, before = tokens[subject:end], tokens[first + 1 : cut]
        if not _is_object(rest) or not _is_object(before) or not _is_present(tokens[first]):
            continue
        objects, others = stems_of(before), stems_of(rest)
        one, other = stems_of(tokens[:first]), stems_of(tokens[named:subject])
        wanted = claim.positions.keys()
        for own, rival, said in (
            (one - other, other - one, others - objects),
            (other - one, one - other, objects - others),
        ):
            if wanted & own and wanted & said and not wanted & rival:
                return True
    return False


def _names(tokens: Sequence[Token], start: int) -> int:
    """Return where a run of names that begins here ends; the first word of a statement is one before a name."""
    end = start
    while (
        end < len(tokens)
        and tokens[end].stem
        and (tokens[end].name or (end == 0 and len(tokens) > 1 and tokens[1].name))
    ):
        end += 1
    return end


def _is_present(token: Token) -> bool:
    return bool(token.stem) and not token.name and (token.word.endswith("s") or is_past(token.word))


def _is_object(tokens: Sequence[Token]) -> bool:
    """Return whether words are nouns alone, a list of them at most: no verb that a form tells, no preposition."""
    plain = [token for token in tokens if token.word not in (",", "and") and token.word not in ARTICLES]
    return bool(plain) and all(token.stem and not token.name and not is_past(token.word) for token in plain)


# --- all others within a week --------------------------------------------------------------------------------------


def _is_of_others(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim says of its subject what is said of all others: `these at once, all others in a week`."""
    if claim.words & _OTHERS:
        return False
    for cut, token in enumerate(tokens):
        if token.word not in (",", "and", "but", "while"):
            continue
        opening = [at for at in range(cut + 1, min(cut + 5, len(tokens))) if tokens[at].word in _OTHERS]
        between = tokens[cut + 1 : opening[0]] if opening else ()
        if not opening or not all(one.word in DETERMINERS | {"and", "but"} for one in between):
            continue
        rest, before = tokens[opening[0] + 1 :], tokens[:cut]
        said = stems_of(rest) - stems_of(before)
        numbers = [one.quantity for one in rest if one.quantity]
        wanted = claim.positions.keys()
        known = any(same_quantity(one, number) for _, one in claim.quantities for number in numbers)
        if (wanted & said or known) and wanted & (stems_of(before) - stems_of(rest)):
            return True
    return False


# --- for four hours at 25 °C, or overnight in the fridge -----------------------------------------------------------


def _crosses_alternatives(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim has a piece of the alternative behind `, or`, with a phrase of the one before it."""
    for comma, token in enumerate(tokens[:-2]):
        if token.word != "," or tokens[comma + 1].word != "or":
            continue
        before, after = tokens[:comma], tokens[comma + 2 :]
        if any(one.word in ELSEWHERE | {",", "and"} | AUXILIARIES for one in after):
            continue
        phrases = phrases_of(before)
        stems, others = stems_of(after) - stems_of(before), stems_of(before)
        numbers = [one.quantity for one in after if one.quantity]
        stated = [one.quantity for one in before if one.quantity]
        said = [one for _, one in claim.quantities]
        wanted = claim.positions.keys()
        missing = stems - wanted or [one for one in numbers if not any(same_quantity(one, own) for own in said)]
        of_first = any(wanted & slot.stems - stems_of(after) for slot in phrases) or any(
            same_quantity(one, own) for one in stated for own in said
        )
        if wanted & stems and missing and of_first and others:
            return True
    return False
