"""What a draft is made of: its sentences, and the markers that say which passages each of them cites."""

import re
from collections.abc import Iterator

from rag.drafts import MARKER_LIST
from rag.language.text import sentence_spans

_MARKER = re.compile(
    rf"(?<!\s)\s*(?:\[\s*(?:passages?\s*)?({MARKER_LIST})\s*\]|【\s*({MARKER_LIST})(?:†[^】]*)?\s*】)", re.IGNORECASE
)
_PARENTHESIS = re.compile(
    r"(?<!\s)\s*\(\s*(?:passages?\s*)?(\d{1,2}(?:\s*,\s*\d{1,2})*)\s*\)(?=[.!?]?$)", re.IGNORECASE
)
_AFTER_STOP = re.compile(rf"(?<![.!?])([.!?]+[\"”’)]?)((?:{_MARKER.pattern})+)(?=\s|$)", re.IGNORECASE)
_BEFORE_SENTENCE = re.compile(rf"(\w(?:{_MARKER.pattern})+)[ \t]+(?=[A-Z\"“])")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s+([.,;:!?])(?=\s|$)")
_ENDS = re.compile(r"[.!?…:][\"'”’)\]*_]*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•‣▪–]|\(?\d{1,2}[.)])\s+(?=\S)")


def draft_sentences(text: str) -> list[str]:
    """Return the sentences of a draft; a marker that follows a full stop belongs to the sentence before it.

    >>> draft_sentences("Wear gloves. [1] Wash hands [2].")
    ['Wear gloves [1].', 'Wash hands [2].']
    """
    moved = _AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]}", text)
    moved = _BEFORE_SENTENCE.sub(r"\1\n\n", moved)
    sentences = [_BULLET.sub("", moved[start:end]).strip("*_ ") for start, end in sentence_spans(moved)]
    return [sentence for sentence in sentences if _has_words(sentence)]


def is_torn(sentence: str) -> bool:
    """Return whether a sentence, its markers aside, does not end as sentences do.

    >>> is_torn("Wear gloves [1]."), is_torn("Wear gloves and")
    (False, True)
    """
    return not _ENDS.search(_MARKER.sub("", sentence))


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in _MARKER.sub("", text))


def parse_markers(text: str, count: int) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
    """Return the sentence without markers, the passages it cites, and the markers that point to none of them.

    >>> parse_markers("Wear gloves [1, 3][7].", 3)
    ('Wear gloves.', (1, 3), ('[7]',))
    """
    pattern = _MARKER if _MARKER.search(text) else _PARENTHESIS
    valid: dict[int, None] = {}
    invalid: dict[str, None] = {}
    for match in pattern.finditer(text):
        numbers = list(_numbers(next(group for group in match.groups() if group)))
        valid.update(dict.fromkeys(number for number in numbers if 1 <= number <= count))
        if not all(1 <= number <= count for number in numbers):
            invalid[match[0].strip()] = None
    bare = _SPACE_BEFORE_STOP.sub(r"\1", pattern.sub("", text)).strip()
    return bare, tuple(valid), tuple(invalid)


def _numbers(group: str) -> Iterator[int]:
    """Yield the numbers of `1, 3-5`; for what is no range (`3-1`, `1-3-5`) 0, the number of no passage."""
    for part in re.split(r"\s*(?:,|;|and|&)\s*", group):
        first, *more = map(int, re.split(r"[-–]", part))
        last = more[0] if more else first
        yield from range(first, last + 1) if len(more) < 2 and first <= last else (0,)
