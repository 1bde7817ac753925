"""Documents that a question names by an identifier, such as the number of a report. Ground floor.

Reports of one form differ by a number that stands once, on the first page. What a question asks of such a report stands
on another page, in the same words as in all others.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from rag.exact.names import identifiers
from rag.models import Chunk
from rag.text.rows import blocks_of, cells, tells_heads
from rag.text.words import stems, term_id

MOST: Final = 3  # an identifier that more of the documents have names none of them
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{5,}(?![\w%]|[.,]\d)")
"""A number so long and without separators is no amount and no year."""
_CODE: Final = re.compile(r"[^\W\d_](?:\D*\d){3}")


def identifiers_of(question: str, *, language: str) -> tuple[frozenset[int], ...]:
    """Return the identifiers of a question, each as the terms that BM25 counts.

    >>> len(identifiers_of("What was the wind in report LN-2019-0417?", language="english"))
    1
    """
    terms = (frozenset(map(term_id, stems(one, language=language))) for one in written(question))
    return tuple(one for one in terms if one)


def written(question: str) -> list[str]:
    """Return the identifiers of a question as it writes them."""
    found = [one.text for one in identifiers(question) if one.kind == "identifier"]
    return found + [one for one in _NUMBER.findall(question) if not any(one in other for other in found)]


def is_telling(code: str) -> bool:
    """Return whether a code is one by its form, so that a document without it does not answer.

    >>> is_telling("RE-2024-0012"), is_telling("mp3"), is_telling("4.1.2")
    (True, False, False)
    """
    return _CODE.match(code) is not None


def absent_codes(
    question: str,
    versions: Callable[[], Iterable[tuple[str, str]]],
    counted: Callable[[Sequence[int]], Mapping[int, int]],
    *,
    language: str,
) -> tuple[str, ...]:
    """Return the codes of a question that no document has, neither in its text nor in its name.

    Documents may still have all parts of the others: see `holders`.

    A code begins with a letter and has three digits or more: of 25,266 wordings of everyday questions eleven name one
    that their document lacks, and none of these is answered by it. Shorter ones are often no codes (`mp3`, `CO2`).

    Args:
        question: The question.
        versions: Returns name and hash of all documents.
        counted: Returns in how many chunks terms occur.
        language: Snowball stemmer for BM25.
    """

    def terms(text: str) -> frozenset[int]:
        return frozenset(term_id(one) for one in stems(text, language=language))

    codes = [one.text for one in identifiers(question) if one.kind == "identifier" and is_telling(one.text)]
    frequencies = counted([*frozenset().union(*map(terms, codes))]) if codes else {}
    unseen = [one for one in codes if not all(map(frequencies.get, terms(one)))]
    named = [terms(name) for name, _ in versions()] if unseen else []
    return tuple(one for one in unseen if not any(terms(one) <= name for name in named))


def holders(question: str, chunks: Sequence[Chunk]) -> dict[str, frozenset[str]]:
    """Return for each identifier of a question the documents of chunks that have it, in its own order of characters.

    Where its parts stand apart, as `2024` and `0012` of `RE-2024-0012` in another invoice of that year, it is not
    there. White space and signs between the parts do not count.
    """
    parts = {code: r"[\W_]*+".join(re.findall(r"[^\W_]+", code)) for code in written(question)}
    patterns = {code: re.compile(rf"(?<![^\W_]){of}(?![^\W_])", re.IGNORECASE) for code, of in parts.items()}
    texts = [
        (one.document, f"{one.document}\n{' '.join(one.metadata.identifiers)}\n{one.context}\n{one.content}")
        for one in (chunks if patterns else ())
    ]
    return {code: frozenset(name for name, text in texts if has.search(text)) for code, has in patterns.items()}


def rows_of_others(question: str, passages: Sequence[Chunk]) -> list[frozenset[int]]:
    """Return for each passage its rows that cannot answer: another row of their table has the key that is asked for.

    A key stands in a column of its own. A row that has another value there speaks of something else.

    Args:
        question: The question; without an identifier in it no row is ruled out.
        passages: What was found.
    """
    keys = [re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])", re.IGNORECASE) for one in written(question)]
    if not keys:
        return [frozenset()] * len(passages)
    rows = [_rows_of(one) for one in passages]
    columns = {
        (one.document, head)
        for one, found in zip(passages, rows, strict=True)
        for cells_of in found.values()
        for head, cell in cells_of.items()
        if any(key.search(cell) for key in keys)
    }
    return [
        frozenset(number for number, row in found.items() if _is_other(row, one.document, columns, keys))
        for one, found in zip(passages, rows, strict=True)
    ]


def _rows_of(passage: Chunk) -> dict[int, dict[str, str]]:
    """Return the rows of a passage that have heads, by the number of their sentence: their cells by head."""
    found: dict[int, dict[str, str]] = {}
    for number, (block, text) in enumerate(zip(blocks_of(passage), passage.sentence_texts, strict=True)):
        row = cells(text) if block.kind == "row" else []
        if tells_heads(row):
            found[number] = dict(cell.split(": ", 1) for cell in row if cell)
        elif block.table is not None and len(row) == len(passage.columns[block.table]):
            found[number] = dict(zip(passage.columns[block.table], row, strict=True))
    return found


def _is_other(
    row: Mapping[str, str], document: str, columns: Collection[tuple[str, str]], keys: Sequence[re.Pattern[str]]
) -> bool:
    return any((document, head) in columns for head in row) and not any(
        key.search(cell) for cell in row.values() for key in keys
    )


def documents_named(
    codes: Collection[frozenset[int]], documents: Collection[str], terms_of: Callable[[str], frozenset[int]]
) -> frozenset[str]:
    """Return the documents that have an identifier which few have, all of a question's where it has several."""
    known = {name: terms_of(name) for name in documents} if codes else {}
    having = (frozenset(name for name, terms in known.items() if code <= terms) for code in codes)
    telling = [names for names in having if 0 < len(names) <= MOST and len(names) < len(known)]
    shared = frozenset.intersection(*telling) if telling else frozenset()
    return shared or frozenset().union(*telling)
