"""Which single letters of a text are names: the A of `Building A` is, the A of `A building` is not. Ground floor."""

import re

_LETTER = re.compile(r"(?<![^\W_])(?<![^\W_][.'’])[^\W\d_](?![^\W_])(?!(?:\.|['’])[^\W_])")
_AFTER_NUMBER = re.compile(r"[\d°/]\s?$")
_NEXT = re.compile(r"\s*([^\W_]+(?!-)|\S|)")
_LAST = re.compile(r"(?<![^\W_])([^\W_]++)\s*+$")
_OPENING = re.compile(r"(?:^|[:;(\[|\n.!?\"“‘—–•*])[^\S\n]*+$")
_NO_NOUN = frozenset(
    "is are was were has have had the this that these in on at to for from by with of and or but if when".split()  # noqa: SIM905
)
_NO_SUBJECT = frozenset("is are has the in on at to for from by with of and or".split())  # noqa: SIM905
_PRONOUN_AFTER = frozenset("and or but if when what that which who so as than because while where i".split())  # noqa: SIM905
_CLOSING = frozenset('.,;:!?)]|"”’')


def letter_names(text: str) -> frozenset[str]:
    """Return the letters, folded, that a text uses as names; the unit after a number is none.

    >>> sorted(letter_names("A guard opens Gate C, and I open Gate A at 5 °C."))
    ['a', 'c']
    """
    return frozenset(
        match[0].casefold()
        for match in _LETTER.finditer(text)
        if is_letter_name(text, match.start())
        and not _AFTER_NUMBER.search(text, max(0, match.start() - 2), match.start())
    )


def is_letter_name(text: str, start: int) -> bool:
    """Return whether the letter that stands alone at `start` is a name: no article, no pronoun, no abbreviation.

    An article is followed by a noun: before a verb, a preposition or a stop, `a` is a name. A capital A within a
    sentence is one as well, unless the words around it are all in capitals.
    """
    letter, before, after = text[start], text[:start], text[start + 1 :]
    if not _LETTER.match(text, start) or (letter.islower() and after[:1] == "." and after[1:].strip()):
        return False
    if letter in ("A", "a"):
        return _is_letter_a(letter, before, after)
    if letter in ("I", "i"):
        return letter == "I" and _is_letter_i(before, after)
    return letter.isascii() and (letter.isupper() or letter not in "st")


def _is_letter_a(letter: str, before: str, after: str) -> bool:
    following, opening = _following(after), bool(_OPENING.search(before))
    if following.casefold() in _NO_NOUN:
        return True
    if not following or following in _CLOSING:
        return not opening
    return letter == "A" and not opening and not _is_shouted(before, following)


def _is_letter_i(before: str, after: str) -> bool:
    last, following = _LAST.search(before), _following(after)
    if last is None or last[1].casefold() in _PRONOUN_AFTER:
        return False
    return not following or following in _CLOSING or following.isdigit() or following in _NO_SUBJECT


def _following(after: str) -> str:
    match = _NEXT.match(after)
    return match[1] if match else ""


def _is_shouted(before: str, following: str) -> bool:
    last = _LAST.search(before)
    return last is not None and all(len(word) > 1 and word.isupper() for word in (last[1], following))
