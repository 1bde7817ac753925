"""What the sentences of a passage say, read on their own: a table's row with the heads of its columns. Ground floor."""

import re
from functools import lru_cache
from typing import Final

from rag.language.rows import cells, row_of_heads, statements, with_marks
from rag.models import Chunk

MARK: Final = re.compile(r"(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
"""What an item of a list begins with."""
_NUMBERS: Final = r"\d{1,3}(?:\s*(?:,|;|-|–|and|&)\s*\d{1,3})*"
_OWN_MARKERS: Final = re.compile(
    rf"(?<!\s)\s*(?:\[\s*(?:passages?\s*)?{_NUMBERS}\s*\]|【\s*{_NUMBERS}(?:†[^】]*)?\s*】)", re.IGNORECASE
)
"""The document's own markers, as `[12]`, with the white space before.

Begun only where white space begins: tried at each of its characters a long stretch would cost its square.
"""
_STRONG: Final = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+)(?<=\S)\*\*(?!\w)")


def statements_of(chunk: Chunk) -> tuple[str, ...]:
    """Return what each sentence of a passage says; a table's row with the heads of its columns, the heads nothing.

    By this sentences are judged: the heads of a table within which the passage begins stand above it in the document.
    It is shown without those (`rag.quote.quoted`), for the passage cited has not got them.
    """
    return said(row_of_heads(chunk), marked_sentences(chunk))


def marked_sentences(chunk: Chunk) -> tuple[str, ...]:
    """Return the sentences of a passage, its rows marked of which it is known whether they hold heads."""
    text = with_marks(chunk, chunk.content)
    return tuple(text[start:end] for start, end in chunk.sentences)


@lru_cache(maxsize=1_024)
def said(heads: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what sentences say below a row of heads, if there is one. Remembered."""
    return tuple(statements((heads, *texts))[1:] if heads else statements(texts))


def rows_stated(chunk: Chunk) -> dict[int, str]:
    """Return the rows of tables of a passage by their place, counted from 0, as they read with their heads.

    Heads of columns and rules say nothing by themselves: they read as an empty text.
    """
    if "|" not in chunk.content:
        return {}
    texts = chunk.sentence_texts
    return {place: one for place, one in enumerate(statements_of(chunk)) if cells(texts[place])}


def on_one_line(sentence: str) -> str:
    """Return a sentence as it is quoted: the document's own `[12]` and emphasis are dropped, and it ends with a stop.

    >>> on_one_line("Wear **nitrile**\\ngloves [12]")
    'Wear nitrile gloves.'
    """
    text = " ".join(_STRONG.sub(r"\1", _OWN_MARKERS.sub("", sentence)).split())
    return text if not text[-1:].isalnum() else f"{text}."


def without_mark(text: str) -> str:
    """Return an item of a list without what it begins with.

    >>> without_mark("2. Wear gloves."), without_mark("Wear gloves.")
    ('Wear gloves.', 'Wear gloves.')
    """
    mark = MARK.match(text)
    return text[mark.end() :] if mark else text
