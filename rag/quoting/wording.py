"""How a sentence is quoted: on one line, without marks of its place, its end as in the document. Ground floor."""

import re
from collections.abc import Iterator, Sequence

from rag.drafts import MARKERS
from rag.language.rows import cells
from rag.language.stated import marked_sentences, said, statements_of
from rag.models import AnswerSentence, RetrievedChunk
from rag.quoting.layout import first_row_above, layout_of, term_in, without_answer_mark

_BULLET = re.compile(r"[-*•‣◦▪–]\s+(?=[^\W\d])")
_STRONG = re.compile(r"(?<!\w)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)", re.DOTALL)
_BEGINS_SMALL = re.compile(r"\s*[a-z]")
_FEWEST_COLUMNS = 3
"""Of a row of two cells the first names what the second says."""
_LONGEST_HEAD = 5
"""Words of a cell that may be the head of its column."""
_DIGIT = re.compile(r"\d")
_GLOSSARY_LINE = re.compile(r"\s*[^\n:.!?]{1,60}: \S")


def quoted(hit: RetrievedChunk, index: int, *, term_alone: bool = False, listed: bool = False) -> str:
    """Return a sentence on one line, the document's own `[12]` dropped so that it cannot pass for a citation.

    A whole sentence loses its bullet, one that begins in lower case keeps it: that is a part of another. An answer
    loses the `A.` before it, emphasised words their `**`. What is neither a whole sentence nor a list item is ended
    with a full stop, or with three dots where the text goes on below in lower case.

    Args:
        hit: The passage.
        index: The sentence, from 0.
        term_alone: Only the term that it begins with.
        listed: The words above its list stand before it: an item keeps its bullet.
    """
    one = said("", marked_sentences(hit))[index]
    if term_alone:
        return f"{' '.join((term_in(one) or one).split())}."
    text = " ".join(_STRONG.sub(r"\1", MARKERS.sub("", one)).split())
    text = without_answer_mark(text) if layout_of(hit).has_marks else text
    if _BULLET.match(text):
        bare = _BULLET.sub("", text)
        return text if listed or bare[0].islower() or not text.endswith((".", "!", "?")) else bare
    if not text[-1:].isalnum():
        return text
    return f"{text}..." if _is_cut(hit, index) else f"{text}."


def head_notes(sentences: Sequence[AnswerSentence], hits: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """Return the heads of the columns of each row quoted that stands in a later passage than they do.

    The row is shown as that passage has it, and which of its figures is which, only the heads tell. Of a table whose
    heads are not known the first row is told, where it has words only: mostly it is they.

    Args:
        sentences: What is shown.
        hits: The passages found.
    """
    told = " ".join(sentence.text for sentence in sentences)
    notes = []
    for hit in hits:
        heads = cells(hit.context.rpartition("\n")[2])
        if len(heads) < _FEWEST_COLUMNS or not hit.content.startswith("|"):
            continue
        apart = next((place for place, text in enumerate(hit.sentence_texts) if not cells(text)), len(hit.sentences))
        if any(statements_of(hit)[place] and quoted(hit, place) in told for place in range(apart)):
            notes.append(
                f"The columns of the row quoted, which its passage does not name, are in order: {' | '.join(heads)}."
            )
    return tuple(dict.fromkeys((*notes, *_first_rows(told, hits))))


def _first_rows(told: str, hits: Sequence[RetrievedChunk]) -> Iterator[str]:
    """Yield what to tell of rows that are shown without heads though their table begins as one with heads does."""
    for hit in hits:
        for place, read in enumerate(statements_of(hit)):
            first = cells(first_row_above(hit, place)) if " | " in read and quoted(hit, place) in told else []
            short = all(cell and len(cell.split()) <= _LONGEST_HEAD for cell in first)
            if len(first) >= _FEWEST_COLUMNS and short and not _DIGIT.search(" ".join(first)) and _DIGIT.search(read):
                yield f"The row quoted is of a table that begins with this row: {' | '.join(first)}."


def _is_cut(hit: RetrievedChunk, index: int) -> bool:
    """Return whether the text goes on in lower case right after a sentence; a new line of a glossary is no going on."""
    end = hit.sentences[index][1]
    return bool(_BEGINS_SMALL.match(hit.content, end)) and not _GLOSSARY_LINE.match(hit.content, end)
