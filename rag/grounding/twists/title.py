"""A title or a part of a name that is another's: `the treasurer Kim Lee signs; Rosa Diaz writes`. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token
from rag.grounding.verbs import is_verb
from rag.language.polarity import is_past

_LISTING = frozenset(("and", "or", ",", "&"))


def title_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a name with a word before it that the sentence has before other names only, or a name of two others."""
    for place in range(1, len(claim.tokens)):
        title, name = claim.tokens[place - 1], claim.tokens[place]
        if not name.name or not title.stem or is_past(title.word) or is_verb(claim.tokens, place - 1):
            continue
        titles, names = (sentence.positions.get(one.stem, []) for one in (title, name))
        if not titles or not names:
            continue
        if all(_is_of_another(sentence.tokens, at, names) for at in titles) or (
            any(sentence.tokens[at].name for at in titles)
            and all(_has_another(sentence.tokens, at, titles) for at in names)
        ):
            yield f"{title.word!r} is said of another than {name.word!r}"
            return


def _is_of_another(tokens: Sequence[Token], title: int, names: Sequence[int]) -> bool:
    """Return whether another name follows a word, a comma between them or none, and no list that these are in."""
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
