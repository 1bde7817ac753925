"""All but one, except on Fridays: what holds for the rest does not hold for all. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, is_negation, stems_of
from rag.language import polarity
from rag.language.polarity import word_set

_EXCEPTING = word_set("except excepting excluding save but apart exception other otherwise")
_ALL = polarity.UNIVERSAL | word_set("any anyone anything")
_NONE = word_set("no none nobody nothing never")
_CASES = frozenset(("if", "when", "where", "while"))
_REACH = 4


def exception_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield `all` of a sentence that has an exception which the claim leaves out, and a denial of the exception."""
    if _is_excluded(claim, sentence.tokens):
        yield "it is not so there in that case"
    if claim.words & _EXCEPTING:
        return
    denied = any(is_negation(token.word) for token in claim.tokens)
    for place, token in enumerate(sentence.tokens):
        end = _end_of_exception(sentence, place)
        if end is None:
            continue
        before = sentence.tokens[_start_of_statement(sentence.tokens, place) : place] or sentence.tokens[end:]
        nobody = any(is_negation(earlier.word) for earlier in before)
        about = any(earlier.stem in claim.positions for earlier in before if earlier.stem)
        added = about and bool(claim.words & polarity.UNIVERSAL) and not denied and not nobody
        if added or any(_is_general(claim.tokens, before, words) for words in (_ALL, _NONE)):
            yield f"{token.word!r} is left out"
            return
        excepted = {later.stem for later in sentence.tokens[end : end + _REACH] if later.stem}
        if nobody and denied and excepted & claim.positions.keys():
            yield f"it is the exception there: {token.word!r}"
            return


def _is_excluded(claim: Reading, tokens: Sequence[Token]) -> bool:
    """Return whether a claim holds of a case for which the sentence says `not if`: `not if you are late`."""
    for place in range(len(tokens) - 1):
        word = tokens[place + 1].word
        if tokens[place].word != "not" or word not in _CASES or word not in claim.words:
            continue
        end = _end_of_clause(tokens, place + 2)
        own = stems_of(tokens[place + 2 : end]) - stems_of((*tokens[:place], *tokens[end:]))
        start = next(at for at, token in enumerate(claim.tokens) if token.word == word)
        close = _end_of_clause(claim.tokens, start)
        main = (*claim.tokens[:start], *claim.tokens[close:])
        if own & stems_of(claim.tokens[start:close]) and not any(is_negation(token.word) for token in main):
            return True
    return False


def _end_of_clause(tokens: Sequence[Token], place: int) -> int:
    return next((at for at in range(place, len(tokens)) if tokens[at].word in (",", ";", ":")), len(tokens))


def _is_general(claim: Sequence[Token], stated: Sequence[Token], words: frozenset[str]) -> bool:
    """Return whether both hold for all or both for none, `daily` and `every week` among these."""
    return all(
        any(token.word in words or (words is _ALL and is_frequency(token)) for token in tokens)
        for tokens in (claim, stated)
    )


def is_frequency(token: Token) -> bool:
    """Return whether a token says how often: `every day`."""
    return token.quantity is not None and token.quantity.kind == "frequency"


def _start_of_statement(tokens: Sequence[Token], place: int) -> int:
    """Return where the statement around a place begins: after the last semicolon, or comma with `and` or `but`."""
    return next(
        (
            at + 1
            for at in range(place - 1, -1, -1)
            if tokens[at].word == ";" or (at and tokens[at].word in ("and", "but") and tokens[at - 1].word == ",")
        ),
        0,
    )


def _end_of_exception(sentence: Reading, place: int) -> int | None:
    """Return where the exception itself begins, if one does: after `all but`, `except (for)`, `apart from`."""
    words = [token.word for token in sentence.tokens[max(0, place - 2) : place + 3]]
    at = min(place, 2)
    word, after, before = words[at], words[at + 1] if at + 1 < len(words) else "", words[:at]
    if word in ("except", "excepting", "excluding"):
        return place + 2 if after == "for" else place + 1
    if (word, after) in (("apart", "from"), ("other", "than"), ("save", "for"), ("exception", "of")):
        return place + 2
    if word == "but" and (set(before[-1:]) & (_ALL | _NONE) or before == ["no", "one"]):
        return place + 1
    if word == "but" and place and is_frequency(sentence.tokens[place - 1]):
        return place + 1
    return None
