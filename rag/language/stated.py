"""What the sentences of a passage say, read on their own: a table's row with the heads of its columns. Ground floor."""

from functools import lru_cache

from rag.language.rows import cells, row_of_heads, statements, with_marks
from rag.models import Chunk


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
