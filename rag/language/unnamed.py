"""What a question names by a noun and a letter or number, and texts do not, though they name others of its kind.

"When was tank 5 filled?" is not answered where tanks 1 to 4 are spoken of, nor "Lindenweg 16" by the rules of Lindenweg
14, however near a sentence without any such name comes. Ground floor.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rag.language.codes import uncoded
from rag.language.designations import designations
from rag.language.polarity import word_set
from rag.language.sizes import unsized
from rag.language.stated import rows_stated
from rag.language.text import STOPWORDS
from rag.models import RetrievedChunk

_OF_TEXTS = word_set(
    "section chapter article rule part figure table exhibit schedule series line step volume page form"
)
"""Places in a text are often written by their number alone."""
_LINES = r"(?:bus|tram|train|metro|subway|underground|rail(?:way)?|ferry|production|assembly|conveyor|bottling|packing)"
_CALLED = re.compile(r"(?<=[\w,] )(?P<noun>[A-Z][a-z]{3,}) (?P<name>\d{1,3}[a-z]?)\b(?![.,:]?\d|\s?[%°]|\s[a-z])")
_DATES = word_set(
    "january february march april june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)+"
    r"|\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)|[^\W_]+"
)
"""A word or a number; a time, a date and what is written with a point or comma is one."""
_SPAN = re.compile(r"\b([A-Za-z]|\d{1,3})\s?(?:to|through|-|–|—)\s?([A-Za-z]|\d{1,3})\b")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12"}
_SINGLE = {"1": "i", "5": "v", "10": "x", "i": "1", "v": "5", "x": "10"}
"""Roman numerals of one sign, which may be letters as well."""
_NAMED = 4
"""How many of the others are told."""


class _Name(NamedTuple):
    """A noun and the letter or number behind it, in small letters, and that as it is written: `type`, `2`, `II`."""

    noun: str
    name: str
    written: str


def unnamed(question: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return what a question names and texts do not, and others of its kind that they name; else None.

    None, too, where the texts name one of several that the question names, or none of the kind.

    Args:
        question: The question.
        texts: Sentences, headings and titles, each for itself.

    >>> unnamed("When was tank 5 filled?", ["Tank 3 was filled in May.", "Tanks 1 and 2 are empty."])
    ('tank 5', ('tank 1', 'tank 3'))
    >>> unnamed("When was tank 5 filled?", ["Tanks 1 to 6 were filled in May."]) is None
    True
    """
    asked = [one for one in _names(question) if one.noun not in _OF_TEXTS or _is_no_place(one.noun, question)]
    found = [_others(one.noun, one.name, texts) for one in asked]
    if not asked or not all(found):
        return None
    noun, name = _noun_in(asked[0], question), asked[0].name
    told = [found[0][other] for other in sorted(found[0], key=lambda other: _place(other, name))]
    return f"{noun} {asked[0].written}", tuple(f"{noun} {other}" for other in told[:_NAMED])


def unnamed_in(question: str, hits: Iterable[RetrievedChunk]) -> tuple[str, tuple[str, ...]] | None:
    """Return what a question names and the passages found do not, and others of its kind that they name; else None."""
    said = [text for hit in hits for text in (*hit.sentence_texts, hit.context, hit.document, *hit.section_path)]
    said += [cell.replace(": ", " ", 1) for hit in hits for cell in _first_cells(hit)]
    return unnamed(question, said) or unsized(question, said) or uncoded(question, said)


def _first_cells(hit: RetrievedChunk) -> Iterator[str]:
    """Yield the first cell of each row with the head of its column, which names what the row is about: `Level: 3`."""
    for row in rows_stated(hit).values():
        if ": " in (cell := row.partition("; ")[0]):
            yield cell


def _is_no_place(noun: str, question: str) -> bool:
    """Return whether a noun that may name a place in a text names something else: `bus line 9`."""
    return bool(re.search(rf"\b{_LINES}[ -]{re.escape(noun)}\b", question, re.IGNORECASE)) and noun == "line"


def _others(noun: str, name: str, texts: Sequence[str]) -> dict[str, str]:
    """Return the other names of a kind, each as a text writes it; none where a text has the one that was asked for."""
    others: dict[str, str] = {}
    asked_for = re.compile(rf"\b{re.escape(noun)}(?:e?s)? {re.escape(name)}\b", re.IGNORECASE)
    for text in texts:
        if asked_for.search(text):
            return {}
        named = {one.name: one.written for one in _names(text) if one.noun == noun}
        if named and (name in named or _SINGLE.get(name) in named or _holds(name, text)):
            return {}
        others = named | others
    return others


def _names(text: str) -> Iterator[_Name]:
    """Yield what a text names by a noun and a letter or number."""
    for noun, name in sorted(designations(text)):
        pattern = rf"\b{re.escape(noun)}\S*\s+(?:no\.?\s+|number\s+)?({re.escape(name)})(?!\w)"
        written = re.search(pattern, text, re.IGNORECASE)
        yield _Name(noun, _ROMAN.get(name, name), written[1] if written else name)
    for match in _CALLED.finditer(text):
        noun = match["noun"].lower()
        if noun not in _DATES and noun not in STOPWORDS:
            yield _Name(noun, match["name"].lower(), match["name"])


def _place(name: str, asked: str) -> str:
    """Return by what a name is sorted: beside a number, a Roman numeral of one sign as the number that it is."""
    return _SINGLE.get(name, name) if name.isalpha() and asked.isdigit() else name


def _holds(name: str, text: str) -> bool:
    """Return whether a text has a name as a word, or within a span as `1 to 6`."""
    if name in {_ROMAN.get(token.lower(), token.lower()) for token in _TOKEN.findall(text)}:
        return True
    return any(_is_within(name, *match.groups()) for match in _SPAN.finditer(text))


def _is_within(name: str, low: str, high: str) -> bool:
    if name.isdigit() and low.isdigit() and high.isdigit():
        return int(low) <= int(name) <= int(high)
    return len(name) == 1 and low.isalpha() and high.isalpha() and low.lower() <= name <= high.lower()


def _noun_in(name: _Name, question: str) -> str:
    """Return the noun of a name as the question writes it."""
    pattern = rf"\b({re.escape(name.noun)})\S*\s+(?:no\.?\s+|number\s+)?{re.escape(name.written)}(?!\w)"
    found = re.search(pattern, question, re.IGNORECASE)
    return found[1] if found else name.noun
