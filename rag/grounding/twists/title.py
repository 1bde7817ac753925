"""A title or a part of a name that is another's: `the treasurer Kim Lee signs; Rosa Diaz writes`. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token
from rag.grounding.verbs import is_verb
from rag.grounding.words import DETERMINERS
from rag.language.polarity import is_past, word_set

_LISTING = frozenset(("and", "or", ",", "&"))
_CLOSING = word_set(", ; : ( )")


def title_twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield a name with a word before it that the sentence has before other names only, or a name of two others.

    So also where only the sentences before it have the word.
    """
    for title, name in _titled(claim.tokens):
        titles, names = (sentence.positions.get(one.stem, []) for one in (title, name))
        if not titles and names and _is_of_another_before(title, name, context):
            yield f"{title.word!r} is said of another than {name.word!r}"
            return
        if not titles or not names:
            continue
        if all(_is_of_another(sentence.tokens, at, names) for at in titles) or (
            any(sentence.tokens[at].name for at in titles)
            and all(_has_another(sentence.tokens, at, titles) for at in names)
        ):
            yield f"{title.word!r} is said of another than {name.word!r}"
            return


def _is_of_another_before(title: Token, name: Token, context: Sequence[Reading]) -> bool:
    """Return whether the sentences before one have a word, and of other names only."""
    found = [
        _is_of_another(reading.tokens, at, reading.positions.get(name.stem, []))
        for reading in context
        for at in reading.positions.get(title.stem, [])
    ]
    return bool(found) and all(found)


def _titled(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield words and the names that they stand right before, or behind a comma alone: `Rosa Diaz, the treasurer,`."""
    for place in range(1, len(tokens)):
        title, name = tokens[place - 1], tokens[place]
        if name.name and title.stem and not is_past(title.word) and not is_verb(tokens, place - 1):
            yield title, name
    for place, token in enumerate(tokens):
        names = _apposed_to(tokens, place) if token.stem and not token.name else range(0)
        if names:
            yield token, tokens[names[-1]]


def _apposed_to(tokens: Sequence[Token], title: int) -> range:
    """Return where the names stand that a word is put to behind a comma, alone up to the next: `Ida, the nurse, came`.

    Nothing where a name follows that comma, which may have the word as well as those before.
    """
    end = title + 1
    closed = end == len(tokens) or tokens[end].word in _CLOSING
    comma = title
    while comma and (tokens[comma - 1].word in DETERMINERS or (tokens[comma - 1].stem and not tokens[comma - 1].name)):
        comma -= 1
    if not closed or not comma or tokens[comma - 1].word != "," or (end + 1 < len(tokens) and tokens[end + 1].name):
        return range(0)
    start = comma - 1
    while start and (tokens[start - 1].name or (start == 1 and tokens[1].name and tokens[0].stem)):
        start -= 1
    return range(start, comma - 1)


def _is_of_another(tokens: Sequence[Token], title: int, names: Sequence[int]) -> bool:
    """Return whether a word is said of another name: one that follows it, with a comma or none, or is before its comma.

    No list begins there that these are in.
    """
    apposed = _apposed_to(tokens, title)
    if apposed:
        return not any(at in apposed for at in names)
    begin = title + 2 if title + 1 < len(tokens) and tokens[title + 1].word == "," else title + 1
    if begin >= len(tokens) or not tokens[begin].name or not tokens[begin].stem:
        return False
    end = begin
    while end < len(tokens) and (tokens[end].name or tokens[end].word in _LISTING):
        end += 1
    return not any(begin <= at < end or at == title - 1 for at in names) and not _is_behind(tokens, title, names)


def _has_another(tokens: Sequence[Token], name: int, firsts: Sequence[int]) -> bool:
    """Return whether other names than these stand right before a name."""
    start = name
    while start and (tokens[start - 1].name or tokens[start - 1].word in _LISTING):
        start -= 1
    return name > 0 and tokens[name - 1].name and not any(start <= at < name for at in firsts)


def _is_behind(tokens: Sequence[Token], title: int, names: Sequence[int]) -> bool:
    """Return whether a word tells who stands before it, behind a comma: `Rosa Diaz, the treasurer, Kim Lee and ...`."""
    before = title
    while before and not tokens[before - 1].stem and tokens[before - 1].word != ",":
        before -= 1
    if not before or tokens[before - 1].word != ",":
        return False
    start = before - 1
    while start and tokens[start - 1].name:
        start -= 1
    return any(start <= at < before for at in names)
