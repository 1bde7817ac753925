"""Documents that a question names by an identifier, such as the number of a report. Ground floor.

Reports of one form differ by a number that stands once, on the first page. What a question asks of such a report stands
on another page, in the same words as in all others.
"""

import re
from collections.abc import Callable, Collection
from typing import Final

from rag.exact.names import identifiers
from rag.language.text import stems, term_id

MOST: Final = 3
"""An identifier that more of the documents have names none of them."""
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{5,}(?![\w%]|[.,]\d)")
"""A number so long and without separators is no amount and no year."""


def identifiers_of(question: str, *, language: str) -> tuple[frozenset[int], ...]:
    """Return the identifiers of a question, each as the terms that BM25 counts.

    >>> len(identifiers_of("What was the wind in report LN-2019-0417?", language="english"))
    1
    """
    written = [one.text for one in identifiers(question) if one.kind == "identifier"]
    written += [one for one in _NUMBER.findall(question) if not any(one in other for other in written)]
    terms = (frozenset(map(term_id, stems(one, language=language))) for one in written)
    return tuple(one for one in terms if one)


def documents_named(
    codes: Collection[frozenset[int]], documents: Collection[str], terms_of: Callable[[str], frozenset[int]]
) -> frozenset[str]:
    """Return the documents that have an identifier which few of them have; all of one question's where it has several.

    Args:
        codes: The identifiers of the question.
        documents: The documents found for it, by name.
        terms_of: Returns the terms of a document.
    """
    known = {name: terms_of(name) for name in documents} if codes else {}
    having = (frozenset(name for name, terms in known.items() if code <= terms) for code in codes)
    telling = [names for names in having if 0 < len(names) <= MOST and len(names) < len(known)]
    shared = frozenset.intersection(*telling) if telling else frozenset()
    return shared or frozenset().union(*telling)
